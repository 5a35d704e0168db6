import errno
import struct

import pytest

from react_agent.sandbox.seccomp import (
    AF_INET,
    AF_UNIX,
    ALLOW,
    ARCHITECTURES,
    ERRNO,
    KILL_PROCESS,
    NoFilter,
    filter_program,
)

EPERM, ENOSYS, NO_FAMILY = (ERRNO | each for each in (errno.EPERM, errno.ENOSYS, errno.EAFNOSUPPORT))


def run(program: bytes, machine: str, name: str | int, *arguments: int, audit: int | None = None) -> int:
    """Run a filter as the kernel does, on one system call."""
    architecture = ARCHITECTURES[machine]
    number = architecture.calls[name] if isinstance(name, str) else name
    padded = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("=IIQ6Q", number, architecture.audit if audit is None else audit, 0, *padded)
    code = list(struct.iter_unpack("=HBBI", program))
    at = accumulator = 0
    while True:
        operation, if_true, if_false, value = code[at]
        at += 1
        match operation:
            case 0x20:
                (accumulator,) = struct.unpack_from("=I", data, value)
            case 0x06:
                return value
            case 0x15:
                at += if_true if accumulator == value else if_false
            case 0x35:
                at += if_true if accumulator >= value else if_false
            case 0x45:
                at += if_true if accumulator & value else if_false
            case _:
                raise AssertionError(operation)


@pytest.fixture(params=sorted(ARCHITECTURES))
def machine(request):
    return request.param


def test_a_job_gets_threads_but_no_process(machine):
    program = filter_program(machine, processes=False, families=[AF_UNIX])
    thread, child = 0x003D0F00, 0x01200011
    assert run(program, machine, "clone", thread) == ALLOW
    assert run(program, machine, "clone", child) == EPERM
    assert run(program, machine, "clone3") == ENOSYS
    if "fork" in ARCHITECTURES[machine].calls:
        assert run(program, machine, "fork") == run(program, machine, "vfork") == EPERM


def test_a_shell_gets_processes(machine):
    program = filter_program(machine, processes=True, families=[AF_UNIX, AF_INET])
    assert run(program, machine, "clone", 0x01200011) == ALLOW
    assert run(program, machine, "clone3") == ALLOW


@pytest.mark.parametrize("name", ["ptrace", "process_vm_readv", "mount", "keyctl", "bpf", "userfaultfd", "unshare"])
def test_kernel_facilities_are_refused(machine, name):
    for processes in (True, False):
        program = filter_program(machine, processes=processes, families=[AF_UNIX])
        assert run(program, machine, name) == EPERM


def test_io_uring_and_anonymous_files_look_absent(machine):
    program = filter_program(machine, processes=True, families=[AF_UNIX])
    assert run(program, machine, "io_uring_setup") == run(program, machine, "memfd_create") == ENOSYS


def test_only_the_named_families_open(machine):
    program = filter_program(machine, processes=False, families=[AF_UNIX, AF_INET])
    assert [run(program, machine, "socket", family) for family in (1, 2, 10, 16, 17, 40)] == [
        ALLOW, ALLOW, NO_FAMILY, NO_FAMILY, NO_FAMILY, NO_FAMILY,
    ]  # fmt: skip
    alone = filter_program(machine, processes=False, families=[AF_UNIX])
    assert [run(alone, machine, "socket", family) for family in (1, 2)] == [ALLOW, NO_FAMILY]


def test_typing_into_the_terminal_is_refused_and_other_controls_pass(machine):
    program = filter_program(machine, processes=True, families=[AF_UNIX])
    assert run(program, machine, "ioctl", 0, 0x5412) == run(program, machine, "ioctl", 0, 0x541C) == EPERM
    assert run(program, machine, "ioctl", 0, 0x5401) == ALLOW


def test_another_architectures_calls_end_the_program(machine):
    program = filter_program(machine, processes=True, families=[AF_UNIX])
    assert run(program, machine, 1, audit=0x40000003) == KILL_PROCESS


def test_the_second_table_of_x86_64_is_shut():
    program = filter_program("x86_64", processes=True, families=[AF_UNIX])
    assert run(program, "x86_64", 0x40000000 + 57) == ENOSYS
    assert run(program, "x86_64", 0) == ALLOW


def test_an_unknown_machine_is_an_error_that_names_it():
    with pytest.raises(NoFilter, match="riscv64"):
        filter_program("riscv64", processes=True, families=[AF_UNIX])
