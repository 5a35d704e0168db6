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
        line = self.lineage(name)
        for declared, given in zip(line, _type_arguments(line), strict=True):
            positional = declared.primary or () if declared.kind.startswith("record") else ()
            members = [_positional(p) for p in positional]
            members += [m for m in declared.members if isinstance(m, cs.PropertyDeclaration)]
            for member in members:
                found[member.name] = (declared.name, replace(member, type=_given(member.type, given)))
        yield from found.values()

    def field_names(self, name: str) -> set[str]:
        """Name the instance fields of a type and its bases."""
        members = [m for d in self.lineage(name) for m in d.members]
        return {m.name for m in members if isinstance(m, cs.FieldDeclaration) and not {"static", "const"} & m.modifiers}


def _type_arguments(line: list[cs.TypeDeclaration]) -> list[dict[str, cs.TypeRef]]:
    """Say what each type parameter of a lineage stands for, seen from its last type."""
    out: list[dict[str, cs.TypeRef]] = [{}]
    for declared, base in zip(reversed(line), reversed(line[:-1]), strict=False):
        ref = next(b for b in declared.bases if b.name == base.name)
        arguments = (_given(a, out[0]) for a in ref.arguments)
        out.insert(0, dict(zip(base.type_parameters, arguments, strict=False)))
    return out


def _given(ref: cs.TypeRef, given: dict[str, cs.TypeRef]) -> cs.TypeRef:
    """Put type arguments in place of type parameters."""
    if ref.name in given:
        return replace(given[ref.name], nullable=ref.nullable or given[ref.name].nullable)
    return replace(ref, arguments=tuple(_given(a, given) for a in ref.arguments)) if ref.arguments else ref


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
    structs = {t.name for t in types.values() if t.kind in {"struct", "record struct"}}
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
