import logging
from collections.abc import Callable
from pathlib import Path

import pytest
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.store.memory import InMemoryStore

from react_agent.sandbox.protocol import SandboxType
from react_agent.sandbox.validation import ValidationSandbox
from tests.fakes.llm_server import FakeLlm
from tests.fakes.shell_sandbox import ShellSandbox
from tests.uom_deep_agent.conftest import Session, results
from uom_deep_agent import ApprovalMode
from uom_deep_agent.backend import build_backend
from uom_deep_agent.routed_execution import Refused, RoutedBackend, where
from uom_deep_agent.sandbox_folder import glob_pattern

Open = Callable[..., Session]
ALL = ApprovalMode.ACCEPT_EVERYTHING
ROUTES = ("/dotnet_sandbox/", "/java_sandbox/", "/memories/", "/conversation_history/")


@pytest.fixture
def java(tmp_path: Path) -> ShellSandbox:
    (tmp_path / "java").mkdir()
    return ShellSandbox(tmp_path / "java")


@pytest.fixture
def backend(workspace: Path, java: ShellSandbox) -> RoutedBackend:
    return build_backend(cwd=workspace, store=InMemoryStore(), java_sandbox=java)


@pytest.mark.parametrize(
    ("command", "place"),
    [
        ("dotnet build", None),
        ("ls dotnet_sandbox/x src/java_sandbox/", None),
        ("cat /home/java_sandbox/x ./java_sandbox", None),
        ("cat /java_sandboxes/x", None),
        ("cd /java_sandbox && mvn -q test", "/java_sandbox/"),
        ("java -cp a.jar:/java_sandbox/b.jar 'X'", "/java_sandbox/"),
        ("cat '/dotnet_sandbox/a b.cs'", "/dotnet_sandbox/"),
        ("ls /usr/bin /java_sandbox/", "/java_sandbox/"),
        ("cat /memories/notes.md", "/memories/"),
    ],
)
def test_command_goes_where_its_paths_are(command: str, place: str | None, tmp_path: Path) -> None:
    assert where(command, ROUTES, tmp_path) == place


@pytest.mark.parametrize(
    "command",
    [
        "cp /dotnet_sandbox/a /java_sandbox/b",
        "cp /java_sandbox/a /memories/b",
        "cp /src/A.cs /java_sandbox/",
        "cp {root}/src/A.cs /java_sandbox/",
    ],
)
def test_command_that_names_two_places_is_refused(command: str, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    found = where(command.format(root=tmp_path), ROUTES, tmp_path)
    assert isinstance(found, Refused)
    assert "no shell sees both" in found.reason


async def test_command_runs_in_the_sandbox_with_its_paths_translated(
    backend: RoutedBackend, java: ShellSandbox
) -> None:
    await backend.awrite("/java_sandbox/my app/A.java", "class A {}")
    result = await backend.aexecute("cd '/java_sandbox/my app' && pwd && cat /java_sandbox/*/A.java")
    assert result.output == f"{java.folder}/my app\nclass A {{}}"
    assert result.exit_code == 0
    assert (await backend.aexecute("pwd")).output.strip() == str(backend.root)


async def test_sandbox_that_is_not_there_never_falls_through_to_the_workspace(
    backend: RoutedBackend,
) -> None:
    wrote = await backend.awrite("/dotnet_sandbox/a.cs", "x")
    assert "not available" in str(wrote.error)
    ran = await backend.aexecute("touch /dotnet_sandbox/a.cs")
    assert (ran.exit_code, "not available" in ran.output) == (126, True)
    assert "not available" in str((await backend.als("/dotnet_sandbox/")).error)
    assert list(backend.root.iterdir()) == []


async def test_sandbox_that_comes_later_or_anew_is_used(workspace: Path, tmp_path: Path) -> None:
    current: list[ShellSandbox] = []
    backend = build_backend(cwd=workspace, store=InMemoryStore(), java_sandbox=lambda: current[-1] if current else None)
    assert (await backend.aexecute("ls /java_sandbox/")).exit_code == 126
    for name in ("first", "second"):
        (tmp_path / name).mkdir()
        current.append(ShellSandbox(tmp_path / name))
        assert (await backend.aexecute("echo /java_sandbox/")).output == f"{tmp_path}/{name}/\n"


@pytest.mark.jvm
async def test_real_sandbox_shows_its_folder_and_runs_java(workspace: Path) -> None:
    sandbox = await ValidationSandbox.get_sandbox(None, SandboxType.JAVA_25_SANDBOX, logging.info)
    try:
        backend = build_backend(cwd=workspace, store=InMemoryStore(), java_sandbox=sandbox)
        program = "class A { public static void main(String[] a) { System.out.println(6 * 7); } }"
        await backend.awrite("/java_sandbox/my src/A.java", program)
        assert (await backend.aexecute("java '/java_sandbox/my src/A.java'")).output == "42\n"
        assert (await backend.adelete("/java_sandbox/my src")).error is None
    finally:
        await ValidationSandbox.close()


async def test_state_folders_have_no_shell(backend: RoutedBackend) -> None:
    ran = await backend.aexecute("cat /memories/a.md")
    assert (ran.exit_code, "use the file tools" in ran.output) == (126, True)


async def test_files_of_a_sandbox_are_listed_found_and_searched(backend: RoutedBackend) -> None:
    for path, text in {"src/A.java": "class A {}\n", "src/b c/B.java": "x\nclass B {}\n", "p.xml": ""}.items():
        await backend.awrite(f"/java_sandbox/{path}", text)
    entries = (await backend.als("/java_sandbox/")).entries or []
    assert [e["path"] for e in entries] == ["/java_sandbox/p.xml", "/java_sandbox/src/"]
    found = (await backend.aglob("**/*.java", "/java_sandbox/")).matches or []
    assert [f["path"] for f in found] == ["/java_sandbox/src/A.java", "/java_sandbox/src/b c/B.java"]
    matches = (await backend.agrep("class", "/java_sandbox/src/")).matches or []
    assert sorted((m["path"], m["line"]) for m in matches) == [
        ("/java_sandbox/src/A.java", 1),
        ("/java_sandbox/src/b c/B.java", 2),
    ]
    await backend.aedit("/java_sandbox/src/A.java", "A", "C")
    assert (await backend.adelete("/java_sandbox/src/b c")).error is None
    left = await backend.adownload_files(["/java_sandbox/src/A.java", "/java_sandbox/src/b c/B.java"])
    assert [(d.content, d.error) for d in left] == [(b"class C {}\n", None), (None, "file_not_found")]


@pytest.mark.parametrize(
    ("pattern", "path", "fits"),
    [
        ("*.java", "a/b/C.java", True),
        ("src/*.java", "src/a/C.java", False),
        ("src/**/*.java", "src/C.java", True),
        ("*.{java,xml}", "pom.xml", True),
        ("?.java", "AB.java", False),
        ("[!a]*.java", "a.java", False),
        ("a+b.txt", "a+b.txt", True),
    ],
)
def test_glob(pattern: str, path: str, fits: bool) -> None:
    assert glob_pattern(pattern)(path) is fits


async def test_search_from_the_root_is_about_the_workspace(backend: RoutedBackend) -> None:
    (backend.root / "A.cs").write_text("needle")
    await backend.awrite("/java_sandbox/B.cs", "needle")
    await backend.awrite("/memories/C.cs", "needle")
    for path in (None, "/"):
        found = await backend.agrep("needle", path)
        assert (found.error, [m["path"] for m in found.matches or []]) == (None, ["/A.cs"])
        files = await backend.aglob("*.cs", path)
        assert (files.error, [f["path"] for f in files.matches or []]) == (None, ["/A.cs"])
    named = await backend.aglob("/java_sandbox/*.cs")
    assert [f["path"] for f in named.matches or []] == ["/java_sandbox/B.cs"]
    assert "not available" in str((await backend.agrep("needle", "/dotnet_sandbox/")).error)


async def test_lines_read_are_the_lines_asked_for(backend: RoutedBackend) -> None:
    (backend.root / "a.txt").write_bytes(b"\xef\xbb\xbf1\r\n2\r\n3\r\n")
    read = await backend.aread("/a.txt", offset=1, limit=1)
    assert read.file_data
    assert (read.file_data["content"], read.start_line, read.total_lines) == ("2\n", 2, 3)
    assert "no such file" in str((await backend.aread("/none")).error)
    assert "leads out" in str((await backend.aread("/../x")).error)


async def test_nothing_lands_in_the_users_folder_by_itself(open_session: Open, llm: FakeLlm) -> None:
    session = open_session(ALL)
    llm.call("execute", command="seq 1 40000")
    llm.expect(tool_result="/large_tool_results/").call("grep", pattern="39999", path="/large_tool_results/")
    llm.expect(tool_result="/large_tool_results/call").say("done")
    await session.send("go " + "long " * 60_000)
    assert list(session.workspace.iterdir()) == []


async def test_state_folders_keep_their_own_files_and_memories_outlive_the_session(
    open_session: Open, llm: FakeLlm
) -> None:
    store = InMemoryStore()
    first = open_session(ALL, store=store)
    step = llm.call("write_file", file_path="/memories/a.md", content="remembered")
    step.call("write_file", file_path="/conversation_history/a.md", content="this session")
    llm.say("done")
    await first.send("go")
    llm.call("read_file", file_path="/memories/a.md")
    llm.call("read_file", file_path="/conversation_history/a.md")
    llm.say("done")
    second = open_session(ALL, store=store, checkpointer=InMemorySaver())
    second.thread = "t2"
    kept, own = results(await second.send("go"))
    assert "remembered" in kept.text
    assert own.status == "error"
    assert list(first.workspace.iterdir()) == []


async def test_editors_files_are_used_for_every_file_of_the_workspace(open_session: Open, llm: FakeLlm) -> None:
    class EditorFiles:
        def __init__(self) -> None:
            self.held = {"/a.txt": b"unsaved\r\n"}

        async def read_bytes(self, path: str) -> bytes:
            if path not in self.held:
                raise FileNotFoundError(path)
            return self.held[path]

        async def write_bytes(self, path: str, data: bytes) -> None:
            self.held[path] = data

        async def delete(self, path: str) -> None:
            del self.held[path]

    files = EditorFiles()
    session = open_session(ALL, workspace_files=files)
    llm.call("edit_file", file_path="/a.txt", old_string="unsaved\n", new_string="edited\n")
    llm.say("done")
    await session.send("go")
    assert files.held == {"/a.txt": b"edited\r\n"}
