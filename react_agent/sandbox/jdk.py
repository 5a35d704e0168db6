"""Find a JDK and Maven on this machine, by files alone: starting each candidate would take seconds."""

import os
import shutil
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from react_agent.sandbox.protocol import ToolchainMissing

OLDEST = 21
PREFERRED = 25

_LINUX = ("/usr/lib/jvm/*", "/usr/java/*", "/opt/java/*", "/opt/jdk*", "/opt/java/openjdk")
_MACOS = (
    "/Library/Java/JavaVirtualMachines/*/Contents/Home",
    "/opt/homebrew/opt/openjdk*/libexec/openjdk.jdk/Contents/Home",
    "/usr/local/opt/openjdk*/libexec/openjdk.jdk/Contents/Home",
)
_OF_THE_USER = (
    ".sdkman/candidates/java/*",
    ".jdks/*",
    ".asdf/installs/java/*",
    ".local/share/mise/installs/java/*",
    "Library/Java/JavaVirtualMachines/*/Contents/Home",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Jdk:
    """A JDK: its folder with links resolved, and its version as its own `release` file states it."""

    home: Path
    version: str
    build: str
    """The exact build, which a cache of its compiled code depends on."""

    @property
    def major(self) -> int:
        """The feature release: 25 of 25.0.3, 8 of 1.8.0."""
        numbers = self.version.replace("-", ".").replace("+", ".").split(".")
        first = numbers[1] if numbers[0] == "1" and len(numbers) > 1 else numbers[0]
        return int(first) if first.isdigit() else 0

    @property
    def java(self) -> Path:
        """The launcher."""
        return self.home / "bin" / "java"

    @property
    def outside(self) -> tuple[Path, ...]:
        """List the files that the JDK keeps elsewhere by links: Debian's has its configuration in /etc."""
        links = (p for folder in ("conf", "lib") for p in (self.home / folder).rglob("*") if p.is_symlink())
        targets = {link.resolve() for link in links if link.exists()}
        return tuple(sorted(target for target in targets if not target.is_relative_to(self.home)))


def find_jdk(environ: Mapping[str, str] | None = None) -> Jdk:
    """Find the best JDK: release 25 wherever it is, else the first of 21 or newer.

    Raises:
        ToolchainMissing: there is none; the hint names the older ones that were found.
    """
    environ = os.environ if environ is None else environ
    found = list(dict.fromkeys(jdk for home in _homes(environ) if (jdk := read_jdk(home))))
    usable = [jdk for jdk in found if jdk.major >= OLDEST]
    if not usable:
        older = ", ".join(f"JDK {jdk.version} in {jdk.home}" for jdk in found)
        only = f"found only {older}" if older else "none was found in JAVA_HOME, on PATH or in the usual places"
        raise ToolchainMissing(f"a JDK of {OLDEST} or newer is needed; {only}", _jdk_hint())
    return next((jdk for jdk in usable if jdk.major == PREFERRED), usable[0])


def read_jdk(home: Path) -> Jdk | None:
    """Read what a folder says it is; None when it is no JDK (a JRE has no compiler)."""
    if not os.access(home / "bin" / "javac", os.X_OK):
        return None
    try:
        lines = (home / "release").read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return None
    facts = {key: value.strip('"') for key, _, value in (line.partition("=") for line in lines)}
    version = facts.get("JAVA_VERSION")
    if not version:
        return None
    build = " ".join(facts.get(key, "") for key in ("IMPLEMENTOR", "JAVA_RUNTIME_VERSION", "SOURCE", "OS_ARCH"))
    return Jdk(home=home.resolve(), version=version, build=build)


def find_maven(environ: Mapping[str, str] | None = None) -> Path:
    """Find Maven's launcher.

    Raises:
        ToolchainMissing: there is none.
    """
    environ = os.environ if environ is None else environ
    on_path = shutil.which("mvn", path=environ.get("PATH", ""))
    if on_path:
        return Path(on_path)
    homes = [Path(environ[name]) for name in ("M2_HOME", "MAVEN_HOME") if environ.get(name)]
    if home := _home(environ):
        homes.append(home / ".sdkman" / "candidates" / "maven" / "current")
    for folder in homes:
        launcher = folder / "bin" / "mvn"
        if os.access(launcher, os.X_OK):
            return launcher
    raise ToolchainMissing(
        "Maven is needed once, to fetch the libraries of the Java worker; `mvn` was not found", _maven_hint()
    )


def _homes(environ: Mapping[str, str]) -> Iterator[Path]:
    if environ.get("JAVA_HOME"):
        yield Path(environ["JAVA_HOME"])
    for name in ("javac", "java"):
        if launcher := shutil.which(name, path=environ.get("PATH", "")):
            yield Path(launcher).resolve().parent.parent
    if home := _home(environ):
        for pattern in _OF_THE_USER:
            yield from sorted(home.glob(pattern), reverse=True)
    root = Path("/")
    for pattern in (*_LINUX, *_MACOS):
        yield from sorted(root.glob(pattern.lstrip("/")), reverse=True)


def _home(environ: Mapping[str, str]) -> Path | None:
    home = environ.get("HOME")
    return Path(home) if home else None


def _jdk_hint() -> str:
    if sys.platform == "darwin":
        return "Install one with `brew install openjdk@25`, or set JAVA_HOME to one that you have."
    return (
        "Install JDK 25 from your distribution (`apt install openjdk-25-jdk`, `dnf install java-25-openjdk-devel`; "
        "where that is not there yet, release 21 or a build from https://adoptium.net), "
        "or set JAVA_HOME to one that you have."
    )


def _maven_hint() -> str:
    if sys.platform == "darwin":
        return "Install it with `brew install maven`, or set MAVEN_HOME."
    return "Install it with `apt install maven` or `dnf install maven`, or set MAVEN_HOME."
