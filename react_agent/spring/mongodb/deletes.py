"""Deletes: what a database's foreign keys do to the rows that refer to a deleted one, written out."""

from collections.abc import Sequence
from dataclasses import dataclass

from react_agent.model.documents import Document
from react_agent.model.mapping import DeleteBehavior, EntityType, ForeignKey, MappingModel
from react_agent.model.query import Setter
from react_agent.spring.java import STEP, Code, Prefixed, call, chain, flat, statement, text
from react_agent.spring.mongodb.refusal import Untranslatable
from react_agent.spring.mongodb.statements import bare
from react_agent.spring.mongodb.values import Values

_INNER = STEP * 2
_QUERY = "org.springframework.data.mongodb.core.query"
_VIOLATED = "org.springframework.dao.DataIntegrityViolationException"


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """Documents that refer to deleted ones: what becomes of them, and of what refers to them in turn.

    `of` names the list of keys that they refer to, `ids` the list of their own, where `below` needs it.
    """

    document: Document
    field: str
    behavior: DeleteBehavior
    of: str
    ids: str
    below: "tuple[Taken, ...]" = ()


def cascade(entity: EntityType, root: Document, values: Values) -> tuple[Taken, ...]:
    """List what refers to an entity, through as many foreign keys as the database follows.

    Raises:
        Untranslatable: two ways lead to the same rows, or a key is not one column.
    """
    return _cascade(entity, root, values, "ids", {entity.name})


def _cascade(entity: EntityType, document: Document, values: Values, of: str, seen: set[str]) -> tuple[Taken, ...]:
    out: list[Taken] = []
    for dependent, key in _referring(values.mapping, entity):
        where = f"{dependent.clr_name}.{', '.join(key.properties)}"
        if dependent.name in seen:
            raise Untranslatable(
                where, "two foreign keys decide over the same rows, or a row refers to its own kind", "Q70"
            )
        seen.add(dependent.name)
        stored = values.documents.find(dependent.name)
        if stored is None or stored.collection is None:
            raise Untranslatable(dependent.name, f"{dependent.name} has no document, see its own gap", "S19")
        field = stored.find(key.properties[0]) if len(key.properties) == 1 else None
        own = document.find(key.principal_key[0])
        if field is None or own is None or own.field != "_id":
            raise Untranslatable(where, "a foreign key of several columns, or one to an alternate key", "S10")
        ids = f"{stored.java_class[:1].lower()}{stored.java_class[1:]}Ids"
        follows = key.delete_behavior == DeleteBehavior.CASCADE
        below = _cascade(dependent, stored, values, ids, seen) if follows else ()
        if below and stored.key_class is not None:
            raise Untranslatable(where, "rows with a key of several columns have rows below them", "S10")
        out.append(Taken(document=stored, field=field.field, behavior=key.delete_behavior, of=of, ids=ids, below=below))
    return tuple(out)


def _referring(mapping: MappingModel, entity: EntityType) -> list[tuple[EntityType, ForeignKey]]:
    names = {entity.name}
    base = entity.base
    while base is not None and (found := mapping.find(base)) is not None:
        names.add(found.name)
        base = found.base
    return [
        (one, key)
        for one in mapping.entities
        for key in one.foreign_keys
        if key.principal in names and not key.ownership
    ]


def removed(taken: Sequence[Taken], root: Document, values: Values) -> list[str]:
    """Write the statements: keys of what is below first, then every refusal, then the deletes from the bottom up."""
    ordered = list(_flat(taken))
    lines = [line for one in ordered if one.below for line in _keys(one, values)]
    for one in ordered:
        if one.behavior not in {DeleteBehavior.CASCADE, DeleteBehavior.SET_NULL}:
            lines += _violation(call("mongo.exists", _in(one.field, one.of, values), _class(one.document)), values)
    for one in reversed(ordered):
        if one.behavior == DeleteBehavior.CASCADE:
            lines.append(statement(call("mongo.remove", _in(one.field, one.of, values), _class(one.document)), _INNER))
        elif one.behavior == DeleteBehavior.SET_NULL:
            update = chain(f"new {values.imports.use(f'{_QUERY}.Update')}()", call("unset", text(one.field)))
            asked = call("mongo.updateMulti", _in(one.field, one.of, values), update, _class(one.document))
            lines.append(statement(asked, _INNER))
    return [*lines, statement(call("mongo.remove", _in("_id", "ids", values), _class(root)), _INNER)]


def _flat(taken: Sequence[Taken]) -> list[Taken]:
    return [one for top in taken for one in (top, *_flat(top.below))]


def _class(document: Document) -> str:
    return f"{document.java_class}.class"


def _in(field: str, keys: str, values: Values) -> Code:
    imports = values.imports
    where, query = imports.static(f"{_QUERY}.Criteria.where"), imports.static(f"{_QUERY}.Query.query")
    return call(query, chain(call(where, text(field)), call("in", keys)))


def _keys(one: Taken, values: Values) -> list[str]:
    key = next(f for f in one.document.fields if f.field == "_id")
    boxed = {"int": "Integer", "long": "Long", "short": "Short", "byte": "Byte"}.get(key.java_type, key.java_type)
    found = call("mongo.find", _in(one.field, one.of, values), _class(one.document))
    ids = chain(found, call("stream"), call("map", f"{one.document.java_class}::{key.java_name}"), call("toList"))
    kind = f"{values.imports.use('java.util.List')}<{_used(boxed, values)}>"
    return [statement(Prefixed(prefix=f"{kind} {one.ids} = ", body=ids), _INNER)]


def _used(name: str, values: Values) -> str:
    return values.imports.use("java.util.UUID") if name == "UUID" else name


def _violation(test: Code, values: Values) -> list[str]:
    head = statement(Prefixed(prefix="if (", body=test), _INNER).removesuffix(";")
    error = values.imports.use(_VIOLATED)
    thrown = f'{_INNER}{STEP}throw new {error}("a foreign key refers to a row that is not there");'
    return [f"{head}) {{", thrown, f"{_INNER}}}"]


def refused(setter: Setter, entity: EntityType, values: Values, found: Code) -> list[str]:
    """Write the check that a reference which is about to be set leads somewhere, where `found` says a row gets it."""
    key = next(k for k in entity.foreign_keys if setter.target.name in k.properties)
    principal = values.mapping.find(key.principal)
    document = values.documents.find(key.principal)
    field = document.find(key.principal_key[0]) if document is not None else None
    if principal is None or document is None or document.collection is None or field is None:
        raise Untranslatable(setter.target.name, f"{key.principal} has no document, see its own gap", "S19")
    code = bare(values.write(setter.value))
    if code == "null":
        return []
    imports = values.imports
    where, query = imports.static(f"{_QUERY}.Criteria.where"), imports.static(f"{_QUERY}.Query.query")
    asked = call(query, chain(call(where, text(field.field)), call("is", code)))
    known = f"{code} != null && " if values.may_be_null(setter.value) else ""
    head = f"if ({known}{flat(found)}"
    missing = f"&& !{flat(call('mongo.exists', asked, _class(document)))}"
    error = imports.use(_VIOLATED)
    thrown = f'{_INNER}{STEP}throw new {error}("a foreign key refers to a row that is not there");'
    return [f"{_INNER}{head}", f"{_INNER}{STEP * 2}{missing}) {{", thrown, f"{_INNER}}}"]
