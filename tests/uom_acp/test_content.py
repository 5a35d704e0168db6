from pathlib import Path

import pytest
from acp.schema import (
    BlobResourceContents,
    EmbeddedResourceContentBlock,
    ImageContentBlock,
    ResourceContentBlock,
    TextContentBlock,
)
from hypothesis import given
from hypothesis import strategies as st

from uom_acp.content import model_content, said_text, shown_path
from uom_acp.errors import UnsupportedContent

CWD = Path("/work/my app")


@given(text=st.text(min_size=1))
def test_text_arrives_character_for_character(text: str) -> None:
    block = TextContentBlock(type="text", text=text)
    assert model_content([block], CWD) == text
    assert said_text([block]) == text


@pytest.mark.parametrize(
    ("uri", "shown"),
    [
        ("file:///work/my%20app/src/A%23.cs", "src/A#.cs"),
        ("file:///work/my%20app2/A.cs", "/work/my app2/A.cs"),
        ("https://example.org/A.cs", "https://example.org/A.cs"),
    ],
)
def test_links_are_named_as_the_tools_know_them(uri: str, shown: str) -> None:
    assert shown_path(uri, CWD) == shown


def test_blocks_keep_their_order() -> None:
    blocks = [
        TextContentBlock(type="text", text="see"),
        ResourceContentBlock(type="resource_link", name="A", uri="file:///work/my%20app/A.cs"),
        ImageContentBlock(type="image", data="AAAA", mime_type="image/png"),
    ]
    assert model_content(blocks, CWD) == [
        {"type": "text", "text": "see"},
        {"type": "text", "text": "[A](A.cs)"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
    ]


def test_what_cannot_be_read_is_refused_by_name() -> None:
    blob = BlobResourceContents(uri="file:///x/a.zip", blob="AAAA")
    with pytest.raises(UnsupportedContent, match=r"a\.zip"):
        model_content([EmbeddedResourceContentBlock(type="resource", resource=blob)], CWD)
    with pytest.raises(UnsupportedContent, match="empty"):
        model_content([], CWD)
