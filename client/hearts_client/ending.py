"""Signals before and after there is a loop to take them: an orderly end, and none halfway."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType
from typing import NoReturn

from hearts_client.exits import Exit

ENDING = ("SIGTERM", "SIGHUP", "SIGQUIT")
"""The signals that ask a program to end, as far as a system has them; Ctrl-C is Python's own."""


@contextlib.contextmanager
def ended_in_order() -> Iterator[None]:
    """Have the signals that would just kill raise :class:`SystemExit`, so that blocks are left."""
    numbers = [getattr(signal, name) for name in ENDING if hasattr(signal, name)]
    with _handled(numbers, _end):
        yield


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Let no second Ctrl-C cut short what takes a moment and has to be done."""
    with _handled([signal.SIGINT], signal.SIG_IGN):
        yield


def _end(_number: int, _frame: FrameType | None) -> NoReturn:
    raise SystemExit(Exit.TERMINATED)


@contextlib.contextmanager
def _handled(numbers: list[signal.Signals], handler: signal._HANDLER) -> Iterator[None]:
    if threading.current_thread() is not threading.main_thread():
        yield  # signals are none of this thread's business
        return
    before = {number: signal.signal(number, handler) for number in numbers}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)
