"""Mappings and queries that the judge's tests share, written with as few words as they need."""

from collections.abc import Sequence
from typing import Any

from react_agent.model.gap import Span
from react_agent.model.mapping import (
    ClrType,
    EntityType,
    EnumMember,
    EnumType,
    ForeignKey,
    MappingModel,
    Navigation,
    Property,
)
from react_agent.model.query import (
    Binary,
    BinaryOperator,
    Call,
    Cast,
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
    Query,
    QueryMethod,
    Skip,
    Subquery,
    Take,
    Var,
    Where,
)
from react_agent.model.values import NULL, Cell, CellType, scalar

SPAN = Span(file="Query.cs", line=1, column=1, end_line=1, end_column=2)


def clr(text: str) -> ClrType:
    """`int?` -> a nullable int; `List<int>` -> a sequence."""
    nullable = text.endswith("?")
    text = text.removesuffix("?")
    if text.endswith(">"):
        name, _, inner = text[:-1].partition("<")
        return ClrType(name=name, nullable=nullable, element=clr(inner))
    return ClrType(name=text, nullable=nullable)


def prop(name: str, kind: str, **more: Any) -> Property:
    return Property(name=name, type=clr(kind), column=more.pop("column", name), **more)


def entity(name: str, properties: Sequence[Property], key: tuple[str, ...] = ("Id",), **more: Any) -> EntityType:
    table = more.pop("table", f"{name}s")
    return EntityType(
        name=name, clr_name=more.pop("clr_name", name), table=table, key=key, properties=tuple(properties), **more
    )


def foreign(column: str | tuple[str, ...], principal: str, to: str | tuple[str, ...] = "Id", **more: Any) -> ForeignKey:
    columns = (column,) if isinstance(column, str) else column
    there = (to,) if isinstance(to, str) else to
    return ForeignKey(
        properties=columns, principal=principal, principal_key=there, required=more.pop("required", True), **more
    )


def many(name: str, target: str, *columns: str, **more: Any) -> Navigation:
    return Navigation(name=name, target=target, collection=True, on_dependent=False, foreign_key=columns, **more)


def one(name: str, target: str, *columns: str, **more: Any) -> Navigation:
    return Navigation(
        name=name,
        target=target,
        collection=False,
        on_dependent=more.pop("on_dependent", True),
        foreign_key=columns,
        **more,
    )


def mapping(*entities: EntityType, enums: Sequence[EnumType] = ()) -> MappingModel:
    return MappingModel(context="Db", namespace="App", entities=tuple(entities), enums=tuple(enums))


def enum(name: str, *members: str) -> EnumType:
    return EnumType(name=name, members=tuple(EnumMember(name=m, value=n) for n, m in enumerate(members, 1)))


def var(name: str, kind: str) -> Var:
    return Var(name=name, type=clr(kind))


def get(target: Expression, path: str, kind: str) -> Member:
    return Member(target=target, name=path, type=clr(kind))


def param(name: str, kind: str) -> Parameter:
    return Parameter(name=name, type=clr(kind))


def const(value: object, kind: str) -> Constant:
    cell = NULL if value is None else scalar(CellType(kind), value)
    return Constant(cell=cell, type=clr(kind))


def op(left: Expression, operator: str, right: Expression, kind: str = "bool") -> Binary:
    return Binary(operator=BinaryOperator(operator), left=left, right=right, type=clr(kind))


def where(predicate: Expression) -> Where:
    return Where(predicate=predicate, span=SPAN)


def source(variable: str, name: str) -> From:
    return From(variable=variable, entity=name, span=SPAN)


def each(variable: str, collection: Expression, *, outer: bool = False) -> FromMany:
    return FromMany(variable=variable, collection=collection, span=SPAN, outer=outer)


def order(*keys: Expression | tuple[Expression, bool]) -> OrderBy:
    made = (
        OrderKey(expression=k[0], descending=k[1]) if isinstance(k, tuple) else OrderKey(expression=k) for k in keys
    )
    return OrderBy(keys=tuple(made), span=SPAN)


def skip(count: Expression) -> Skip:
    return Skip(count=count, span=SPAN)


def take(count: Expression) -> Take:
    return Take(count=count, span=SPAN)


def new(name: str, **members: Expression) -> New:
    return New(members=tuple(members.items()), type=clr(name))


def query(clauses: Sequence[Clause], element: Expression, outcome: Outcome, kind: str) -> Query:
    return Query(clauses=tuple(clauses), element=element, outcome=outcome, type=clr(kind))


def sub(clauses: Sequence[Clause], element: Expression, outcome: Outcome, kind: str) -> Subquery:
    return Subquery(query=query(clauses, element, outcome, kind), type=clr(kind))


def method(name: str, body: Query, **parameters: str) -> QueryMethod:
    return QueryMethod(
        class_name="Queries",
        method=name,
        parameters=tuple(MethodParameter(name=n, type=clr(t)) for n, t in parameters.items()),
        returns=body.type,
        is_async=True,
        query=body,
        span=SPAN,
    )


def text(value: str) -> Cell:
    return scalar(CellType.STRING, value)


def number(value: int) -> Cell:
    return scalar(CellType.INT, value)


FREIGHT = mapping(
    entity(
        "Consignment",
        [prop("Number", "int"), prop("ShipperCode", "string", max_length=40)],
        ("Number",),
        navigations=(many("Crates", "Crate", "ConsignmentNumber"),),
    ),
    entity(
        "Crate",
        [
            prop("Number", "int"),
            prop("GoodsCode", "int"),
            prop("Pieces", "int"),
            prop("Tariff", "decimal", precision=12, scale=2),
            prop("ConsignmentNumber", "int"),
        ],
        ("Number",),
        foreign_keys=(foreign("ConsignmentNumber", "Consignment", "Number"),),
    ),
)

_booking = var("booking", "Consignment")
_crate = var("crate", "Crate")

PIECES_BOOKED = method(
    "PiecesBookedByAsync",
    query(
        [
            source("booking", "Consignment"),
            where(op(get(_booking, "ShipperCode", "string"), "==", param("shipperCode", "string"))),
            each("crate", get(_booking, "Crates", "IReadOnlyCollection<Crate>")),
        ],
        get(_crate, "Pieces", "int"),
        Outcome.SUM,
        "int",
    ),
    shipperCode="string",
)

CLAIMS = mapping(
    entity(
        "TravelClaim",
        [
            prop("Id", "int"),
            prop("MemberId", "int?"),
            prop("Stage", "ClaimStage", provider_type="string", max_length=24),
            prop("LodgedAt", "DateTime"),
            prop("LedgerNo", "int?", column="LedgerEntry"),
        ],
        table="claims",
        navigations=(
            one("Member", "FieldMember", "MemberId"),
            many("Lines", "ClaimLine", "ClaimId"),
            one("Target", "Destination", on_dependent=False, required=True),
        ),
        foreign_keys=(foreign("MemberId", "FieldMember", required=False),),
    ),
    entity(
        "Destination",
        [
            prop("TravelClaimId", "int", column="Id", shadow=True),
            prop("Place", "string", column="Target_Place"),
            prop("Zone", "string?", column="Target_Zone"),
        ],
        ("TravelClaimId",),
        table="claims",
        owned_by="TravelClaim",
        owner_navigation="Target",
        foreign_keys=(foreign("TravelClaimId", "TravelClaim", ownership=True),),
    ),
    entity(
        "ClaimLine",
        [
            prop("Id", "int"),
            prop("Caption", "string"),
            prop("DayRate", "decimal"),
            prop("Rebate", "decimal"),
            prop("Days", "int"),
            prop("ClaimId", "int", shadow=True),
        ],
        table="claimLines",
        foreign_keys=(foreign("ClaimId", "TravelClaim"),),
    ),
    entity(
        "FieldMember",
        [prop("Id", "int"), prop("Badge", "string", max_length=100), prop("Label", "string?")],
        table="members",
        alternate_keys=(("Badge",),),
    ),
    enums=[enum("ClaimStage", "Draft", "Lodged", "InReview", "Settled", "TurnedDown")],
)

_claim = var("claim", "TravelClaim")
_line = var("line", "ClaimLine")
_amount = sub(
    [each("line", get(_claim, "Lines", "IReadOnlyCollection<ClaimLine>"))],
    op(get(_line, "DayRate", "decimal"), "*", Cast(operand=get(_line, "Days", "int"), type=clr("decimal")), "decimal"),
    Outcome.SUM,
    "decimal",
)

OF_BADGE = method(
    "OfBadgeAsync",
    query(
        [
            source("claim", "TravelClaim"),
            where(op(get(get(_claim, "Member", "FieldMember?"), "Badge", "string"), "==", param("badge", "string"))),
        ],
        new(
            "ClaimBrief",
            ClaimNo=get(_claim, "Id", "int"),
            LodgedAt=get(_claim, "LodgedAt", "DateTime"),
            Stage=Call(method="Enum.ToString", arguments=(get(_claim, "Stage", "ClaimStage"),), type=clr("string")),
            Amount=Cast(operand=_amount, type=clr("double")),
        ),
        Outcome.LIST,
        "List<ClaimBrief>",
    ),
    badge="string",
)
