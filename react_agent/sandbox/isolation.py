"""Keep a program apart from this machine: what it sees, and the bubblewrap command for that.

Inside there is a fresh root with the system's own programs read-only, the folders a toolchain named,
a private `/tmp`, a minimal `/proc` and `/dev`, loopback as the only network, and an environment that
is written from nothing.
"""

import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from react_agent.sandbox import seccomp
from react_agent.sandbox.protocol import IsolationUnavailable

MEBIBYTE = 1024 * 1024
INSIDE = "/sandbox"
"""Where the sandbox's folder stands inside."""

TMP = "/tmp"  # noqa: S108 - a mount of the room's own

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store")
_ETC = (
    # Names and times that loaders and runtimes look up; a JDK of the distribution keeps its
    # configuration and its certificates here. Nothing that holds a person's name or a password.
    "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "localtime", "timezone",
    "ssl/certs", "ssl/openssl.cnf", "ca-certificates", "pki/ca-trust", "pki/java", "pki/tls/certs",
    "crypto-policies", "nsswitch.conf", "fonts", "mime.types", "maven/m2.conf", "maven/logging", "java", "dotnet",
)  # fmt: skip
_ACCOUNTS = "root:x:0:0:root:/tmp:/bin/sh\nsandbox:x:1000:1000:sandbox:/tmp:/bin/sh\n"
_HOSTS = "127.0.0.1 localhost sandbox\n::1 localhost\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Isolation:
    """What keeps programs apart here: a working bubblewrap, or the reason why there is none."""

    bwrap: Path | None = None
    reason: str = ""
    hint: str = ""

    @classmethod
    def unavailable(cls, reason: str, hint: str = "") -> "Isolation":
        """Say that programs cannot be kept apart here, and what would help."""
        return cls(reason=reason, hint=hint)

    @property
    def available(self) -> bool:
        """Whether programs can be kept apart."""
        return self.bwrap is not None

    def require(self) -> None:
        """Stop what nobody approved to run beside the person's own files.

        Raises:
            IsolationUnavailable: with the reason and what would help.
        """
        if not self.available:
            approve = "Or approve running the code without isolation (--allow-unisolated)."
            raise IsolationUnavailable(self.reason, f"{self.hint} {approve}".strip())


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """What one program sees and may do."""

    read_only: tuple[Path, ...] = ()
    """Visible at their own paths."""
    folder: Path | None = None
    """Visible as `/sandbox`, writable, and the working directory."""
    environment: Mapping[str, str] = field(default_factory=dict)
    processes: bool = False
    """Whether new processes may start; threads always may."""
    inet: bool = False
    """Whether Internet sockets may be opened; only the room's own loopback answers them."""
    tmp_mb: int = 256
    """Size of the private `/tmp`; it counts as memory."""

    def variables(self, *, isolated: bool) -> dict[str, str]:
        """Write the whole environment; nothing of ours is passed on."""
        given = dict(self.environment)
        own = [f"{given['JAVA_HOME']}/bin"] if "JAVA_HOME" in given else []
        own += [given["DOTNET_ROOT"]] if "DOTNET_ROOT" in given else []
        home = TMP if isolated or self.folder is None else str(self.folder)
        path = ":".join([*own, "/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"])
        return {
            "PATH": path, "HOME": home, "TMPDIR": home, "LANG": "C.UTF-8", "TZ": "UTC",
            "USER": "sandbox", "LOGNAME": "sandbox",
        } | given  # fmt: skip

    def filter(self) -> bytes:
        """Build the system call filter of this room."""
        inet = (seccomp.AF_INET, seccomp.AF_INET6, seccomp.AF_NETLINK) if self.inet else ()
        return seccomp.filter_program(platform.machine(), processes=self.processes, families=(seccomp.AF_UNIX, *inet))


@dataclass(frozen=True, slots=True, kw_only=True)
class Descriptors:
    """The descriptors over which bubblewrap is told what to build, and tells what it built."""

    info: int
    """It writes the process number of the room's first process."""
    seccomp: int
    passwd: int
    hosts: int


def contents(room: Room) -> dict[str, bytes]:
    """Tell what the readable `Descriptors` of a room must hold."""
    return {"seccomp": room.filter(), "passwd": _ACCOUNTS.encode(), "hosts": _HOSTS.encode()}


def bwrap_options(room: Room, descriptors: Descriptors) -> list[str]:
    """List bubblewrap's options for a room.

    A root user keeps no capability inside, and `--disable-userns` takes away the way to new ones.
    """
    argv = ["--unshare-user", "--unshare-all", "--disable-userns", "--cap-drop", "ALL"]
    argv += ["--uid", "1000", "--gid", "1000", "--hostname", "sandbox"]
    argv += ["--die-with-parent", "--new-session", "--clearenv"]
    for name, value in room.variables(isolated=True).items():
        argv += ["--setenv", name, value]
    argv += ["--info-fd", str(descriptors.info), "--seccomp", str(descriptors.seccomp)]
    argv += ["--proc", "/proc", "--dev", "/dev"]
    argv += ["--size", str(16 * MEBIBYTE), "--tmpfs", "/dev/shm"]  # noqa: S108 - the room's own
    argv += ["--perms", "1777", "--size", str(room.tmp_mb * MEBIBYTE), "--tmpfs", TMP]
    argv += _system()
    argv += ["--ro-bind-data", str(descriptors.passwd), "/etc/passwd"]
    argv += ["--ro-bind-data", str(descriptors.hosts), "/etc/hosts"]
    for path in _visible(room.read_only):
        argv += ["--ro-bind", path, path]
    if room.folder is not None:
        argv += ["--bind", str(room.folder), INSIDE]
    argv += ["--remount-ro", "/proc", "--remount-ro", "/dev", "--remount-ro", "/"]
    return [*argv, "--chdir", TMP if room.folder is None else INSIDE]


def _system() -> list[str]:
    argv: list[str] = []
    for path in map(Path, _SYSTEM):
        if path.is_symlink():
            argv += ["--symlink", str(path.readlink()), str(path)]
        elif path.is_dir():
            argv += ["--ro-bind", str(path), str(path)]
    etc = Path("/etc")
    debian_jdk = sorted(path.name for path in etc.glob("java-*"))
    for name in (*_ETC, *debian_jdk):
        argv += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    return argv


def _visible(paths: Sequence[Path]) -> list[str]:
    """List each path as it was named and as it resolves, parents first."""
    named = {os.path.abspath(path) for path in paths}  # noqa: PTH100 - resolve() would lose the name
    return sorted(named | {str(path.resolve()) for path in paths})
