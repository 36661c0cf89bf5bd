"""Signals before, while and after there is a loop to take them: an orderly end, none halfway."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from types import FrameType
from typing import TYPE_CHECKING, NoReturn

from hearts_client.exits import Exit

if TYPE_CHECKING:  # it takes time to import, and this is needed at once
    import asyncio

INTERRUPT = "SIGINT"
ENDING = ("SIGTERM", "SIGHUP", "SIGQUIT")
"""The signals that ask a program to end, as far as a system has them; Ctrl-C is Python's own."""


@contextlib.contextmanager
def ended_in_order() -> Iterator[None]:
    """Have the signals that would just kill raise :class:`SystemExit`, so that blocks are left."""
    with _handled(_numbers(ENDING), _end):
        yield


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Let no second signal cut short what takes a moment and has to be done."""
    with _handled(_numbers((INTERRUPT, *ENDING)), signal.SIG_IGN):
        yield


@contextlib.contextmanager
def told_to_end(
    loop: asyncio.AbstractEventLoop,
    end: Callable[[Exit], object],
    names: Sequence[str] = (INTERRUPT, *ENDING),
) -> Iterator[None]:
    """Have ``end`` called with the exit code at a signal; as before where the loop knows of none.

    Afterwards a signal leaves blocks again, where it did: the loop would have it just kill.
    """
    heard: list[tuple[signal.Signals, signal._HANDLER]] = []
    for number in _numbers(names):
        code = Exit.INTERRUPTED if number is signal.SIGINT else Exit.TERMINATED
        with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
            earlier = signal.getsignal(number)
            loop.add_signal_handler(number, end, code)
            heard.append((number, earlier))
    try:
        yield
    finally:
        for number, earlier in heard:
            loop.remove_signal_handler(number)
            if earlier is _end:  # not what another client in this process has set
                signal.signal(number, _end)


def _numbers(names: Sequence[str]) -> list[signal.Signals]:
    return [getattr(signal, name) for name in names if hasattr(signal, name)]


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
