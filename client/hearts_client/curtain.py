"""What is on the screen from the first moment on, while the program is still being loaded.

It is written straight to the terminal, since loading prompt_toolkit and the table's own modules is
what takes the time. Keys typed meanwhile are kept for the screen that follows; Ctrl-C ends.
"""

from __future__ import annotations

import contextlib
import os
import sys
from contextvars import ContextVar, Token
from types import TracebackType
from typing import Any, Final, Self

try:
    import termios
except ImportError:  # Windows: the screen comes when it comes
    termios = None  # type: ignore[assignment]

TITLE = "HEARTS"
SUITS = "♣ ♦ ♠ ♥"
ASCII_SUITS = "c d s h"
USUAL_COLUMNS = 80
"""Where the terminal does not say."""
_RAISE = "\x1b[?1049h\x1b[?25l\x1b[2J"
_LOWER = "\x1b[?25h\x1b[?1049l"
_LFLAG, _CC = 3, 6
_HUNG: Final[ContextVar[Curtain | None]] = ContextVar("the curtain that is up", default=None)


def hung_curtain() -> Curtain | None:
    """Give the curtain of the ``with`` block that this is in."""
    return _HUNG.get()


def lower_curtain() -> None:
    """Have the terminal as it was, to ask something on it."""
    curtain = _HUNG.get()
    if curtain is not None:
        curtain.lower()


class Curtain:
    """The title and a line of words on the alternate screen, for the length of a ``with`` block.

    Whatever ends the block, the terminal is as it was; the screen is too, unless another program
    part has taken it over.
    """

    def __init__(self, words: str, *, ascii_only: bool = False, wanted: bool = True) -> None:
        self._words = words
        self._suits = ASCII_SUITS if ascii_only else SUITS
        self._wanted = wanted and termios is not None
        self._before: list[Any] | None = None
        self._is_shown = False
        self._token: Token[Curtain | None] | None = None

    def __enter__(self) -> Self:
        if self._wanted:
            self._token = _HUNG.set(self)
            try:
                self._quieten()
                self._is_shown = True
                self._write(_RAISE + self._picture())
            except BaseException:  # a signal in these very moments
                self.lower()
                raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.lower()
        if self._token is not None:
            _HUNG.reset(self._token)

    def lower(self) -> None:
        """Have screen and terminal as they were, the screen unless somebody has taken it over."""
        if self._is_shown:
            self._is_shown = False
            self._write(_LOWER)
        self.make_way()

    def make_way(self) -> None:
        """Have the terminal take keys as before; what is on the screen stays."""
        if self._before is not None:
            with contextlib.suppress(termios.error, OSError, ValueError):
                termios.tcsetattr(sys.stdin.fileno(), termios.TCSADRAIN, self._before)
            self._before = None

    def taken_over(self) -> None:
        """Leave the screen to whoever has drawn on it, and will leave it."""
        self._is_shown = False

    def _quieten(self) -> None:
        """Keep keys for later instead of showing them, and let nobody stop the program here."""
        with contextlib.suppress(termios.error, OSError, ValueError):
            descriptor = sys.stdin.fileno()
            before = termios.tcgetattr(descriptor)
            quiet = [*before[:_CC], list(before[_CC])]
            quiet[_LFLAG] &= ~(termios.ECHO | termios.ICANON)
            quiet[_CC][termios.VSUSP] = b"\0"
            self._before = before
            termios.tcsetattr(descriptor, termios.TCSADRAIN, quiet)

    def _picture(self) -> str:
        columns = os.get_terminal_size(sys.stdout.fileno()).columns or USUAL_COLUMNS
        title = f"{TITLE}  {self._suits}"
        return "".join(
            f"\x1b[{row};{max(0, columns - len(text)) // 2 + 1}H{look}{text[:columns]}\x1b[0m"
            for row, look, text in ((2, "\x1b[1m", title), (3, "", self._words))
        )

    def _write(self, text: str) -> None:
        with contextlib.suppress(OSError, ValueError):  # the terminal is gone, which others notice
            sys.stdout.write(text)
            sys.stdout.flush()
