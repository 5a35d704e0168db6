"""DocumentModel: how a mapping is stored in MongoDB and held in Java. Equivalence is relative to this."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from pydantic import TypeAdapter


class BsonType(StrEnum):
    """How a value is stored, by its Extended JSON name. See https://www.mongodb.com/docs/manual/reference/bson-types/."""

    INT32 = "int"
    INT64 = "long"
    DOUBLE = "double"
    DECIMAL128 = "decimal"
    STRING = "string"
    BOOL = "bool"
    DATE = "date"
    UUID = "uuid"
    BINARY = "binary"
    DOCUMENT = "object"
    ARRAY = "array"


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A scalar of a document.

    `property` is the C# member, `field` the name in BSON (`_id` for the key), `java_name` the Java member,
    `java_type` its type as written in source (`Integer`, `BigDecimal`, an enum's name). An enum is stored by name where
    `bson` is STRING, else by number.
    """

    property: str
    field: str
    java_name: str
    java_type: str
    bson: BsonType
    nullable: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Embedded:
    """An owned or complex part, stored inside its owner: one sub-document, or an array of them."""

    navigation: str
    field: str
    java_name: str
    java_type: str
    entity: str
    many: bool
    nullable: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One entity type as a document class. `collection` is None for a part that is stored inside its owner.

    A composite key is stored as a sub-document `_id` whose fields are `key_fields` in order; `key_class` is its record.
    """

    entity: str
    java_class: str
    collection: str | None
    fields: tuple[Field, ...]
    embedded: tuple[Embedded, ...] = ()
    key_fields: tuple[str, ...] = ()
    key_class: str | None = None

    def find(self, property_name: str) -> Field | None:
        """Look up a scalar by its C# name."""
        return next((f for f in self.fields if f.property == property_name), None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Loss:
    """Something the target does not keep: what, where in the mapping, and the hazard's id."""

    what: str
    where: str
    hazard: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A choice with its default and reason; a person may set `chosen`. `id` is stable: `enum-form:Claim.Stage`."""

    id: str
    question: str
    chosen: str
    options: tuple[str, ...]
    reason: str
    by: str = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentModel:
    """All documents of a mapping, what is lost, and the choices that were made."""

    package: str
    documents: tuple[Document, ...]
    losses: tuple[Loss, ...] = ()
    decisions: tuple[Decision, ...] = ()

    def find(self, entity: str) -> Document | None:
        """Look up a document by its entity's name in the mapping model."""
        return next((d for d in self.documents if d.entity == entity), None)

    def to_json(self) -> dict[str, Any]:
        """Write the model as plain JSON data."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> "DocumentModel":
        """Read a model from plain JSON data."""
        return _ADAPTER.validate_python(value)


_ADAPTER = TypeAdapter(DocumentModel)
