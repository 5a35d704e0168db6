"""Faults of how documents are kept and read: they concern a whole project, not one method."""

import re
from collections.abc import Iterator
from dataclasses import replace

from react_agent.model.translation import SourceFile
from tests.faults.java import each

Project = tuple[SourceFile, ...]


def _in(files: Project, ending: str, pattern: str, by: str) -> Iterator[Project]:
    for file in files:
        if file.path.endswith(ending):
            for text in each(file.text, pattern, by):
                yield tuple(replace(f, text=text) if f is file else f for f in files)


def decimals_stored_as_text(files: Project) -> Iterator[Project]:
    """Decimals written, and so compared, as text: Spring Data's default until version 5."""
    yield from _in(
        files, "Configuration.java", r"BigDecimalRepresentation\.DECIMAL128", "BigDecimalRepresentation.STRING"
    )


def guids_in_legacy_bytes(files: Project) -> Iterator[Project]:
    """Guids in the byte order of an older driver."""
    yield from _in(files, "Configuration.java", r"UuidRepresentation\.STANDARD", "UuidRepresentation.JAVA_LEGACY")


def dates_by_zone(files: Project) -> Iterator[Project]:
    """Dates that go through the zone of the JVM."""
    yield from _in(files, "Configuration.java", r"\.useNativeDriverJavaTimeCodecs\(\)", "")


def field_under_another_name(files: Project) -> Iterator[Project]:
    """A member read from a field that documents do not have."""
    yield from _in(files, ".java", r'@Field\((?:name = )?"(\w+)"', r'@Field(name = "\1Of"')


def enum_under_another_name(files: Project) -> Iterator[Project]:
    """Two members of an enum with their stored names or numbers exchanged."""
    for file in files:
        found = re.search(
            r"^    ([A-Z][A-Z_0-9]*)\((\"\w+\"|-?\d+)\),\n\s*([A-Z][A-Z_0-9]*)\((\"\w+\"|-?\d+)\)",
            file.text,
            re.MULTILINE,
        )
        if found:
            swapped = f"    {found[1]}({found[4]}),\n    {found[3]}({found[2]})"
            text = file.text[: found.start()] + swapped + file.text[found.end() :]
            yield tuple(replace(f, text=text) if f is file else f for f in files)


def collection_under_another_name(files: Project) -> Iterator[Project]:
    """An entity read from a collection that holds none."""
    yield from _in(files, ".java", r'@Document\((?:collection = )?"(\w+)"\)', r'@Document("\1s")')
