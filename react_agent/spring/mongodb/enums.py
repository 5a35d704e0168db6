"""C# enums in Java: constants, stored form, converters."""

import re
from dataclasses import dataclass

from react_agent.model.documents import BsonType, DocumentModel
from react_agent.model.mapping import EnumMember, EnumType
from react_agent.model.names import JAVA_KEYWORDS, java_type
from react_agent.spring.java import Imports, source, text

_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")


@dataclass(frozen=True, slots=True, kw_only=True)
class JavaEnum:
    """One enum with the form its values are stored in: by name, or by number."""

    type: EnumType
    by_name: bool

    @property
    def java_class(self) -> str:
        """The Java class."""
        return java_type(self.type.name)

    @property
    def stored(self) -> str:
        """The Java type of the stored form."""
        return "String" if self.by_name else "Integer"

    @property
    def accessor(self) -> str:
        """The Java method that gives the stored form."""
        return "storedName" if self.by_name else "number"

    def distinct(self) -> tuple[EnumMember, ...]:
        """The members with a value of their own; a later alias in C# is the same value as the first."""
        seen: dict[int, EnumMember] = {}
        for member in self.type.members:
            seen.setdefault(member.value, member)
        return tuple(seen.values())


def constant(member: str) -> str:
    """`InReview` -> `IN_REVIEW`."""
    name = _WORD.sub("_", member).upper()
    return name + "_" if name.lower() in JAVA_KEYWORDS and name == name.lower() else name


def stored_by_name(name: str, documents: DocumentModel) -> bool | None:
    """Tell an enum's stored form; None where properties disagree."""
    forms = {f.bson == BsonType.STRING for d in documents.documents for f in d.fields if f.java_type == java_type(name)}
    return None if len(forms) > 1 else next(iter(forms), False)


def write_enum(enum: JavaEnum, package: str) -> str:
    """Write the enum; each constant carries what is stored, so that renaming a constant changes no data."""
    imports = Imports(package=package)
    members = enum.distinct()
    kind = "String" if enum.by_name else "int"
    values = [text(m.name) if enum.by_name else str(m.value) for m in members]
    constants = [f"    {constant(m.name)}({value})" for m, value in zip(members, values, strict=True)]
    body = [
        f"public enum {enum.java_class} {{",
        "",
        ",\n".join(constants) + ";",
        "",
        f"    private final {kind} {enum.accessor};",
        "",
        f"    {enum.java_class}({kind} {enum.accessor}) {{",
        f"        this.{enum.accessor} = {enum.accessor};",
        "    }",
        "",
        f"    /** The value in the database. */\n    public {kind} {enum.accessor}() {{",
        f"        return {enum.accessor};",
        "    }",
        "}",
    ]
    return source(package, imports, body)


def write_converters(enum: JavaEnum, package: str) -> str:
    """Write the pair of converters that Spring Data uses for properties, parameters and results."""
    imports = Imports(package=package, reserved=frozenset({enum.java_class}))
    converter = imports.use("org.springframework.core.convert.converter.Converter")
    reading = imports.use("org.springframework.data.convert.ReadingConverter")
    writing = imports.use("org.springframework.data.convert.WritingConverter")
    arrays = imports.use("java.util.Arrays")
    matches = f"value.{enum.accessor}().equals(stored)" if enum.by_name else f"value.{enum.accessor}() == stored"
    name, stored = enum.java_class, enum.stored
    body = [
        f"final class {name}Converters {{",
        "",
        f"    private {name}Converters() {{",
        "    }",
        "",
        f"    @{reading}",
        f"    enum Read implements {converter}<{stored}, {name}> {{",
        "",
        "        INSTANCE;",
        "",
        "        @Override",
        f"        public {name} convert({stored} stored) {{",
        f"            return {arrays}.stream({name}.values())",
        f"                    .filter(value -> {matches})",
        "                    .findFirst()",
        f'                    .orElseThrow(() -> new IllegalArgumentException("No {name} is stored as " + stored));',
        "        }",
        "    }",
        "",
        f"    @{writing}",
        f"    enum Write implements {converter}<{name}, {stored}> {{",
        "",
        "        INSTANCE;",
        "",
        "        @Override",
        f"        public {stored} convert({name} value) {{",
        f"            return value.{enum.accessor}();",
        "        }",
        "    }",
        "}",
    ]
    return source(package, imports, body)
