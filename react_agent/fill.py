"""Fill: entries that a model wrote where the rules had a gap take their place among the pairs. Pure."""

import re
from dataclasses import replace

from react_agent.csharp import hazards_of
from react_agent.draft import Draft
from react_agent.model.names import java_method, java_type
from react_agent.model.query import QueryMethod
from react_agent.model.translation import EntryPair
from react_agent.spring.mongodb.refusal import Untranslatable
from react_agent.spring.mongodb.shapes import shape_of


def filled_entries(candidate: Draft) -> Draft:
    """Pair every C# entry that now has a Java method of its name; its gaps are closed, the proof will judge it."""
    known = {pair.entry for pair in candidate.translation.entries}
    found = [
        pair
        for method in candidate.reading.queries.methods
        if method.entry not in known and (pair := _pair(candidate, method)) is not None
    ]
    if not found:
        return candidate
    closed = {pair.entry for pair in found}
    translation = replace(
        candidate.translation,
        entries=(*candidate.translation.entries, *found),
        gaps=tuple(gap for gap in candidate.translation.gaps if gap.entry not in closed),
    )
    reading = replace(candidate.reading, gaps=tuple(gap for gap in candidate.reading.gaps if gap.entry not in closed))
    return replace(candidate, translation=translation, reading=reading)


def _pair(candidate: Draft, method: QueryMethod) -> EntryPair | None:
    java_class, name = java_type(method.class_name), java_method(method.method)
    declared = re.compile(rf"\bpublic\b[^;{{}}=]*\b{re.escape(name)}\s*\(")
    file = next((f for f in candidate.translation.files if f.path.endswith(f"/{java_class}.java")), None)
    if file is None or not declared.search(file.text):
        return None
    package = candidate.translation.documents.package
    projections = {p.name: p for p in candidate.reading.queries.projections}
    try:
        shape = shape_of(method.returns, candidate.mapping, candidate.translation.documents, projections)
    except Untranslatable:
        return None
    return EntryPair(
        class_name=method.class_name,
        method=method.method,
        java_class=f"{package}.{java_class}",
        java_method=name,
        shape=shape,
        hazards=hazards_of(method, candidate.mapping),
    )
