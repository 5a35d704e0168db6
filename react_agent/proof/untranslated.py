"""Untranslated: queries that EF Core cannot run on the proof's own database, so that the source has no answer there."""

import re

from react_agent.proof.capabilities import Reason
from react_agent.proof.envelopes import Envelope

_LINQ = re.compile(r"^The LINQ expression .+ could not be translated", re.DOTALL)
_SQLITE = re.compile(r"^SQLite (?:does not support|cannot) .+?(?=\.\s|$)", re.DOTALL)
_DETAIL = re.compile(r"Additional information: (.+?)(?=\.? Either rewrite|\.? See https?:|$)", re.DOTALL)
MOST = 240


def untranslated(source: Envelope) -> tuple[Reason, ...]:
    """Say that EF Core refused a query on SQLite; on the user's own database it may run, so this is no difference.

    The wordings are those of EF Core 10's relational and SQLite providers.
    """
    text = source.message or ""
    if source.outcome != "throws" or source.kind != "error":
        return ()
    refused = _SQLITE.search(text) if source.exception == "System.NotSupportedException" else None
    is_linq = source.exception == "System.InvalidOperationException" and _LINQ.search(text)
    if not refused and not is_linq:
        return ()
    detail = _DETAIL.search(text)
    told = refused.group() if refused else detail.group(1) if detail else "its LINQ cannot be translated to SQL"
    said = " ".join(told.split())
    return (Reason(construct="LINQ", text=f"EF Core cannot run this query on SQLite: {said[:MOST]}"),)
