"""C# types on the Java and BSON side."""

from dataclasses import dataclass

from react_agent.model.documents import BsonType
from react_agent.model.mapping import ClrType, MappingModel
from react_agent.model.names import java_member, java_type
from react_agent.model.values import CellType


@dataclass(frozen=True, slots=True, kw_only=True)
class ValueType:
    """How a C# value type is held in Java and stored. `primitive` is empty where Java has no primitive for it."""

    boxed: str
    bson: BsonType
    cell: CellType
    primitive: str = ""
    zero: str = "null"
    """What `default(T)` is in Java."""


def _number(primitive: str, boxed: str, bson: BsonType, cell: CellType, zero: str = "0") -> ValueType:
    return ValueType(primitive=primitive, boxed=f"java.lang.{boxed}", bson=bson, cell=cell, zero=zero)


VALUE_TYPES: dict[str, ValueType] = {
    "bool": _number("boolean", "Boolean", BsonType.BOOL, CellType.BOOL, "false"),
    "byte": _number("int", "Integer", BsonType.INT32, CellType.BYTE),
    "sbyte": _number("int", "Integer", BsonType.INT32, CellType.SBYTE),
    "short": _number("int", "Integer", BsonType.INT32, CellType.SHORT),
    "ushort": _number("int", "Integer", BsonType.INT32, CellType.USHORT),
    "int": _number("int", "Integer", BsonType.INT32, CellType.INT),
    "uint": _number("long", "Long", BsonType.INT64, CellType.UINT, "0L"),
    "long": _number("long", "Long", BsonType.INT64, CellType.LONG, "0L"),
    "float": _number("float", "Float", BsonType.DOUBLE, CellType.FLOAT, "0f"),
    "double": _number("double", "Double", BsonType.DOUBLE, CellType.DOUBLE, "0d"),
    "decimal": ValueType(
        boxed="java.math.BigDecimal", bson=BsonType.DECIMAL128, cell=CellType.DECIMAL, zero="BigDecimal.ZERO"
    ),
    "ulong": ValueType(
        boxed="java.math.BigDecimal", bson=BsonType.DECIMAL128, cell=CellType.ULONG, zero="BigDecimal.ZERO"
    ),
    "char": ValueType(boxed="java.lang.String", bson=BsonType.STRING, cell=CellType.CHAR, zero='"\\0"'),
    "string": ValueType(boxed="java.lang.String", bson=BsonType.STRING, cell=CellType.STRING),
    "Guid": ValueType(boxed="java.util.UUID", bson=BsonType.UUID, cell=CellType.GUID, zero="new UUID(0L, 0L)"),
    "Uri": ValueType(boxed="java.lang.String", bson=BsonType.STRING, cell=CellType.URI),
    "DateTime": ValueType(boxed="java.time.Instant", bson=BsonType.DATE, cell=CellType.DATETIME),
    "DateTimeOffset": ValueType(boxed="java.time.Instant", bson=BsonType.DATE, cell=CellType.DATETIMEOFFSET),
    "DateOnly": ValueType(boxed="java.time.LocalDate", bson=BsonType.DATE, cell=CellType.DATE),
    "TimeOnly": ValueType(boxed="java.time.LocalTime", bson=BsonType.DATE, cell=CellType.TIME),
    "byte[]": ValueType(boxed="byte[]", bson=BsonType.BINARY, cell=CellType.BYTES),
}

SEQUENCES = frozenset(
    "List IList IReadOnlyList ICollection IReadOnlyCollection IEnumerable IQueryable T[] [] Array HashSet ISet "
    "IAsyncEnumerable Collection".split()
)
INTEGERS = frozenset({"byte", "sbyte", "short", "ushort", "int", "uint", "long", "ulong"})
OBJECT_METHODS = frozenset({
    "clone",
    "finalize",
    "getClass",
    "hashCode",
    "notify",
    "notifyAll",
    "toString",
    "wait",
})
NUMBERS = INTEGERS | {"float", "double", "decimal"}
REFERENCES = frozenset({"string", "Uri", "byte[]"})


def value_type(clr: ClrType) -> ValueType | None:
    """Look up a framework type; None for an enum, an entity or what has no counterpart."""
    if clr.element is not None:
        return None if is_sequence(clr) else VALUE_TYPES["byte[]"]
    return VALUE_TYPES.get(clr.name)


def is_sequence(clr: ClrType) -> bool:
    """Whether a type is a list of elements; `byte[]` is a value."""
    return clr.element is not None and not (clr.element.name == "byte" and clr.name.endswith("]"))


def is_value(clr: ClrType, mapping: MappingModel) -> bool:
    """Whether C# holds the type by value, so that `default` is not null."""
    if clr.nullable:
        return False
    return mapping.find_enum(clr.name) is not None or (clr.name in VALUE_TYPES and clr.name not in REFERENCES)


def field_of(name: str) -> str:
    """Name the BSON field of a result member: Spring Data reads a component `id` from `_id`."""
    member = component(name)
    return "_id" if member == "id" else member


def component(name: str) -> str:
    """Name a record's component; the methods every object has are no names for one."""
    member = java_member(name)
    return f"{member}Value" if member in OBJECT_METHODS else member


def boxed_name(clr: ClrType, mapping: MappingModel, package: str) -> str:
    """Name the Java reference type in full; an enum, entity or projection is a class of the package."""
    known = value_type(clr)
    if known is not None:
        return known.boxed
    entity = mapping.find(clr.name)
    return f"{package}.{java_type(entity.clr_name if entity else clr.name)}"
