"""The modes of a session: what each asks before."""

from acp.schema import SessionMode, SessionModeState

from uom_acp.tool_calls import kind_of

ASK, ACCEPT_EDITS, ACCEPT_EVERYTHING = "ask_before_edits", "accept_edits", "accept_everything"
PLAN_TOOL = "write_todos"


def modes(*, production: bool) -> SessionModeState:
    """Offer the three modes; production starts careful."""
    return SessionModeState(
        current_mode_id=ASK if production else ACCEPT_EDITS,
        available_modes=[
            SessionMode(
                id=ASK,
                name="Ask before edits",
                description="Asks before every write, edit, deletion, plan and command",
            ),
            SessionMode(
                id=ACCEPT_EDITS,
                name="Accept edits",
                description="Edits files without asking; asks before commands and plans",
            ),
            SessionMode(
                id=ACCEPT_EVERYTHING,
                name="Accept everything",
                description="Asks nothing",
            ),
        ],
    )


def asks(mode: str, tool: str) -> bool:
    """Tell whether a call of this tool waits for the person; an unknown mode is the careful one."""
    if mode == ACCEPT_EVERYTHING:
        return False
    if tool == PLAN_TOOL or kind_of(tool) == "execute":
        return True
    return mode != ACCEPT_EDITS and kind_of(tool) in {"edit", "delete", "move"}
