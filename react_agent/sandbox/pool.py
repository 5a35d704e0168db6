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
        self._starts: set[asyncio.Task[Worker]] = set()
        self._lent: set[Worker] = set()
        self._ending: set[asyncio.Task[None]] = set()
        self._closed = False

    def fill(self) -> None:
        """Start what is missing, in the background."""
        failed = [task for task in self._waiting if task.done() and _failed(task)]
        for task in failed:
            self._waiting.remove(task)
            self._starts.discard(task)
        while not self._closed and len(self._waiting) < self._warm:
            self._waiting.append(self._begin())

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
        self._waiting.clear()
        starts = list(self._starts)
        for task in starts:
            task.cancel()
        started = await asyncio.gather(*starts, return_exceptions=True)
        workers = [*self._lent, *(each for each in started if isinstance(each, Worker))]
        await asyncio.gather(*(worker.end() for worker in workers), *self._ending)

    def _begin(self) -> asyncio.Task[Worker]:
        async def start() -> Worker:
            return await self._start()

        task = asyncio.create_task(start())
        self._starts.add(task)
        return task

    async def _take(self) -> Worker:
        while not self._closed:
            prepared = bool(self._waiting)
            task = self._waiting.popleft() if prepared else self._begin()
            try:
                # Shielded: a caller that gives up leaves the worker to the next one.
                worker = await asyncio.shield(task)
            except asyncio.CancelledError:
                if self._closed and task.cancelled():
                    break
                self._waiting.appendleft(task)
                raise
            except SandboxError as error:
                self._starts.discard(task)
                if not prepared:
                    raise
                _log.warning("a worker could not be prepared, starting another: %s", error)
                continue
            if self._closed:
                break
            self._starts.discard(task)
            if worker.running or not prepared:
                return worker
            self._retire(worker)  # it ended while it waited
        raise PoolClosed

    def _retire(self, worker: Worker) -> None:
        ending = asyncio.create_task(worker.end())
        self._ending.add(ending)
        ending.add_done_callback(self._ending.discard)


def _failed(task: asyncio.Task[Worker]) -> bool:
    return task.cancelled() or task.exception() is not None
