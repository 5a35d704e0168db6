"""The composition root: settings, models, sandboxes, the agent's factory, and serving an editor on stdio."""

import asyncio
import contextlib
import importlib
import logging
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from acp.schema import SessionMode, SessionModeState
from platformdirs import user_state_path

from react_agent.context import BadSetting, Context
from react_agent.model_facts import ModelFacts, thinks
from react_agent.models import AvailableModel, ModelUnavailable, list_model_facts
from uom_acp.archive import Archive
from uom_acp.config_options import AUTO, Chosen, ModelChoice
from uom_acp.connection import serve_connection
from uom_acp.credentials import HOW, Credentials
from uom_acp.log import masked, to_stderr
from uom_acp.server import AgentServerACP
from uom_acp.session import heavy
from uom_acp.transport import claim_stdout

log = logging.getLogger(__name__)

WarmUp = Callable[[AgentServerACP], Awaitable[None]]

RULES = ModelChoice(
    id="uom/rules", name="UOM rules", description="Built in: translates and proves without a key or a network"
)
NO_KEY = (
    "No key for a chat model is set, so the built-in `uom/rules` serves: it translates and proves, and does not "
    f"converse. To add a model: {HOW}"
)
LONGEST_END = 1.5
"""Seconds that sessions and sandboxes get to end; an editor kills what stays."""


async def _load_heavy(_: AgentServerACP) -> None:
    await heavy()


def serve(*, verbose: bool = False) -> int:
    """Serve an editor with the agent that the environment's settings describe."""
    to_stderr("DEBUG" if verbose else os.environ.get("UOM_LOG", "WARNING"))
    try:
        settings = Context()
    except BadSetting as error:
        sys.stderr.write(f"uom: {masked(str(error))}\n")
        return 2
    return serve_stdio(lambda: build_server(settings), lambda server: _warm_up(server, settings))


def serve_stdio(build: Callable[[], AgentServerACP], warm_up: WarmUp = _load_heavy) -> NoReturn:
    """Serve on stdin and stdout until the editor hangs up or the process is asked to end.

    Ends the process itself: a library's thread that still runs would hold the interpreter, and with it the editor.
    """
    asyncio.run(_serve_and_exit(build, warm_up, claim_stdout()))
    raise AssertionError("the process has ended before")


async def _serve_and_exit(build: Callable[[], AgentServerACP], warm_up: WarmUp, wire: int) -> None:
    code = 0
    try:
        await serving(build(), warm_up, 0, wire)
    except Exception:
        log.exception("serving ended")
        code = 4
    sys.stderr.flush()
    os._exit(code)


async def serving(server: AgentServerACP, warm_up: WarmUp, reader: int, writer: int) -> None:
    """Serve on two descriptors, with what is heavy loaded in the background; then leave nothing running."""
    loop = asyncio.get_running_loop()
    connection = asyncio.create_task(serve_connection(server, reader, writer))
    for name in ("SIGTERM", "SIGINT", "SIGHUP"):
        with contextlib.suppress(AttributeError, NotImplementedError):  # Windows has neither all of them nor handlers
            loop.add_signal_handler(getattr(signal, name), connection.cancel)
    warming = asyncio.create_task(_later(server, warm_up))
    try:
        await connection
    except asyncio.CancelledError:
        log.info("asked to end")
    finally:
        warming.cancel()
        await _ended(server)


async def _warm_up(server: AgentServerACP, settings: Context) -> None:
    await heavy()
    factory = await _factory()
    await asyncio.gather(factory.warm_sandboxes(), _offer_endpoint_models(server, settings))


async def _offer_endpoint_models(server: AgentServerACP, settings: Context) -> None:
    if settings.has_model_endpoint:
        try:
            listed = await list_model_facts(settings)
        except ModelUnavailable as error:
            log.warning("%s", error)
        else:
            await server.offer([choice_of(facts) for facts in listed])


async def _later(server: AgentServerACP, warm_up: WarmUp) -> None:
    await asyncio.sleep(0.05)  # the first answer goes out before the interpreter's lock is busy with imports
    try:
        await warm_up(server)
    except Exception:
        log.exception("warming up failed; it is tried again when it is needed")


async def _ended(server: AgentServerACP) -> None:
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(LONGEST_END):
            await server.close()
            if (factory := sys.modules.get("uom_acp.agent_factory")) is not None:
                await factory.close()


def build_server(settings: Context) -> AgentServerACP:
    """Compose the server from the settings; nothing heavy is imported here."""
    agents = Agents(folder=user_state_path("uom") / "sessions", forks=bool(os.environ.get("UOM_UNSTABLE")))
    return AgentServerACP(
        agent=agents.build,
        modes=modes(production=os.environ.get("UOM_ENV") == "production"),
        models=models_for(settings),
        target=settings.target,
        run_context=run_context,
        archive=Archive(agents.folder),
        memory=agents,
        notice=lambda model: NO_KEY if model == RULES.id and not _has_key(settings) else None,
        credentials=Credentials(),
    )


def _has_key(settings: Context) -> bool:
    return settings.has_model_endpoint or Context().has_model_endpoint  # one may have been stored since


def run_context(chosen: Chosen) -> Context:
    """Give the translator's settings for what a session is set to; the rest is the environment's."""
    return Context(
        model=chosen.model,
        target=chosen.target,
        thought_level=None if chosen.level == AUTO else chosen.level,
        decisions=chosen.decisions,
    )


def models_for(settings: Context) -> Sequence[ModelChoice]:
    """List the models; the first is the one that sessions start with. Those without a key ask for one when chosen."""
    if settings.model == RULES.id:
        return [RULES, *_endpoint_models(settings)]
    if settings.model.startswith("ollama/"):
        return [ModelChoice(id=settings.model, name=settings.model), RULES]
    with_key = settings.has_model_endpoint
    return [*_endpoint_models(settings), RULES] if with_key else [RULES, *_endpoint_models(settings)]


def choice_of(facts: ModelFacts) -> ModelChoice:
    """Offer a model that the endpoint lists."""
    return ModelChoice(id=facts.name, name=facts.name, window=facts.window, price=facts.price, thinks=facts.thinks)


def _endpoint_models(settings: Context) -> list[ModelChoice]:
    names = [settings.model, *(str(name) for name in AvailableModel)]
    skipped = ("uom/", "ollama/")
    told = None if settings.has_model_endpoint else "Needs a key"
    return [
        ModelChoice(id=name, name=name.rpartition("/")[2], description=told, thinks=thinks(name))
        for name in dict.fromkeys(names)
        if not name.startswith(skipped)
    ]


def modes(*, production: bool) -> SessionModeState:
    """Offer the three modes; production starts careful."""
    return SessionModeState(
        current_mode_id="ask_before_edits" if production else "accept_edits",
        available_modes=[
            SessionMode(
                id="ask_before_edits",
                name="Ask before edits",
                description="Asks before every write, edit, deletion, plan and command",
            ),
            SessionMode(
                id="accept_edits",
                name="Accept edits",
                description="Edits files without asking; asks before commands and plans",
            ),
            SessionMode(
                id="accept_everything",
                name="Accept everything",
                description="Asks nothing",
            ),
        ],
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Agents:
    """The agents whose conversations are kept in one folder."""

    folder: Path
    forks: bool = False

    async def build(self, context: Any) -> Any:
        """Build the agent of a session."""
        await asyncio.to_thread(Credentials().use)  # a key may have been stored since this process began
        return await (await _factory()).build_agent(context, self.folder)

    async def forget(self, thread: str) -> None:
        """Drop a conversation."""
        await (await (await _factory()).conversations(self.folder)).forget(thread)

    async def copy(self, thread: str, new_thread: str) -> None:
        """Let another conversation go on from where one stands."""
        await (await (await _factory()).conversations(self.folder)).copy(thread, new_thread)


async def _factory() -> Any:
    return await asyncio.to_thread(importlib.import_module, "uom_acp.agent_factory")
