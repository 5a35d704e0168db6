"""The object mappers UOM knows: their wire names, languages and the sandbox that proves each."""

from enum import StrEnum


class FrameworkEnum(StrEnum):
    """An object mapper, as a caller names it."""

    DOTNET_EFCORE = "DOTNET_EFCORE"
    JAVA_SPRING_DATA_MONGODB = "JAVA_SPRING_DATA_MONGODB"
    JAVA_SPRING_DATA_NEO4J = "JAVA_SPRING_DATA_NEO4J"

    @property
    def display_name(self) -> str:
        """The product's own name, for people."""
        return _TITLES[self]

    @property
    def language(self) -> str:
        """The language its code is written in, as a fence's info string."""
        return "csharp" if self == FrameworkEnum.DOTNET_EFCORE else "java"


class TranslationType(StrEnum):
    """What a request asks for."""

    SCHEMA = "SCHEMA"
    QUERY = "QUERY"
    BOTH = "BOTH"


_TITLES = {
    FrameworkEnum.DOTNET_EFCORE: "Entity Framework Core",
    FrameworkEnum.JAVA_SPRING_DATA_MONGODB: "Spring Data MongoDB",
    FrameworkEnum.JAVA_SPRING_DATA_NEO4J: "Spring Data Neo4j",
}

TARGETS = {
    "java-spring-data-mongodb": FrameworkEnum.JAVA_SPRING_DATA_MONGODB,
    "java-spring-data-neo4j": FrameworkEnum.JAVA_SPRING_DATA_NEO4J,
}
"""Names of the targets on the command line."""


SUPPORTED = frozenset({FrameworkEnum.JAVA_SPRING_DATA_MONGODB})
"""Targets that can be written today; the others are known and refused by name."""


class UnknownTarget(ValueError):
    """A target that UOM does not know; the message lists those it does."""


def target_named(name: str) -> FrameworkEnum:
    """Look up a target by its command-line name or its wire name.

    Raises:
        UnknownTarget: it is neither.
    """
    wanted = name.strip().lower().replace("_", "-")
    if wanted not in TARGETS:
        known = ", ".join(name for name, target in TARGETS.items() if target in SUPPORTED)
        raise UnknownTarget(f"unknown target {name!r}; supported: {known}")
    return TARGETS[wanted]
