"""What a person can get wrong: one clear line on stderr, exit code 2, and no secret in it."""

from pathlib import Path

import pytest

from tests.fakes.llm_server import FakeLlm
from tests.react_agent.chain import java_of, layer
from tests.uom_acp.commands.conftest import ORCHARD, TO
from uom_acp.__main__ import main

SECRET = "sk-do-not-show-me"


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of files that are wrong, each in a way of its own."""
    source = (ORCHARD / "Orchard.cs").read_text()
    texts = {
        "empty.cs": "",
        "no_context.cs": "public class Order { public int Id { get; set; } }",
        "broken.cs": "public class Order { public int Sum( => 1; }",
        "data_json.json": "{nope",
        "data_shape.json": "[1]",
        "data_table.json": '{"Bushes": []}',
        "data_column.json": '{"Trees": [{"Girth": {"t": "int", "v": "1"}}]}',
        "data_type.json": '{"Trees": [{"Id": {"t": "int", "v": "many"}}]}',
        "data_twice.json": '{"Trees": [{"Id": 1, "Sort": "a", "Height": 1, "Felled": false},'
        ' {"Id": 1, "Sort": "b", "Height": 1, "Felled": false}]}',
        "calls_method.json": '[{"method": "Nobody", "args": []}]',
        "calls_count.json": '[{"method": "StandingAsync", "args": ["a", "b"]}]',
        "calls_type.json": '[{"method": "StandingAsync", "args": [{"t": "int", "v": "1"}]}]',
        "manifest/uom.json": '{"version": 99}',
        "manifest/src/main/java/A.java": "class A {}",
        "full/notes.txt": "mine",
        "no_java/pom.xml": "<project/>",
        "a_file": "",
    }
    files = {name: text.encode() for name, text in texts.items()}
    files |= {
        "binary.cs": bytes(range(256)),
        "utf16.cs": source.encode("utf-16-le"),
        "java/src/main/java/A.java": b"\xff",
    }
    for name, data in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(data)
    for name in ("MODEL", "OPENAI_API_URL", "SANDBOX_EXECUTION_TIMEOUT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def complaint(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    try:
        code = main([str(argument) for argument in arguments])
    except SystemExit as ended:
        code = ended.code
    out, err = capsys.readouterr()
    assert code == 2, err
    assert out == ""
    assert err.startswith("uom")
    assert err.count("\n") == 1, err
    assert "Traceback" not in err
    assert SECRET not in err
    return err


@pytest.mark.parametrize(
    ("path", "says"),
    [
        ("nowhere.cs", "nowhere.cs: no such file or folder"),
        ("empty.cs", "empty.cs: the file is empty"),
        ("binary.cs", "binary.cs: not UTF-8 text"),
        ("utf16.cs", "utf16.cs: looks like UTF-16 without a byte order mark; save it as UTF-8"),
        ("broken.cs", "broken.cs:1"),
        ("no_context.cs", "no DbContext in no_context.cs"),
        ("full", "full: no C# file"),
    ],
)
@pytest.mark.parametrize("command", ["translate", "prove"])
def test_a_source_that_cannot_be_used(place, capsys, command, path, says):
    rest = TO if command == "translate" else ("--against", "manifest")
    if command == "prove":
        (place / "manifest/uom.json").unlink()
    assert says in complaint(capsys, command, path, *rest)


@pytest.mark.parametrize(
    ("option", "file", "says"),
    [
        ("--data", "nowhere.json", "nowhere.json: cannot be read"),
        ("--data", "data_json.json", "data_json.json:1: not JSON"),
        ("--data", "data_shape.json", 'expected {"Table"'),
        ("--data", "data_table.json", "unknown table Bushes; known: Pickings, Trees"),
        ("--data", "data_column.json", "unknown column Girth"),
        ("--data", "data_type.json", "'many' is no int"),
        ("--data", "data_twice.json", "Trees"),
        ("--calls", "nowhere.json", "nowhere.json: cannot be read"),
        ("--calls", "data_json.json", "data_json.json:1: not JSON"),
        ("--calls", "calls_method.json", "unknown method Nobody"),
        ("--calls", "calls_count.json", "takes 1 arguments, got 2"),
        ("--calls", "calls_type.json", "expected string, got int"),
        ("--out", "full", "full: not empty"),
        ("--out", "a_file", "a_file: not a folder"),
        ("--out", "manifest", "version 99"),
        ("--report", "a_file/r.json", "is not a folder"),
        ("--results", "/proc/r.json", "cannot be written"),
        ("--seed", "many", "invalid int value"),
        ("--model", "uom/nobody", "there is no model uom/nobody"),
    ],
)
def test_an_option_that_cannot_be_used(place, capsys, option, file, says):
    assert says in complaint(capsys, "translate", ORCHARD, *TO, option, file)


@pytest.mark.parametrize(
    ("target", "says"),
    [("java-hibernate", "unknown target 'java-hibernate'"), ("java-spring-data-neo4j", "is not supported yet")],
)
def test_a_target_that_is_not_there(place, capsys, target, says):
    assert says in complaint(capsys, "translate", ORCHARD, "--to", target)


@pytest.mark.parametrize(
    ("folder", "says"),
    [
        ("nowhere", "nowhere: no such folder"),
        ("no_java", "no_java: no Java below src/main/java"),
        ("java", "A.java: not UTF-8 text"),
        ("manifest", "version 99"),
    ],
)
def test_java_that_cannot_be_used(place, capsys, folder, says):
    assert says in complaint(capsys, "prove", ORCHARD, "--against", folder)


@pytest.mark.parametrize(
    ("variable", "value", "says"),
    [
        (
            "SANDBOX_EXECUTION_TIMEOUT",
            "soon",
            "sandbox_execution_timeout (environment variable SANDBOX_EXECUTION_TIMEOUT)",
        ),
        ("UOM_SEED", "x", "seed (environment variable UOM_SEED)"),
        ("UOM_ALLOW_UNISOLATED", "perhaps", "allow_unisolated"),
    ],
)
def test_a_variable_that_cannot_be_used(place, capsys, monkeypatch, variable, value, says):
    monkeypatch.setenv(variable, value)
    found = complaint(capsys, "translate", ORCHARD, *TO)
    assert says in found
    assert value in found


def test_a_model_without_a_key(place, capsys, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    assert "needs a key: set OPENAI_API_KEY" in complaint(capsys, "translate", ORCHARD, *TO, "--model", "some/model")


def test_a_model_that_the_endpoint_does_not_have(place, capsys, monkeypatch):
    with FakeLlm(models=("big-one", "small-one")) as endpoint:
        monkeypatch.setenv("OPENAI_API_URL", endpoint.url)
        found = complaint(capsys, "translate", ORCHARD, *TO, "--model", "big-two")
    assert "has no model big-two; it has big-one" in found


@pytest.mark.parametrize("arguments", [(), ("fly",), ("translate",), ("translate", ORCHARD), ("prove", ORCHARD)])
def test_arguments_that_are_missing(place, capsys, arguments):
    assert "--help" in complaint(capsys, *arguments)


def test_many_problems_stay_on_one_line(place, capsys):
    (place / "many.json").write_text('{"Trees": [' + ", ".join(['{"Girth": 1}'] * 20) + "]}")
    found = complaint(capsys, "translate", ORCHARD, *TO, "--data", "many.json")
    assert "; and 17 more" in found


def test_a_file_of_directives_does_not_stop_a_project(place, capsys):
    (place / "project").mkdir()
    (place / "project" / "GlobalUsings.cs").write_text(
        "// shared\nglobal using System;\n[assembly: CLSCompliant(false)]\n"
    )
    assert "no DbContext in GlobalUsings.cs" in complaint(capsys, "translate", "project", *TO)
    (place / "project" / "Orchard.cs").write_text((ORCHARD / "Orchard.cs").read_text())
    assert "is not supported yet" in complaint(capsys, "translate", "project", "--to", "java-spring-data-neo4j")
    assert "unknown table Bushes" in complaint(capsys, "translate", "project", *TO, "--data", "data_table.json")


@pytest.mark.dotnet
@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("t.Sort == sort && !t.Felled", "t.Sort == sort && !t.Gone", "CS1061"),
        ("=> Set<Picking>();", "=> Set<Picking>()", "wrong.cs:41: missing"),
        (
            "HasPrecision(6, 2);",
            'HasPrecision(6, 2); model.Entity<Tree>().HasKey("Nothing");',
            "EF Core cannot build the model",
        ),
    ],
)
def test_c_sharp_that_does_not_compile(uom, place, old, new, says):
    text = (ORCHARD / "Orchard.cs").read_text()
    assert old in text
    (place / "wrong.cs").write_text(text.replace(old, new))
    done = uom("translate", place / "wrong.cs", *TO)
    assert done.code == 2, done.err
    assert says in done.complaint
    assert done.complaint.startswith("uom: ")
    assert done.complaint.count("\n") == 0
    assert done.out == ""


@pytest.mark.dotnet
@pytest.mark.jvm
@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("package orchard; class Broken {", "the Java does not compile"),
        ("package orchard; class Stops { Stops() { System.exit(0); } }", "System.exit"),
    ],
)
@pytest.mark.slow
@pytest.mark.timeout(200)
def test_java_that_does_not_compile(uom, tmp_path, text, says):
    for file in java_of(layer("orchard")):
        (tmp_path / "java" / file.path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "java" / file.path).write_text(file.text)
    (tmp_path / "java/src/main/java/orchard/Extra.java").write_text(text)
    done = uom("prove", ORCHARD, "--against", tmp_path / "java")
    assert done.code == 2, done.err
    assert says in done.complaint
    assert done.complaint.count("\n") == 0
