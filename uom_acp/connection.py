"""Join an agent server, the SDK's router and a transport into one served connection."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from acp.agent.router import build_agent_router
from acp.connection import Connection, StreamObserver
from acp.router import MessageRouter
from acp.schema import DeleteSessionRequest, LogoutRequest
from acp.utils import normalize_result

from uom_acp.errors import to_request_error
from uom_acp.transport import DescriptorTransport, RequestId, request_id

log = logging.getLogger(__name__)

Route = Callable[[str, Any, bool], Awaitable[Any]]


class Requests:
    """The requests that are being answered; each always gets exactly one answer."""

    def __init__(self, route: Route) -> None:
        self._route = route
        self._running: dict[RequestId, asyncio.Task[Any]] = {}
        self._withdrawn: set[RequestId] = set()

    async def __call__(self, method: str, params: Any, is_notification: bool) -> Any:  # noqa: FBT001 - the SDK calls it so
        """Route one call; what it raises becomes an error without secrets."""
        if is_notification:
            return await self._route(method, params, is_notification)
        asked = request_id.get()
        task = asyncio.current_task()
        assert task is not None
        self._running[asked] = task
        try:
            return await self._route(method, params, is_notification)
        except asyncio.CancelledError as error:
            if asked not in self._withdrawn:  # the connection is closing: nobody waits for an answer
                raise
            task.uncancel()
            raise to_request_error(error) from None
        except Exception as error:
            answer = to_request_error(error)
            if answer.code == -32603:
                log.exception("%s failed", method)
            raise answer from None
        finally:
            self._running.pop(asked, None)
            self._withdrawn.discard(asked)

    def cancel(self, asked: RequestId) -> None:
        """Withdraw one request; an id that is not running is ignored, as the protocol asks."""
        if task := self._running.get(asked):
            self._withdrawn.add(asked)
            task.cancel()


def add_routes(router: MessageRouter, agent: Any) -> None:
    """Route the stable methods that the SDK's release knows no route for."""
    router.route_request("session/delete", DeleteSessionRequest, agent, "delete_session", adapt_result=normalize_result)
    router.route_request("logout", LogoutRequest, agent, "logout", adapt_result=normalize_result)


async def serve_connection(
    agent: Any, reader: int, writer: int, *, observers: list[StreamObserver] | None = None
) -> None:
    """Answer the editor on two descriptors until it closes its end."""
    router = build_agent_router(agent, use_unstable_protocol=True)
    add_routes(router, agent)
    requests = Requests(router)
    transport = DescriptorTransport(reader, writer, on_cancel_request=requests.cancel)
    wire = Connection(requests, transport, listening=False, observers=observers)
    agent.on_connect(wire)
    try:
        await wire.main_loop()
    finally:
        await asyncio.shield(wire.close())
