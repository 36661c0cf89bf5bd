"""Lines from a terminal, a pipe or a file, read beside the event loop.

A thread of its own reads the descriptor, because an event loop cannot watch every kind of input; it
bypasses ``sys.stdin``, whose lock would be held at the interpreter's end.
"""

from __future__ import annotations

import asyncio
import codecs
import os
import threading
from collections.abc import Callable
from typing import Final

MOST_IN_LINE: Final = 4096
"""Characters of a line that are kept: no command is longer than what can be said."""


class LineSplitter:
    """Bytes in, whole lines out, whatever they are cut into; undecodable bytes become U+FFFD."""

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""

    def feed(self, data: bytes) -> list[str]:
        """Take bytes and return the lines that they complete."""
        *lines, rest = (self._rest + self._decoder.decode(data)).split("\n")
        self._rest = rest[:MOST_IN_LINE]
        return [line.rstrip("\r")[:MOST_IN_LINE] for line in lines]

    def end(self) -> list[str]:
        """Return what is left when the input ends without a line's end."""
        last = (self._rest + self._decoder.decode(b"", final=True)).rstrip("\r")
        self._rest = ""
        return [last] if last else []


def read_lines(
    descriptor: int,
    loop: asyncio.AbstractEventLoop,
    on_line: Callable[[str], None],
    on_end: Callable[[], None],
) -> None:
    """Start reading; both functions are called in the loop. An unreadable input has ended."""

    def tell(lines: list[str], *, ended: bool) -> bool:
        try:
            for line in lines:
                loop.call_soon_threadsafe(on_line, line)
            if ended:
                loop.call_soon_threadsafe(on_end)
        except RuntimeError:  # the loop is closed: nobody listens any more
            return False
        return True

    def read() -> None:
        splitter = LineSplitter()
        while True:
            try:
                data = os.read(descriptor, 65536)
            except OSError:
                data = b""
            if not data:
                tell(splitter.end(), ended=True)
                return
            if not tell(splitter.feed(data), ended=False):
                return

    threading.Thread(target=read, name="read lines", daemon=True).start()
