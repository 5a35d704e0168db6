"""How a person gives the agent a key, as editors offer it. Pure."""

from acp.schema import AuthMethodAgent, TerminalAuthMethod

from uom_acp.credentials import HOW

TERMINAL, ENVIRONMENT = "uom-login", "environment"
LOGIN_ARGUMENT = "--login"

AuthMethod = TerminalAuthMethod | AuthMethodAgent


def auth_methods(*, terminal: bool) -> list[AuthMethod]:
    """Offer a terminal that asks, where the editor opens one for it, else the environment."""
    if terminal:
        return [
            TerminalAuthMethod(
                type="terminal",
                id=TERMINAL,
                name="Enter a key",
                description="Asks in a terminal for the address and the key of a chat model, and stores them.",
                args=[LOGIN_ARGUMENT],
            )
        ]
    return [AuthMethodAgent(id=ENVIRONMENT, name="Key from the environment", description=HOW)]
