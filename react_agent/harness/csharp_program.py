"""A C# program that a person runs with `dotnet run`: one instance in SQLite, its calls, their results. Pure."""

from collections.abc import Iterable, Sequence

from react_agent.csharp import syntax as cs
from react_agent.harness.csharp_literals import csharp_literal, csharp_text
from react_agent.harness.csharp_names import CannotShow, CSharpNames, constructors, identifier
from react_agent.harness.shown import Shown, ShownCall
from react_agent.harness.templates import filled
from react_agent.model.mapping import ClrType, MappingModel
from react_agent.model.shape import FieldShape, ListShape, ObjectShape, Shape
from react_agent.model.values import Cell
from react_agent.proof.instances import Instance

ENTRY_TYPE = "UomProof.Program"
"""The class whose `Main` runs the program."""

_SUPPLIED = {
    "ILogger": "Microsoft.Extensions.Logging.Abstractions.NullLogger",
    "ILoggerFactory": "Microsoft.Extensions.Logging.Abstractions.NullLoggerFactory",
    "TimeProvider": "TimeProvider.System",
}
"""What a constructor may ask for beside the context."""


def database(mapping: MappingModel, names: CSharpNames, instance: Instance) -> str:
    """Write the class that opens the context over a database with the instance's rows.

    Raises:
        CannotShow: the context cannot be made, or a value has no literal.
    """
    context = names.type(mapping.context)
    options = _options(mapping.context, names)
    declared = names.known.types.get(mapping.context)
    is_sealed = declared is not None and "sealed" in declared.modifiers
    if is_sealed and not options:
        raise CannotShow(f"{mapping.context} is sealed and names its database itself; let its constructor take options")
    return filled(
        "UomDatabase.cs",
        instance=instance.id,
        rows="\n".join(_rows(mapping, names, instance)),
        context=context,
        construction=f"new {context}({options})" if is_sealed else "new UomContext()",
        derived="" if is_sealed else filled("UomContext.cs", context=context, arguments=options),
    )


def program(mapping: MappingModel, names: CSharpNames, show: Shown) -> str:
    """Write the class with `Main`: each call on a fresh context, its result as one line of JSON.

    Raises:
        CannotShow: a class cannot be made, or a value has no literal.
    """
    members = [
        f"    private static readonly Member[] {_members_of(pair.entry)} = [{_members(pair.shape)}];"
        for pair in show.pairs
    ]
    return filled(
        "UomProof.cs",
        members="\n\n".join(members),
        context=names.type(mapping.context),
        calls="\n".join(_call(call, mapping, names) for call in show.calls),
    )


def arguments(call: ShownCall, mapping: MappingModel, names: CSharpNames) -> list[str]:
    """Write a call's arguments, each with its parameter's name.

    Raises:
        CannotShow: a value has no literal.
    """
    types = {p.name: p.type for p in call.method.parameters}
    return [f"{identifier(n)}: {csharp_literal(cell, types.get(n), mapping, names)}" for n, cell in call.args]


def project(paths: Iterable[str], texts: Sequence[str]) -> str:
    """Write the project file: the user's files, and the packages that they name."""
    sources = "\n".join(f'    <Compile Include="{_attribute(path)}" />' for path in paths)
    packages = "\n".join(
        f'    <PackageReference Include="{name}" Version="{version}" />'
        for name, version in _packages("\n".join(texts))
    )
    return filled("UomProof.csproj", sources=sources, packages=packages)


def _attribute(path: str) -> str:
    """Write a path for MSBuild, to which some characters mean something."""
    special = {"%": "%25", "*": "%2A", "?": "%3F", ";": "%3B", "$": "%24", "@": "%40", "&": "&amp;", "<": "&lt;"}
    return "".join(special.get(character, character) for character in path).replace('"', "&quot;")


def _packages(text: str) -> Iterable[tuple[str, str]]:
    yield "Microsoft.EntityFrameworkCore.Sqlite", "10.0.15"
    for package, version, calls in _PACKAGES:
        if any(call in text for call in calls):
            yield package, version


_PACKAGES = (
    ("Microsoft.EntityFrameworkCore.Proxies", "10.0.15", ("UseLazyLoadingProxies", "UseChangeTrackingProxies")),
    ("Microsoft.EntityFrameworkCore.InMemory", "10.0.15", ("UseInMemoryDatabase",)),
    ("Microsoft.EntityFrameworkCore.SqlServer", "10.0.15", ("UseSqlServer", "UseAzureSql", "IsClustered")),
    ("Npgsql.EntityFrameworkCore.PostgreSQL", "10.0.3", ("UseNpgsql", "UseSerialColumn", "UseIdentityAlwaysColumn")),
)


def _options(context: str, names: CSharpNames) -> str:
    """The arguments of the context's constructor; with options where it takes them."""
    declared = names.known.types.get(context)
    lists = constructors(declared) if declared is not None else []
    taking = [one for one in lists if all(_is_options(p) or p.default is not None for p in one)]
    if lists and not taking:
        raise CannotShow(f"no constructor of {context} can be called with DbContextOptions alone")
    best = max(taking, key=lambda one: any(map(_is_options, one)), default=())
    asked = {p.name: p.type.arguments[0].name if p.type.arguments else context for p in best if _is_options(p)}
    return ", ".join(f"{identifier(n)}: UomDatabase.Options<{names.type(of)}>()" for n, of in asked.items())


def _is_options(parameter: cs.ParameterDeclaration) -> bool:
    return parameter.type.name == "DbContextOptions"


def _rows(mapping: MappingModel, names: CSharpNames, instance: Instance) -> Iterable[str]:
    types = {(e.table or "", p.column): p.type for e in mapping.entities for p in e.properties}
    for table, rows in instance.tables.items():
        for row in rows:
            cells = ((column, cell, types.get((table, column))) for column, cell in row.items())
            values = [f"({csharp_text(c)}, {_stored(cell, clr, mapping, names)})" for c, cell, clr in cells]
            yield f"        new({', '.join([csharp_text(table), *values])}),"


def _stored(cell: Cell, clr: ClrType | None, mapping: MappingModel, names: CSharpNames) -> str:
    return "null" if cell.is_null else csharp_literal(cell, clr, mapping, names)


def _call(call: ShownCall, mapping: MappingModel, names: CSharpNames) -> str:
    args = [*arguments(call, mapping, names), *(f"{identifier(name)}: default" for name in _tokens(call, names))]
    invoked = f"{_made(call, mapping, names)}.{identifier(call.method.method)}({', '.join(args)})"
    head = f"await Show({csharp_text(call.title)}, {str(call.sorted).lower()}, {_members_of(call.pair.entry)}"
    return f"        {head}, async db =>{_body(call, invoked)});"


def _body(call: ShownCall, invoked: str) -> str:
    if call.method.returns.name == "IAsyncEnumerable":
        return f" await Read({invoked})"
    awaited = f"await {invoked}" if call.method.is_async else invoked
    return f" {{ {awaited}; return null; }}" if call.method.returns.name == "void" else f" {awaited}"


def _tokens(call: ShownCall, names: CSharpNames) -> list[str]:
    """Name the cancellation tokens that the method insists on."""
    given = [name for name, _ in call.args]
    for member in names.known.types[call.method.class_name].members:
        if isinstance(member, cs.MethodDeclaration) and member.name == call.method.method:
            tokens = [p for p in member.parameters if p.type.name == "CancellationToken"]
            if [p.name for p in member.parameters if p not in tokens] == given:
                return [p.name for p in tokens if p.default is None]
    return []


def _made(call: ShownCall, mapping: MappingModel, names: CSharpNames) -> str:
    """Make an object of the entry's class, its context being ours."""
    declared = names.known.types[call.method.class_name]
    for parameters in constructors(declared):
        args = [_supplied(p, mapping.context, names) for p in parameters if p.default is None]
        if None not in args and any(p.type.name == mapping.context for p in parameters):
            return f"new {names.type(declared.name)}({', '.join(filter(None, args))})"
    raise CannotShow(f"no constructor of {declared.name} takes {mapping.context} alone")


def _supplied(parameter: cs.ParameterDeclaration, context: str, names: CSharpNames) -> str | None:
    name = parameter.type.name
    if name == context:
        return f"{identifier(parameter.name)}: db"
    supplied = _SUPPLIED.get(name)
    if supplied is None:
        return None
    if name == "TimeProvider":
        return f"{identifier(parameter.name)}: {supplied}"
    of = f"<{names.type(parameter.type.arguments[0].name)}>" if parameter.type.arguments else ""
    return f"{identifier(parameter.name)}: {supplied}{of}.Instance"


def _members_of(entry: str) -> str:
    return entry.replace(".", "_") + "_Members"


def _members(shape: Shape) -> str:
    """Write the members that a result shows; scalars have none, a list has those of its elements."""
    match shape:
        case ListShape():
            return _members(shape.element)
        case ObjectShape():
            return ", ".join(map(_member, shape.fields))
    return ""


def _member(field: FieldShape) -> str:
    inner = _members(field.shape)
    return f"new({csharp_text(field.name)}{', ' if inner else ''}{inner})"
