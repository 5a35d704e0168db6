"""C# types: what a written type is, how numbers promote, what an aggregate returns."""

from dataclasses import replace

from react_agent.csharp.syntax import TypeRef
from react_agent.model.mapping import ClrType
from react_agent.model.values import CellType

KEYWORDS = {
    "Boolean": "bool", "Byte": "byte", "SByte": "sbyte", "Int16": "short", "UInt16": "ushort", "Int32": "int",
    "UInt32": "uint", "Int64": "long", "UInt64": "ulong", "Char": "char", "Single": "float", "Double": "double",
    "Decimal": "decimal", "String": "string", "Object": "object",
}  # fmt: skip
NUMBERS = ("sbyte", "byte", "short", "ushort", "int", "uint", "long", "ulong", "float", "double", "decimal")
SCALARS = {
    **{name: CellType(name) for name in (*NUMBERS, "bool", "char", "string")},
    "Guid": CellType.GUID,
    "Uri": CellType.URI,
    "DateTime": CellType.DATETIME,
    "DateTimeOffset": CellType.DATETIMEOFFSET,
    "DateOnly": CellType.DATE,
    "TimeOnly": CellType.TIME,
    "TimeSpan": CellType.TIMESPAN,
    "byte[]": CellType.BYTES,
}
REFERENCE_SCALARS = frozenset({"string", "Uri", "byte[]"})
QUERYABLES = frozenset({"IQueryable", "IOrderedQueryable", "DbSet", "IIncludableQueryable"})
SEQUENCES = QUERYABLES | frozenset(
    "List IList ICollection IReadOnlyList IReadOnlyCollection IEnumerable IOrderedEnumerable Array HashSet ISet "
    "Collection ObservableCollection IAsyncEnumerable ImmutableArray ImmutableList".split()
)
TASKS = frozenset({"Task", "ValueTask"})
INTEGERS = frozenset(NUMBERS[:8])

BOOL, INT, LONG, DOUBLE, DECIMAL, STRING = (
    ClrType(name=n) for n in ("bool", "int", "long", "double", "decimal", "string")
)
_WIDENING = {
    "sbyte": ("short", "int", "long", "float", "double", "decimal"),
    "byte": ("short", "ushort", "int", "uint", "long", "ulong", "float", "double", "decimal"),
    "short": ("int", "long", "float", "double", "decimal"),
    "ushort": ("int", "uint", "long", "ulong", "float", "double", "decimal"),
    "int": ("long", "float", "double", "decimal"),
    "uint": ("long", "ulong", "float", "double", "decimal"),
    "long": ("float", "double", "decimal"),
    "ulong": ("float", "double", "decimal"),
    "char": ("ushort", "int", "uint", "long", "ulong", "float", "double", "decimal"),
    "float": ("double",),
}


def clr_type(ref: TypeRef, values: frozenset[str] = frozenset()) -> ClrType:
    """Turn a written type into a `ClrType`; `values` are the user's enums and structs."""
    name = KEYWORDS.get(ref.name, ref.name)
    if name == "Nullable" and len(ref.arguments) == 1:
        return replace(clr_type(ref.arguments[0], values), nullable=True)
    if name == "Array" and ref.arguments[0].name in {"byte", "Byte"}:
        name, inner = "byte[]", None
    elif name in SEQUENCES and len(ref.arguments) == 1:
        inner = clr_type(ref.arguments[0], values)
    else:
        inner = None
    is_value = name in values or (name in SCALARS and name not in REFERENCE_SCALARS)
    return ClrType(name=name, nullable=ref.nullable or (ref.oblivious and not is_value), element=inner)


def without_task(ref: TypeRef) -> tuple[TypeRef, bool]:
    """Take the type out of `Task<T>` or `ValueTask<T>`, and say whether there was one."""
    if ref.name in TASKS:
        return (ref.arguments[0] if ref.arguments else replace(ref, name="void", arguments=())), True
    return ref, False


def is_value(type_: ClrType, values: frozenset[str]) -> bool:
    """Whether a type is a value type."""
    return type_.name in values or (type_.name in SCALARS and type_.name not in REFERENCE_SCALARS)


def nullable(type_: ClrType) -> ClrType:
    """Make a type nullable."""
    return replace(type_, nullable=True)


def bare(type_: ClrType) -> ClrType:
    """Take a type's `?` away."""
    return replace(type_, nullable=False)


def widens(source: str, target: str) -> bool:
    """Whether C# converts a number implicitly."""
    return source == target or target in _WIDENING.get(source, ())


def promoted(left: ClrType, right: ClrType) -> ClrType | None:
    """Find the type in which C# computes a binary operation, None where it refuses. Nullable lifts."""
    lifted = left.nullable or right.nullable
    names = {left.name, right.name}
    if not names <= {*NUMBERS, "char"}:
        return None
    for name in ("decimal", "double", "float", "ulong", "long", "uint"):
        if name in names:
            return _promote(name, names, lifted=lifted)
    return ClrType(name="int", nullable=lifted)


def _promote(name: str, names: set[str], *, lifted: bool) -> ClrType | None:
    signed = bool(names & {"sbyte", "short", "int", "long"})
    if (name == "decimal" and names & {"float", "double"}) or (name == "ulong" and signed):
        return None
    return ClrType(name="long" if name == "uint" and signed else name, nullable=lifted)


def summed(type_: ClrType) -> ClrType | None:
    """Find what `Sum` over a selector's type returns; small integers sum as `int`, null where there is no overload."""
    if type_.name in {"sbyte", "byte", "short", "ushort", "char"}:
        return replace(type_, name="int")
    return type_ if type_.name in {"int", "long", "float", "double", "decimal"} else None


def averaged(type_: ClrType) -> ClrType | None:
    """Find what `Average` over a selector's type returns."""
    total = summed(type_)
    if total is None:
        return None
    return replace(total, name="double") if total.name in {"int", "long"} else total
