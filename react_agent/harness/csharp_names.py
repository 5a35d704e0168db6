"""C# names: how a program outside the user's files names what is declared in them. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from react_agent.csharp import syntax as cs
from react_agent.csharp.declarations import Declarations, declare
from react_agent.csharp.parse import parse
from react_agent.model.translation import SourceFile

_KEYWORDS = frozenset(
    "abstract as base bool break byte case catch char checked class const continue decimal default delegate do double "
    "else enum event explicit extern false finally fixed float for foreach goto if implicit in int interface internal "
    "is lock long namespace new null object operator out override params private protected public readonly ref return "
    "sbyte sealed short sizeof stackalloc static string struct switch this throw true try typeof uint ulong unchecked "
    "unsafe ushort using virtual void volatile while".split()
)


class CannotShow(Exception):
    """No program can be written for this; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CSharpNames:
    """The declarations of the user's files, to be named from outside."""

    known: Declarations

    def type(self, name: str) -> str:
        """Name a type or enum in full; one that the files do not declare is named as it stands."""
        declared = self.known.types.get(name) or self.known.enums.get(name)
        if declared is None:
            return identifier(name)
        path = [*(declared.namespace.split(".") if declared.namespace else []), *self._around(declared.outer), name]
        return "global::" + ".".join(identifier(part) for part in path)

    def _around(self, outer: str) -> tuple[str, ...]:
        declared = self.known.types.get(outer)
        return (*self._around(declared.outer), declared.name) if declared is not None else ()


def names_of(sources: Sequence[SourceFile]) -> CSharpNames:
    """Read what the files declare."""
    return CSharpNames(known=declare([parse(source) for source in sources]))


def identifier(name: str) -> str:
    """Write a name; one that is a keyword of the language gets its `@`."""
    return f"@{name}" if name in _KEYWORDS else name


def constructors(declared: cs.TypeDeclaration) -> list[tuple[cs.ParameterDeclaration, ...]]:
    """List the parameters of each constructor that others can call; the primary one first."""
    primary = [declared.primary] if declared.primary is not None else []
    written = [m for m in declared.members if isinstance(m, cs.ConstructorDeclaration)]
    return [*primary, *(m.parameters for m in written if not {"static", "private"} & m.modifiers)]
