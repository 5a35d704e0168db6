"""Draft: what the rules make of C# text. Pure, deterministic, milliseconds."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from react_agent.csharp import Reading, hazards_of, read
from react_agent.csharp.parse import parse
from react_agent.frameworks import FrameworkEnum
from react_agent.listing import only_listing
from react_agent.model.gap import Gap
from react_agent.model.mapping import MappingModel
from react_agent.model.query import QueryMethod
from react_agent.model.translation import SourceFile, Translation
from react_agent.sources import BadInput
from react_agent.spring.mongodb import write

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_DIRECTIVE = re.compile(r"(global\s+)?using\s+[^;{}()]+;|\[\s*assembly\s*:.*?\]\s*$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """One candidate: the C# as read and the Java as written. `foreign` Java came from a person or another tool.

    `reservations` are, by entry, what its verdict must say of how the Java was chosen.
    """

    sources: tuple[SourceFile, ...]
    reading: Reading
    translation: Translation
    decisions: Mapping[str, str]
    release: int
    foreign: bool = False
    reservations: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def mapping(self) -> MappingModel:
        """The mapping that equivalence is relative to."""
        assert self.reading.mapping is not None
        return self.reading.mapping

    @property
    def gaps(self) -> tuple[Gap, ...]:
        """All gaps, of reading and of writing, each once."""
        return tuple(dict.fromkeys((*self.reading.gaps, *self.translation.gaps)))

    def method(self, entry: str) -> QueryMethod:
        """The C# side of an entry, by its name in reports."""
        return next(m for m in self.reading.queries.methods if m.entry == entry)


def _declares_nothing(text: str) -> bool:
    """Whether a file holds directives alone, as `GlobalUsings.cs` does: the compiler needs it, the reader does not."""
    code = _COMMENT.sub("", text)
    return bool(code.strip()) and not _DIRECTIVE.sub("", code).strip("\ufeff \t\r\n")


def _with_hazards(translation: Translation, mapping: MappingModel, methods: Sequence[QueryMethod]) -> Translation:
    """Name the hazards of each entry; reading knows them, writing knows the entries."""
    known = {method.entry: hazards_of(method, mapping) for method in methods}
    entries = tuple(replace(pair, hazards=known.get(pair.entry, ())) for pair in translation.entries)
    return replace(translation, entries=entries)


def draft(
    sources: Sequence[SourceFile],
    target: FrameworkEnum = FrameworkEnum.JAVA_SPRING_DATA_MONGODB,
    *,
    mapping: MappingModel | None = None,
    decisions: Mapping[str, str] | None = None,
    release: int = 21,
    listing: bool = False,
) -> Draft:
    """Read C# and write Java by the rules; `mapping`, where EF Core printed one, wins over the text's.

    With `listing`, only the entries that read the rows back are translated.

    Raises:
        BadInput: the text does not parse, or holds no `DbContext`, or the target is not written yet.
    """
    if target != FrameworkEnum.JAVA_SPRING_DATA_MONGODB:
        raise BadInput(
            f"{target.display_name} is not supported yet; the supported target is "
            f"{FrameworkEnum.JAVA_SPRING_DATA_MONGODB.display_name} (java-spring-data-mongodb)"
        )
    reading = read([source for source in sources if not _declares_nothing(source.text)], mapping=mapping)
    if reading.faults:
        more = f" ({len(reading.faults) - 1} more)" if len(reading.faults) > 1 else ""
        raise BadInput(f"{reading.faults[0]}{more}")
    if reading.mapping is None:
        broken = [problem for source in sources for problem in parse(source).problems]
        if broken:
            raise BadInput(f"{broken[0].span}: {broken[0].message}; correct it, or leave the file out")
        names = ", ".join(source.path for source in sources[:5])
        raise BadInput(f"no DbContext in {names}; add the file with the class that derives from DbContext")
    if listing:
        reading = only_listing(reading)
    assert reading.mapping is not None
    translation = write(reading.mapping, reading.queries, decisions=decisions or {}, release=release, gaps=reading.gaps)
    return Draft(
        sources=tuple(sources),
        reading=reading,
        translation=_with_hazards(translation, reading.mapping, reading.queries.methods),
        decisions=dict(decisions or {}),
        release=release,
    )


def by_rules(candidate: Draft) -> Draft:
    """The rules' own translation of what a candidate translates; the candidate itself where it is just that."""
    if not candidate.foreign:
        return candidate
    assert candidate.reading.mapping is not None
    made = write(
        candidate.reading.mapping,
        candidate.reading.queries,
        decisions=candidate.decisions,
        release=candidate.release,
        gaps=candidate.reading.gaps,
    )
    return replace(candidate, translation=made, foreign=False)
