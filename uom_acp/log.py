"""Logging to stderr only: stdout is the wire."""

import logging
import os
import re
import sys
from collections.abc import Iterable, Mapping

SECRET_VARIABLE = re.compile(r"(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|CONNECTION_STRING)", re.IGNORECASE)
SECRET_SHAPE = re.compile(
    r"""(?xi)
    \b(?:sk|pk|ghp|gho|glpat|xox[abp])[-_][A-Za-z0-9_\-]{8,}       # provider keys
    | (?<=bearer\ )[A-Za-z0-9._~+/\-]{8,}=*                         # authorization headers
    | (?<=://)[^\s/:@]+:[^\s/@]+(?=@)                               # user and password in an address
    | (?<=password=)[^;\s"']+ | (?<=pwd=)[^;\s"']+                  # connection strings
    """
)
MASK = "***"
SHORTEST_SECRET = 6


def secrets_of(environment: Mapping[str, str]) -> tuple[str, ...]:
    """List the values that may never be shown; the longest first, so that none survives in part."""
    values = {
        value for name, value in environment.items() if SECRET_VARIABLE.search(name) and len(value) >= SHORTEST_SECRET
    }
    return tuple(sorted(values, key=len, reverse=True))


def masked(text: str, secrets: Iterable[str] | None = None) -> str:
    """Hide known secret values and everything that has the shape of one."""
    for secret in secrets_of(os.environ) if secrets is None else secrets:
        text = text.replace(secret, MASK)
    return SECRET_SHAPE.sub(MASK, text)


class MaskingFormatter(logging.Formatter):
    """Format a record as one plain entry without secrets, its traceback included."""

    def format(self, record: logging.LogRecord) -> str:
        """Mask after formatting: a secret may stand in arguments or in an exception's text."""
        return masked(super().format(record))


def to_stderr(level: str = "WARNING") -> None:
    """Send every log record to stderr; an editor shows it as the agent's log."""
    stream = logging.StreamHandler(sys.stderr)
    stream.setFormatter(MaskingFormatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logging.basicConfig(level=level.upper(), handlers=[stream], force=True)
