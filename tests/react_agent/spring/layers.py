"""Small data layers and query parts for the tests of the Java writer."""

from react_agent.model.gap import Span
from react_agent.model.mapping import (
    ClrType,
    EntityType,
    EnumMember,
    EnumType,
    ForeignKey,
    Index,
    MappingModel,
    Navigation,
    Property,
)
from react_agent.model.query import (
    Binary,
    BinaryOperator,
    Clause,
    Constant,
    Expression,
    From,
    FromMany,
    Member,
    MethodParameter,
    New,
    OrderBy,
    OrderKey,
    Outcome,
    Parameter,
    ProjectionMember,
    ProjectionType,
    Query,
    QueryMethod,
    QueryModel,
    Skip,
    Subquery,
    Take,
    Unary,
    UnaryOperator,
    Var,
    Where,
)
from react_agent.model.values import NULL, CellType, scalar

AT = Span(file="Query.cs", line=7, column=1, end_line=7, end_column=2)
INT, LONG, STRING, BOOL = ClrType(name="int"), ClrType(name="long"), ClrType(name="string"), ClrType(name="bool")
DECIMAL, DOUBLE, DATE = ClrType(name="decimal"), ClrType(name="double"), ClrType(name="DateTime")


def maybe(clr: ClrType) -> ClrType:
    return ClrType(name=clr.name, nullable=True)


def many(clr: ClrType, name: str = "List") -> ClrType:
    return ClrType(name=name, element=clr)


def prop(name: str, clr: ClrType, **more) -> Property:
    return Property(name=name, type=clr, column=more.pop("column", name), **more)


def entity(name: str, key: str, *properties: Property, **more) -> EntityType:
    return EntityType(
        name=name, clr_name=name, table=more.pop("table", f"{name}s"), key=(key,), properties=properties, **more
    )


STAGE = EnumType(
    name="Stage",
    members=(EnumMember(name="Draft", value=1), EnumMember(name="InReview", value=3), EnumMember(name="Done", value=7)),
)
SIZE = EnumType(name="Size", members=(EnumMember(name="Small", value=0), EnumMember(name="Big", value=1)))


def freight() -> MappingModel:
    """Bookings with crates; an optional carrier; an owned place; enums by name and by number."""
    booking = entity(
        "Booking",
        "Number",
        prop("Number", INT),
        prop("ShipperCode", STRING),
        prop("CarrierId", maybe(INT)),
        prop("Remark", maybe(STRING)),
        prop("BookedAt", DATE),
        prop("Stage", ClrType(name="Stage"), provider_type="string"),
        prop("Size", ClrType(name="Size", nullable=True)),
        navigations=(
            Navigation(
                name="Crates",
                target="Crate",
                collection=True,
                on_dependent=False,
                foreign_key=("BookingNumber",),
                required=True,
            ),
            Navigation(
                name="Carrier", target="Carrier", collection=False, on_dependent=True, foreign_key=("CarrierId",)
            ),
            Navigation(
                name="Target", target="Place", collection=False, on_dependent=False, foreign_key=("BookingNumber",)
            ),
        ),
        foreign_keys=(
            ForeignKey(properties=("CarrierId",), principal="Carrier", principal_key=("Id",), required=False),
        ),
        indexes=(Index(properties=("Remark",), unique=True),),
        db_set="Bookings",
    )
    crate = entity(
        "Crate",
        "Number",
        prop("Number", INT),
        prop("Pieces", INT),
        prop("Tariff", DECIMAL, precision=12, scale=2),
        prop("Weight", maybe(DOUBLE)),
        prop("BookingNumber", INT),
        foreign_keys=(
            ForeignKey(properties=("BookingNumber",), principal="Booking", principal_key=("Number",), required=True),
        ),
        navigations=(
            Navigation(
                name="Booking",
                target="Booking",
                collection=False,
                on_dependent=True,
                foreign_key=("BookingNumber",),
                required=True,
            ),
        ),
        db_set="Crates",
    )
    carrier = entity(
        "Carrier", "Id", prop("Id", INT), prop("Name", STRING), prop("Rating", maybe(INT)), db_set="Carriers"
    )
    place = EntityType(
        name="Place",
        clr_name="Place",
        table="Bookings",
        key=("BookingNumber",),
        properties=(prop("BookingNumber", INT, shadow=True), prop("Town", STRING), prop("Zone", maybe(STRING))),
        foreign_keys=(
            ForeignKey(
                properties=("BookingNumber",),
                principal="Booking",
                principal_key=("Number",),
                required=True,
                unique=True,
                ownership=True,
            ),
        ),
        owned_by="Booking",
        owner_navigation="Target",
    )
    return MappingModel(
        context="FreightContext",
        namespace="Acme.Freight",
        entities=(booking, carrier, crate, place),
        enums=(SIZE, STAGE),
    )


BOOKING = Var(name="b", type=ClrType(name="Booking"))
CRATE = Var(name="c", type=ClrType(name="Crate"))
FROM = From(variable="b", entity="Booking", span=AT)
FROM_CRATES = From(variable="c", entity="Crate", span=AT)


def at(target: Expression, name: str, clr: ClrType) -> Member:
    return Member(target=target, name=name, type=clr)


CRATES = at(BOOKING, "Crates", many(ClrType(name="Crate"), "IReadOnlyCollection"))
CARRIER = at(BOOKING, "Carrier", ClrType(name="Carrier", nullable=True))
EACH_CRATE = FromMany(variable="c", collection=CRATES, span=AT)


def param(name: str, clr: ClrType) -> Parameter:
    return Parameter(name=name, type=clr)


def const(value: object, clr: ClrType) -> Constant:
    return Constant(cell=scalar(CellType(clr.name.lower()), value), type=clr)


def null(clr: ClrType) -> Constant:
    return Constant(cell=NULL, type=maybe(clr))


def binary(left: Expression, operator: str, right: Expression, clr: ClrType = BOOL) -> Binary:
    return Binary(operator=BinaryOperator(operator), left=left, right=right, type=clr)


def negation(operand: Expression) -> Unary:
    return Unary(operator=UnaryOperator.NOT, operand=operand, type=BOOL)


def where(predicate: Expression) -> Where:
    return Where(predicate=predicate, span=AT)


def order(*keys: Expression, descending: bool = False) -> OrderBy:
    return OrderBy(keys=tuple(OrderKey(expression=k, descending=descending) for k in keys), span=AT)


def skip(count: Expression) -> Skip:
    return Skip(count=count, span=AT)


def take(count: Expression) -> Take:
    return Take(count=count, span=AT)


def sub(outcome: Outcome, element: Expression, clr: ClrType, *clauses: Clause) -> Subquery:
    return Subquery(query=Query(clauses=clauses, element=element, outcome=outcome, type=clr), type=clr)


def new(name: str, **members: Expression) -> New:
    return New(members=tuple(members.items()), type=ClrType(name=name))


def projection(name: str, **members: ClrType) -> ProjectionType:
    listed = tuple(ProjectionMember(name=n, type=t) for n, t in members.items())
    return ProjectionType(name=name, members=listed, kind="record", span=AT)


def method(
    name: str,
    clauses: tuple[Clause, ...],
    element: Expression,
    outcome: Outcome,
    returns: ClrType,
    *parameters: Parameter,
    **more,
) -> QueryMethod:
    return QueryMethod(
        class_name=more.pop("class_name", "Desk"),
        method=name,
        parameters=tuple(MethodParameter(name=p.name, type=p.type) for p in parameters),
        returns=returns,
        is_async=True,
        query=Query(clauses=clauses, element=element, outcome=outcome, type=more.pop("type", returns)),
        span=AT,
        **more,
    )


def queries(*methods: QueryMethod, projections: tuple[ProjectionType, ...] = ()) -> QueryModel:
    return QueryModel(methods=methods, projections=projections)
