"""Declarations: the types of all files together, partial ones joined, found by their short names."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from react_agent.csharp import syntax as cs
from react_agent.csharp.types import clr_type
from react_agent.model.gap import Gap
from react_agent.model.mapping import ClrType


@dataclass(frozen=True, slots=True, kw_only=True)
class Declarations:
    """Types and enums by short name. `values` are the names of value types among them."""

    types: dict[str, cs.TypeDeclaration]
    enums: dict[str, cs.EnumDeclaration]
    values: frozenset[str]
    gaps: tuple[Gap, ...] = ()

    def type_of(self, ref: cs.TypeRef) -> ClrType:
        """Turn a written type into a `ClrType`."""
        return clr_type(ref, self.values)

    def lineage(self, name: str) -> list[cs.TypeDeclaration]:
        """List a type with its declared base classes, base first."""
        out: list[cs.TypeDeclaration] = []
        declared = self.types.get(name)
        while declared is not None and declared not in out:
            out.insert(0, declared)
            declared = next((self.types[b.name] for b in declared.bases if self._is_class(b.name)), None)
        return out

    def _is_class(self, name: str) -> bool:
        found = self.types.get(name)
        return found is not None and found.kind in {"class", "record"}

    def bases(self, name: str) -> set[str]:
        """Name every base of a type, the undeclared ones included."""
        return {b.name for declared in self.lineage(name) for b in declared.bases}

    def properties(self, name: str) -> Iterator[tuple[str, cs.PropertyDeclaration]]:
        """Yield the properties of a type, its bases' first, with the type that declares each; a redeclared one once.

        A record's positional parameters are properties that can be initialised.
        """
        found: dict[str, tuple[str, cs.PropertyDeclaration]] = {}
        for declared in self.lineage(name):
            positional = declared.primary or () if declared.kind == "record" else ()
            for parameter in positional:
                found[parameter.name] = (declared.name, _positional(parameter))
            for member in declared.members:
                if isinstance(member, cs.PropertyDeclaration):
                    found[member.name] = (declared.name, member)
        yield from found.values()

    def field_names(self, name: str) -> set[str]:
        """Name the instance fields of a type and its bases."""
        members = [m for d in self.lineage(name) for m in d.members]
        return {m.name for m in members if isinstance(m, cs.FieldDeclaration) and not {"static", "const"} & m.modifiers}


def _positional(parameter: cs.ParameterDeclaration) -> cs.PropertyDeclaration:
    return cs.PropertyDeclaration(
        name=parameter.name,
        type=parameter.type,
        modifiers=frozenset({"public"}),
        attributes=parameter.attributes,
        setter=True,
        auto=True,
        body=None,
        span=parameter.span,
    )


def declare(units: Sequence[cs.Unit]) -> Declarations:
    """Join the declarations of all files."""
    types: dict[str, cs.TypeDeclaration] = {}
    enums: dict[str, cs.EnumDeclaration] = {}
    gaps: list[Gap] = []
    for declared in (t for u in units for t in u.types):
        known = types.get(declared.name)
        if known is None:
            types[declared.name] = declared
        elif "partial" in declared.modifiers and "partial" in known.modifiers:
            types[declared.name] = _joined(known, declared)
        else:
            gaps.append(_twice(declared.name, str(known.span), declared))
    for enum in (e for u in units for e in u.enums):
        if enum.name in enums or enum.name in types:
            gaps.append(_twice(enum.name, "another place", enum))
        else:
            enums[enum.name] = enum
    structs = {t.name for t in types.values() if t.kind == "struct"}
    return Declarations(types=types, enums=enums, values=frozenset(structs | set(enums)), gaps=tuple(gaps))


def _twice(name: str, where: str, declared: cs.TypeDeclaration | cs.EnumDeclaration) -> Gap:
    reason = f"`{name}` is declared at {where} too; types are told apart by their short names"
    return Gap(construct="type declaration", reason=reason, span=declared.span)


def _joined(one: cs.TypeDeclaration, other: cs.TypeDeclaration) -> cs.TypeDeclaration:
    return replace(
        one,
        modifiers=one.modifiers | other.modifiers,
        bases=one.bases + other.bases,
        primary=one.primary if one.primary is not None else other.primary,
        members=one.members + other.members,
        attributes=one.attributes + other.attributes,
    )
