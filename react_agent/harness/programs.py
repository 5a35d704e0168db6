"""The programs as they ran, in a form that a person can run again: with `dotnet run` and with `mvn`. Pure."""

import logging
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from react_agent.draft import Draft
from react_agent.harness import csharp_program, java_program
from react_agent.harness.csharp_names import CannotShow, CSharpNames, names_of
from react_agent.harness.shown import Shown, ShownCall, shown
from react_agent.harness.templates import filled
from react_agent.model.mapping import MappingModel
from react_agent.model.translation import SourceFile
from react_agent.proof.bson import CannotStore
from react_agent.proof.calls import Call
from react_agent.proof.instances import Instance
from react_agent.proof.loading import documents_for
from react_agent.proof.suite import Suite
from react_agent.spring.java import path_of

log = logging.getLogger(__name__)

FOLDER = "proof"
"""Where the programs stand in a translated project; the project's own build does not look there."""

_NO_SETTINGS = "<Project />\n"
"""Keeps settings of a folder above out of the build."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Programs:
    """Both programs' own files; the user's C# and the translated Java stand beside them."""

    show: Shown
    csharp_database: str
    csharp_program: str
    java_database: str
    java_program: str
    java_entry_type: str


def write_programs(candidate: Draft, suite: Suite | None) -> Programs | None:
    """Write both programs; None where no suite was chosen, no entry was translated, or a value cannot be written."""
    if suite is None or not candidate.translation.entries:
        return None
    configuration = candidate.translation.configuration
    names = names_of(candidate.sources)
    found = shown(candidate, suite)
    show = replace(found, calls=tuple(c for c in found.calls if _can_be_said(c, candidate.mapping, names)))
    try:
        documents = documents_for(show.instance, candidate.mapping, candidate.translation.documents)
        return Programs(
            show=show,
            csharp_database=csharp_program.database(candidate.mapping, names, show.instance),
            csharp_program=csharp_program.program(candidate.mapping, names, show),
            java_database=java_program.database(configuration, documents),
            java_program=java_program.program(configuration, candidate.mapping, show),
            java_entry_type=java_program.entry_type(configuration),
        )
    except (CannotShow, CannotStore) as reason:
        log.info("no programs to run by hand: %s", reason)
        return None


def _can_be_said(call: ShownCall, mapping: MappingModel, names: CSharpNames) -> bool:
    """Whether the arguments have literals on both sides: an enum's value that no member has is none in Java."""
    try:
        csharp_program.arguments(call, mapping, names)
        java_program.arguments(call, mapping)
    except CannotShow as reason:
        log.info("%s is left out of the programs: %s", call.title, reason)
        return False
    return True


def programs(candidate: Draft, suite: Suite | None) -> dict[str, str]:
    """Fill the output's four program fields and the names of their entry classes."""
    written = write_programs(candidate, suite)
    if written is None:
        return {}
    return {
        "source_validation_schema_code": written.csharp_database,
        "source_validation_harness_code": written.csharp_program,
        "source_validation_entry_type_name": csharp_program.ENTRY_TYPE,
        "target_validation_schema_code": written.java_database,
        "target_validation_harness_code": written.java_program,
        "target_validation_entry_type_name": written.java_entry_type,
    }


def suite_of(proof: Mapping[str, Any]) -> Suite:
    """Read back the suite that a kept proof was made with."""
    return Suite(
        seed=proof["seed"],
        instances=tuple(map(Instance.from_json, proof["instances"])),
        calls=tuple(map(Call.from_json, proof["calls"])),
    )


def proof_files(candidate: Draft, suite: Suite | None) -> tuple[SourceFile, ...]:
    """Lay the programs out below `proof/` of the translated project, each with a build of its own."""
    written = write_programs(candidate, suite)
    if written is None:
        return ()
    seed = f" with seed {suite.seed}" if suite is not None and suite.seed is not None else ""
    files = {"README.md": _readme(candidate, written.show, seed), **dict(_csharp(candidate, written))}
    files |= dict(_java(candidate, written))
    return tuple(SourceFile(path=f"{FOLDER}/{path}", text=text) for path, text in files.items())


def _readme(candidate: Draft, show: Shown, seed: str) -> str:
    count, release = str(len(show.calls)), str(candidate.release)
    return filled("README.md", instance=show.instance.id, seed=seed, count=count, release=release)


def _csharp(candidate: Draft, written: Programs) -> Iterator[tuple[str, str]]:
    sources = {f"source/{path}": source.text for path, source in _by_path(candidate.sources)}
    yield from ((f"dotnet/{path}", text) for path, text in sources.items())
    yield "dotnet/UomProof.csproj", csharp_program.project(sources, list(sources.values()))
    yield "dotnet/UomProof.cs", written.csharp_program
    yield "dotnet/UomDatabase.cs", written.csharp_database
    for name in ("Directory.Build.props", "Directory.Build.targets", "Directory.Packages.props"):
        yield f"dotnet/{name}", _NO_SETTINGS


def _by_path(sources: tuple[SourceFile, ...]) -> Iterator[tuple[str, SourceFile]]:
    """Pair each file with a path inside the folder, whatever its own path is; two never share one."""
    taken: set[str] = set()
    for source in sources:
        parts = [part for part in source.path.replace("\\", "/").split("/") if part not in {"", ".", ".."}]
        path = "/".join(part.replace(":", "_") for part in parts) or "Source.cs"
        while path.lower() in taken:
            path = f"{len(taken)}/{path}"
        taken.add(path.lower())
        yield path, source


def _java(candidate: Draft, written: Programs) -> Iterator[tuple[str, str]]:
    configuration = candidate.translation.configuration
    package = configuration.rpartition(".")[0]
    yield "java/pom.xml", java_program.pom(configuration, candidate.release)
    yield f"java/{path_of(package, 'UomProof')}", written.java_program
    yield f"java/{path_of(package, 'UomDatabase')}", written.java_database
