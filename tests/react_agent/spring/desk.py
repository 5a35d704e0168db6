"""A query class over the freight layer with one entry for each kind of query, and what it has to give."""

from dataclasses import dataclass
from typing import Any

from react_agent.model.mapping import ClrType
from react_agent.model.query import (
    Branch,
    Call,
    Cast,
    Choice,
    Conditional,
    Constant,
    Distinct,
    Expression,
    FromMany,
    GroupBy,
    Local,
    Outcome,
    Parameter,
    QueryMethod,
    QueryModel,
    Var,
)
from react_agent.model.values import NULL, Cell, CellType, scalar
from tests.react_agent.spring.layers import (
    AT,
    BOOKING,
    BOOL,
    CARRIER,
    CRATE,
    DATE,
    DECIMAL,
    DOUBLE,
    EACH_CRATE,
    FROM,
    FROM_CRATES,
    INT,
    STRING,
    at,
    binary,
    const,
    many,
    maybe,
    method,
    negation,
    new,
    null,
    order,
    param,
    projection,
    queries,
    skip,
    sub,
    take,
    where,
)

STAGE, SIZE = ClrType(name="Stage"), ClrType(name="Size", nullable=True)
NUMBER, CODE, REMARK = (
    at(BOOKING, "Number", INT),
    at(BOOKING, "ShipperCode", STRING),
    at(BOOKING, "Remark", maybe(STRING)),
)
BOOKED, CARRIER_ID = at(BOOKING, "BookedAt", DATE), at(BOOKING, "CarrierId", maybe(INT))
PIECES, TARIFF, WEIGHT = at(CRATE, "Pieces", INT), at(CRATE, "Tariff", DECIMAL), at(CRATE, "Weight", maybe(DOUBLE))
RATING = at(CARRIER, "Rating", maybe(INT))
PLACE = at(BOOKING, "Target", ClrType(name="Place", nullable=True))
VALUE = binary(TARIFF, "*", Cast(operand=PIECES, type=DECIMAL), DECIMAL)
TEXT, PAGE, LIMIT = param("text", maybe(STRING)), param("page", maybe(INT)), param("limit", INT)
NEW_YEAR = const("2024-01-01T00:00:00.0000000", DATE)
GROUP = Var(name="g", type=ClrType(name="IGrouping"))
EACH = FromMany(variable="x", collection=GROUP, span=AT)
ROW = Var(name="x", type=ClrType(name="Booking"))

DATA = {
    "bookings": [
        {
            "_id": 1,
            "shipperCode": "A",
            "carrierId": 1,
            "remark": "Fragile",
            "bookedAt": {"$date": "2024-01-01T00:00:00Z"},
            "stage": "InReview",
            "size": 1,
            "target": {"town": "Brno", "zone": "z"},
        },
        {
            "_id": 2,
            "shipperCode": "A",
            "bookedAt": {"$date": "2023-12-31T23:30:00Z"},
            "stage": "Draft",
            "target": {"town": "Ghent"},
        },
        {
            "_id": 3,
            "shipperCode": "B",
            "carrierId": 2,
            "bookedAt": {"$date": "2024-05-01T00:00:00Z"},
            "stage": "Done",
            "size": 0,
        },
    ],
    "crates": [
        {"_id": 1, "pieces": 4, "tariff": {"$numberDecimal": "9.90"}, "weight": 1.5, "bookingNumber": 1},
        {"_id": 2, "pieces": 7, "tariff": {"$numberDecimal": "10.00"}, "bookingNumber": 1},
        {"_id": 3, "pieces": 12, "tariff": {"$numberDecimal": "0.05"}, "bookingNumber": 2},
    ],
    "carriers": [{"_id": 1, "name": "Rail", "rating": 5}, {"_id": 2, "name": "Road"}],
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One call of an entry and its result: plain values, or the kind of what it throws."""

    method: QueryMethod
    args: tuple[Cell, ...]
    gives: Any
    ordered: bool = True


def text(value: str | None) -> Cell:
    return NULL if value is None else scalar(CellType.STRING, value)


def number(value: int | None) -> Cell:
    return NULL if value is None else scalar(CellType.INT, value)


def numbers(name: str, *clauses, parameters: tuple[Parameter, ...] = (), **more) -> QueryMethod:
    return method(name, (FROM, *clauses, order(NUMBER)), NUMBER, Outcome.LIST, many(INT), *parameters, **more)


def asked(what: QueryMethod, gives: Any, *args: Cell, ordered: bool = True) -> Asked:
    return Asked(method=what, args=args, gives=gives, ordered=ordered)


def one(name: str, outcome: Outcome, returns: ClrType, element: Expression = BOOKING) -> QueryMethod:
    mine = where(binary(CODE, "==", TEXT))
    return method(name, (FROM, mine, order(NUMBER)), element, outcome, returns, TEXT)


def enum(name: str, member: str, value: int) -> Constant:
    cell = Cell(type=CellType.ENUM, text=str(value), name=member, enum=name)
    return Constant(cell=cell, type=ClrType(name=name))


CARD = projection("Card", Id=INT, Town=maybe(STRING), Carrier=maybe(STRING), Stage=STRING, Amount=DOUBLE, Crates=INT)
TALLY = projection("Tally", Code=STRING, N=INT, Latest=DATE)
PAIR = projection("Pair", Code=STRING, Pieces=maybe(INT))


def cards() -> QueryMethod:
    total = Cast(operand=sub(Outcome.SUM, VALUE, DECIMAL, EACH_CRATE), type=DOUBLE)
    row = new(
        "Card",
        Id=NUMBER,
        Town=at(PLACE, "Town", STRING),
        Carrier=at(CARRIER, "Name", STRING),
        Stage=Call(method="Enum.ToString", arguments=(at(BOOKING, "Stage", STAGE),), type=STRING),
        Amount=total,
        Crates=sub(Outcome.COUNT, CRATE, INT, EACH_CRATE),
    )
    return method("Cards", (FROM, order(NUMBER)), row, Outcome.LIST, many(ClrType(name="Card")))


def tallies() -> QueryMethod:
    count = sub(Outcome.COUNT, ROW, INT, EACH)
    latest = sub(Outcome.MAX, at(ROW, "BookedAt", DATE), DATE, EACH)
    key = at(GROUP, "Key", STRING)
    clauses = (
        FROM,
        GroupBy(variable="g", key=CODE, element=BOOKING, span=AT),
        where(binary(count, ">=", LIMIT)),
        order(key),
    )
    row = new("Tally", Code=key, N=count, Latest=latest)
    return method("Tallies", clauses, row, Outcome.LIST, many(ClrType(name="Tally")), LIMIT)


def outer() -> QueryMethod:
    every = FromMany(variable="c", collection=EACH_CRATE.collection, span=AT, outer=True)
    missing = binary(CRATE, "==", null(ClrType(name="Crate")))
    pieces = Conditional(test=missing, then=null(INT), otherwise=Cast(operand=PIECES, type=maybe(INT)), type=maybe(INT))
    row = new("Pair", Code=CODE, Pieces=pieces)
    return method("Outer", (FROM, every, order(NUMBER)), row, Outcome.LIST, many(ClrType(name="Pair")))


def composed() -> QueryMethod:
    direction = param("direction", maybe(STRING))
    unfiltered = Branch(condition=Call(method="string.IsNullOrEmpty", arguments=(TEXT,), type=BOOL), clauses=())
    contains = where(Call(method="string.Contains", arguments=(CODE, TEXT), type=BOOL))
    down = Branch(condition=binary(direction, "==", const("down", STRING)), clauses=(order(NUMBER, descending=True),))
    date = Branch(condition=binary(direction, "==", const("date", STRING)), clauses=(order(BOOKED),))
    before = binary(binary(binary(PAGE, "??", const(1, INT), INT), "-", const(1, INT), INT), "*", const(2, INT), INT)
    clauses = (
        FROM,
        Choice(branches=(unfiltered,), otherwise=(contains,), span=AT),
        Choice(branches=(down, date), otherwise=(order(NUMBER),), span=AT),
        skip(param("before", INT)),
        take(const(2, INT)),
    )
    parameters = (direction, TEXT, PAGE)
    locals_ = (Local(name="before", value=before),)
    return method("Composed", clauses, NUMBER, Outcome.LIST, many(INT), *parameters, locals=locals_)


def folded(name: str, outcome: Outcome, element: Expression, returns: ClrType, *clauses, parameters=()) -> QueryMethod:
    return method(name, (FROM_CRATES, *clauses), element, outcome, returns, *parameters)


MORE_THAN = where(binary(PIECES, ">", LIMIT))
RAIL = where(binary(at(CARRIER, "Name", STRING), "==", TEXT))
FITS = binary(binary(PIECES, ">", const(5, INT)), "&&", binary(TARIFF, "<", const("10.5", DECIMAL)))
SOME = sub(Outcome.ANY, CRATE, BOOL, EACH_CRATE, where(FITS))
EVERY = sub(Outcome.ALL, binary(PIECES, ">", const(5, INT)), BOOL, EACH_CRATE)
LENGTH = Call(method="string.Length", arguments=(REMARK,), type=maybe(INT))
OPTIONAL = binary(binary(TEXT, "==", null(STRING)), "||", binary(CODE, "==", TEXT))
STARTS = Call(method="string.StartsWith", arguments=(REMARK, const("Fra", STRING)), type=BOOL)
IDS = param("ids", many(INT))
BIG = where(binary(at(BOOKING, "Size", SIZE), "==", enum("Size", "Big", 1)))
MINE = where(binary(CODE, "==", TEXT))

DISTINCT = Var(name="d", type=STRING)

CALLS = (
    asked(method("Value", (FROM, MINE, EACH_CRATE), VALUE, Outcome.SUM, DECIMAL, TEXT), "110.2", text("A")),
    asked(method("Value", (FROM, MINE, EACH_CRATE), VALUE, Outcome.SUM, DECIMAL, TEXT), "0", text("none")),
    asked(method("Big", (FROM, BIG), BOOKING, Outcome.ANY, BOOL), "true"),
    asked(method("Late", (FROM,), binary(BOOKED, ">=", NEW_YEAR), Outcome.ALL, BOOL), "false"),
    asked(folded("Most", Outcome.MAX, PIECES, INT, MORE_THAN, parameters=(LIMIT,)), "12", number(3)),
    asked(folded("Most", Outcome.MAX, PIECES, INT, MORE_THAN, parameters=(LIMIT,)), "!not_found", number(99)),
    asked(folded("Lightest", Outcome.MIN, WEIGHT, maybe(DOUBLE)), "1.5"),
    asked(folded("Mean", Outcome.AVERAGE, PIECES, DOUBLE), "7.666666666666667"),
    asked(folded("MeanTariff", Outcome.AVERAGE, TARIFF, DECIMAL), "6.65"),
    asked(one("Head", Outcome.FIRST, INT, NUMBER), "1", text("A")),
    asked(one("Head", Outcome.FIRST, INT, NUMBER), "!not_found", text("none")),
    asked(one("HeadOrNone", Outcome.FIRST_OR_DEFAULT, INT, NUMBER), "0", text("none")),
    asked(one("Only", Outcome.SINGLE, INT, NUMBER), "!too_many", text("A")),
    asked(one("Only", Outcome.SINGLE, INT, NUMBER), "3", text("B")),
    asked(one("Entity", Outcome.FIRST_OR_DEFAULT, ClrType(name="Booking", nullable=True)), None, text("none")),
    asked(one("Final", Outcome.LAST, INT, NUMBER), "2", text("A")),
    asked(numbers("OfCarrier", RAIL, parameters=(TEXT,)), ["1"], text("Rail")),
    asked(numbers("NoCarrier", where(binary(CARRIER, "==", null(ClrType(name="Carrier"))))), ["2"]),
    asked(numbers("NoRating", where(binary(RATING, "==", null(INT)))), ["2", "3"]),
    asked(numbers("NotAboveFour", where(negation(binary(RATING, ">", const(4, INT))))), ["2", "3"]),
    asked(numbers("SameNumber", where(binary(CARRIER_ID, "==", NUMBER))), ["1"]),
    asked(numbers("OtherNumber", where(binary(CARRIER_ID, "!=", NUMBER))), ["2", "3"]),
    asked(numbers("LongRemark", where(binary(LENGTH, ">", const(3, INT)))), ["1"]),
    asked(numbers("ShortRemark", where(binary(LENGTH, "<", const(9, INT)))), ["1"]),
    asked(numbers("Some", where(SOME)), ["1", "2"]),
    asked(numbers("Every", where(EVERY)), ["2", "3"]),
    asked(numbers("None", where(negation(sub(Outcome.ANY, CRATE, BOOL, EACH_CRATE)))), ["3"]),
    asked(numbers("Optional", where(OPTIONAL), parameters=(TEXT,)), ["1", "2", "3"], text(None)),
    asked(numbers("Optional", where(OPTIONAL), parameters=(TEXT,)), ["3"], text("B")),
    asked(numbers("Starts", where(STARTS)), ["1"]),
    asked(numbers("NotStarts", where(negation(STARTS))), ["2", "3"]),
    asked(
        numbers("InList", where(Call(method="List.Contains", arguments=(IDS, NUMBER), type=BOOL)), parameters=(IDS,)),
        ["1", "3"],
        Cell(type=CellType.LIST, items=(number(1), number(3), number(9))),
    ),
    asked(composed(), ["3", "2"], text("down"), text(None), number(None)),
    asked(composed(), ["2", "1"], text("date"), text("A"), number(1)),
    asked(composed(), ["3"], text("up"), text(""), number(2)),
    asked(
        cards(),
        [
            ["1", "Brno", "Rail", "InReview", "109.6", "2"],
            ["2", "Ghent", None, "Draft", "0.6", "1"],
            ["3", None, "Road", "Done", "0", "0"],
        ],
    ),
    asked(tallies(), [["A", "2", "2024-01-01T00:00:00.0000000"]], number(2)),
    asked(outer(), [["A", "12"], ["A", "4"], ["A", "7"], ["B", None]], ordered=False),
    asked(
        method("Codes", (FROM, Distinct(variable="d", element=CODE, span=AT)), DISTINCT, Outcome.LIST, many(STRING)),
        ["A", "B"],
        ordered=False,
    ),
)


def desk() -> QueryModel:
    methods = {a.method.method: a.method for a in CALLS}
    return queries(*methods.values(), projections=(CARD, TALLY, PAIR))
