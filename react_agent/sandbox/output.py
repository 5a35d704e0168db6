"""Keep what a program prints: its beginning and its end, within a limit."""

from collections import deque


class Capture:
    """The first and the last bytes of an output, and how much there was.

    The beginning says what was started and the end says how it failed; both fit in memory however
    much is printed.
    """

    def __init__(self, limit: int) -> None:
        self._head_limit = limit // 2
        self._tail_limit = limit - self._head_limit
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._tail_size = 0
        self.total = 0

    def add(self, data: bytes) -> None:
        """Take in what came next."""
        self.total += len(data)
        room = self._head_limit - len(self._head)
        self._head += data[:room]
        if rest := data[room:]:
            self._tail.append(rest)
            self._tail_size += len(rest)
        while self._tail and self._tail_size - len(self._tail[0]) >= self._tail_limit:
            self._tail_size -= len(self._tail.popleft())

    @property
    def truncated(self) -> bool:
        """Whether the middle was left out."""
        return self.total > self._head_limit + self._tail_limit

    def text(self) -> str:
        """Decode what was kept; what is no UTF-8 becomes replacement characters."""
        tail = b"".join(self._tail)
        if not self.truncated:
            return (self._head + tail).decode(errors="replace")
        left_out = self.total - self._head_limit - self._tail_limit
        end = tail[len(tail) - self._tail_limit :].decode(errors="replace")
        return f"{self._head.decode(errors='replace')}\n[{left_out} bytes left out]\n{end}"
