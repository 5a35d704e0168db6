"""C# is read as the compiler reads it, from files and from project folders."""

import pytest

from react_agent.sources import BadInput, read_json, read_sources, read_text

CODE = "// 夏\r\nclass A { }\r\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_the_encodings_of_a_compiler_are_read(tmp_path, encoding):
    (tmp_path / "A.cs").write_bytes(CODE.encode(encoding))
    assert read_text(tmp_path / "A.cs") == CODE


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_its_mark_is_named(tmp_path, encoding):
    (tmp_path / "A.cs").write_bytes("class A { }".encode(encoding))
    with pytest.raises(BadInput, match="UTF-16 without a byte order mark"):
        read_text(tmp_path / "A.cs")


def test_a_folder_is_read_without_what_tools_made(tmp_path):
    for name in ("B.cs", "sub/A.cs", "bin/X.cs", "obj/Y.cs", "Migrations/M.cs", ".hid/Z.cs", "Model.g.cs", "readme.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("class A { }")
    assert [file.path for file in read_sources([tmp_path])] == ["B.cs", "sub/A.cs"]


def test_a_project_that_was_written_here_is_no_source(tmp_path):
    (tmp_path / "java" / "proof").mkdir(parents=True)
    (tmp_path / "java" / "uom.json").write_text("{}")
    (tmp_path / "java" / "proof" / "P.cs").write_text("class P { }")
    (tmp_path / "A.cs").write_text("class A { }")
    assert [file.path for file in read_sources([tmp_path])] == ["A.cs"]


def test_a_file_named_twice_is_read_once(tmp_path):
    (tmp_path / "A.cs").write_text("class A { }")
    assert len(read_sources([tmp_path / "A.cs", tmp_path / "A.cs"])) == 1


def test_json_that_is_none_is_named_with_its_line(tmp_path):
    (tmp_path / "d.json").write_text('{\n "a": nope}')
    with pytest.raises(BadInput, match=r"d\.json:2: not JSON"):
        read_json(tmp_path / "d.json")
