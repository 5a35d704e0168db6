"""The `uom` command: reads arguments and starts one command; each command imports what it needs by itself."""

import argparse
import importlib
import logging
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from uom_acp.credentials import Credentials

EXIT_USAGE = 2
EXIT_INTERNAL = 4
EXIT_CANCELLED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    0 all proven, 1 different, 2 bad usage or input, 3 not proven, 4 internal error, 130 cancelled.
    """
    arguments = _parser().parse_args(argv)
    level = logging.DEBUG if arguments.verbose else logging.WARNING
    logging.basicConfig(stream=sys.stderr, level=level, format="%(levelname)s %(name)s: %(message)s")
    if threading.current_thread() is threading.main_thread():
        # What asks us to end gets the same clean end as the person who does: programs ended, half a build removed.
        signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    Credentials().use()
    try:
        return importlib.import_module(f"uom_acp.commands.{arguments.command}").run(arguments)
    except KeyboardInterrupt:
        sys.stderr.write("uom: cancelled\n")
        return EXIT_CANCELLED
    except BrokenPipeError:
        return EXIT_CANCELLED
    except Exception as error:
        if arguments.verbose:
            raise
        sys.stderr.write(f"uom: internal error: {type(error).__name__}: {error}\n")
        sys.stderr.write("uom: run again with --verbose for the whole trace; please report it\n")
        return EXIT_INTERNAL


class _Parser(argparse.ArgumentParser):
    """Says what is wrong with the arguments on one line, as every other bad input is said."""

    def error(self, message: str) -> NoReturn:
        """End with the exit code of bad usage."""
        self.exit(EXIT_USAGE, f"{self.prog}: {message}; `{self.prog} --help` lists what it takes\n")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="uom", description="Move a data layer from EF Core to Spring Data, and prove it by running both sides."
    )
    parser.add_argument("--version", action="version", version=f"uom {_version()}")
    shared = _Parser(add_help=False)
    shared.add_argument("-v", "--verbose", action="store_true", help="log to stderr; full traces")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    acp = commands.add_parser("acp", parents=[shared], help="serve an editor on stdin and stdout")
    acp.add_argument("--login", action="store_true", help="ask for a key instead, as `uom login` does")

    commands.add_parser("login", parents=[shared], help="store the key of a chat model's endpoint")

    translate = commands.add_parser("translate", parents=[shared], help="translate C# and prove the Java")
    _add_proof_options(translate)
    translate.add_argument("--to", required=True, metavar="TARGET", help="java-spring-data-mongodb")
    translate.add_argument("--out", type=Path, metavar="DIR", help="write the Java project here")
    translate.add_argument("--model", default="uom/rules", metavar="NAME", help="chat model (default: uom/rules)")

    prove = commands.add_parser("prove", parents=[shared], help="prove Java that a person or another tool wrote")
    _add_proof_options(prove)
    prove.add_argument("--against", required=True, type=Path, metavar="DIR", help="the Java project")

    doctor = commands.add_parser("doctor", parents=[shared], help="say what is there and what is missing")
    doctor.add_argument("--json", action="store_true", help="print JSON")

    demo = commands.add_parser("demo", parents=[shared], help="run the main job on a bundled sample")
    demo.add_argument("--out", type=Path, metavar="DIR", help="folder to work in (default: a new one)")
    return parser


def _add_proof_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", nargs="+", type=Path, metavar="PATH", help="C# files, or the folder of a C# project")
    parser.add_argument("--data", type=Path, metavar="FILE", help='your own rows: {"Table": [{"Column": cell}]}')
    parser.add_argument("--calls", type=Path, metavar="FILE", help='your own calls: [{"method", "args"}]')
    parser.add_argument("--results", type=Path, metavar="FILE", help="write both sides' envelopes of your calls")
    parser.add_argument("--report", type=Path, metavar="FILE", help="write the report: JSON, or HTML by its ending")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    parser.add_argument("--seed", type=int, metavar="N", help="seed of the proof's data (default: a fresh one)")
    parser.add_argument("--recordings", type=Path, metavar="DIR", help="folder of recorded source runs")
    parser.add_argument("--record", type=Path, metavar="DIR", help="record the source's run into this folder")
    parser.add_argument(
        "--allow-unisolated", action="store_true", help="run the code even where this machine cannot isolate it"
    )


def _version() -> str:
    from importlib.metadata import version  # noqa: PLC0415 - only for --version

    return version("uom")


if __name__ == "__main__":
    sys.exit(main())
