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
READ_AT_ONCE: Final = 4096
"""Bytes of one read, and so at most as many lines."""


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
    on_lines: Callable[[list[str], Callable[[], None]], None],
    on_end: Callable[[], None],
) -> None:
    """Start reading; both functions are called in the loop. An unreadable input has ended.

    ``on_lines`` gets the lines of one read, and a function to call when it wants more: until then
    nothing further is read, so that neither the memory nor the loop's wake-up fills with lines.
    """
    wanted = threading.Event()

    def tell(lines: list[str]) -> bool:
        """Hand lines over and wait until more are wanted; False when nobody listens any more."""
        if not lines:
            return True
        wanted.clear()
        if not _call(loop, on_lines, lines, wanted.set):
            return False
        wanted.wait()
        return True

    def read() -> None:
        splitter = LineSplitter()
        while data := _read(descriptor):
            if not tell(splitter.feed(data)):
                return
        if tell(splitter.end()):
            _call(loop, on_end)

    threading.Thread(target=read, name="read lines", daemon=True).start()


def _read(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, READ_AT_ONCE)
    except OSError:
        return b""


def _call(loop: asyncio.AbstractEventLoop, function: Callable[..., None], *values: object) -> bool:
    try:
        loop.call_soon_threadsafe(function, *values)
    except RuntimeError:  # the loop is closed: nobody listens any more
        return False
    return True
