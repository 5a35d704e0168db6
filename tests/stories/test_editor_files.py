"""Files through the editor: unsaved text is read, writes are reviewable, and the bytes stay what they should be."""

from pathlib import Path

import pytest

from tests.fakes.ide import ALL_OFFERS, FakeIde
from tests.fakes.llm_server import FakeLlm

pytestmark = pytest.mark.parametrize("offers", [ALL_OFFERS])

CRLF = b"class A\r\n{\r\n  int old;\r\n}\r\n"


def edit(llm: FakeLlm, path: str = "/A.cs", old: str = "old", new: str = "renamed") -> None:
    llm.expect("do it").call("edit_file", call_id="call_1", file_path=path, old_string=old, new_string=new)
    llm.expect().say("Done.")


def normalising(path: Path, text: str) -> None:
    """Save as editors do that hold line feeds only and write what the file had."""
    path.write_bytes(text.replace("\r\n", "\n").encode())


async def test_edit_goes_through_the_editor_and_keeps_line_ends(ide: FakeIde, llm: FakeLlm, workspace: Path) -> None:
    (workspace / "A.cs").write_bytes(CRLF)
    edit(llm)
    assert await ide.prompt("do it") == "end_turn"
    (written,) = ide.transcript.asked("fs/write_text_file")
    assert written["path"] == str(workspace / "A.cs")
    assert (workspace / "A.cs").read_bytes() == CRLF.replace(b"old", b"renamed")


async def test_editor_that_normalises_line_ends_is_put_right(ide: FakeIde, llm: FakeLlm, workspace: Path) -> None:
    (workspace / "A.cs").write_bytes(CRLF)
    ide.saves = normalising
    edit(llm)
    assert await ide.prompt("do it") == "end_turn"
    assert (workspace / "A.cs").read_bytes() == CRLF.replace(b"old", b"renamed")


async def test_unsaved_text_is_what_is_edited_and_shown(ide: FakeIde, llm: FakeLlm, workspace: Path) -> None:
    (workspace / "A.cs").write_bytes(CRLF)
    ide.buffers[str(workspace / "A.cs")] = "class A\n{\n  int old; // unsaved\n}\n"
    edit(llm)
    assert await ide.prompt("do it") == "end_turn"
    unsaved = b"class A\r\n{\r\n  int renamed; // unsaved\r\n}\r\n"
    assert (workspace / "A.cs").read_bytes() == unsaved
    (diff,) = ide.transcript.cards()["call_1"][-1]["content"]
    assert "int old; // unsaved" in diff["oldText"]
    assert diff["newText"] == unsaved.decode()


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbfclass A { int old; }\r\n",
        'class A { string s = "\u00e9"; int old; }'.encode("latin-1"),
        "\ufeffclass A { int old; }\r\n".encode("utf-16-le"),
    ],
)
async def test_bytes_that_editors_change_stay_on_the_disk(
    ide: FakeIde, llm: FakeLlm, workspace: Path, data: bytes
) -> None:
    (workspace / "A.cs").write_bytes(data)
    edit(llm)
    await ide.prompt("do it")
    assert ide.transcript.asked("fs/write_text_file") == []
    wide = b"\0" in data
    old, new = ("old".encode("utf-16-le"), "renamed".encode("utf-16-le")) if wide else (b"old", b"renamed")
    assert (workspace / "A.cs").read_bytes() == data.replace(old, new)


async def test_new_file_is_written_by_the_editor(ide: FakeIde, llm: FakeLlm, workspace: Path) -> None:
    llm.expect("do it").call("write_file", file_path="/java/New.java", content="class New {}\n")
    llm.expect().say("Done.")
    assert await ide.prompt("do it") == "end_turn"
    assert (workspace / "java/New.java").read_bytes() == b"class New {}\n"
    assert len(ide.transcript.asked("fs/write_text_file")) == 1


async def test_new_file_is_written_whatever_error_the_editor_has_for_one_that_is_not_there(
    ide: FakeIde, llm: FakeLlm, workspace: Path
) -> None:
    ide.private.add(str(workspace / "java/New.java"))
    llm.expect("do it").call("write_file", call_id="call_1", file_path="/java/New.java", content="class New {}\n")
    llm.expect().say("Done.")
    assert await ide.prompt("do it") == "end_turn"
    assert ide.transcript.statuses("call_1")[-1] == "completed"
    assert (workspace / "java/New.java").read_bytes() == b"class New {}\n"


async def test_link_out_of_the_workspace_is_never_followed(ide: FakeIde, llm: FakeLlm, workspace: Path) -> None:
    outside = workspace.parent / "outside.cs"
    outside.write_bytes(CRLF)
    (workspace / "A.cs").symlink_to(outside)
    edit(llm)
    await ide.prompt("do it")
    assert outside.read_bytes() == CRLF
    assert ide.transcript.asked("fs/write_text_file") == ide.transcript.asked("fs/read_text_file") == []
    assert ide.transcript.statuses("call_1")[-1] == "failed"


async def test_editor_that_refuses_a_write_fails_the_call(ide: FakeIde, llm: FakeLlm, workspace: Path) -> None:
    (workspace / "A.cs").write_bytes(CRLF)

    def refuse(path: Path, text: str) -> None:
        raise FileNotFoundError

    ide.saves = refuse
    edit(llm)
    await ide.prompt("do it")
    assert (workspace / "A.cs").read_bytes() == CRLF
    assert ide.transcript.statuses("call_1")[-1] == "failed"


async def test_file_that_the_editor_refuses_is_not_read_from_the_disk(
    ide: FakeIde, llm: FakeLlm, workspace: Path
) -> None:
    (workspace / "A.cs").write_bytes(CRLF)
    ide.private.add(str(workspace / "A.cs"))
    llm.expect("do it").call("read_file", call_id="call_1", file_path="/A.cs")
    llm.expect(tool_result="the editor refused to").call(
        "edit_file", call_id="call_2", file_path="/A.cs", old_string="old", new_string="renamed"
    )
    llm.expect().say("I may not.")
    await ide.prompt("do it")
    assert (workspace / "A.cs").read_bytes() == CRLF
    assert ide.transcript.statuses("call_2")[-1] == "failed"


@pytest.mark.parametrize(
    "text", ["translate Models/A.cs", "translate the folder Models/", "translate the class Albatross"]
)
async def test_translation_of_a_file_that_the_editor_refuses_does_not_start(
    ide: FakeIde, llm: FakeLlm, workspace: Path, text: str
) -> None:
    (workspace / "Models").mkdir()
    for name in ("A", "B", "Albatross"):
        (workspace / f"Models/{name}.cs").write_bytes(CRLF)
    ide.private |= {str(workspace / "Models/A.cs"), str(workspace / "Models/Albatross.cs")}
    llm.expect(text).call("task", subagent_type="universal-object-mapping-translator", description="translate")
    llm.expect(tool_result="The translation did not start").say("The editor refuses.")
    assert await ide.prompt(text) == "end_turn"
    assert not any("int old" in str(request) for request in llm.requests)
