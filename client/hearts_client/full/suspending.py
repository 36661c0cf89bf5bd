"""Ctrl-Z: the program stops, and the terminal is set as whoever takes it over left it."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from typing import Any

from prompt_toolkit.application import run_in_terminal
from prompt_toolkit.input import Input

if sys.platform != "win32":
    import termios


class Suspender:
    """Stops the program as a shell expects it."""

    def __init__(self, terminal: Input) -> None:
        """Note how the terminal is set now; to be made before the full screen is shown."""
        self._terminal = terminal
        self._before = self._settings()

    def suspend(self) -> None:
        """Stop all processes of this group until they are told to go on."""
        run_in_terminal(self._stop)

    def _stop(self) -> None:
        # prompt_toolkit leaves the full screen, but sets the terminal only nearly as it was
        now = self._settings()
        self._set(self._before)
        os.kill(0, signal.SIGTSTP)
        self._set(now)

    def _settings(self) -> list[Any] | None:
        if sys.platform != "win32":
            with contextlib.suppress(termios.error, OSError, ValueError, NotImplementedError):
                return termios.tcgetattr(self._terminal.fileno())
        return None

    def _set(self, settings: list[Any] | None) -> None:
        if settings is not None and sys.platform != "win32":
            with contextlib.suppress(termios.error, OSError):
                termios.tcsetattr(self._terminal.fileno(), termios.TCSADRAIN, settings)
