"""Build the Java worker into a folder of the user's cache, once, whole, and by one process at a time.

Maven fetches the pinned libraries with the user's own settings; a company's mirror is in there. The folder is named
by a hash of all that goes into it, so it is never stale, and moved into its place when it is done.
"""

import asyncio
import contextlib
import fcntl
import hashlib
import logging
import os
import shutil
import signal
import tempfile
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from react_agent.sandbox.jdk import Jdk, find_maven
from react_agent.sandbox.protocol import ToolchainMissing

log = logging.getLogger(__name__)

SOURCES = Path(__file__).parent / "java_worker"
_MAIN = "uom.worker.Worker"
_FIRST_WITH_AOT = 25
_BUILD_SECONDS = 600
_TRAINING_SECONDS = 120
_LAST_LINES = 12
_KEPT_SECONDS = 30 * 24 * 3600


async def built(jdk: Jdk, cache: Path, environ: Mapping[str, str] | None) -> Path:
    """Give the folder of the worker for a JDK; build and train it when it is not there.

    Raises:
        ToolchainMissing: no Maven, the libraries could not be fetched, or the cache cannot be written.
    """
    folder = await asyncio.to_thread(_folder, jdk, cache)
    if not _is_built(folder):
        async with _locked(folder):
            if not _is_built(folder):
                maven = await asyncio.to_thread(find_maven, environ)
                await _build(jdk, maven, folder, environ)
                await asyncio.to_thread(_forget_unused, folder.parent)
    if jdk.major >= _FIRST_WITH_AOT and not _is_trained(folder):
        with contextlib.suppress(ToolchainMissing):  # Somebody else's cache; it serves as it is.
            async with _locked(folder):
                if not _is_trained(folder):
                    await _train(jdk, folder)
    with contextlib.suppress(OSError):
        os.utime(folder)
    return folder


def is_built(jdk: Jdk, cache: Path) -> bool:
    """Whether the worker of these sources is kept for a JDK."""
    return _is_built(_folder(jdk, cache))


def worker_command(jdk: Jdk, options: Sequence[str], jars: Sequence[Path]) -> tuple[str, ...]:
    """Write the command of a worker: small, quick to start, quiet, and the same in every place."""
    return (
        str(jdk.java),
        "-XX:+UseSerialGC",
        "-XX:TieredStopAtLevel=1",
        "-XX:-UsePerfData",
        "-XX:+DisableAttachMechanism",
        "-XX:-CreateCoredumpOnCrash",
        "-XX:+ErrorFileToStderr",
        "-Xlog:disable",
        "-Xlog:all=error:stderr",
        *options,
        "--enable-native-access=ALL-UNNAMED",
        "-Djava.awt.headless=true",
        "-Dstdout.encoding=UTF-8",
        "-Dstderr.encoding=UTF-8",
        "-Duser.timezone=UTC",
        "-Duser.language=en",
        "-Duser.country=US",
        "-classpath",
        os.pathsep.join(map(str, jars)),
        _MAIN,
    )


def _folder(jdk: Jdk, cache: Path) -> Path:
    """Name the build by everything that goes into it."""
    digest = hashlib.sha256(f"{jdk.home}\n{jdk.version}\n{jdk.build}\n".encode())
    for path in _sources():
        content = path.read_bytes()
        digest.update(f"{path.relative_to(SOURCES).as_posix()}\n{len(content)}\n".encode())
        digest.update(content)
    return cache / "java-worker" / digest.hexdigest()[:20]


def _sources() -> list[Path]:
    return [SOURCES / "pom.xml", *sorted(p for p in (SOURCES / "src").rglob("*") if p.is_file())]


def _is_built(folder: Path) -> bool:
    return (folder / "worker.jar").is_file()


def _is_trained(folder: Path) -> bool:
    return (folder / "worker.aot").is_file() or (folder / "untrained").is_file()


def _forget_unused(builds: Path) -> None:
    """Remove what nobody has started for long: each release and each JDK leaves a build of some 80 MB."""
    for folder in builds.iterdir():
        if folder.is_dir() and time.time() - folder.stat().st_mtime > _KEPT_SECONDS:
            shutil.rmtree(folder, ignore_errors=True)


def _forget_killed(folder: Path) -> None:
    """Remove what builds of this folder left that were killed; who holds its lock is the only one who builds it."""
    for left in folder.parent.glob(f"build-{folder.name}-*"):
        shutil.rmtree(left, ignore_errors=True)


def classpath(folder: Path) -> tuple[Path, ...]:
    """List the jars of a built worker."""
    return (folder / "worker.jar", *sorted((folder / "lib").glob("*.jar")))


@asynccontextmanager
async def _locked(folder: Path) -> AsyncGenerator[None]:
    """Let one process build at a time; the lock goes with the process that holds it."""
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        lock = folder.with_suffix(".lock").open("w")
    except OSError as error:
        raise ToolchainMissing(
            f"the Java worker cannot be built in {folder.parent}: {error.strerror}",
            "Set XDG_CACHE_HOME to a folder that can be written.",
        ) from error
    with lock:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                await asyncio.sleep(0.1)
        yield


async def _build(jdk: Jdk, maven: Path, folder: Path, environ: Mapping[str, str] | None) -> None:
    """Build beside the place and move it there whole."""
    log.info("building the Java worker with Maven (%s) and JDK %s; this happens once", maven, jdk.version)
    await asyncio.to_thread(_forget_killed, folder)
    with tempfile.TemporaryDirectory(
        prefix=f"build-{folder.name}-", dir=folder.parent, ignore_cleanup_errors=True
    ) as temporary:
        project = Path(temporary)
        for path in _sources():
            copy = project / path.relative_to(SOURCES)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, copy)
        command = (str(maven), "-B", "-q", "-ntp", "-Dstyle.color=never", "-f", str(project / "pom.xml"), "package")
        variables = {**(os.environ if environ is None else environ), "JAVA_HOME": str(jdk.home)}
        code, output = await _execute(command, cwd=project, environ=variables, seconds=_BUILD_SECONDS)
        if code != 0:
            raise ToolchainMissing(
                f"Maven could not build the Java worker (exit code {code}):\n{_errors(output)}",
                "Check that Maven reaches a repository (a mirror goes into ~/.m2/settings.xml), then try again.",
            )
        target = project / "target"
        ready = project / "ready"
        ready.mkdir()
        (target / "worker.jar").rename(ready / "worker.jar")
        (target / "lib").rename(ready / "lib")
        ready.rename(folder)


async def _train(jdk: Jdk, folder: Path) -> None:
    """Record what a worker loads, so that the next ones start from it; where that fails they start without."""
    unfinished = folder / "unfinished.aot"
    options = ["-Xmx512m", f"-XX:AOTCacheOutput={unfinished}"]
    ours_in, theirs_out = os.pipe()
    theirs_in, ours_out = os.pipe()
    os.close(ours_out)  # The worker warms up, says that it is ready, finds its input closed and ends.
    try:
        command = (
            *worker_command(jdk, options, classpath(folder)),
            "--in",
            str(theirs_in),
            "--out",
            str(theirs_out),
            "--warm",
        )
        code, output = await _execute(
            command, cwd=folder, environ={"JAVA_HOME": str(jdk.home)}, seconds=_TRAINING_SECONDS,
            descriptors=(theirs_in, theirs_out),
        )  # fmt: skip
    finally:
        for descriptor in (ours_in, theirs_in, theirs_out):
            os.close(descriptor)
    if code == 0 and unfinished.is_file():
        unfinished.rename(folder / "worker.aot")
        return
    log.info("the Java worker starts without an ahead-of-time cache: %s", _errors(output))
    unfinished.unlink(missing_ok=True)
    (folder / "untrained").touch()


async def _execute(
    command: Sequence[str],
    *,
    cwd: Path,
    environ: Mapping[str, str],
    seconds: float,
    descriptors: Sequence[int] = (),
) -> tuple[int, str]:
    """Run a program to its end; when it takes too long or we are cancelled, it ends with all it started."""
    starting = asyncio.create_task(
        asyncio.create_subprocess_exec(
            *command,
            cwd=cwd,
            env=dict(environ),
            pass_fds=descriptors,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
        )
    )
    try:
        # A start that is cancelled half way ends the program alone, not what it has started by then.
        process = await asyncio.shield(starting)
    except asyncio.CancelledError:
        await _end(await starting)
        raise
    try:
        async with asyncio.timeout(seconds):
            output, _ = await process.communicate()
    except TimeoutError:
        return -1, f"no end within {seconds:g} s"
    finally:
        await _end(process)
    return process.returncode or 0, output.decode(errors="replace")


async def _end(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    await process.wait()


def _errors(output: str) -> str:
    lines = [line for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if "ERROR" in line or "error" in line]
    return "\n".join((errors or lines)[:_LAST_LINES])
