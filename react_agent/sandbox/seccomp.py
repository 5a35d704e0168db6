"""Build the system call filter of a sandbox: what namespaces and read-only mounts do not already stop.

The result is a classic BPF program (`struct sock_filter[]`) for `bwrap --seccomp FD`. Everything not
named is allowed: the filter takes away new processes, other address families, kernel facilities
that a data layer has no use for, and memory that no resident set would show.
"""

import errno
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

ALLOW = 0x7FFF0000
KILL_PROCESS = 0x80000000
ERRNO = 0x00050000

_LOAD = 0x20  # BPF_LD | BPF_W | BPF_ABS
_EQUAL = 0x15  # BPF_JMP | BPF_JEQ | BPF_K
_AT_LEAST = 0x35  # BPF_JMP | BPF_JGE | BPF_K
_ANY_BIT = 0x45  # BPF_JMP | BPF_JSET | BPF_K
_RETURN = 0x06  # BPF_RET | BPF_K

_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT, _SECOND_ARGUMENT = 0, 4, 16, 24
_CLONE_THREAD = 0x00010000
_X32 = 0x40000000
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C

AF_UNIX, AF_INET, AF_INET6, AF_NETLINK = 1, 2, 10, 16

Instruction = tuple[int, int, int, int]


class NoFilter(ValueError):
    """There is no table of system calls for this machine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Architecture:
    """One machine's audit number and the numbers of the calls that are taken away."""

    audit: int
    calls: Mapping[str, int]
    x32: bool
    """Whether a second table of numbers (the x32 ABI) must be shut out."""


_SINCE_5 = {
    # Numbers that every architecture shares since Linux 5.1.
    "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427, "open_tree": 428,
    "move_mount": 429, "fsopen": 430, "fsconfig": 431, "fsmount": 432, "fspick": 433,
    "clone3": 435, "pidfd_getfd": 438, "process_madvise": 440, "mount_setattr": 442,
    "memfd_secret": 447,
}  # fmt: skip

_X86_64 = _SINCE_5 | {
    "ioctl": 16, "shmget": 29, "socket": 41, "socketpair": 53, "clone": 56, "fork": 57, "vfork": 58,
    "msgget": 68, "ptrace": 101, "syslog": 103, "personality": 135, "pivot_root": 155, "chroot": 161,
    "acct": 163, "settimeofday": 164, "mount": 165, "umount2": 166, "swapon": 167, "swapoff": 168,
    "reboot": 169, "init_module": 175, "delete_module": 176, "quotactl": 179, "clock_settime": 227,
    "kexec_load": 246, "add_key": 248, "request_key": 249, "keyctl": 250, "migrate_pages": 256,
    "unshare": 272, "vmsplice": 278, "move_pages": 279, "perf_event_open": 298, "fanotify_init": 300,
    "name_to_handle_at": 303, "open_by_handle_at": 304, "setns": 308, "process_vm_readv": 310,
    "process_vm_writev": 311, "kcmp": 312, "finit_module": 313, "memfd_create": 319,
    "kexec_file_load": 320, "bpf": 321, "userfaultfd": 323,
}  # fmt: skip

_AARCH64 = _SINCE_5 | {
    "ioctl": 29, "umount2": 39, "mount": 40, "pivot_root": 41, "chroot": 51, "quotactl": 60,
    "vmsplice": 75, "acct": 89, "personality": 92, "unshare": 97, "kexec_load": 104,
    "init_module": 105, "delete_module": 106, "clock_settime": 112, "syslog": 116, "ptrace": 117,
    "reboot": 142, "settimeofday": 170, "msgget": 186, "shmget": 194, "socket": 198,
    "socketpair": 199, "add_key": 217, "request_key": 218, "keyctl": 219, "clone": 220,
    "swapon": 224, "swapoff": 225, "migrate_pages": 238, "move_pages": 239, "perf_event_open": 241,
    "fanotify_init": 262, "name_to_handle_at": 264, "open_by_handle_at": 265, "setns": 268,
    "process_vm_readv": 270, "process_vm_writev": 271, "kcmp": 272, "finit_module": 273,
    "memfd_create": 279, "bpf": 280, "userfaultfd": 282, "kexec_file_load": 294,
}  # fmt: skip

ARCHITECTURES: Mapping[str, Architecture] = MappingProxyType({
    "x86_64": Architecture(audit=0xC000003E, calls=_X86_64, x32=True),
    "aarch64": Architecture(audit=0xC00000B7, calls=_AARCH64, x32=False),
})
"""By the name that `platform.machine()` gives."""

_ABSENT = frozenset({"io_uring_setup", "io_uring_enter", "io_uring_register", "clone3", "memfd_create"})
"""Answered ENOSYS, as on an old kernel, so that runtimes fall back to what they did before."""

_PROCESSES = frozenset({"fork", "vfork", "clone3", "clone"})
_BY_ARGUMENT = frozenset({"ioctl", "socket", "socketpair", "clone"})


def filter_program(machine: str, *, processes: bool, families: Sequence[int]) -> bytes:
    """Build the filter for one machine.

    Args:
        machine: as `platform.machine()` names it.
        processes: whether new processes may start; threads always may.
        families: the address families that `socket` may open.

    Raises:
        NoFilter: the machine's system calls are not known here.
    """
    if machine not in ARCHITECTURES:
        known = ", ".join(ARCHITECTURES)
        raise NoFilter(f"no system call filter for {machine!r} (there is one for {known})")
    architecture = ARCHITECTURES[machine]
    calls = architecture.calls
    code: list[Instruction] = [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, architecture.audit),
        (_RETURN, 0, 0, KILL_PROCESS),
        (_LOAD, 0, 0, _NUMBER),
    ]
    if architecture.x32:
        code += [(_AT_LEAST, 0, 1, _X32), (_RETURN, 0, 0, ERRNO | errno.ENOSYS)]
    for name, number in sorted(calls.items(), key=lambda item: item[1]):
        if name not in _BY_ARGUMENT and (not processes or name not in _PROCESSES):
            code += [(_EQUAL, 0, 1, number), (_RETURN, 0, 0, ERRNO | _errno(name))]
    code += _when(calls["ioctl"], _SECOND_ARGUMENT, _refuse_any((_TIOCSTI, _TIOCLINUX)))
    code += _when(calls["socket"], _FIRST_ARGUMENT, _allow_only(families))
    code += _when(calls["socketpair"], _FIRST_ARGUMENT, _allow_only([AF_UNIX]))
    if not processes:
        threads = [(_ANY_BIT, 1, 0, _CLONE_THREAD), (_RETURN, 0, 0, ERRNO | errno.EPERM)]
        code += _when(calls["clone"], _FIRST_ARGUMENT, threads)
    code.append((_RETURN, 0, 0, ALLOW))
    return b"".join(struct.pack("=HBBI", *instruction) for instruction in code)


def _errno(name: str) -> int:
    return errno.ENOSYS if name in _ABSENT else errno.EPERM


def _when(number: int, argument: int, judge: list[Instruction]) -> list[Instruction]:
    """Judge one call by an argument's low word; a call that passes is allowed at once."""
    body: list[Instruction] = [(_LOAD, 0, 0, argument), *judge, (_RETURN, 0, 0, ALLOW)]
    return [(_EQUAL, 0, len(body), number), *body]


def _refuse_any(values: Sequence[int]) -> list[Instruction]:
    refuse = (_RETURN, 0, 0, ERRNO | errno.EPERM)
    return [line for value in values for line in ((_EQUAL, 0, 1, value), refuse)]


def _allow_only(values: Sequence[int]) -> list[Instruction]:
    last = len(values) - 1
    tests = [(_EQUAL, last - at + 1, 0, value) for at, value in enumerate(values)]
    return [*tests, (_RETURN, 0, 0, ERRNO | errno.EAFNOSUPPORT)]
