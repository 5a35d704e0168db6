"""Packages of the npm registry, for tests that need a program of others."""

import os
import subprocess
from pathlib import Path

import pytest


def installed(folder: Path, *arguments: str) -> None:
    """Run `npm install` in a folder; a registry that cannot be reached skips the test, but fails it in CI."""
    command = ["npm", "install", "--no-save", "--no-fund", "--no-audit", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=300)
    if done.returncode:
        told = f"npm install failed in {folder}: {(done.stderr or done.stdout).strip()[-300:]}"
        (pytest.fail if os.environ.get("CI") else pytest.skip)(told)
