"""What a test may count on: toolchains by marker, no network but loopback, settings of its own."""

import os
import shutil
import signal
import tempfile
from pathlib import Path

import pytest

IN_CI = bool(os.environ.get("CI"))

# What a shell sends to the background ignores SIGINT, and so do its children: Ctrl-C could not be tested.
for number in (signal.SIGINT, signal.SIGHUP):
    if signal.getsignal(number) == signal.SIG_IGN:
        signal.signal(number, signal.default_int_handler if number == signal.SIGINT else signal.SIG_DFL)


def pytest_configure(config: pytest.Config) -> None:
    """Keep sessions, recordings and keys of the person who runs the tests out of them, and the tests' out of theirs."""
    for name in ("STATE", "CONFIG"):
        folder = tempfile.TemporaryDirectory(prefix=f"uom-tests-{name.lower()}-")
        config.add_cleanup(folder.cleanup)
        os.environ[f"XDG_{name}_HOME"] = folder.name


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--run-slow", action="store_true", help="also run the tests marked slow")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    missing = {name: reason for name, find in TOOLCHAINS.items() if (reason := find())}
    for item in items:
        if item.get_closest_marker("slow") and not config.getoption("--run-slow"):
            item.add_marker(pytest.mark.skip(reason="slow: run with --run-slow (make full does)"))
        for name, reason in missing.items():
            if item.get_closest_marker(name) and not IN_CI:
                item.add_marker(pytest.mark.skip(reason=reason))


def _no_dotnet() -> str | None:
    root = os.environ.get("DOTNET_ROOT")
    found = shutil.which("dotnet") or (root and (Path(root) / "dotnet").exists())
    return None if found else "no .NET SDK found: install .NET 10 to run this test"


def _no_jdk() -> str | None:
    homes = [Path(home) for home in [os.environ.get("JAVA_HOME", "")] if home]
    homes += Path("/usr/lib/jvm").glob("*") if Path("/usr/lib/jvm").is_dir() else []
    homes += [Path(java).resolve().parent.parent for java in [shutil.which("java")] if java]
    if not any(_java_release(home) >= 21 for home in homes):
        return "no JDK of 21 or newer found: install one to run this test"
    return None if shutil.which("mvn") else "no Maven found: install it to run this test"


def _java_release(home: Path) -> int:
    release = home / "release"
    if not release.is_file():
        return 0
    for line in release.read_text(encoding="utf-8").splitlines():
        if line.startswith("JAVA_VERSION="):
            return int(line.split("=")[1].strip('"').split(".")[0])
    return 0


def _no_node() -> str | None:
    return None if shutil.which("npm") else "no npm found: install Node.js to run this test"


TOOLCHAINS = {"dotnet": _no_dotnet, "jvm": _no_jdk, "node": _no_node}


@pytest.fixture(scope="session")
def cases() -> Path:
    """Folder of recorded data layers beside the checkout; not shipped with the project."""
    folder = Path(os.environ.get("UOM_CASES") or Path(__file__).parents[2] / "shared" / "cases")
    if not folder.is_dir():
        pytest.skip("no folder of recorded cases: name one with UOM_CASES")
    return folder
