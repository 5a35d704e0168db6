"""Builders: calls on what `HasOne`, `HasMany` and `WithMany` return."""

from react_agent.csharp import syntax as cs
from react_agent.csharp.builders import (
    NO_CONSTANT,
    UNKNOWN,
    Builder,
    Call,
    EntityBuilder,
    Follow,
    RelationBuilder,
)
from react_agent.csharp.drafts import RelationDraft
from react_agent.model.mapping import DeleteBehavior

_DELETE = {
    "Cascade": DeleteBehavior.CASCADE,
    "ClientSetNull": DeleteBehavior.CLIENT_SET_NULL,
    "SetNull": DeleteBehavior.SET_NULL,
    "Restrict": DeleteBehavior.RESTRICT,
    "NoAction": DeleteBehavior.NO_ACTION,
    "ClientCascade": DeleteBehavior.CLIENT_CASCADE,
    "ClientNoAction": DeleteBehavior.CLIENT_NO_ACTION,
}


def on_relation(relation: RelationDraft, call: Call, follow: Follow) -> Builder:
    """Carry out one call on a relation's builder."""
    match call.name:
        case "WithOne" | "WithMany":
            return _with(relation, call)
        case "HasForeignKey" | "HasPrincipalKey":
            return _key(relation, call)
        case "IsRequired":
            relation.required = call.flag()
            return RelationBuilder(relation) if relation.required is not None else call.refuse(NO_CONSTANT)
        case "OnDelete":
            given = call.argument(0)
            relation.delete = _DELETE.get(given.name) if isinstance(given, cs.Access) else None
            return RelationBuilder(relation) if relation.delete is not None else call.refuse(NO_CONSTANT, "S52")
        case "HasConstraintName" | "HasAnnotation":
            return RelationBuilder(relation)
        case "UsingEntity":
            return _using(relation, call, follow)
    return call.refuse(UNKNOWN)


def _with(relation: RelationDraft, call: Call) -> Builder:
    name = call.member() if call.node.arguments else None
    if call.node.arguments and name is None:
        return call.refuse(NO_CONSTANT)
    relation.right_many, relation.right_nav = call.name == "WithMany", name
    return RelationBuilder(relation)


def _key(relation: RelationDraft, call: Call) -> Builder:
    arguments = [a for a in call.node.arguments if not isinstance(a.value, cs.TypeOf)]
    side = call.type_name()
    members = call.members() if len(arguments) == len(call.node.arguments) else None
    if members is None:
        return call.refuse(NO_CONSTANT, "S06")
    if call.name == "HasPrincipalKey":
        relation.principal_key = members
    else:
        relation.foreign_key = members
        relation.dependent = side or relation.dependent
    return RelationBuilder(relation)


def _using(relation: RelationDraft, call: Call, follow: Follow) -> Builder:
    """Read `UsingEntity<TJoin>(right, left, configure)`: two relations of the join entity, then its own settings."""
    if not call.types:
        return call.refuse("a join table without a class is not read", "S10")
    join = call.draft.entity(call.types[0].name, call.node.span)
    relation.join = join.name
    builder = EntityBuilder(join)
    nested = [a.value for a in call.node.arguments]
    if len(nested) not in {0, 1, 2, 3}:
        return call.refuse(UNKNOWN, "S11")
    for one in nested:
        follow(one, builder)
    return builder
