"""Freeze: one hash over the judge and what it was given, so that no retry runs under another judge."""

import hashlib
import json
from collections.abc import Iterable
from functools import cache
from importlib import resources

from react_agent.proof.calls import Call
from react_agent.proof.instances import Instance


class JudgeChanged(RuntimeError):
    """The judge, its instances or its calls are not those that the first attempt was judged by."""


@cache
def sources_hash() -> str:
    """Hash the judge's own sources, and the models that it reads."""
    digest = hashlib.sha256()
    for package in ("react_agent.proof", "react_agent.model"):
        files = sorted((f for f in resources.files(package).iterdir() if f.name.endswith(".py")), key=lambda f: f.name)
        for file in files:
            digest.update(f"{package}/{file.name}\0".encode())
            digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def judge_hash(instances: Iterable[Instance] = (), calls: Iterable[Call] = ()) -> str:
    """Hash the judge with the suite it judges by."""
    suite = {"instances": [i.to_json() for i in instances], "calls": [c.to_json() for c in calls]}
    text = json.dumps(suite, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(f"{sources_hash()}\n{text}".encode()).hexdigest()


def check_judge(frozen: str, instances: Iterable[Instance], calls: Iterable[Call]) -> None:
    """Refuse a judge that changed between attempts.

    Raises:
        JudgeChanged: the hash is another one than at the first attempt.
    """
    now = judge_hash(instances, calls)
    if now != frozen:
        raise JudgeChanged(
            f"the judge changed between two attempts ({frozen[:12]} -> {now[:12]}): start the proof anew with one suite"
        )
