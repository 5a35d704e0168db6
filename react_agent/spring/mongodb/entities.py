"""Document classes: a record per entity, with its id, fields, parts and indexes."""

from collections.abc import Iterator
from dataclasses import replace

from react_agent.model.documents import Document, DocumentModel, Field
from react_agent.model.mapping import EntityType, Index, MappingModel
from react_agent.spring.java import STEP, WIDTH, Imports, call, flat, source, text
from react_agent.spring.mongodb.losses import unique_is_kept
from react_agent.spring.mongodb.types import VALUE_TYPES, component

_MAPPING = "org.springframework.data.mongodb.core.mapping"
_INDEX = "org.springframework.data.mongodb.core.index"
_JAVA_NAMES = {v.boxed.rpartition(".")[2]: v.boxed for v in VALUE_TYPES.values() if "." in v.boxed}


def write_document(document: Document, model: DocumentModel, mapping: MappingModel) -> str:
    """Write the record of an entity or of a part."""
    entity = mapping.find(document.entity)
    if entity is None:
        raise LookupError(f"{document.entity} is not in the mapping")
    imports = imports_of(model)
    lines: list[str] = []
    if document.collection is not None:
        lines += [*_compound_indexes(entity, document, imports)]
        lines.append(f"@{imports.use(f'{_MAPPING}.Document')}({text(document.collection)})")
    components = [*_key_component(document, imports), *_components(entity, document, imports)]
    return source(model.package, imports, [*lines, *record(document.java_class, components, _key_accessors(document))])


def write_key(document: Document, model: DocumentModel) -> str:
    """Write the record of a composite `_id`."""
    imports = imports_of(model)
    fields = [f for name in document.key_fields for f in document.fields if f.java_name == name]
    components = [f"{_type(f, imports)} {f.java_name}" for f in fields]
    return source(model.package, imports, record(document.key_class or "", components))


def record(
    name: str, components: list[str], body: list[str] | None = None, *, indent: str = "", modifier: str = "public "
) -> list[str]:
    """Write a record; components go one a line where one line is too short or they carry annotations."""
    head = f"{indent}{modifier}record {name}("
    one = head + ", ".join(components) + ") {"
    if len(one) <= WIDTH and not any("@" in c and "@Nullable" not in c for c in components):
        lines = [one]
    else:
        inner = indent + STEP * 2
        lines = [head, ",\n".join(inner + component for component in components) + ") {"]
    return [*lines, *(["", *body] if body else []), f"{indent}}}"]


def imports_of(model: DocumentModel) -> Imports:
    """Start the imports of a document's file; the classes of the package keep their names."""
    names = {d.java_class for d in model.documents} | {d.key_class for d in model.documents if d.key_class}
    names |= {f.java_type for d in model.documents for f in d.fields if f.java_type not in _JAVA_NAMES}
    return Imports(package=model.package, reserved=frozenset(names))


def members_of(entity: EntityType, document: Document, imports: Imports) -> tuple[list[str], list[str]]:
    """Write the components and the body of a record that holds a document's fields, without its indexes."""
    plain = replace(entity, indexes=(), alternate_keys=())
    return [*_key_component(document, imports), *_components(plain, document, imports)], _key_accessors(document)


def _key_component(document: Document, imports: Imports) -> list[str]:
    if document.key_class is None:
        return []
    return [f"@{imports.use('org.springframework.data.annotation.Id')} {document.key_class} id"]


def _key_accessors(document: Document) -> list[str]:
    """Keep the key's parts readable on the entity itself, as they are in C#."""
    lines: list[str] = []
    for name in document.key_fields:
        kind = next(f.java_type for f in document.fields if f.java_name == name)
        lines += [f"{STEP}public {kind} {name}() {{", f"{STEP * 2}return id.{name}();", f"{STEP}}}", ""]
    return lines[:-1]


def _components(entity: EntityType, document: Document, imports: Imports) -> Iterator[str]:
    for field in document.fields:
        if not field.field.startswith("_id."):
            marks = [f"@{mark} " for mark in _marks(entity, field, imports)]
            yield "".join(marks) + f"{component_type(field, imports)} {field.java_name}"
    for part in document.embedded:
        kind = f"{imports.use('java.util.List')}<{part.java_type}>" if part.many else part.java_type
        yield f"{_nullable(part.nullable, imports)}{kind} {part.java_name}"


def component_type(field: Field, imports: Imports) -> str:
    """Write the type of the record component that holds a field."""
    mark = _nullable(field.nullable, imports)
    kind = _type(field, imports)
    return f"{kind[:-2]} {mark}[]" if mark and kind.endswith("[]") else mark + kind


def _nullable(nullable: bool, imports: Imports) -> str:  # noqa: FBT001 - the one fact that this function is about
    return f"@{imports.use('org.jspecify.annotations.Nullable')} " if nullable else ""


def _type(field: Field, imports: Imports) -> str:
    return imports.use(_JAVA_NAMES[field.java_type]) if field.java_type in _JAVA_NAMES else field.java_type


def _marks(entity: EntityType, field: Field, imports: Imports) -> Iterator[str]:
    if field.field == "_id":
        if field.java_type == "String":  # @Id would turn 24 hex digits into an ObjectId
            yield imports.use(f"{_MAPPING}.MongoId")
        else:
            yield imports.use("org.springframework.data.annotation.Id")
    elif field.java_name == "id":  # Spring Data would take the name for the key
        yield flat(call(imports.use(f"{_MAPPING}.Field"), text("id")))
    for index in entity.indexes:
        if index.properties == (field.property,) and field.field != "_id":
            yield _indexed(index, field, imports)


def _indexed(index: Index, field: Field, imports: Imports) -> str:
    name = imports.use(f"{_INDEX}.Indexed")
    options = ["unique = true"] if index.unique else []
    if index.unique and field.nullable:
        options.append("sparse = true")
    return name + (f"({', '.join(options)})" if options else "")


def _compound_indexes(entity: EntityType, document: Document, imports: Imports) -> Iterator[str]:
    uniques = [Index(properties=key, unique=True) for key in entity.alternate_keys]
    for index in (*entity.indexes, *uniques):
        if len(index.properties) < 2 and index not in uniques:
            continue
        paths = [f for p in index.properties if (f := document.find(p)) is not None]
        if len(paths) != len(index.properties):
            continue
        keys = ", ".join(f"'{f.field}': 1" for f in paths)
        name = index.name or "_".join(component(p) for p in index.properties)
        unique = ", unique = true" if index.unique and unique_is_kept(entity, index.properties) else ""
        annotation = imports.use(f"{_INDEX}.CompoundIndex")
        yield f"@{annotation}(name = {text(name)}, def = {text('{' + keys + '}')}{unique})"
