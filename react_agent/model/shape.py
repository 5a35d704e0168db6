"""Shape: how a Java result is read back under C# names and types. ARCHITECTURE.md, "Worker jobs", has the JSON."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import TypeAdapter

from react_agent.model.values import CellType


@dataclass(frozen=True, slots=True, kw_only=True)
class ScalarShape:
    """A scalar, as a cell of `type`. For an enum, `names` maps each Java constant to its C# name and number."""

    type: CellType
    enum: str | None = None
    names: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    kind: Literal["scalar"] = "scalar"

    def to_json(self) -> dict[str, Any]:
        """Write the shape for the Java worker."""
        out: dict[str, Any] = {"kind": self.kind, "type": self.type.value}
        if self.enum is not None:
            out["enum"] = self.enum
            out["names"] = {java: {"name": name, "v": value} for java, (name, value) in self.names.items()}
        return out


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldShape:
    """One member of an object: its C# name, the Java accessor that reads it, its own shape."""

    name: str
    accessor: str
    shape: "Shape"


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectShape:
    """An object with the C# type's name."""

    name: str
    fields: tuple[FieldShape, ...]
    kind: Literal["object"] = "object"

    def to_json(self) -> dict[str, Any]:
        """Write the shape for the Java worker."""
        members = [{"name": f.name, "accessor": f.accessor, "shape": f.shape.to_json()} for f in self.fields]
        return {"kind": self.kind, "name": self.name, "fields": members}


@dataclass(frozen=True, slots=True, kw_only=True)
class ListShape:
    """A list of one element shape."""

    element: "Shape"
    kind: Literal["list"] = "list"

    def to_json(self) -> dict[str, Any]:
        """Write the shape for the Java worker."""
        return {"kind": self.kind, "element": self.element.to_json()}


Shape = ScalarShape | ObjectShape | ListShape

SHAPE_ADAPTER: TypeAdapter[Shape] = TypeAdapter(Shape)
"""Reads a shape that was written as a dataclass (the manifest's form)."""
