"""Variants: each entry's mutants as Java of their own, beside the translation, for one job that runs them all."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from react_agent.draft import Draft
from react_agent.model.names import java_type
from react_agent.model.translation import EntryPair, SourceFile
from react_agent.proof.mutants import Mutant, mutants
from react_agent.spring.mongodb import write

SUFFIX = "Variants"
"""Ends the name of a class that holds the variants of another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """One mutant of an entry, with the Java method that it became."""

    entry: str
    mutant: Mutant
    pair: EntryPair


@dataclass(frozen=True, slots=True, kw_only=True)
class Variants:
    """All variants of a draft: the Java files that hold them, and each entry's list."""

    files: tuple[SourceFile, ...]
    by_entry: Mapping[str, tuple[Variant, ...]]


NONE = Variants(files=(), by_entry={})
"""No variants: where the Java is not ours, its documents may not fit the variants' code."""


def variants_of(draft: Draft) -> Variants:
    """Mutate each entry's query and write the Java; a mutant that cannot be written is left out."""
    found: dict[str, tuple[Mutant, ...]] = {}
    methods = []
    for pair in draft.translation.entries:
        method = draft.method(pair.entry)
        if not method.is_read:
            continue
        made = tuple(m for m in mutants(method, draft.mapping) if m.method.asked != method.asked)
        found[pair.entry] = made
        methods += [replace(m.method, class_name=_variant_class(m.method.class_name)) for m in made]
    if not methods:
        return NONE
    queries = draft.reading.queries
    namespaces = tuple((_variant_class(name), namespace) for name, namespace in queries.namespaces)
    model = replace(queries, methods=tuple(methods), namespaces=namespaces)
    release = draft.release
    written = write(draft.mapping, model, decisions=draft.decisions, release=release)
    names = {f"{java_type(_variant_class(p.class_name))}.java" for p in draft.translation.entries}
    pairs = {(pair.class_name, pair.method): pair for pair in written.entries}
    by_entry = {
        entry: tuple(
            Variant(entry=entry, mutant=m, pair=pair)
            for m in made
            if (pair := pairs.get((_variant_class(m.method.class_name), m.method.method))) is not None
        )
        for entry, made in found.items()
    }
    files = tuple(file for file in written.files if file.path.rsplit("/", 1)[-1] in names)
    return Variants(files=files, by_entry=by_entry)


def _variant_class(name: str) -> str:
    return f"{name}{SUFFIX}"
