"""Templates: the fixed parts of the programs, and how marks in them are filled. Pure once imported."""

import re
from pathlib import Path

_FOLDER = Path(__file__).with_name("templates")
_TEXTS = {file.name: file.read_text(encoding="utf-8") for file in _FOLDER.iterdir() if file.is_file()}
_MARK = re.compile(r"\{\{(\w+)\}\}")


def filled(template: str, **parts: str) -> str:
    """Fill a template's marks, `{{name}}`; a mark without its part, or a part without its mark, is our mistake."""
    text = _TEXTS[template]
    assert set(_MARK.findall(text)) == set(parts), (template, set(_MARK.findall(text)) ^ set(parts))
    return _MARK.sub(lambda mark: parts[mark.group(1)], text)
