"""A worker in Python that does what it is asked, good or bad."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path


def read_exactly(descriptor, size):
    data = b""
    while len(data) < size:
        chunk = os.read(descriptor, size - len(data))
        if not chunk:
            sys.exit(0)
        data += chunk
    return data


def send(descriptor, message):
    body = json.dumps(message).encode()
    write_all(descriptor, len(body).to_bytes(4, "big") + body)


def write_all(descriptor, data):
    while data:
        data = data[os.write(descriptor, data) :]


def attempt(action):
    try:
        return str(action())
    except OSError as error:
        return f"{type(error).__name__} {error.errno}"


def readable(path):
    with Path(path).open("rb") as file:
        return file.read(100).decode(errors="replace")


def write(path):
    return Path(path).write_text("x")


def loopback(_):
    server = socket.create_server(("127.0.0.1", 0))
    client = socket.create_connection(server.getsockname())
    server.accept()[0].sendall(b"hello")
    return {"heard": client.recv(5).decode()}


def outside(request):
    return {
        "connect": attempt(lambda: socket.create_connection(("192.0.2.1", 80), timeout=2)),
        "host": attempt(lambda: socket.create_connection(("127.0.0.1", request["port"]), timeout=2)),
        "unix": attempt(lambda: socket.socket(socket.AF_UNIX).close()),
        "packet": attempt(lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW)),
        "vsock": attempt(lambda: socket.socket(socket.AF_VSOCK)),
    }


def look(request):
    return {
        "files": {path: attempt(lambda path=path: readable(path)) for path in request["paths"]},
        "writes": {path: attempt(lambda path=path: write(path)) for path in request.get("writes", ())},
        "environ": dict(os.environ),
        "first_environ": attempt(lambda: readable("/proc/1/environ")),
        "root": sorted(path.name for path in Path("/").iterdir()),
        "processes": sorted(int(path.name) for path in Path("/proc").glob("[0-9]*")),
    }


def processes(_):
    thread = threading.Thread(target=lambda: None)
    thread.start()
    thread.join()
    return {
        "fork": attempt(os.fork),
        "posix_spawn": attempt(lambda: os.posix_spawn("/bin/true", ["true"], {})),
        "subprocess": attempt(lambda: subprocess.run(["/bin/true"], check=True)),
        "memfd": attempt(lambda: os.memfd_create("m")),
    }


def allocate(_):
    blocks = [b"x" * (16 * 1024 * 1024) for _ in range(640)]
    return {"blocks": len(blocks)}


def threads(_):
    with contextlib.suppress(RuntimeError):  # refused: the limit's way of saying so is what is looked at
        for _ in range(5000):
            threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
    time.sleep(60)


def crowd(_):
    for _ in range(5000):
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()


def loop(_):
    while True:
        pass


def deaf(_):
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    loop(_)


def shout(request):
    for _ in range(request["lines"]):
        sys.stdout.write("x" * 1023 + "\n")
    return {}


def echo(request):
    sys.stdout.write("to stdout\n")
    sys.stdout.flush()
    sys.stderr.write("to stderr\n")
    sys.stderr.flush()
    return {"value": request["value"]}


def forge(request):
    send(1, {"id": request["id"], "ok": True, "result": {"forged": True}})
    send(2, {"id": request["id"], "ok": True, "result": {"forged": True}})
    return {"forged": False}


ANSWERS = {
    each.__name__: each
    for each in (loopback, outside, look, processes, allocate, threads, crowd, loop, deaf, shout, echo, forge)
}


def progress(out, number):
    for done in range(3):
        send(out, {"id": number, "event": "progress", "done": done, "total": 3})
    send(out, {"id": number, "ok": True, "result": {}})


def refuse(out, number):
    found = {"file": "A.cs", "line": 3, "column": 5, "code": "CS1002", "message": "; expected"}
    error = {"stage": "compile", "message": "1 error", "diagnostics": [found]}
    send(out, {"id": number, "ok": False, "error": error})


def close_pipe(out, _):
    os.close(out)
    time.sleep(60)


def die(*_):
    os.write(1, b"last words\n")
    os._exit(3)


REPLIES = {
    "progress": progress,
    "refuse": refuse,
    "close_pipe": close_pipe,
    "die": die,
    "garbage": lambda out, _: write_all(out, b"\x00\x00\x00\x05hello"),
    "huge_frame": lambda out, _: write_all(out, b"\xff\xff\xff\xff" + b"x" * 100_000),
    "other_id": lambda out, _: send(out, {"id": 999, "ok": True, "result": {}}),
    "no_answer": lambda out, number: send(out, {"id": number, "ok": "maybe"}),
    "abort": lambda *_: os.kill(os.getpid(), signal.SIGKILL),
    "stop_reading": lambda *_: time.sleep(60),
}


def main():
    arguments = dict(zip(sys.argv[1::2], sys.argv[2::2], strict=True))
    inlet, out = int(arguments["--in"]), int(arguments["--out"])
    match arguments.get("--start"):
        case "silent":
            time.sleep(60)
        case "dead":
            sys.exit("cannot start: the answer is 42")
        case "rude":
            send(out, {"hello": "there"})
    send(out, {"ready": True, "engine": {"name": "python", "version": sys.version.split()[0]}})
    while True:
        request = json.loads(read_exactly(inlet, int.from_bytes(read_exactly(inlet, 4), "big")))
        if answer := ANSWERS.get(request["op"]):
            send(out, {"id": request["id"], "ok": True, "result": answer(request)})
        else:
            REPLIES[request["op"]](out, request["id"])


main()
