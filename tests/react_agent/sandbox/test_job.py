import asyncio
import os
import socket
from pathlib import Path

import pytest

from react_agent.sandbox.protocol import JobKilled, JobRefused, JobTimedOut, KillReason

HOME = Path.home()


async def test_a_request_is_answered_with_its_result_and_prints_are_kept_apart(workers):
    worker = await workers.start()
    text = "é" * 300_000
    assert await worker.request("echo", {"value": text}) == {"value": text}
    assert worker.engine["name"] == "python"
    assert sorted(worker.log.split()) == ["stderr", "stdout", "to", "to"]


async def test_progress_is_told_in_order(workers):
    worker = await workers.start()
    told = []
    await worker.request("progress", {}, on_progress=lambda done, total: told.append((done, total)))
    assert told == [(0, 3), (1, 3), (2, 3)]


async def test_a_refusal_carries_diagnostics_and_the_worker_can_be_asked_again(workers):
    worker = await workers.start()
    with pytest.raises(JobRefused) as refused:
        await worker.request("refuse", {})
    assert refused.value.stage == "compile"
    assert str(refused.value.diagnostics[0]) == "A.cs:3:5: CS1002 ; expected"
    assert await worker.request("echo", {"value": 1}) == {"value": 1}


@pytest.mark.parametrize("op", ["loop", "deaf", "stop_reading"])
async def test_a_worker_that_does_not_answer_is_ended_when_its_time_is_up(workers, op):
    worker = await workers.start()
    with pytest.raises(JobTimedOut, match=r"no answer within 0\.5 s"):
        await worker.request(op, {"padding": "x" * 1_000_000}, timeout=0.5)
    await worker.end()
    assert workers.left() == []
    with pytest.raises(JobTimedOut):
        await worker.request("echo", {"value": 1})


@pytest.mark.parametrize(
    ("op", "payload", "reason", "words"),
    [
        ("allocate", {}, KillReason.MEMORY, "more than 300 MiB of memory"),
        ("threads", {}, KillReason.PROCESSES, "more than 200 threads"),
        ("shout", {"lines": 50_000}, KillReason.OUTPUT, "printed more than 1000000 bytes"),
        ("garbage", {}, KillReason.PROTOCOL, "no JSON"),
        ("huge_frame", {}, KillReason.PROTOCOL, "a frame of 4294967295 bytes"),
        ("other_id", {}, KillReason.PROTOCOL, "a reply to 999; 1 was asked"),
        ("no_answer", {}, KillReason.PROTOCOL, "neither a result nor an error"),
        ("close_pipe", {}, KillReason.DIED, "closed its pipe"),
        ("die", {}, KillReason.DIED, "exit code 3"),
        ("abort", {}, KillReason.DIED, "something else killed it"),
    ],
)
async def test_a_worker_that_goes_wrong_is_ended_with_a_clear_reason(workers, op, payload, reason, words):
    worker = await workers.start()
    with pytest.raises(JobKilled, match=words) as killed:
        await worker.request(op, payload, timeout=10)
    assert killed.value.reason == reason
    await worker.end()
    assert workers.left() == []


async def test_processor_time_is_limited(workers):
    worker = await workers.start(cpu_seconds=0.3)
    with pytest.raises(JobKilled, match=r"more than 0\.3 s of processor time") as killed:
        await worker.request("loop", {}, timeout=20)
    assert killed.value.reason == KillReason.TIMEOUT


async def test_a_dead_workers_last_words_are_kept(workers):
    worker = await workers.start()
    with pytest.raises(JobKilled) as killed:
        await worker.request("die", {})
    assert killed.value.log == "last words\n"


async def test_cancelling_the_caller_ends_the_worker_at_once(workers):
    worker = await workers.start()
    asking = asyncio.create_task(worker.request("deaf", {}))
    await asyncio.sleep(0.2)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asyncio.wait_for(asking, timeout=10)
    await worker.end()
    assert workers.left() == []
    with pytest.raises(JobKilled, match="the caller gave up"):
        await worker.request("echo", {"value": 1})


async def test_a_program_sees_no_home_no_environment_and_no_other_process(workers, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    secret = tmp_path / "secret.txt"
    secret.write_text("mine")
    worker = await workers.start()
    wanted = [str(secret), f"{HOME}/.bashrc", f"{HOME}/.ssh/id_rsa", "/etc/shadow", f"/proc/{os.getpid()}/environ"]
    closed = ["/usr/x", "/etc/x", "/x", "/dev/x", "/proc/sys/kernel/core_pattern", "/proc/sys/kernel/hostname"]
    saw = await worker.request("look", {"paths": wanted, "writes": [*closed, "/tmp/x"]})
    assert set(saw["files"].values()) == {"FileNotFoundError 2"}
    assert {saw["writes"].pop("/tmp/x")} == {"1"}
    assert set(saw["writes"].values()) <= {"OSError 30", "PermissionError 13"}
    assert "OPENAI_API_KEY" not in saw["environ"]
    assert "secret" not in str(saw["environ"]) + saw["first_environ"]
    assert saw["environ"]["HOME"] == "/tmp"
    assert len(saw["processes"]) <= 3


async def test_a_program_starts_threads_but_no_process(workers):
    worker = await workers.start()
    denied = await worker.request("processes", {})
    assert denied == {
        "fork": "PermissionError 1",
        "posix_spawn": "PermissionError 1",
        "subprocess": "PermissionError 1",
        "memfd": "OSError 38",
    }


async def test_without_inet_only_unix_sockets_open(workers):
    worker = await workers.start()
    tried = await worker.request("outside", {"port": 9})
    assert tried.pop("unix") == "None"
    assert set(tried.values()) == {"OSError 97"}


async def test_with_inet_only_the_workers_own_loopback_answers(workers):
    worker = await workers.start(inet=True)
    with socket.create_server(("127.0.0.1", 0)) as ours:
        tried = await worker.request("outside", {"port": ours.getsockname()[1]})
    assert tried["connect"] == "OSError 101"
    assert tried["host"] == "ConnectionRefusedError 111"
    assert tried["packet"] == tried["vsock"] == "OSError 97"
    assert await worker.request("loopback", {}) == {"heard": "hello"}


async def test_frames_on_stdout_and_stderr_are_only_prints(workers):
    worker = await workers.start()
    assert await worker.request("forge", {}) == {"forged": False}
    assert '"forged": true' in worker.log


@pytest.mark.parametrize(
    ("how", "reason", "words"),
    [
        ("dead", KillReason.DIED, "exit code 1.*it said: cannot start: the answer is 42"),
        ("rude", KillReason.PROTOCOL, "does not say that it is ready"),
    ],
)
async def test_a_worker_that_does_not_start_well_says_why(workers, how, reason, words):
    with pytest.raises(JobKilled, match=words) as killed:
        await workers.start(how=how)
    assert killed.value.reason == reason
