import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from langgraph.runtime import Runtime

from tests.fakes.llm_server import FakeLlm
from tests.uom_deep_agent.conftest import Session
from uom_deep_agent import ApprovalMode
from uom_deep_agent.local_context import SCRIPT, LocalContextMiddleware, detect


def run(folder: Path, *args: str, path: str | None = None, **env: str) -> subprocess.CompletedProcess[str]:
    bash = shutil.which("bash") or "/bin/bash"
    search = "/usr/local/bin:/usr/bin:/bin" if path is None else path
    return subprocess.run(
        [bash, str(SCRIPT), *args], cwd=folder, env={"PATH": search, **env}, capture_output=True, text=True, check=True
    )


@pytest.fixture
def project(workspace: Path) -> Path:
    (workspace / "src/My Shop").mkdir(parents=True)
    (workspace / "src/My Shop/Shop.csproj").write_text(
        "<Project>\n  <TargetFramework>net10.0</TargetFramework>\n"
        '  <PackageReference Include="Microsoft.EntityFrameworkCore.SqlServer" Version="10.0.0" />\n</Project>\n'
    )
    (workspace / "Makefile").write_text("build: x\n\techo\ntest:\n\techo\n")
    return workspace


def section(text: str, name: str) -> str:
    return next((p for p in text.split("## ") if p.startswith(f"{name}\n")), "")


async def test_what_a_net_project_is_is_told(project: Path) -> None:
    found = await detect(project)
    assert "C#" in section(found, "language")
    assert 'EntityFrameworkCore.SqlServer" Version="10.0.0"' in section(found, "project")
    assert "net10.0" in section(found, "project")
    assert section(found, "test command").split("\n")[1] == "make test"
    assert section(found, "makefile").split()[1:] == ["build", "test"]
    assert "./src/My Shop" in section(found, "tree")
    assert "not a git repository" in section(found, "git state")


def commit_all(project: Path) -> None:
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@x"]
    for command in (["init", "-q", "-b", "trunk"], ["add", "."], ["commit", "-qm", "first step"]):
        subprocess.run([*git, *command], cwd=project, check=True)


def everything_in(folder: Path) -> list[str]:
    return sorted(str(p) for p in folder.rglob("*"))


async def test_git_state_is_told_and_nothing_is_written(project: Path) -> None:
    commit_all(project)
    (project / "Makefile").write_text("changed")
    before = everything_in(project)
    told = section(await detect(project), "git state")
    assert "branch: trunk" in told
    assert "M Makefile" in told
    assert "first step" in told
    assert everything_in(project) == before


def test_works_without_any_program(project: Path, tmp_path: Path) -> None:
    (project / ".git").mkdir()
    (project / ".git/HEAD").write_text("ref: refs/heads/trunk\n")
    parts = tmp_path / "parts of it"
    parts.mkdir()
    for args in ([str(parts)], []):
        done = run(project, *args, path="")
        assert done.stderr == ""
        assert "branch: trunk" in done.stdout
        assert "make test" in done.stdout
        assert "./Makefile" in done.stdout


def test_sections_come_in_order_and_each_has_its_own_files(project: Path, tmp_path: Path) -> None:
    parts = tmp_path / "parts"
    parts.mkdir()
    out = run(project, str(parts)).stdout
    order = [line[3:] for line in out.split("\n") if line.startswith("## ")]
    named = [
        "language",
        "project",
        "package managers",
        "runtimes",
        "git state",
        "test command",
        "files",
        "tree",
        "makefile",
    ]
    assert order == [name for name in named if name in order]
    assert {"project", "runtimes", "files"} <= set(order)
    assert (parts / "files").exists()
    assert (parts / "files.errors").exists()


def test_versions_come_from_release_files_and_no_tool_is_started(project: Path, tmp_path: Path) -> None:
    home = tmp_path / "jdk 99"
    (home / "bin").mkdir(parents=True)
    (home / "release").write_text('JAVA_VERSION="99.0.1"\n')
    dotnet = tmp_path / "dotnet"
    (dotnet / "sdk/10.0.777").mkdir(parents=True)
    for tool in (home / "bin/java", dotnet / "dotnet"):
        tool.write_text(f"#!/bin/sh\ntouch '{tmp_path}/started'\n")
        tool.chmod(0o755)
    out = run(project, path=f"{home}/bin:{dotnet}:/usr/bin:/bin").stdout
    assert f'java: "99.0.1" ({home})' in out
    assert "dotnet SDK: 10.0.777" in out
    assert not (tmp_path / "started").exists()


def test_huge_folder_is_bounded(workspace: Path) -> None:
    for number in range(20_000):
        (workspace / f"file number {number}.txt").touch()
    started = time.monotonic()
    out = run(workspace).stdout
    assert time.monotonic() - started < 5
    assert len(out) < 12_000
    assert "… more" in out


def state(cutoff: int | None = None, **more: Any) -> Any:
    event = {} if cutoff is None else {"_summarization_event": {"cutoff_index": cutoff}}
    return {"messages": [], **event, **more}


async def test_looks_once_and_again_only_when_a_summary_moved_the_cutoff(project: Path) -> None:
    middleware = LocalContextMiddleware(project)
    runtime: Any = Runtime()
    first = await middleware.abefore_model(state(), runtime)
    assert first
    assert first["_local_context_refreshed_at_cutoff"] == 0
    assert await middleware.abefore_model(state(**first), runtime) is None
    (project / "pom.xml").touch()
    second = await middleware.abefore_model(state(7, **first), runtime)
    assert second
    assert second["_local_context_refreshed_at_cutoff"] == 7
    assert "Java" in second["local_context"]
    assert await middleware.abefore_model(state(7, **second), runtime) is None


async def test_model_is_told_and_the_chat_is_not(
    open_session: Callable[..., Session], llm: FakeLlm, project: Path
) -> None:
    session = open_session(ApprovalMode.ACCEPT_EVERYTHING)
    llm.expect(system="EntityFrameworkCore.SqlServer").call("ls", path="/")
    llm.expect(system="EntityFrameworkCore.SqlServer").say("done")
    messages = await session.send("go")
    assert all("EntityFrameworkCore" not in str(m.content) for m in messages)
