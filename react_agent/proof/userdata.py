"""User data: a person's own rows and calls, read from JSON and checked against the mapping and the entries."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from react_agent.model.mapping import ClrType, MappingModel
from react_agent.model.query import MethodParameter, QueryMethod, QueryModel
from react_agent.model.values import NULL, BadCell, Cell, CellType, Row, scalar
from react_agent.proof.calls import Call
from react_agent.proof.canonical import at_millisecond
from react_agent.proof.closure import violations
from react_agent.proof.domain import RANGES, as_column, fits
from react_agent.proof.instances import Instance
from react_agent.proof.tables import CLR_CELLS, Column, Table, cell_type, tables_of


class BadData(ValueError):
    """The user's rows or calls do not fit; each problem is a line with its place and what was expected."""

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(self.problems))


def read_data(value: Any, mapping: MappingModel) -> Instance:
    """Read rows in the golden `seed` form; plain JSON values are taken where a column's type makes them clear.

    A column that is left out is null; date-times are cut to the millisecond, as on both sides' databases. The file may
    be `seed` itself or an object that has it.

    Raises:
        BadData: a table or column is unknown, a value does not fit, or a constraint is broken.
    """
    if isinstance(value, Mapping) and isinstance(value.get("seed"), Mapping):
        value = value["seed"]
    if not isinstance(value, Mapping):
        raise BadData(['data: expected {"Table": [{"Column": cell}]}'])
    tables = {t.name: t for t in tables_of(mapping)}
    problems: list[str] = []
    rows: dict[str, tuple[Row, ...]] = dict.fromkeys(tables, ())
    for name, given in value.items():
        if name not in tables:
            problems.append(f"data: unknown table {name}; known: {', '.join(tables)}")
        elif not isinstance(given, list):
            problems.append(f"data: {name}: expected a list of rows")
        else:
            rows[name] = tuple(_row(tables[name], row, at, problems) for at, row in enumerate(given, 1))
    if not problems:
        problems += [f"data: {broken}" for broken in violations(tuple(tables.values()), rows)]
    if problems:
        raise BadData(problems)
    return Instance(id="user", kind="user", tables=rows)


def _row(table: Table, given: Any, at: int, problems: list[str]) -> Row:
    where = f"data: {table.name} row {at}"
    if not isinstance(given, Mapping):
        problems.append(f'{where}: expected {{"Column": cell}}')
        return {}
    known = ", ".join(c.name for c in table.columns)
    problems += [f"{where}: unknown column {n}; known: {known}" for n in given if table.find(n) is None]
    row: dict[str, Cell] = {}
    for column in table.columns:
        cell = _cell(given.get(column.name), column, f"{where}.{column.name}", problems)
        row[column.name] = cell
        if not cell.is_null and not fits(cell, column):
            problems.append(f"{where}.{column.name}: {cell.text!r:.60} does not fit {_expected(column)}")
    return row


def _cell(value: Any, column: Column, where: str, problems: list[str]) -> Cell:
    if value is None:
        return NULL
    try:
        cell = Cell.from_json(value, where) if isinstance(value, Mapping) and "t" in value else _plain(value, column)
    except (BadCell, ValueError) as error:
        problems.append(str(error) if where in str(error) else f"{where}: {error}")
        return NULL
    made = cell if cell.is_null or cell.type == column.type else as_column(cell, column)
    if made is None:
        problems.append(f"{where}: expected {_expected(column)}, got {cell.type} {cell.text!r:.60}")
        return NULL
    return _checked(made, where, column, problems)


def _checked(cell: Cell, where: str, column: Column, problems: list[str]) -> Cell:
    """See that the text reads as its type: `{"t": "int", "v": "abc"}` is no int."""
    try:
        if cell.type in RANGES:
            int(cell.text or "")
        elif cell.type in {CellType.DECIMAL, CellType.DOUBLE, CellType.FLOAT}:
            Decimal(cell.text or "")
    except (ValueError, ArithmeticError):
        problems.append(f"{where}: {cell.text!r:.60} is no {column.type}")
        return NULL
    return at_millisecond(cell)


def _expected(column: Column) -> str:
    kind = column.enum.name if column.enum else column.type.value
    bounds = [f"at most {column.max_length} long"] if column.max_length is not None else []
    if column.precision is not None:
        bounds.append(f"precision {column.precision}, scale {column.scale or 0}")
    return f"{kind}{'?' if column.nullable else ''}" + (f" ({', '.join(bounds)})" if bounds else "")


def _plain(value: Any, column: Column) -> Cell:
    """Read a plain JSON value as a column's type.

    Raises:
        ValueError: the type does not make it clear.
    """
    kind = column.type
    if isinstance(value, list) and kind == CellType.LIST and column.element is not None:
        return Cell(
            type=kind, items=tuple(_plain(item, column.element) if item is not None else NULL for item in value)
        )
    if kind == CellType.ENUM and isinstance(value, str | int) and not isinstance(value, bool):
        found = as_column(scalar(CellType.STRING, value), column)
        if found is None:
            members = ", ".join(m.name for m in column.enum.members) if column.enum else ""
            raise ValueError(f"{value!r} is no member of {column.clr}: {members}")
        return found
    wanted = {CellType.BOOL: bool, **dict.fromkeys(RANGES, int)}.get(kind, str)
    is_number = kind in {CellType.DECIMAL, CellType.DOUBLE, CellType.FLOAT} and isinstance(value, int | float | str)
    is_right = isinstance(value, wanted) and (wanted is bool or not isinstance(value, bool))
    if not is_right and not (is_number and not isinstance(value, bool)):
        raise ValueError(f"expected {_expected(column)}, got {value!r:.60}")
    return scalar(kind, value)


def read_calls(value: Any, queries: QueryModel, mapping: MappingModel | None = None) -> tuple[Call, ...]:
    """Read `[{"method", "args"}]`; arguments by name and cell, positional cells, or plain values.

    `method` is `Class.Method`, or a method's name alone where it is unique. `mapping` knows the enums.

    Raises:
        BadData: a method is unknown or ambiguous, or its arguments do not fit.
    """
    given = value.get("calls") if isinstance(value, Mapping) and isinstance(value.get("calls"), list) else value
    if not isinstance(given, list):
        raise BadData(['calls: expected [{"method": name, "args": [...]}]'])
    known = mapping or MappingModel(context="", namespace="", entities=())
    problems: list[str] = []
    calls = []
    for at, item in enumerate(given, 1):
        where = f"calls[{at}]"
        method = _method(item, queries, where, problems)
        if method is not None:
            args = _args(item.get("args", []), method, known, where, problems)
            calls.append(
                Call(id=f"user-{at}", instance="", class_name=method.class_name, method=method.method, args=args)
            )
    if problems:
        raise BadData(problems)
    return tuple(calls)


def _method(item: Any, queries: QueryModel, where: str, problems: list[str]) -> QueryMethod | None:
    if not isinstance(item, Mapping) or not isinstance(item.get("method"), str):
        problems.append(f'{where}: expected {{"method": name, "args": [...]}}')
        return None
    name = item["method"]
    found = [m for m in queries.methods if name in {m.method, m.entry}]
    if isinstance(item.get("class"), str):
        found = [m for m in found if m.class_name == item["class"]]
    if len(found) > 1:
        count = len(item["args"]) if isinstance(item.get("args"), list) else 0
        found = [m for m in found if len(m.parameters) == count] if len({m.entry for m in found}) == 1 else found
    if len(found) == 1:
        return found[0]
    entries = ", ".join(m.entry for m in (found or queries.methods))
    problems.append(f"{where}: {'ambiguous' if found else 'unknown'} method {name}; known: {entries}")
    return None


def _args(
    given: Any, method: QueryMethod, mapping: MappingModel, where: str, problems: list[str]
) -> tuple[tuple[str, Cell], ...]:
    if isinstance(given, Mapping):
        given = [{"name": name, "value": value} for name, value in given.items()]
    if not isinstance(given, list):
        problems.append(f"{where}: args must be a list")
        return ()
    is_named = bool(given) and all(isinstance(a, Mapping) and {"name", "value"} <= set(a) for a in given)
    by_name = {a["name"]: a["value"] for a in given} if is_named else {}
    names = [p.name for p in method.parameters]
    if not is_named:
        if len(given) > len(names):
            problems.append(f"{where}: {method.entry} takes {len(names)} arguments, got {len(given)}")
            return ()
        by_name = dict(zip(names, given, strict=False))
    problems += [f"{where}: {method.entry} has no parameter {name}" for name in by_name if name not in names]
    out = []
    for parameter in method.parameters:
        if parameter.name in by_name:
            out.append((parameter.name, _argument(by_name[parameter.name], parameter, mapping, where, problems)))
        elif parameter.default is not None:
            out.append((parameter.name, parameter.default))
        else:
            problems.append(f"{where}: {method.entry} needs {parameter.name} ({parameter.type})")
    return tuple(out)


def _argument(value: Any, parameter: MethodParameter, mapping: MappingModel, where: str, problems: list[str]) -> Cell:
    where = f"{where}.{parameter.name}"
    if value is None or (isinstance(value, Mapping) and value.get("t") == "null"):
        return NULL
    column = _parameter_column(parameter.name, parameter.type, mapping)
    if column is None:
        try:
            return at_millisecond(Cell.from_json(value, where))
        except BadCell as error:
            problems.append(str(error))
            return NULL
    return _cell(value, column, where, problems)


def _parameter_column(name: str, clr: ClrType, mapping: MappingModel) -> Column | None:
    kind = cell_type(mapping, clr)
    if kind is None and clr.name not in CLR_CELLS:
        return None
    element = _parameter_column(name, clr.element, mapping) if kind == CellType.LIST and clr.element else None
    return Column(
        name=name,
        type=kind or CellType.STRING,
        nullable=clr.nullable,
        clr=clr.name,
        enum=mapping.find_enum(clr.name),
        element=element,
    )
