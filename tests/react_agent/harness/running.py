"""Translate samples, and run the programs that come with them."""

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from react_agent.draft import Draft, draft
from react_agent.harness.programs import proof_files
from react_agent.proof.suite import Suite, make_suite
from react_agent.proof.userdata import read_data
from react_agent.sandbox.dotnet_toolchain import DotnetToolchain
from react_agent.sandbox.java_toolchain import JavaToolchain
from react_agent.sources import read_sources

HERE = Path(__file__).parent
SEED = 7
SECONDS = 280


@dataclass(frozen=True, slots=True, kw_only=True)
class Translated:
    """A translated project on disk, with its programs."""

    candidate: Draft
    suite: Suite
    folder: Path


def translate(sources: Path, folder: Path) -> Translated:
    """Translate C# by the rules and write the project; rows of a recorded case are taken where there are some."""
    files = read_sources([path for path in sorted(sources.glob("*.cs")) if path.name != "Seed.cs"])
    candidate = draft(files)
    golden = sources / "golden.json"
    data = read_data(json.loads(golden.read_text("utf-8")), candidate.mapping) if golden.is_file() else None
    methods = [candidate.method(pair.entry) for pair in candidate.translation.entries]
    suite = make_suite(candidate.mapping, candidate.reading.queries, methods, SEED, data=data)
    for file in (*candidate.translation.files, *proof_files(candidate, suite)):
        path = folder / file.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(file.text, encoding="utf-8", newline="")
    return Translated(candidate=candidate, suite=suite, folder=folder)


def lines(output: str) -> list[dict[str, Any]]:
    """Read what a program printed: nothing but a line of JSON a call."""
    return [json.loads(line) for line in output.splitlines()]


def run(command: list[str], folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | variables
    return subprocess.run(
        command,
        check=False,
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=SECONDS,
        stdin=subprocess.DEVNULL,
    )


def run_csharp(translated: Translated, dotnet: DotnetToolchain) -> str:
    """Run the C# program as its README says."""
    variables = dict(dotnet.environment) | {"UseSharedCompilation": "false"}  # or a compiler server stays
    done = run([str(dotnet.dotnet), "run", "--project", "dotnet"], translated.folder / "proof", **variables)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    return done.stdout


def compile_java(translated: Translated, jvm: JavaToolchain, target: Path) -> None:
    """Compile the project and its program without Maven, which takes seconds to start."""
    files = [str(path) for path in translated.folder.rglob("*.java")]
    jars = os.pathsep.join(map(str, jvm.classpath))
    done = run([str(jvm.home / "bin" / "javac"), "-parameters", "-cp", jars, "-d", str(target), *files], target)
    assert done.returncode == 0, done.stdout + done.stderr


def run_java(classes: Path, jvm: JavaToolchain, *arguments: str) -> subprocess.CompletedProcess[str]:
    jars = os.pathsep.join(map(str, [classes, *jvm.classpath]))
    main = next(classes.rglob("UomProof.class")).relative_to(classes).with_suffix("").as_posix().replace("/", ".")
    return run([str(jvm.jdk.java), "-cp", jars, main, *arguments], classes)


def run_maven(translated: Translated, jvm: JavaToolchain, address: str) -> str:
    """Run the Java program as its README says."""
    folder = translated.folder / "proof"
    command = ["mvn", "-q", "-f", "java", "compile", "exec:java", f"-Dexec.args={address} target.txt"]
    done = run(command, folder, JAVA_HOME=str(jvm.home))
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    return (folder / "target.txt").read_text("utf-8")
