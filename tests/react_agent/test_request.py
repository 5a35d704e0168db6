import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from react_agent.request import Block, RequestFault, decode, original_bytes, pack, unpack

HARD = {
    "crlf": "class A\r\n{\r\n}\r\n",
    "tabs and no last newline": "\tif (x)\n\t\treturn;",
    "byte order mark": "\ufeffusing System;\n",
    "unicode": "// Příliš žluťoučký \U0001f40e\u2028 kůň\x00\x1f",
    "fences": '```csharp\nvar s = """```""";\n```\n',
    "another request": pack([Block(kind="message", text="inner\n")]),
    "empty": "",
    "lone surrogate": "a\ud800b",
    "1 MB": "public int Año { get; set; }\r\n" * 36_000,
}


@pytest.mark.parametrize("text", HARD.values(), ids=HARD.keys())
def test_text_comes_back_character_for_character(text: str) -> None:
    blocks = [
        Block(kind="message", text="translate it\n"),
        Block(kind="file", path="src/My Models/A\n.cs", text=text),
        Block(kind="earlier_message", text=text),
    ]
    packed = pack(blocks)
    back = unpack(packed)
    assert [(b.kind, b.path, b.text) for b in back] == [(b.kind, b.path, b.text) for b in blocks]
    assert [packed[b.start : b.end] for b in back] == [b.text for b in blocks]
    assert back[1].sha256 == hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@given(st.lists(st.text(), max_size=4))
def test_any_texts_survive(texts: list[str]) -> None:
    packed = pack([Block(kind="message", text=t) for t in texts])
    assert [b.text for b in unpack(packed)] == texts


@given(st.binary(max_size=200))
def test_any_file_gives_its_bytes_back(data: bytes) -> None:
    text, encoding = decode(data)
    assert original_bytes(text, encoding) == data


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32", "cp1252"])
def test_hash_of_a_file_is_the_hash_of_its_bytes(encoding: str) -> None:
    data = "// ž é\r\nclass A {}\r\n".replace("ž", "z").encode(encoding)
    text, read_as = decode(data)
    [block] = unpack(pack([Block(kind="file", path="A.cs", text=text, encoding=read_as)]))
    assert block.sha256 == hashlib.sha256(data).hexdigest()
    assert "class A {}\r\n" in block.text


def test_plain_text_is_one_message() -> None:
    [block] = unpack("please translate this:\n```csharp\nclass A {}\n```")
    assert (block.kind, block.start) == ("message", 0)
    assert block.text.endswith("```")


PACKED = pack([Block(kind="message", text="hello"), Block(kind="file", path="a", text="world")])


@pytest.mark.parametrize(
    ("damaged", "said"),
    [
        (PACKED.replace("world", "w0rld"), "block 2 of 2 is not the one that was packed"),
        (PACKED[:-3], "block 2 of 2 is not 5 characters long"),
        (PACKED + "more", "4 characters after the last block"),
        (PACKED.replace(" 2\n", " two\n", 1), "'two' is not a number"),
        (PACKED.replace('"chars": 5', '"chars": -1', 1), "block 1 of 2 has values"),
        (PACKED.replace('"kind"', '"kin"', 1), "block 1 of 2 is malformed"),
        (PACKED[:20], "no end"),
    ],
)
def test_damage_is_said_with_its_place(damaged: str, said: str) -> None:
    with pytest.raises(RequestFault, match=said):
        unpack(damaged)
