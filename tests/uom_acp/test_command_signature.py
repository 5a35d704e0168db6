import pytest
from hypothesis import given
from hypothesis import strategies as st

from uom_acp.command_signature import BUILDS, CommandSignature, covers, signature_of

ALLOWED = [
    "dotnet build",
    "dotnet test Api.Tests",
    "mvn verify",
    "git status",
    "make check",
    "ls -la src",
]
GROWTHS = [
    "; rm x", " && x", " | sh", " $(id)", " `id`", " > out", " < in", "\nrm x", " & rm x", " *", " ~/x", " {a,b}",
    " # x", " \\", " !!", " -o x", " /etc", " ../up", " A=1", "\r", "\0",
]  # fmt: skip


@pytest.mark.parametrize("command", ALLOWED)
@pytest.mark.parametrize("growth", GROWTHS)
def test_a_command_that_grows_is_not_covered(command: str, growth: str) -> None:
    allowed = signature_of(command)
    assert allowed is not None
    assert not covers(allowed, command + growth)


@given(command=st.sampled_from(ALLOWED), more=st.text(min_size=1, max_size=12))
def test_growth_is_covered_only_by_plain_words(command: str, more: str) -> None:
    allowed = signature_of(command)
    assert allowed is not None
    if covers(allowed, command + more):
        assert not set(more) & set(";|&<>$`(){}[]*?~!#\\\n\r\0")
        assert more.isspace() or allowed.open or set(more) <= set("'\"" + " \t")


@pytest.mark.parametrize(
    "command",
    [
        "rm x",
        "/bin/rm x",
        "sudo make",
        "sh -c ls",
        "python x.py",
        "env A=1 make",
        "A=1 make",
        "",
        "  ",
        "'",
        "make; ls",
    ],
)
def test_commands_that_can_do_anything_never_qualify(command: str) -> None:
    assert signature_of(command) is None


def test_builds_cover_other_plain_arguments() -> None:
    assert signature_of("dotnet build src/Api") == CommandSignature(("dotnet", "build"), open=True)
    assert covers(CommandSignature(("dotnet", "build"), open=True), "dotnet build src/Other")
    assert not covers(CommandSignature(("dotnet", "build"), open=True), "dotnet run")
    assert str(signature_of("dotnet build")) == "dotnet build …"


def test_options_are_never_open() -> None:
    for program, firsts in BUILDS.items():
        allowed = signature_of(f"{program} {min(firsts)} --option value")
        assert allowed is not None
        assert not allowed.open
        assert not covers(allowed, f"{program} {min(firsts)} --option other")
