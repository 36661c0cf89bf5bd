"""Event loops that ZeroMQ's descriptors work with."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Coroutine
from typing import TypeVar

_T = TypeVar("_T")


def in_a_loop(work: Coroutine[object, object, _T]) -> _T:
    """Run a coroutine to its end in a loop of its own."""
    factory = asyncio.SelectorEventLoop if sys.platform == "win32" else None
    with asyncio.Runner(loop_factory=factory) as runner:
        return runner.run(work)
