import asyncio
import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from uom_acp.transport import LARGEST_BACKLOG, DescriptorTransport, LineSplitter, encoded, read_frame, request_id


@given(lines=st.lists(st.binary(max_size=30).map(lambda data: data.replace(b"\n", b"")), max_size=8), data=st.data())
def test_lines_do_not_depend_on_how_bytes_arrive(lines: list[bytes], data: st.DataObject) -> None:
    stream = b"".join(line + b"\n" for line in lines)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=10)))
    pieces = [stream[a:b] for a, b in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    splitter = LineSplitter()
    assert [line for piece in pieces for line in splitter.feed(piece)] == lines


@given(sizes=st.lists(st.integers(0, 20), max_size=10))
def test_only_lines_over_the_limit_are_dropped(sizes: list[int]) -> None:
    splitter = LineSplitter(limit=10)
    stream = b"".join(b"x" * size + b"\n" for size in sizes)
    found = [line for n in range(len(stream)) for line in splitter.feed(stream[n : n + 1])]
    assert found == [b"x" * size if size <= 10 else None for size in sizes]


@given(line=st.binary(max_size=60) | st.text(max_size=60).map(lambda text: json.dumps(text).encode()))
def test_any_line_is_a_frame_or_has_an_answer_or_asks_nothing(line: bytes) -> None:
    frame, answer = read_frame(line)
    assert frame is None or answer is None
    assert answer is None or answer["error"]["code"] in {-32700, -32600, -32602}


@given(
    value=st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(exclude_categories=[])),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
        max_leaves=8,
    )
)
def test_whatever_is_sent_is_one_line_of_strict_json(value: object) -> None:
    line = encoded({"value": value})
    assert line.count(b"\n") == 1

    def refuse(name: str) -> None:
        raise AssertionError(name)

    json.loads(line.decode("utf-8"), parse_constant=refuse)


def test_meta_is_boxed_under_one_key() -> None:
    frame, _ = read_frame(b'{"id": 1, "method": "session/new", "params": {"cwd": "/a", "_meta": {"cwd": "/b"}}}')
    assert frame is not None
    assert frame["params"] == {"cwd": "/a", "_meta": {"meta": {"cwd": "/b"}}}


@pytest.mark.parametrize(("sent", "read"), [("12", 12), ("x", "x"), (12, 12), ("٣", "٣")])
def test_number_of_a_response_may_come_as_text(sent: object, read: object) -> None:
    frame, _ = read_frame(json.dumps({"id": sent, "result": {}}).encode())
    assert frame is not None
    assert frame["id"] == read


async def test_cancel_request_goes_to_its_hook_and_the_request_id_to_the_context() -> None:
    incoming, feed = os.pipe()
    drain, outgoing = os.pipe()
    withdrawn: list[object] = []
    transport = DescriptorTransport(incoming, outgoing, on_cancel_request=withdrawn.append)
    os.write(feed, b'{"method": "$/cancel_request", "params": {"requestId": 4}}\n{"id": 5, "method": "x"}\n')
    frame = await transport.receive()
    await asyncio.sleep(0)
    assert (frame, withdrawn, request_id.get()) == ({"id": 5, "method": "x", "params": {}}, [4], 5)
    os.close(feed)
    assert await transport.receive() is None
    await transport.close()
    for descriptor in (incoming, drain, outgoing):
        os.close(descriptor)


async def test_editor_that_reads_nothing_does_not_hold_the_loop() -> None:
    incoming, feed = os.pipe()
    drain, outgoing = os.pipe()
    transport = DescriptorTransport(incoming, outgoing)
    async with asyncio.timeout(5):
        for _ in range(50):
            await transport.send({"method": "x", "params": {"text": "y" * 10_000}})
        os.close(drain)
        await transport.close()
    for descriptor in (feed, outgoing, incoming):
        os.close(descriptor)


async def test_sender_waits_for_an_editor_that_reads_nothing_and_is_freed_when_it_leaves() -> None:
    incoming, feed = os.pipe()
    drain, outgoing = os.pipe()
    transport = DescriptorTransport(incoming, outgoing)
    big = {"text": "y" * (LARGEST_BACKLOG // 4)}
    sending = [asyncio.create_task(transport.send(big)) for _ in range(5)]
    done, waiting = await asyncio.wait(sending, timeout=1)
    assert (len(done), len(waiting)) == (3, 2)
    os.close(drain)
    async with asyncio.timeout(5):
        await asyncio.gather(*waiting)
        await transport.close()
    for descriptor in (feed, outgoing, incoming):
        os.close(descriptor)
