"""Choose where programs run: at a Daytona service where there is a key to one, else on this machine."""

from react_agent.context import Context
from react_agent.sandbox.validation import LOCAL, LocalClient, SandboxClient

_ALLOWING = LocalClient(allow_unisolated=True)


def client_of(context: Context) -> SandboxClient:
    """Give the client that the settings want; equal settings give equal clients, which share what is warm."""
    if context.daytona_api_key:
        # Imported when it is wanted: who runs programs here pays nothing for it.
        from react_agent.sandbox.daytona import DaytonaClient  # noqa: PLC0415
        from react_agent.sandbox.daytona_service import service_of  # noqa: PLC0415

        return DaytonaClient(service=service_of(context))
    return _ALLOWING if context.allow_unisolated else LOCAL
