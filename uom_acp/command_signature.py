"""Which shell commands one "always allow" covers, and which never qualify."""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

BUILDS: Mapping[str, frozenset[str]] = {
    "dotnet": frozenset({"build", "test", "restore", "clean"}),
    "mvn": frozenset({"compile", "test", "verify", "package", "clean", "validate"}),
    "gradle": frozenset({"build", "test", "check", "clean"}),
    "git": frozenset({"status"}),
}
"""Programs and first words whose plain arguments may vary."""

NEVER = frozenset(
    "rm rmdir mv dd shred truncate chmod chown kill pkill killall sudo su doas env eval exec source xargs find nohup "
    "sh bash zsh dash fish ksh pwsh powershell cmd python python3 node perl ruby php java dotnet-script ssh scp curl "
    "wget nc ncat socat tee install ln mkfs mount crontab at systemctl docker podman".split()
)
"""Programs that can do anything with the next argument."""

SPECIAL = frozenset(";|&<>$`(){}[]*?~!#\\\n\r\0")
"""Characters with which a shell makes one command into another."""


@dataclass(frozen=True, slots=True)
class CommandSignature:
    """What a standing permission covers: these words, with plain arguments after them if `open`."""

    words: tuple[str, ...]
    open: bool = False

    def __str__(self) -> str:
        """Show it as it stands on the button."""
        return shlex.join(self.words) + (" …" if self.open else "")


def signature_of(command: str) -> CommandSignature | None:
    """Say what "always" would mean for a command; None when only this once can be allowed."""
    words = _plain_words(command)
    if not words or "=" in words[0] or PurePosixPath(words[0]).name in NEVER:
        return None
    program, *rest = words
    firsts = BUILDS.get(program, frozenset())
    if rest and rest[0] in firsts and all(_is_plain(word) for word in rest[1:]):
        return CommandSignature((program, rest[0]), open=True)
    return CommandSignature(tuple(words))


def _plain_words(command: str) -> list[str]:
    if SPECIAL & set(command):
        return []
    try:
        return shlex.split(command)
    except ValueError:
        return []


def _is_plain(word: str) -> bool:
    inside = not word.startswith(("-", "/")) and ".." not in PurePosixPath(word).parts
    return inside and "=" not in word and ":" not in word


def covers(allowed: CommandSignature, command: str) -> bool:
    """Tell whether a standing permission allows a command."""
    return signature_of(command) == allowed
