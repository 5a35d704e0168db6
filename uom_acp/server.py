"""The agent server: one short method for each method of the protocol."""

from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from acp import RequestError
from acp.schema import (
    AgentAuthCapabilities,
    AgentCapabilities,
    ClientCapabilities,
    CloseSessionResponse,
    ForkSessionResponse,
    Implementation,
    InitializeResponse,
    ListSessionsResponse,
    LoadSessionResponse,
    LogoutCapabilities,
    McpCapabilities,
    NewSessionResponse,
    PromptCapabilities,
    PromptResponse,
    ResumeSessionResponse,
    SessionCapabilities,
    SessionCloseCapabilities,
    SessionDeleteCapabilities,
    SessionForkCapabilities,
    SessionInfo,
    SessionListCapabilities,
    SessionModeState,
    SessionResumeCapabilities,
    SetSessionConfigOptionResponse,
    SetSessionModeResponse,
)

from uom_acp.archive import Archive
from uom_acp.auth_methods import ENVIRONMENT, AuthMethod, auth_methods
from uom_acp.config_options import (
    DEFAULT_TARGET,
    MODE,
    Choices,
    Chosen,
    ModelChoice,
    mode_state,
    with_models,
)
from uom_acp.content import Block
from uom_acp.credentials import HOW, Credentials
from uom_acp.editor import Editor, EditorOffers, Wire
from uom_acp.errors import NoKey, UnknownChoice
from uom_acp.session import AgentFactory, Session
from uom_acp.sessions import Memory, Sessions
from uom_acp.steering import STEERING, SteeringRequest

PROTOCOL_VERSION = 1


def own_version() -> str:
    """Give the installed version; a checkout that is not installed has none."""
    try:
        return version("uom")
    except PackageNotFoundError:
        return "0+checkout"


def offers_of(capabilities: ClientCapabilities | None, as_sent: Any = None) -> EditorOffers:
    """Read what the editor can do; what the SDK's model does not know is read as it was sent."""
    if capabilities is None:
        return EditorOffers()
    files = capabilities.fs
    options = capabilities.session.config_options if capabilities.session else None
    return EditorOffers(
        read_files=bool(files and files.read_text_file),
        write_files=bool(files and files.write_text_file),
        terminals=bool(capabilities.terminal),
        boolean_options=bool(options and options.boolean),
        forms=bool(capabilities.elicitation and capabilities.elicitation.form is not None),
        notices=_has_notices(as_sent),
    )


def _has_notices(as_sent: Any) -> bool:
    match as_sent:
        case {"session": {"notices": dict()}}:
            return True
    return False


class AgentServerACP:
    """Serves one editor. `agent` builds the graph for a session from its folder, mode and model."""

    def __init__(  # noqa: PLR0913 - what a server is made of
        self,
        agent: AgentFactory,
        *,
        modes: SessionModeState,
        models: Sequence[ModelChoice],
        target: str = DEFAULT_TARGET,
        run_context: Callable[[Chosen], Any] = lambda _: None,
        notice: Callable[[str], str | None] = lambda _: None,
        archive: Archive | None = None,
        memory: Memory | None = None,
        credentials: Credentials | None = None,
    ) -> None:
        """Take the factory and what a session may be set to.

        Args:
            agent: Builds the agent of a session; awaited at its first prompt and after a change of model.
            modes: The modes, with the one that sessions start in.
            models: The models; the first is the default.
            target: Where requests go that name no target, until a session says otherwise.
            run_context: The graph's run context for what a session is set to.
            notice: What the panel says once in a session about its model, such as a missing key.
            archive: Where sessions are stored; without one they end with the connection.
            credentials: The key for chat models; without them there is nothing to log in to.
            memory: What agents remember; told of sessions that are deleted, and of closed ones that are not stored.
        """
        self._choices = Choices(modes=modes, models=models, model=models[0].id, target=target)
        self._archive, self._memory, self._credentials = archive, memory, credentials
        self._sessions = Sessions(
            factory=agent,
            choices=self._choices,
            run_context=run_context,
            notice=notice,
            archive=archive,
            memory=memory,
            editor=self._editor,
        )
        self._wire: Wire | None = None
        self._offers = EditorOffers()

    def on_connect(self, wire: Wire) -> None:
        """Take the connection; called before the first frame."""
        self._wire = wire

    async def offer(self, models: Sequence[ModelChoice]) -> None:
        """Offer more models, to open sessions too."""
        self._choices.models = with_models(self._choices.models, models)
        for session in self._sessions:
            await session.editor.update(session.id, session.options())

    async def close(self) -> None:
        """End all sessions; called when the editor is gone."""
        await self._sessions.close_all()

    async def initialize(
        self,
        protocol_version: int,  # noqa: ARG002 - this agent speaks one version and answers with it
        client_capabilities: ClientCapabilities | None = None,
        capabilities_as_sent: Any = None,
        **_: Any,
    ) -> InitializeResponse:
        """https://agentclientprotocol.com/protocol/v1/initialization."""
        self._offers = offers_of(client_capabilities, capabilities_as_sent)
        return InitializeResponse(
            protocol_version=PROTOCOL_VERSION,
            agent_info=Implementation(name="uom", title="UOM", version=own_version()),
            agent_capabilities=AgentCapabilities(
                load_session=self._archive is not None,
                prompt_capabilities=PromptCapabilities(image=True, audio=False, embedded_context=True),
                mcp_capabilities=McpCapabilities(http=True, sse=True),
                session_capabilities=self._session_capabilities(),
                auth=AgentAuthCapabilities(logout=LogoutCapabilities()) if self._credentials else None,
            ),
            auth_methods=self._auth_methods(client_capabilities),
            field_meta={"steering": {"supported": True}},
        )

    async def authenticate(self, method_id: str, **_: Any) -> dict[str, Any]:
        """https://agentclientprotocol.com/protocol/v1/authentication."""
        if self._credentials is None or method_id != ENVIRONMENT:
            raise UnknownChoice(f"There is no authentication method {method_id!r} to call. {HOW}")
        if not self._credentials.use():
            raise NoKey(f"There is no key for a chat model yet. {HOW}")
        return {}

    async def new_session(self, cwd: str, mcp_servers: Sequence[Any] | None = None, **_: Any) -> NewSessionResponse:
        """https://agentclientprotocol.com/protocol/v1/session-setup."""
        session = await self._sessions.new(cwd, mcp_servers)
        session.settle()
        return NewSessionResponse(session_id=session.id, **self._state_of(session))

    async def load_session(
        self, cwd: str, session_id: str, mcp_servers: Sequence[Any] | None = None, **_: Any
    ) -> LoadSessionResponse:
        """https://agentclientprotocol.com/protocol/v1/session-setup#loading-sessions."""
        session = await self._sessions.reopen(session_id, cwd, mcp_servers)
        for update in session.record.replay():
            await session.editor.update(session.id, update)
        session.settle()
        return LoadSessionResponse(**self._state_of(session))

    async def resume_session(
        self, cwd: str, session_id: str, mcp_servers: Sequence[Any] | None = None, **_: Any
    ) -> ResumeSessionResponse:
        """https://agentclientprotocol.com/protocol/v1/session-setup#resuming-sessions."""
        session = await self._sessions.reopen(session_id, cwd, mcp_servers)
        session.settle()
        return ResumeSessionResponse(**self._state_of(session))

    async def fork_session(
        self, cwd: str, session_id: str, mcp_servers: Sequence[Any] | None = None, **_: Any
    ) -> ForkSessionResponse:
        """https://agentclientprotocol.com/rfds/session-fork; not stable yet, so only offered where it was asked for."""
        session = await self._sessions.fork(session_id, cwd, mcp_servers)
        return ForkSessionResponse(session_id=session.id, **self._state_of(session))

    async def list_sessions(self, cwd: str | None = None, cursor: str | None = None, **_: Any) -> ListSessionsResponse:
        """https://agentclientprotocol.com/protocol/v1/session-list."""
        found, following = await self._sessions.page(cwd, cursor)
        sessions = [
            SessionInfo(session_id=each.id, cwd=each.cwd, title=each.title, updated_at=each.updated_at)
            for each in found
        ]
        return ListSessionsResponse(sessions=sessions, next_cursor=following)

    async def prompt(self, session_id: str, prompt: list[Block], **_: Any) -> PromptResponse:
        """https://agentclientprotocol.com/protocol/v1/prompt-turn."""
        session = self._sessions.get(session_id)
        return await session.prompt(prompt)

    async def cancel(self, session_id: str, **_: Any) -> None:
        """https://agentclientprotocol.com/protocol/v1/prompt-turn#cancellation."""
        if session := self._sessions.find(session_id):
            session.cancel()

    async def set_session_mode(self, session_id: str, mode_id: str, **_: Any) -> SetSessionModeResponse:
        """https://agentclientprotocol.com/protocol/v1/session-modes."""
        session = self._sessions.get(session_id)
        await session.choose(MODE, mode_id)
        return SetSessionModeResponse()

    async def set_config_option(
        self, session_id: str, config_id: str, value: Any, **_: Any
    ) -> SetSessionConfigOptionResponse:
        """https://agentclientprotocol.com/protocol/v1/session-config-options."""
        session = self._sessions.get(session_id)
        await session.choose(config_id, value)
        return SetSessionConfigOptionResponse(config_options=session.options().config_options)

    async def close_session(self, session_id: str, **_: Any) -> CloseSessionResponse:
        """https://agentclientprotocol.com/protocol/v1/session-setup#closing-active-sessions."""
        await self._sessions.close(self._sessions.get(session_id))
        return CloseSessionResponse()

    async def delete_session(self, session_id: str, **_: Any) -> dict[str, Any]:
        """https://agentclientprotocol.com/protocol/v1/session-delete; an unknown one is deleted already."""
        await self._sessions.delete(session_id)
        return {}

    async def logout(self, **_: Any) -> dict[str, Any]:
        """https://agentclientprotocol.com/protocol/v1/authentication#logout; open sessions lose the key too."""
        if self._credentials is None:
            raise RequestError.method_not_found("logout")
        self._credentials.forget()
        for session in self._sessions:
            session.built = None
        return {}

    async def ext_method(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """https://agentclientprotocol.com/protocol/v1/extensibility."""
        if method != STEERING:
            raise RequestError.method_not_found(f"_{method}")
        asked = SteeringRequest.model_validate(params)
        return await self._steer(asked)

    async def _steer(self, asked: SteeringRequest) -> dict[str, Any]:
        """Bring the person's words into the turn that runs, as other agents do; a client may want to know of none."""
        session = self._sessions.get(asked.session_id)
        if session.steer(asked.prompt):
            return {"outcome": "injected"}
        if asked.only_into_a_turn:
            return {"outcome": "promptRequired", "reason": "noRunningTurn"}
        session.start(asked.prompt)
        return {"outcome": "startedNewTurn"}

    def _auth_methods(self, capabilities: ClientCapabilities | None) -> list[AuthMethod]:
        terminal = bool(capabilities and capabilities.auth and capabilities.auth.terminal)
        return auth_methods(terminal=terminal) if self._credentials else []

    def _session_capabilities(self) -> SessionCapabilities:
        close = SessionCloseCapabilities()
        if self._archive is None:
            return SessionCapabilities(close=close)
        return SessionCapabilities(
            close=close,
            list=SessionListCapabilities(),
            resume=SessionResumeCapabilities(),
            delete=SessionDeleteCapabilities(),
            fork=SessionForkCapabilities() if self._memory and self._memory.forks else None,
        )

    def _state_of(self, session: Session) -> dict[str, Any]:
        return {
            "modes": mode_state(self._choices, session.mode),
            "config_options": session.options().config_options,
        }

    def _editor(self) -> Editor:
        assert self._wire is not None, "a session needs a connection"
        return Editor(wire=self._wire, offers=self._offers)
