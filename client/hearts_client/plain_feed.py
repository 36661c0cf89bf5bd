"""Typed lines on their way to whoever reads them now: the start, or the client at a table."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hearts_client.plain import PlainClient


class LineFeed:
    """Keeps the lines that nobody has read yet; used within one event loop."""

    def __init__(self) -> None:
        self.broken: OSError | None = None
        """Why nothing can be said any more, where that is so."""
        self._lines: deque[str] = deque()
        self._want_more: Callable[[], None] | None = None
        self._ended = False
        self._client: PlainClient | None = None
        self._stirred = asyncio.Event()

    @property
    def has_ended(self) -> bool:
        """Whether nothing will be typed any more, and everything has been read."""
        return self._ended and not self._lines

    def type_lines(self, lines: list[str], want_more: Callable[[], None]) -> None:
        """Take lines; ``want_more`` is called when others can be taken."""
        if self._client is None:
            self._lines.extend(lines)
            self._want_more = want_more
            self._stirred.set()
            return
        try:
            self._client.type_lines(lines, want_more)
        except OSError as error:  # what is said to them cannot be written
            self.broken = error
            self._client.leave()

    def end(self) -> None:
        """Note that nothing more will be typed."""
        self._ended = True
        self._stirred.set()
        if self._client is not None:
            self._client.end_input()

    def forget(self) -> None:
        """Drop what was typed and not read: it was meant for something that is over."""
        self._lines.clear()

    async def line(self) -> str | None:
        """Give the next line; None where the input has ended."""
        while not self._lines:
            if self._ended:
                return None
            self._stirred.clear()
            want_more, self._want_more = self._want_more, None
            if want_more is not None:
                want_more()
            await self._stirred.wait()
        return self._lines.popleft()

    @contextlib.contextmanager
    def read_by(self, client: PlainClient) -> Iterator[None]:
        """Have a client read the lines; those that it has not obeyed come back."""
        self._client = client
        lines, self._lines = list(self._lines), deque()
        want_more, self._want_more = self._want_more, None
        if lines or want_more is not None:
            self.type_lines(lines, want_more or (lambda: None))
        if self._ended:
            client.end_input()
        try:
            yield
        finally:
            self._client = None
            left, wants = client.take_back()
            self._lines.extend(left)
            self._want_more = wants or self._want_more
