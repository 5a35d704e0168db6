import pytest
from hypothesis import given
from hypothesis import strategies as st

from uom_deep_agent.text_edit import EditFault, replaced, rewritten, text_of

BOM = b"\xef\xbb\xbf"


@pytest.mark.parametrize(
    ("data", "old", "new", "after"),
    [
        (b"a\r\nb\r\nc", "b\n", "x\ny\n", b"a\r\nx\r\ny\r\nc"),
        (b"a\nb\r\nc\rd", "a\nb\nc\nd", "a\nb\nC\nd", b"a\nb\r\nC\rd"),
        (BOM + b"a\r\nb\r\n", "a", "A", BOM + b"A\r\nb\r\n"),
        ("é\r\nž".encode("utf-16"), "ž", "š", "é\r\nš".encode("utf-16")),
        (b"caf\xe9\r\nx", "café", "th\u00e9", b"th\xe9\r\nx"),
        (b"one line, no newline", "no newline", "still none", b"one line, still none"),
        (b"a\r\n\r\nb", "a\n\nb", "a\nb", b"a\r\nb"),
    ],
    ids=["crlf", "mixed", "bom", "utf-16", "latin-1", "no last newline", "blank line"],
)
def test_only_what_is_replaced_changes(data: bytes, old: str, new: str, after: bytes) -> None:
    assert replaced(data, old, new) == (after, 1)


def test_line_break_never_matches_half_a_line_ending() -> None:
    with pytest.raises(EditFault, match="not found"):
        replaced(b"a\r\nb", "a\n\nb", "x")


@pytest.mark.parametrize(
    ("data", "old", "new", "said"),
    [
        (b"abab", "ab", "x", "appears 2 times"),
        (b"abc", "zz", "x", "was not found"),
        (b"abc", "", "x", "is empty"),
        (b"abc", "b", "b", "are the same"),
        (b"last line", "line\n", "x\n", "leave the newline out"),
        (b"caf\xe9", "caf", "\u4f60", "latin-1 and cannot hold"),
    ],
)
def test_edit_that_cannot_be_made_says_why(data: bytes, old: str, new: str, said: str) -> None:
    with pytest.raises(EditFault, match=said):
        replaced(data, old, new)


def test_every_place_is_replaced_when_asked() -> None:
    assert replaced(b"ab\r\nab", "ab", "x\ny", replace_all=True) == (b"x\r\ny\r\nx\r\ny", 2)


TEXT = st.text(alphabet="ab \t\né", max_size=30)


@given(before=TEXT, old=TEXT.filter(bool), new=TEXT, after=TEXT, ending=st.sampled_from(["\n", "\r\n"]))
def test_edit_reads_as_replacing_in_the_text_a_model_saw(
    before: str, old: str, new: str, after: str, ending: str
) -> None:
    seen = before + old + after
    if old == new or seen.count(old) != 1 or "\n" not in seen:
        return
    data = seen.replace("\n", ending).encode()
    changed, _ = replaced(data, old, new)
    assert changed == seen.replace(old, new, 1).replace("\n", ending).encode()


def test_file_written_anew_keeps_its_form() -> None:
    assert rewritten(None, "a\r\nb\n") == b"a\r\nb\n"
    assert rewritten(BOM + b"x\r\ny\r\n", "a\nb") == BOM + b"a\r\nb"
    assert rewritten(b"x\r\n", "a\r\nb\n") == b"a\r\nb\n"
    assert rewritten(b"x\ny\r\n", "a\nb\n") == b"a\nb\n"


def test_text_is_shown_with_line_feeds_and_binary_is_refused() -> None:
    assert text_of(BOM + b"a\r\nb\rc") == "a\nb\nc"
    with pytest.raises(EditFault, match="not text"):
        text_of(b"\x00\x01")
