"""Keep workers warm: each serves one job, and the next is started when it is given back."""

import asyncio
import logging
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager

from react_agent.sandbox.job import Worker
from react_agent.sandbox.protocol import SandboxError

_log = logging.getLogger(__name__)


class PoolClosed(SandboxError):
    """The pool lends nothing any more."""

    def __init__(self) -> None:
        super().__init__("the sandbox is closed")


class Pool:
    """At most `lent` workers at work and `warm` waiting.

    The replacement starts when a job is over and not while it runs: warming up a runtime takes
    all cores of a small machine, and the job in hand is what somebody waits for.
    """

    def __init__(self, start: Callable[[], Awaitable[Worker]], *, warm: int = 1, lent: int = 2) -> None:
        self._start = start
        self._warm = warm
        self._free = asyncio.Semaphore(lent)
        self._waiting: deque[asyncio.Task[Worker]] = deque()
        self._lent: set[Worker] = set()
        self._ending: set[asyncio.Task[None]] = set()
        self._closed = False

    def fill(self) -> None:
        """Start what is missing, in the background."""
        while not self._closed and len(self._waiting) < self._warm:
            self._waiting.append(asyncio.create_task(self._begin()))

    async def ready(self) -> None:
        """Wait until a worker is warm; raises what stopped it from starting."""
        self.fill()
        if self._waiting:
            await asyncio.shield(self._waiting[0])

    @asynccontextmanager
    async def lend(self) -> AsyncGenerator[Worker]:
        """Lend a worker for one job; it is ended afterwards.

        Raises:
            PoolClosed: the pool was closed.
            SandboxError: no worker could be started.
        """
        async with self._free:
            worker = await self._take()
            self._lent.add(worker)
            worker.watch()
            try:
                yield worker
            finally:
                worker.kill()
                self._lent.discard(worker)
                self._retire(worker)
                self.fill()

    async def close(self) -> None:
        """End every worker, and lend no more."""
        self._closed = True
        starting = [self._waiting.popleft() for _ in range(len(self._waiting))]
        for task in starting:
            task.cancel()
        started = await asyncio.gather(*starting, return_exceptions=True)
        workers = [*self._lent, *(each for each in started if isinstance(each, Worker))]
        await asyncio.gather(*(worker.end() for worker in workers), *self._ending)

    async def _begin(self) -> Worker:
        return await self._start()

    async def _take(self) -> Worker:
        while not self._closed:
            prepared = bool(self._waiting)
            task = self._waiting.popleft() if prepared else asyncio.create_task(self._begin())
            try:
                worker = await asyncio.shield(task)
            except asyncio.CancelledError:
                self._waiting.appendleft(task)  # the next one needs it all the same
                raise
            except SandboxError as error:
                if not prepared:
                    raise
                _log.warning("a worker could not be prepared, starting another: %s", error)
                continue
            if worker.running:
                return worker
            self._retire(worker)
        raise PoolClosed

    def _retire(self, worker: Worker) -> None:
        ending = asyncio.create_task(worker.end())
        self._ending.add(ending)
        ending.add_done_callback(self._ending.discard)
