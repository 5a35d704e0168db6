"""Manifest: `uom.json`, which ties a Java project to the C# it stands for, so that the pair can be proven again."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from pydantic import TypeAdapter, ValidationError

from react_agent.model.documents import Decision, DocumentModel
from react_agent.model.mapping import MappingModel
from react_agent.model.translation import EntryPair, SourceFile, Translation

NAME = "uom.json"
"""The manifest's file name, at the root of the Java project."""

VERSION = 1
"""The manifest's format; another one is refused."""


class BadManifest(ValueError):
    """`uom.json` cannot be used; the message names the member and what to do."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What ties both sides: the mapping, the documents with their decisions, the entry pairs and the files' hashes.

    `sources` and `files` map a path to the SHA-256 of its text in UTF-8. A Java file whose hash differs was changed
    by a person since.
    """

    version: int
    target: str
    configuration: str
    mapping: MappingModel
    documents: DocumentModel
    entries: tuple[EntryPair, ...]
    sources: Mapping[str, str]
    files: Mapping[str, str]

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """The decisions that the documents follow."""
        return self.documents.decisions

    def to_text(self) -> str:
        """Write the manifest: stable order, two blanks of indent, so that it diffs well."""
        return json.dumps(asdict(self), indent=2, ensure_ascii=False, sort_keys=True) + "\n"


def sha256(text: str) -> str:
    """Hash a text as its UTF-8 bytes."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def manifest_of(
    translation: Translation, mapping: MappingModel, sources: Sequence[SourceFile], target: str
) -> Manifest:
    """Describe a translation."""
    return Manifest(
        version=VERSION,
        target=target,
        configuration=translation.configuration,
        mapping=mapping,
        documents=translation.documents,
        entries=translation.entries,
        sources={source.path: sha256(source.text) for source in sources},
        files={file.path: sha256(file.text) for file in translation.files},
    )


def read_manifest(text: str, where: str = NAME) -> Manifest:
    """Read a manifest.

    Raises:
        BadManifest: it is no JSON, of another version, or a member does not fit; `where` names the file.
    """
    try:
        value: Any = json.loads(text)
    except json.JSONDecodeError as error:
        raise BadManifest(f"{where}:{error.lineno}: not JSON: {error.msg}; translate again to make a new one") from None
    version = value.get("version") if isinstance(value, dict) else None
    if version != VERSION:
        raise BadManifest(f"{where}: version {version!r} is not {VERSION}; translate again to make a new one")
    try:
        return _ADAPTER.validate_python(value)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        member = ".".join(str(part) for part in first["loc"])
        raise BadManifest(f"{where}: {member}: {first['msg']}; translate again to make a new one") from None


_ADAPTER = TypeAdapter(Manifest)
