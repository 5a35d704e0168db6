"""A query as one line of text, so that a test shows the whole of what was read."""

from collections.abc import Callable
from typing import Any

from react_agent.model.query import (
    Binary,
    Call,
    Cast,
    Choice,
    Clause,
    Conditional,
    Constant,
    Distinct,
    Expression,
    From,
    FromMany,
    GroupBy,
    Member,
    New,
    OrderBy,
    Parameter,
    Query,
    Skip,
    Subquery,
    Take,
    Unary,
    Var,
    Where,
)


def form(query: Query) -> str:
    clauses = "; ".join(_clause(c) for c in query.clauses)
    return f"{clauses} => {text(query.element)} -> {query.outcome} {query.type}"


def text(node: Expression) -> str:
    return _TEXTS[type(node)](node)


def _constant(node: Constant) -> str:
    return node.cell.name or repr(node.cell.text)


def _new(node: New) -> str:
    return f"new {node.type.name}{{{', '.join(f'{n}={text(v)}' for n, v in node.members)}}}"


def _choice(clause: Choice) -> str:
    ways = [f"{text(b.condition)}: {_clauses(b.clauses)}" for b in clause.branches]
    return "choose {" + " | ".join([*ways, f"else: {_clauses(clause.otherwise)}"]) + "}"


def _clause(clause: Clause) -> str:
    return _CLAUSES[type(clause)](clause)


def _clauses(clauses: tuple[Clause, ...]) -> str:
    return "; ".join(_clause(c) for c in clauses) or "-"


def _keys(clause: OrderBy) -> str:
    return ", ".join(text(k.expression) + (" desc" if k.descending else "") for k in clause.keys)


_TEXTS: dict[type, Callable[[Any], str]] = {
    Var: lambda n: n.name,
    Parameter: lambda n: f"@{n.name}",
    Constant: _constant,
    Member: lambda n: f"{text(n.target)}.{n.name}",
    Binary: lambda n: f"({text(n.left)} {n.operator} {text(n.right)})",
    Unary: lambda n: f"{n.operator}{text(n.operand)}",
    Conditional: lambda n: f"({text(n.test)} ? {text(n.then)} : {text(n.otherwise)})",
    Cast: lambda n: f"({n.type}){text(n.operand)}",
    Call: lambda n: f"{n.method}({', '.join(map(text, n.arguments))})",
    New: _new,
    Subquery: lambda n: f"[{form(n.query)}]",
}
_CLAUSES: dict[type, Callable[[Any], str]] = {
    From: lambda c: f"from {c.variable} in {c.entity}",
    FromMany: lambda c: f"from {c.variable} in {text(c.collection)}{' outer' if c.outer else ''}",
    Where: lambda c: f"where {text(c.predicate)}",
    OrderBy: lambda c: f"orderby {_keys(c)}",
    Skip: lambda c: f"skip {text(c.count)}",
    Take: lambda c: f"take {text(c.count)}",
    Distinct: lambda c: f"distinct {text(c.element)} as {c.variable}",
    GroupBy: lambda c: f"group {text(c.element)} by {text(c.key)} as {c.variable}",
    Choice: _choice,
}
