"""Find a JDK and the Java worker built for it, and tell how the worker is started."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_cache_path

from react_agent.sandbox.java_build import built, classpath, is_built, worker_command
from react_agent.sandbox.jdk import Jdk, find_jdk, find_maven
from react_agent.sandbox.protocol import Located


@dataclass(frozen=True, slots=True, kw_only=True)
class JavaToolchain:
    """A JDK and the worker that was built for it."""

    jdk: Jdk
    folder: Path
    """Where the worker's jars are."""
    classpath: tuple[Path, ...]
    aot_cache: Path | None = None
    """Classes loaded and linked ahead of time, which halves the start; JDK 25 and newer."""

    @property
    def name(self) -> str:
        """Tell what it is."""
        return "JDK"

    @property
    def version(self) -> str:
        """Tell which JDK it is."""
        return self.jdk.version

    @property
    def home(self) -> Path:
        """The JDK's folder."""
        return self.jdk.home

    @property
    def read_only(self) -> tuple[Path, ...]:
        """List what must be visible: the JDK, what it keeps elsewhere, and the worker."""
        return (self.jdk.home, self.folder, *self.jdk.outside)

    @property
    def environment(self) -> Mapping[str, str]:
        """List the variables of its programs."""
        return {"JAVA_HOME": str(self.jdk.home)}

    def worker_argv(self, *, fd_in: int, fd_out: int, warm: bool, memory_mb: int) -> tuple[str, ...]:
        """Build the command of a worker; a full heap is its end, because its other threads would fail at random."""
        options = [f"-Xmx{memory_mb}m", "-XX:+ExitOnOutOfMemoryError"]
        if self.aot_cache is not None:
            options.append(f"-XX:AOTCache={self.aot_cache}")
        command = (*worker_command(self.jdk, options, self.classpath), "--in", str(fd_in), "--out", str(fd_out))
        return (*command, "--warm") if warm else command


async def find_java(*, cache: Path | None = None, environ: Mapping[str, str] | None = None) -> JavaToolchain:
    """Find a JDK and the worker built for it; the first time, build it.

    Raises:
        ToolchainMissing: no JDK, no Maven, the libraries could not be fetched, or the cache cannot be written.
    """
    jdk = await asyncio.to_thread(find_jdk, environ)
    folder = await built(jdk, cache or user_cache_path("uom"), environ)
    aot_cache = folder / "worker.aot"
    return JavaToolchain(
        jdk=jdk,
        folder=folder,
        classpath=classpath(folder),
        aot_cache=aot_cache if aot_cache.is_file() else None,
    )


async def locate_java(*, cache: Path | None = None, environ: Mapping[str, str] | None = None) -> Located:
    """Find the JDK that `find_java` would take, and Maven where a worker is still to be built; build nothing.

    Raises:
        ToolchainMissing: no JDK, or no Maven to build with.
    """
    jdk = await asyncio.to_thread(find_jdk, environ)
    ready = await asyncio.to_thread(is_built, jdk, cache or user_cache_path("uom"))
    if not ready:
        await asyncio.to_thread(find_maven, environ)
    return Located(name="JDK", version=jdk.version, built=ready)
