from hypothesis import given
from hypothesis import strategies as st

from react_agent.sandbox.output import Capture


@given(st.lists(st.binary(max_size=50)), st.integers(min_value=1, max_value=60))
def test_the_beginning_and_the_end_are_kept_whatever_the_pieces(pieces, limit):
    capture = Capture(limit)
    for piece in pieces:
        capture.add(piece)
    whole = b"".join(pieces)
    if len(whole) <= limit:
        assert capture.text() == whole.decode(errors="replace")
        assert not capture.truncated
        return
    head, tail = whole[: limit // 2], whole[len(whole) - (limit - limit // 2) :]
    left_out = f"\n[{len(whole) - limit} bytes left out]\n"
    assert capture.text() == head.decode(errors="replace") + left_out + tail.decode(errors="replace")
    assert capture.truncated


def test_gigabytes_need_no_more_memory_than_the_limit():
    capture = Capture(1000)
    for _ in range(10_000):
        capture.add(b"x" * 65536)
    assert capture.total == 655_360_000
    assert sum(map(len, capture._tail)) <= 1000 + 65536
