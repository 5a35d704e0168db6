"""`uom login`: ask for the key of a chat model's endpoint, see that it works, and store it for this user."""

import argparse
import asyncio
import getpass
import os
import sys

from react_agent.context import DEFAULTS, Context
from react_agent.models import ModelUnavailable, list_models
from uom_acp.credentials import KEY, MODEL, URL, Credentials

EXIT_BAD_INPUT = 2


def run(_: argparse.Namespace) -> int:
    """Store a key that the endpoint takes; any other ends with 2."""
    url = _asked("Address of the endpoint", os.environ.get(URL) or str(DEFAULTS["openai_api_url"]))
    sys.stderr.write("Key (not shown): ")
    sys.stderr.flush()
    key = (getpass.getpass("") if sys.stdin.isatty() else sys.stdin.readline()).strip()
    if not key:
        return _refused("no key was given; nothing is stored")
    try:
        names = asyncio.run(list_models(Context(openai_api_url=url, openai_api_key=key)))
    except ModelUnavailable as error:
        return _refused(f"{error}; nothing is stored")
    model = _asked("Model", os.environ.get(MODEL) or _first(names))
    credentials = Credentials()
    credentials.store({KEY: key, URL: url, MODEL: model})
    sys.stderr.write(f"uom: stored in {credentials.path}; `uom login` again replaces it\n")
    return 0


def _asked(what: str, default: str) -> str:
    sys.stderr.write(f"{what} [{default}]: ")
    sys.stderr.flush()
    return sys.stdin.readline().strip() or default


def _first(names: list[str]) -> str:
    default = str(DEFAULTS["model"])
    known = default in names or default.partition("/")[2] in names
    return default if known or not names else names[0]


def _refused(why: str) -> int:
    sys.stderr.write(f"uom: {why}\n")
    return EXIT_BAD_INPUT
