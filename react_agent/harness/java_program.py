"""A Java program that a person runs with `mvn` against a MongoDB of their own: the same rows, the same calls. Pure."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from react_agent.harness.java_literals import java_literal, java_text
from react_agent.harness.shown import Shown, ShownCall
from react_agent.harness.templates import filled
from react_agent.model.mapping import MappingModel
from react_agent.model.names import camel
from react_agent.model.shape import FieldShape, ListShape, ObjectShape, ScalarShape, Shape
from react_agent.spring.maven import JSPECIFY, MONGODB_DRIVER, SPRING_DATA_MONGODB

_CLASS = "UomProof"


def entry_type(configuration: str) -> str:
    """The class whose `main` runs the program; it stands beside the configuration."""
    return f"{_package(configuration)}.{_CLASS}"


def database(configuration: str, documents: Mapping[str, list[dict[str, Any]]]) -> str:
    """Write the class that fills a MongoDB database with the instance's documents."""
    inserts = [
        f"        insert(mongo, {java_text(name)}, {java_text(json.dumps(document, ensure_ascii=False))});"
        for name, found in documents.items()
        for document in found
    ]
    return filled(
        "UomDatabase.java",
        package=_package(configuration),
        collections="\n".join(f"        clear(mongo, {java_text(name)});" for name in documents),
        inserts="\n".join(inserts),
    )


def program(configuration: str, mapping: MappingModel, show: Shown) -> str:
    """Write the class with `main`; its argument is the address of a scratch database.

    Raises:
        CannotShow: a value has no literal.
    """
    classes = sorted({pair.java_class for pair in show.pairs})
    members = [
        f"    private static final List<Member> {_members_of(pair.entry)} = List.of({_members(pair.shape)});"
        for pair in show.pairs
    ]
    names = {key: name for pair in show.pairs for key, name in _enum_names(pair.shape)}
    entries = [f"\n            Map.entry({java_text(key)}, {java_text(name)})" for key, name in sorted(names.items())]
    return filled(
        "UomProof.java",
        package=_package(configuration),
        members="\n\n".join(members),
        names=",".join(entries),
        classes=", ".join(f"{name}.class" for name in (configuration, *classes)),
        beans="\n".join(f"        var {_bean(name)} = context.getBean({name}.class);" for name in classes),
        calls="\n".join(_call(call, mapping) for call in show.calls),
    )


def arguments(call: ShownCall, mapping: MappingModel) -> list[str]:
    """Write a call's arguments.

    Raises:
        CannotShow: a value has no literal.
    """
    types = {p.name: p.type for p in call.method.parameters}
    return [java_literal(cell, types[name], mapping) for name, cell in call.args]


def pom(configuration: str, release: int) -> str:
    """Write the build file: the project beside it and the program, run by `exec:java`."""
    package = _package(configuration)
    group, _, artifact = package.rpartition(".")
    return filled(
        "pom.xml",
        group=group or artifact,
        artifact=artifact,
        package=package,
        release=str(release),
        spring_data=SPRING_DATA_MONGODB,
        driver=MONGODB_DRIVER,
        jspecify=JSPECIFY,
    )


def _package(configuration: str) -> str:
    return configuration.rpartition(".")[0]


def _bean(java_class: str) -> str:
    return camel(java_class.rpartition(".")[2]) + "Bean"


def _call(call: ShownCall, mapping: MappingModel) -> str:
    invoked = f"{_bean(call.pair.java_class)}.{call.pair.java_method}({', '.join(arguments(call, mapping))})"
    body = f"{{ {invoked}; return null; }}" if call.method.returns.name == "void" else invoked
    head = f"show(mongo, {java_text(call.title)}, {str(call.sorted).lower()}, {_members_of(call.pair.entry)}"
    return f"        {head}, () -> {body});"


def _members_of(entry: str) -> str:
    return entry.replace(".", "_").upper() + "_MEMBERS"


def _members(shape: Shape) -> str:
    """Write the members that a result shows; scalars have none, a list has those of its elements."""
    match shape:
        case ListShape():
            return _members(shape.element)
        case ObjectShape():
            return ", ".join(map(_member, shape.fields))
    return ""


def _member(field: FieldShape) -> str:
    inner = _members(field.shape)
    return f"new Member({java_text(field.name)}, {java_text(field.accessor)}{', ' if inner else ''}{inner})"


def _enum_names(shape: Shape) -> Iterable[tuple[str, str]]:
    """Yield `Enum.CONSTANT` with the C# name, for each constant that is called otherwise there."""
    match shape:
        case ScalarShape() if shape.enum is not None:
            yield from ((f"{shape.enum}.{java}", name) for java, (name, _) in shape.names.items() if java != name)
        case ListShape():
            yield from _enum_names(shape.element)
        case ObjectShape():
            for field in shape.fields:
                yield from _enum_names(field.shape)
