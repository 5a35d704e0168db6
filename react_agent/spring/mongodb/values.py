"""C# values in Java: constants, and what a query computes from its parameters before it reaches the database."""

from dataclasses import dataclass, replace

from react_agent.model.documents import DocumentModel
from react_agent.model.mapping import ClrType, MappingModel
from react_agent.model.names import java_member, java_type
from react_agent.model.query import (
    Binary,
    BinaryOperator,
    Call,
    Cast,
    Conditional,
    Constant,
    Expression,
    Local,
    Member,
    Parameter,
    Subquery,
    Unary,
    UnaryOperator,
    Var,
    walk,
)
from react_agent.model.values import CellType
from react_agent.spring.java import Imports, text
from react_agent.spring.mongodb.enums import constant, stored_by_name
from react_agent.spring.mongodb.functions import NULL_SAFE, function, whole
from react_agent.spring.mongodb.nullness import known_not_null
from react_agent.spring.mongodb.refusal import Untranslatable
from react_agent.spring.mongodb.types import INTEGERS, VALUE_TYPES, boxed_name, is_sequence, value_type

_PRECEDENCE = {
    "||": 1,
    "&&": 2,
    "==": 3,
    "!=": 3,
    "<": 4,
    "<=": 4,
    ">": 4,
    ">=": 4,
    "+": 5,
    "-": 5,
    "*": 6,
    "/": 6,
    "%": 6,
}
_UNARY = 7
_EMPTINESS = {"string.IsNullOrEmpty": "isEmpty", "string.IsNullOrWhiteSpace": "isBlank"}
_TAKEN = frozenset({"aggregation", "context", "found", "mongo", "stages"})
_ATOM = 9
_DECIMAL = {"+": "add", "-": "subtract", "*": "multiply"}
_INT_RANGE = range(-(2**31), 2**31)


@dataclass(frozen=True, slots=True, kw_only=True)
class Values:
    """Writes values as Java; knows the classes of the project and what the file imports."""

    mapping: MappingModel
    documents: DocumentModel
    imports: Imports
    not_null: frozenset[str] = frozenset()
    """Parameters that cannot be null at this place, because an `if` around it has tested them."""
    locals: tuple[Local, ...] = ()
    """What the method computes before its query."""

    def knowing(self, names: frozenset[str]) -> "Values":
        """Take over that some parameters are not null."""
        return replace(self, not_null=self.not_null | names)

    def is_cased(self, text: Expression, method: str) -> bool:
        """Whether a text has been through `ToLower` (or `ToUpper`), or is as if it had."""
        if isinstance(text, Constant):
            value = text.cell.text or ""
            return value == (value.lower() if method == "string.ToLower" else value.upper())
        if isinstance(text, Parameter):
            local = next((one for one in self.locals if one.name == text.name), None)
            return local is not None and self.is_cased(local.value, method)
        return isinstance(text, Call) and text.method == method

    def type_name(self, clr: ClrType, *, boxed: bool = False) -> str:
        """Write a type; a nullable one in its boxed form, a sequence as `List`."""
        if is_sequence(clr):
            element = clr.element
            assert element is not None
            return f"{self.imports.use('java.util.List')}<{self.type_name(element, boxed=True)}>"
        known = value_type(clr)
        if known is not None and known.primitive and not boxed and not clr.nullable:
            return known.primitive
        if known is None and self.mapping.find_enum(clr.name) is None and clr.name in _UNSUPPORTED:
            raise Untranslatable(clr.name, f"no Java type for {clr.name}", _UNSUPPORTED[clr.name])
        return self.imports.use(boxed_name(clr, self.mapping, self.documents.package))

    def annotated(self, clr: ClrType, *, boxed: bool = False) -> str:
        """Write a type with `@Nullable` where it may be null."""
        mark = f"@{self.imports.use('org.jspecify.annotations.Nullable')} " if clr.nullable else ""
        name = self.type_name(clr, boxed=boxed)
        if mark and name.endswith("[]"):
            return f"{name[:-2]} {mark}[]"
        package, dot, simple = name.rpartition(".")
        return f"{package}{dot}{mark}{simple}" if dot and "<" not in package else mark + name

    def may_be_null(self, expression: Expression) -> bool:
        """Whether a value computed from parameters can be null here."""
        match expression:
            case Parameter():
                return expression.type.nullable and expression.name not in self.not_null
            case Constant():
                return expression.cell.is_null
            case Cast():
                return self.may_be_null(expression.operand)
            case Binary(operator=BinaryOperator.COALESCE):
                return self.may_be_null(expression.right)
            case Binary() | Unary() | Conditional() | Call():
                return expression.type.nullable
        return True

    def write(self, expression: Expression) -> str:
        """Write an expression over parameters."""
        return _Writer(self).write(expression)[0]

    def stored(self, expression: Expression) -> str:
        """Write a value in its stored form, for places that Spring Data does not convert."""
        code = self.write(expression)
        if self.mapping.find_enum(expression.type.name) is None or is_sequence(expression.type):
            return code
        accessor = "storedName" if self.enum_by_name(expression.type.name) else "number"
        if self.may_be_null(expression):
            return f"({code} == null ? null : {code}.{accessor}())"
        return f"{code}.{accessor}()"

    def enum_by_name(self, name: str) -> bool:
        """Tell an enum's stored form.

        Raises:
            Untranslatable: two properties store it differently.
        """
        form = stored_by_name(name, self.documents)
        if form is None:
            raise Untranslatable("enum", f"{name} is stored by name and by number; choose one form", "S22")
        return form


_UNSUPPORTED = {"TimeSpan": "S34", "object": "Q57", "dynamic": "Q57"}


def parameter_name(name: str) -> str:
    """Name a parameter or local so that it hides nothing the method itself uses."""
    plain = java_member(name)
    return f"{plain}Argument" if plain in _TAKEN else plain


def parametric(expression: Expression) -> bool:
    """Whether an expression reads no row: it is computed in Java before the query runs."""
    return not any(isinstance(node, Var | Subquery) for node in walk(expression))


@dataclass(frozen=True, slots=True)
class _Writer:
    values: Values

    def write(self, expression: Expression) -> tuple[str, int]:
        match expression:
            case Parameter():
                return parameter_name(expression.name), _ATOM
            case Constant():
                return self._constant(expression), _ATOM
            case Cast():
                return self._cast(expression)
            case Unary():
                return self._unary(expression)
            case Binary():
                return self._binary(expression)
            case Conditional():
                return self._conditional(expression), _ATOM
            case Call():
                return self._call(expression), _ATOM
            case Member():
                raise Untranslatable(expression.name, "a member of a parameter is not read", "Q57")
        raise Untranslatable(type(expression).__name__, "not a value that Java computes before the query", "Q57")

    def _conditional(self, expression: Conditional) -> str:
        test = self.operand(expression.test, 1)
        then = self._where(expression.test, wanted=True).operand(expression.then, 1)
        other = self._where(expression.test, wanted=False).operand(expression.otherwise, 1)
        return f"({test} ? {then} : {other})"

    def _where(self, condition: Expression, *, wanted: bool) -> "_Writer":
        """Write behind a condition, which may have shown that a parameter is there."""
        return _Writer(self.values.knowing(known_not_null(condition, wanted=wanted)))

    def operand(self, expression: Expression, at_least: int) -> str:
        """Write an operand, in parentheses where it binds less."""
        code, precedence = self.write(expression)
        return code if precedence >= at_least else f"({code})"

    def _constant(self, expression: Constant) -> str:
        cell = expression.cell
        if cell.is_null:
            return "null"
        if cell.type == CellType.LIST:
            items = (Constant(cell=item, type=expression.type.element or expression.type) for item in cell.items)
            return f"{self.values.imports.use('java.util.List')}.of({', '.join(self._constant(i) for i in items)})"
        if cell.type == CellType.ENUM:
            enum = self.values.mapping.find_enum(cell.enum or expression.type.name)
            if enum is None or cell.name is None:
                raise Untranslatable("enum", f"{cell.text} is not a member of {cell.enum}", "S24")
            number = next((m.value for m in enum.members if m.name == cell.name), None)
            first = next((m.name for m in enum.members if m.value == number), cell.name)
            owner = self.values.imports.use(f"{self.values.documents.package}.{java_type(enum.name)}")
            return f"{owner}.{constant(first)}"
        return _literal(cell.type, cell.text or "", expression.type, self.values.imports)

    def _cast(self, expression: Cast) -> tuple[str, int]:
        source, target = expression.operand.type, expression.type
        inner, precedence = self.write(expression.operand)
        if source.name == target.name or self.values.mapping.find_enum(source.name) is not None:
            return inner, precedence
        if target.name == "decimal" and source.name in INTEGERS:
            return f"{self.values.imports.use('java.math.BigDecimal')}.valueOf({inner})", _ATOM
        known = VALUE_TYPES.get(target.name)
        if known is None or not known.primitive or source.nullable or source.name == "decimal":
            raise Untranslatable(f"({target}){source}", "conversion of a parameter", "Q57")
        return f"({known.primitive}) {self.operand(expression.operand, _UNARY)}", _UNARY

    def _unary(self, expression: Unary) -> tuple[str, int]:
        if expression.operator == UnaryOperator.NEGATE and expression.type.name == "decimal":
            return f"{self.operand(expression.operand, _ATOM)}.negate()", _ATOM
        tested = expression.operand
        if isinstance(tested, Call) and tested.method in _EMPTINESS and isinstance(tested.arguments[0], Parameter):
            name = self.write(tested.arguments[0])[0]
            return f"{name} != null && !{name}.{_EMPTINESS[tested.method]}()", _PRECEDENCE["&&"]
        return expression.operator.value + self.operand(tested, _UNARY), _UNARY

    def _binary(self, expression: Binary) -> tuple[str, int]:
        operator, left, right = expression.operator, expression.left, expression.right
        if operator == BinaryOperator.COALESCE:
            value = self.write(left)[0]
            if not isinstance(left, Parameter):
                objects = self.values.imports.use("java.util.Objects")
                return f"{objects}.requireNonNullElse({value}, {self.write(right)[0]})", _ATOM
            return f"({value} != null ? {value} : {self.operand(right, 1)})", _ATOM
        if operator in {BinaryOperator.EQUAL, BinaryOperator.NOT_EQUAL}:
            return self._equality(expression)
        if operator not in _PRECEDENCE:
            raise Untranslatable(operator.value, "on parameters", "Q60")
        logical = operator in {BinaryOperator.AND, BinaryOperator.OR}
        if not logical and (self.values.may_be_null(left) or self.values.may_be_null(right)):
            raise Untranslatable(operator.value, "a parameter that may be null takes part", "Q05")
        if not logical and not (_primitive(left.type) and _primitive(right.type)):
            return self._on_objects(expression)
        level = _PRECEDENCE[operator]
        behind = self._where(left, wanted=operator == BinaryOperator.AND) if logical else self
        return f"{self.operand(left, level)} {operator.value} {behind.operand(right, level + 1)}", level

    def _on_objects(self, expression: Binary) -> tuple[str, int]:
        operator, left = expression.operator.value, expression.left
        target, argument = self.operand(left, _ATOM), self.write(expression.right)[0]
        if left.type.name == "decimal" and operator in _DECIMAL:
            return f"{target}.{_DECIMAL[operator]}({argument})", _ATOM
        if left.type.name == "string" and operator == "+" and expression.right.type.name == "string":
            return f"{target}.concat({argument})", _ATOM
        if operator in {"<", "<=", ">", ">="} and left.type.name == expression.right.type.name:
            return f"{target}.compareTo({argument}) {operator} 0", _PRECEDENCE[operator]
        raise Untranslatable(operator, f"on parameters of type {left.type} and {expression.right.type}", "Q57")

    def _equality(self, expression: Binary) -> tuple[str, int]:
        operator, left, right = expression.operator.value, expression.left, expression.right
        enums = self.values.mapping.find_enum(left.type.name) is not None
        nulls = [e for e in (left, right) if isinstance(e, Constant) and e.cell.is_null]
        level = _PRECEDENCE[operator]
        if isinstance(right, Constant) and right.cell.type == CellType.LIST and not right.cell.items:
            sign = "" if expression.operator == BinaryOperator.EQUAL else "!"
            return f"{sign}{self.operand(left, _ATOM)}.isEmpty()", _UNARY if sign else _ATOM
        if nulls or enums or (_primitive(left.type) and _primitive(right.type) and not left.type.nullable):
            return f"{self.operand(left, level)} {operator} {self.operand(right, level + 1)}", level
        sign = "" if expression.operator == BinaryOperator.EQUAL else "!"
        if left.type.name == "decimal":
            raise Untranslatable(operator, "decimal parameters compared with each other", "S27")
        if isinstance(left, Constant):
            left, right = right, left
        if isinstance(right, Constant) and right.type.name == "bool":
            literal = f"Boolean.{(right.cell.text or '').upper()}"
            return f"{sign}{literal}.equals({self.write(left)[0]})", _UNARY if sign else _ATOM
        if isinstance(right, Constant) and not _primitive(right.type):
            return f"{sign}{self.write(right)[0]}.equals({self.write(left)[0]})", _UNARY if sign else _ATOM
        objects = self.values.imports.use("java.util.Objects")
        return f"{sign}{objects}.equals({self.write(left)[0]}, {self.write(right)[0]})", _UNARY if sign else _ATOM

    def _call(self, expression: Call) -> str:
        simple = isinstance(expression.arguments[0], Parameter)
        nullable = any(self.values.may_be_null(a) for a in expression.arguments)
        if nullable and not (simple and expression.method in NULL_SAFE):
            raise Untranslatable(expression.method, "on a parameter that may be null", "Q57")
        first, *rest = expression.arguments
        moment = expression.method.startswith("DateTime")
        written = [self.operand(first, _ATOM), *(self.write(whole(a) if moment else a)[0] for a in rest)]
        return function(expression, written, self.values.imports)


def _primitive(clr: ClrType) -> bool:
    known = value_type(clr)
    return known is not None and bool(known.primitive)


def _literal(kind: CellType, value: str, clr: ClrType, imports: Imports) -> str:
    target = clr.name if clr.name in VALUE_TYPES else kind.value
    if target in _SUFFIXES:
        return value + _SUFFIXES[target]
    if target in {"string", "char", "Uri"}:
        return text(value)
    if target in {"decimal", "ulong"}:
        return _decimal(value, imports)
    if target in _PARSED:
        name, method = _PARSED[target]
        return f"{imports.use(name)}.{method}({text(_moment(value) if target == 'DateTime' else value)})"
    match target:
        case "bool":
            return value.lower()
        case "double":
            return value if any(mark in value for mark in ".eE") else f"{value}.0"
    raise Untranslatable(target, f"the constant {value} has no Java form", "Q01")


_SUFFIXES = {"byte": "", "sbyte": "", "short": "", "ushort": "", "int": "", "uint": "L", "long": "L", "float": "f"}
_PARSED = {
    "Guid": ("java.util.UUID", "fromString"),
    "DateTime": ("java.time.Instant", "parse"),
    "DateOnly": ("java.time.LocalDate", "parse"),
    "TimeOnly": ("java.time.LocalTime", "parse"),
}


def _decimal(value: str, imports: Imports) -> str:
    name = imports.use("java.math.BigDecimal")
    if value in {"0", "1", "10"}:
        return f"{name}.{ {'0': 'ZERO', '1': 'ONE', '10': 'TEN'}[value] }"
    if value.lstrip("-").isdigit() and int(value) in _INT_RANGE:
        return f"{name}.valueOf({value})"
    return f"new {name}({text(value)})"


def _moment(value: str) -> str:
    whole, _, fraction = value.removesuffix("Z").partition(".")
    fraction = fraction.rstrip("0")
    return f"{whole}.{fraction}Z" if fraction else f"{whole}Z"
