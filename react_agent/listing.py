"""Listing: entries that read every row of an entity back. A schema that comes without queries is proven by them."""

from collections.abc import Sequence
from dataclasses import replace

from react_agent.csharp import Reading
from react_agent.model.mapping import EntityType, MappingModel
from react_agent.model.translation import SourceFile, Translation

CLASS = "UomListing"
"""The class of the entries, in C# and in Java; it is part of the proof and not of the translation."""


def with_listing(sources: Sequence[SourceFile], mapping: MappingModel) -> tuple[SourceFile, ...]:
    """Put the listing's C# beside the user's, once."""
    return (*without_listing(sources), SourceFile(path=f"{CLASS}.cs", text=_csharp(mapping)))


def without_listing(files: Sequence[SourceFile]) -> tuple[SourceFile, ...]:
    """Leave the listing's own files out, in C# or in Java."""
    names = {f"{CLASS}.cs", f"{CLASS}.java"}
    return tuple(file for file in files if file.path.rsplit("/", 1)[-1] not in names)


def is_wanted(reading: Reading) -> bool:
    """Whether a schema came alone: nobody wrote an entry, readable or not."""
    return not reading.queries.methods and not any(gap.entry for gap in reading.gaps)


def published(translation: Translation) -> Translation:
    """Leave the listing out of what a person gets."""
    entries = tuple(pair for pair in translation.entries if pair.class_name != CLASS)
    return replace(translation, files=without_listing(translation.files), entries=entries)


def only_listing(reading: Reading) -> Reading:
    """Leave the user's own entries out, where the schema alone is asked for."""
    queries = reading.queries
    methods = tuple(method for method in queries.methods if method.class_name == CLASS)
    gaps = tuple(gap for gap in reading.gaps if not gap.entry or gap.entry.startswith(f"{CLASS}."))
    return replace(reading, queries=replace(queries, methods=methods), gaps=gaps)


def _csharp(mapping: MappingModel) -> str:
    listed = [entity for entity in mapping.entities if _has_rows(entity)]
    spaces = sorted({entity.namespace for entity in listed if entity.namespace not in {None, "", mapping.namespace}})
    usings = ["System.Collections.Generic", "System.Linq", "Microsoft.EntityFrameworkCore", *map(str, spaces)]
    lines = [f"using {name};" for name in usings]
    lines += ["", f"namespace {mapping.namespace};", ""] if mapping.namespace else [""]
    lines += [f"public class {CLASS}({mapping.context} context)", "{"]
    lines += [
        f"    public List<{entity.clr_name}> All{entity.clr_name}() => context.Set<{entity.clr_name}>().ToList();"
        for entity in listed
    ]
    return "\n".join([*lines, "}", ""])


def _has_rows(entity: EntityType) -> bool:
    """Whether an entity is read by itself: parts of another one are read with it, join tables have no class."""
    return not entity.owned_by and not entity.complex and bool(entity.key) and entity.clr_name.isidentifier()
