"""Translation: the Java that was written for a query model, and how its entries pair with the C# ones."""

from dataclasses import dataclass

from react_agent.model.documents import DocumentModel
from react_agent.model.gap import Gap
from react_agent.model.shape import Shape


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceFile:
    """One file of text, its path relative to the project's root with forward slashes."""

    path: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryPair:
    """A C# entry and the Java method that stands for it. `java_class` is the full name; `shape` reads its result."""

    class_name: str
    method: str
    java_class: str
    java_method: str
    shape: Shape
    hazards: tuple[str, ...] = ()

    @property
    def entry(self) -> str:
        """The entry's name in reports: `Class.Method` of the C# side."""
        return f"{self.class_name}.{self.method}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Translation:
    """A Java project that builds with Maven.

    `configuration` is the full name of the `@Configuration` class. An entry that could not be written is in `gaps` and
    not in `entries`.
    """

    files: tuple[SourceFile, ...]
    entries: tuple[EntryPair, ...]
    documents: DocumentModel
    configuration: str
    gaps: tuple[Gap, ...] = ()
