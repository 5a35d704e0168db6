"""Queries: the entries of the sources, each with its query or a gap in its place."""

from collections.abc import Sequence as Items
from dataclasses import dataclass, replace

from react_agent.csharp import syntax as cs
from react_agent.csharp.bodies import run
from react_agent.csharp.commands import ended
from react_agent.csharp.constants import assignable, converted, literal, null_of
from react_agent.csharp.declarations import Declarations
from react_agent.csharp.evaluate import evaluate
from react_agent.csharp.scope import Context, Names, Reader, Refused, Sequence, Token, Value
from react_agent.csharp.sequences import finished
from react_agent.csharp.types import SEQUENCES, bare, without_task
from react_agent.model.gap import Gap
from react_agent.model.mapping import ClrType, MappingModel
from react_agent.model.query import (
    Constant,
    Expression,
    Local,
    MethodParameter,
    New,
    Outcome,
    Parameter,
    Part,
    ProjectionMember,
    ProjectionType,
    Query,
    QueryMethod,
    QueryModel,
    walk,
)
from react_agent.model.values import Cell


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A public method of a class that takes the context, or a static one that takes it as its first argument."""

    declared: cs.TypeDeclaration
    method: cs.MethodDeclaration

    @property
    def name(self) -> str:
        """Its name in reports."""
        return f"{self.declared.name}.{self.method.name}"


def entries(known: Declarations, contexts: frozenset[str]) -> list[Entry]:
    """Find the entries: public methods that reach a context through their object or their first argument."""
    out: list[Entry] = []
    for declared in known.types.values():
        if declared.name in contexts or declared.kind not in {"class", "record"} or declared.type_parameters:
            continue
        made = "abstract" not in declared.modifiers and bool(takes(declared, contexts))
        for method in _methods(known, declared.name):
            static = "static" in method.modifiers
            given = static and bool(method.parameters) and method.parameters[0].type.name in contexts
            if given and _only_fills(method):
                continue
            if "public" in method.modifiers and (given if static else made):
                out.append(Entry(declared=declared, method=method))
    return out


_FILLS = frozenset({"Add", "AddRange", "AddAsync", "AddRangeAsync", "SaveChanges", "SaveChangesAsync"})


def _only_fills(method: cs.MethodDeclaration) -> bool:
    """Whether a static method returns nothing and adds rows, as one that seeds a database does."""
    returned, _ = without_task(method.returns)
    calls = (n for n in cs.nodes(method.body) if isinstance(n, cs.Invocation) and isinstance(n.function, cs.Access))
    names = {n.function.name for n in calls if isinstance(n.function, cs.Access)}
    return returned.name == "void" and bool(names & _FILLS)


def unreached(known: Declarations, contexts: frozenset[str]) -> list[Gap]:
    """Name the classes that hold queries but take their context as something else than its class."""
    roles = {b.name for c in contexts for d in known.lineage(c) for b in d.bases} - {"IdentityDbContext"}
    out: list[Gap] = []
    for declared in known.types.values():
        if declared.name in contexts or declared.kind not in {"class", "record"} or takes(declared, contexts):
            continue
        taken = next((t for t in _taken(declared) if _is_role(t, roles, contexts)), None)
        methods = [m for m in declared.members if isinstance(m, cs.MethodDeclaration) and "public" in m.modifiers]
        if taken is not None and methods:
            names = ", ".join(m.name for m in methods[:5]) + (", …" if len(methods) > 5 else "")
            reason = f"takes the context as `{taken.name}`, so {names} cannot be run; take the context's own class"
            out.append(Gap(construct=declared.name, reason=reason, span=declared.span, hazard="Q66"))
    return out


def _is_role(type_: cs.TypeRef, roles: set[str], contexts: frozenset[str]) -> bool:
    made = type_.name == "IDbContextFactory" and any(a.name in contexts for a in type_.arguments)
    return made or type_.name in roles


def _taken(declared: cs.TypeDeclaration) -> list[cs.TypeRef]:
    """List the types that a class's constructors take."""
    lists = [m.parameters for m in declared.members if isinstance(m, cs.ConstructorDeclaration)]
    if declared.primary is not None:
        lists.append(declared.primary)
    return [p.type for parameters in lists for p in parameters]


def _methods(known: Declarations, name: str) -> list[cs.MethodDeclaration]:
    """List the methods that a caller of a class has, its bases' included; an override stands for what it overrides."""
    found: dict[tuple[str, ...], cs.MethodDeclaration] = {}
    for declared in known.lineage(name):
        for method in (m for m in declared.members if isinstance(m, cs.MethodDeclaration)):
            found[method.name, *(p.type.name for p in method.parameters)] = method
    return list(found.values())


def takes(declared: cs.TypeDeclaration, contexts: frozenset[str]) -> frozenset[str]:
    """Name the contexts that a class's constructors take."""
    return frozenset(t.name for t in _taken(declared)) & contexts


def read_queries(
    known: Declarations, mapping: MappingModel, contexts: frozenset[str], problems: Items[cs.Problem]
) -> tuple[QueryModel, tuple[Gap, ...]]:
    """Read every entry; what cannot be read is a gap and an entry without a query."""
    methods: list[QueryMethod] = []
    gaps: list[Gap] = []
    for entry in entries(known, contexts):
        method, gap = _read(entry, known, mapping, contexts, problems)
        methods.append(method)
        if gap is not None:
            gaps.append(gap)
    classes = {m.class_name for m in methods}
    model = QueryModel(
        methods=tuple(methods),
        projections=_projections(methods, known),
        namespaces=tuple((n, known.types[n].namespace) for n in sorted(classes)),
    )
    return model, tuple(gaps)


def _read(
    entry: Entry,
    known: Declarations,
    mapping: MappingModel,
    contexts: frozenset[str],
    problems: Items[cs.Problem],
) -> tuple[QueryMethod, Gap | None]:
    reader = Reader(known=known, mapping=mapping, contexts=contexts, class_name=entry.declared.name)
    returned, is_async = without_task(entry.method.returns)
    parameters, names = _parameters(entry, known, contexts)
    method = QueryMethod(
        class_name=entry.declared.name,
        method=entry.method.name,
        parameters=parameters,
        returns=known.type_of(returned),
        is_async=is_async,
        query=None,
        span=entry.method.span,
        summary=entry.method.summary,
    )
    reader.taken = names
    try:
        _whole(entry, problems, [m.name for m in _methods(known, entry.declared.name)])
        query, made, answer = _query(reader, entry, method, names)
    except Refused as refused:
        return method, _gap(refused, entry)
    except RecursionError:
        deep = Refused("method", "nested too deep to read", entry.method.span)
        return method, _gap(deep, entry)
    guards, parts = tuple(reader.guards), () if made is None or query is None else _parts(reader.parts, query)
    changes = tuple(reader.changes)
    locals_ = _used((query, guards, made, tuple(reader.parts.values()), changes, answer), reader.locals)
    read = replace(method, query=query, locals=locals_, guards=guards, joined=tuple(reader.joined), parts=parts)
    return replace(read, made=made, changes=changes, answer=answer), None


def _gap(refused: Refused, entry: Entry) -> Gap:
    return Gap(
        construct=refused.construct,
        reason=refused.reason,
        span=refused.span,
        hazard=refused.hazard,
        entry=entry.name,
    )


def _whole(entry: Entry, problems: Items[cs.Problem], names: Items[str]) -> None:
    """Refuse an entry whose text could not be parsed in whole."""
    body = entry.method.body
    for problem in problems:
        inside = body is not None and problem.span.file == body.span.file
        if inside and body is not None and body.span.line <= problem.span.line <= body.span.end_line:
            raise Refused("syntax", problem.message, problem.span)
    if sum(name == entry.method.name for name in names) > 1:
        raise Refused("overload", "several methods share this name", entry.method.span)
    if entry.method.type_parameters:
        raise Refused("generic method", "the type arguments are not known", entry.method.span)


def _parameters(
    entry: Entry, known: Declarations, contexts: frozenset[str]
) -> tuple[tuple[MethodParameter, ...], Names]:
    names: Names = {}
    out: list[MethodParameter] = []
    for parameter in entry.method.parameters:
        type_ = known.type_of(parameter.type)
        if type_.name == "CancellationToken":
            names[parameter.name] = Token()
            continue
        if type_.name in contexts:
            names[parameter.name] = Context()
            continue
        names[parameter.name] = Parameter(name=parameter.name, type=type_)
        out.append(MethodParameter(name=parameter.name, type=type_, default=_default(parameter, type_)))
    return tuple(out), names


def _default(parameter: cs.ParameterDeclaration, type_: ClrType) -> Cell | None:
    node = parameter.default
    if node is None:
        return None
    if isinstance(node, cs.Literal):
        try:
            value = converted(literal(node), type_)
        except ValueError:
            return None
        return value.cell if isinstance(value, Constant) else None
    return null_of(type_).cell if isinstance(node, cs.Default) and type_.nullable else None


def _parts(found: dict[str, Query], main: Query) -> tuple[Part, ...]:
    return tuple(Part(name=n, query=None if q is main else q, type=q.type) for n, q in found.items())


def _query(
    reader: Reader, entry: Entry, method: QueryMethod, names: Names
) -> tuple[Query | None, New | None, Expression | None]:
    if entry.method.body is None:
        raise Refused("method", "this method has no body", entry.method.span)
    for parameter in entry.method.parameters:
        if parameter.modifier and parameter.modifier != "this":
            raise Refused(parameter.modifier, "this kind of parameter is not read", parameter.span)
    value = run(reader, entry.method.body, dict(names), evaluate)
    if reader.changes:
        query, answer = ended(reader, value, method.span)
        return None if query is None else _result(query, method), None, _answer(answer, method)
    if reader.parts:
        return *_composed(reader, value, method), None
    return _result(value, method), None, None


def _answer(value: Expression | None, method: QueryMethod) -> Expression | None:
    """Take what a method makes of the counts of its commands."""
    returns = method.returns
    if value is None or returns.name == "void":
        return None
    if not assignable(value, returns):
        raise Refused(method.method, f"`{value.type}` is returned as `{returns}`", method.span, "Q71")
    return converted(value, returns)


def _composed(reader: Reader, value: Value, method: QueryMethod) -> tuple[Query, New]:
    """Take an object that is made of several queries' results; the one that lists rows is the main one."""
    if not isinstance(value, New) or value.type.name != method.returns.name:
        raise Refused("query", "the result of a query is used further in memory", method.span, "Q57")
    earlier = (tuple(reader.parts.values()), tuple(reader.guards), tuple(reader.locals.values()))
    if any(isinstance(n, Parameter) and n.name in reader.parts for n in walk(earlier)):
        raise Refused("query", "a query depends on the result of another", method.span, "Q57")
    lists = [q for q in reader.parts.values() if q.outcome == Outcome.LIST]
    return (lists or list(reader.parts.values()))[-1], value


def _result(value: Value, method: QueryMethod) -> Query:
    """Take what the body returns as the entry's query."""
    returns = method.returns
    if (
        isinstance(value, Sequence)
        and value.rooted
        and returns.name in {"IQueryable", "IEnumerable", "IOrderedQueryable"}
    ):
        return finished(value, Outcome.LIST, ClrType(name=returns.name, element=value.element.type))
    if not isinstance(value, Query):
        raise Refused(method.method, "this method returns no query's result", method.span)
    if value.outcome == Outcome.LIST:
        if returns.name not in {*SEQUENCES, "object"} or returns.name == "IAsyncEnumerable":
            raise Refused(method.method, f"a list is returned as `{returns}`", method.span, "Q65")
        return replace(value, type=ClrType(name=value.type.name, element=value.element.type))
    if bare(value.type).name != bare(returns).name and returns.name != "object":
        raise Refused(method.method, f"`{value.type}` is returned as `{returns}`", method.span)
    return value


def _used(read: object, locals_: dict[str, Local]) -> tuple[Local, ...]:
    """Keep the locals that the query and the guards need, in order."""
    wanted = {n.name for n in walk(read) if isinstance(n, Parameter)}
    for local in reversed(locals_.values()):
        if local.name in wanted:
            wanted |= {n.name for n in walk(local.value) if isinstance(n, Parameter)}
    return tuple(local for local in locals_.values() if local.name in wanted)


def _projections(methods: Items[QueryMethod], known: Declarations) -> tuple[ProjectionType, ...]:
    """Describe the classes and records that the queries make."""
    names = {
        n.type.name for m in methods for n in walk((m.query, m.made, m.parts)) if isinstance(n, New) and n.type.name
    }
    out: list[ProjectionType] = []
    for name in sorted(names):
        declared = known.types[name]
        members = tuple(
            ProjectionMember(name=p.name, type=known.type_of(p.type))
            for _, p in known.properties(name)
            if "public" in p.modifiers and "static" not in p.modifiers
        )
        kind = "record" if declared.kind.startswith("record") else "class"
        out.append(
            ProjectionType(name=name, members=members, kind=kind, span=declared.span, namespace=declared.namespace)
        )
    return tuple(out)
