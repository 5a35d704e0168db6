"""Reading: C# sources to a mapping model and a query model, with every gap and fault. Pure."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from react_agent.csharp import syntax as cs
from react_agent.csharp.constants import enum_type
from react_agent.csharp.declarations import Declarations, declare
from react_agent.csharp.mapping import contexts_of, read_mapping
from react_agent.csharp.parse import parse
from react_agent.csharp.places import with_places
from react_agent.csharp.queries import entries, read_queries, takes, unreached
from react_agent.model.gap import Gap, Span
from react_agent.model.mapping import EnumType, MappingModel
from react_agent.model.query import Expression, QueryModel, walk
from react_agent.model.translation import SourceFile


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A text that is not readable as C#, with its place."""

    message: str
    span: Span

    def __str__(self) -> str:
        return f"{self.span}: {self.message}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What the sources say. `mapping` is None where they hold no `DbContext`; `contexts` names all that they hold."""

    mapping: MappingModel | None
    queries: QueryModel
    gaps: tuple[Gap, ...] = ()
    contexts: tuple[str, ...] = ()
    faults: tuple[Fault, ...] = ()


def read(sources: Sequence[SourceFile], mapping: MappingModel | None = None) -> Reading:
    """Read C# sources. `mapping`, printed by EF Core, wins over the text's own. Never raises."""
    units = [parse(source) for source in sources]
    faults = [f for source, unit in zip(sources, units, strict=True) for f in _faults(source, unit)]
    known = declare(units)
    contexts = contexts_of(known)
    problems = [p for u in units for p in u.problems]
    gaps = list(known.gaps)
    model = mapping
    if contexts:
        chosen = _chosen(contexts, known, mapping)
        text, found = read_mapping(chosen, known)
        gaps.extend(found if mapping is None else ())
        gaps.extend(_others(contexts, chosen, known))
        gaps.extend(unreached(known, frozenset(contexts)))
        gaps.extend(_unread(problems, text, known) if mapping is None else ())
        model = with_places(mapping, known) if mapping is not None else text
    if model is None:
        return Reading(mapping=None, queries=QueryModel(methods=()), gaps=tuple(gaps), faults=tuple(faults))
    queries, refused = read_queries(known, model, frozenset(contexts or (model.context,)), problems)
    return Reading(
        mapping=_with_enums(model, queries, known),
        queries=queries,
        gaps=(*gaps, *refused),
        contexts=contexts or (model.context,),
        faults=tuple(faults),
    )


def _with_enums(mapping: MappingModel, queries: QueryModel, known: Declarations) -> MappingModel:
    """Add the enums that only entries use, as arguments or in what they make."""
    types = [p.type for m in queries.methods for p in m.parameters]
    types += [m.type for p in queries.projections for m in p.members]
    types += [n.type for n in walk(tuple(m.query for m in queries.methods)) if isinstance(n, Expression)]
    names = {inner.name for t in types for inner in (t, t.element) if inner is not None}
    missing = sorted(n for n in names if n in known.enums and mapping.find_enum(n) is None)
    more: list[EnumType] = []
    for name in missing:
        with suppress(ValueError):
            more.append(enum_type(known.enums[name]))
    return replace(mapping, enums=(*mapping.enums, *more)) if more else mapping


def _chosen(contexts: tuple[str, ...], known: Declarations, mapping: MappingModel | None) -> str:
    """Choose the context that the most entries take; the first one of equals."""
    if mapping is not None and mapping.context in contexts:
        return mapping.context
    uses = {
        c: sum(c in takes(e.declared, frozenset(contexts)) for e in entries(known, frozenset(contexts)))
        for c in contexts
    }
    return max(contexts, key=lambda c: uses[c])


def _others(contexts: tuple[str, ...], chosen: str, known: Declarations) -> list[Gap]:
    reason = f"is left out: the sources hold several contexts and `{chosen}` is read; give the files of one at a time"
    others = (c for c in contexts if c != chosen)
    return [Gap(construct="DbContext", reason=f"`{c}` {reason}", span=known.types[c].span) for c in others]


def _unread(problems: list[cs.Problem], text: MappingModel, known: Declarations) -> list[Gap]:
    """Turn unreadable places inside entities, enums and the context into gaps of the mapping."""
    inside = {b.name for e in text.entities for b in known.lineage(e.clr_name)} | {e.name for e in text.enums}
    inside |= {d.name for d in known.lineage(text.context)}
    return [Gap(construct="syntax", reason=p.message, span=p.span) for p in problems if p.inside in inside]


def _faults(source: SourceFile, unit: cs.Unit) -> list[Fault]:
    start = Span(file=source.path, line=1, column=1, end_line=1, end_column=1)
    if not source.text.strip():
        return [Fault(message="the file is empty", span=start)]
    broken = [Fault(message=p.message, span=p.span) for p in unit.problems if not p.inside or p.missing]
    if not unit.types and not unit.enums and not broken:
        return [Fault(message="no class, record or enum is declared here", span=start)]
    return broken
