"""What a person can set about how a client shows the table; a game does not depend on any of it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from hearts_client.themefile import BUILT_IN, Background


class Colours(StrEnum):
    """How the suits are coloured; colour is never the only signal."""

    FOUR = "four"
    """Each suit in its own, mostly ♣ green, ♦ blue, ♠ as text, ♥ red."""
    TWO = "two"
    """♦ and ♥ in one colour, ♣ and ♠ in another."""
    NONE = "none"
    """No colour at all (``NO_COLOR``); bold, underline and reverse still tell things apart."""


@dataclass(frozen=True, slots=True)
class ClientSettings:
    """How one client looks and behaves; made by the command line, never changed by the client."""

    name: str
    """The player's name as the client sends it."""
    lang: str = "en"
    """The language's code."""
    ascii: bool = False
    """Suits, lines and marks in ASCII; for a standard output that is not UTF-8, or by wish."""
    colours: Colours = Colours.FOUR
    theme: str = BUILT_IN[0]
    theme_folder: Path | None = None
    """Where the player's own themes are."""
    background: Background = Background.UNKNOWN
    """What is behind the text; where that is not known the terminal's own colours decide."""
    bell: bool = True
    """Ring the terminal's bell when it becomes this player's turn."""
    speed_ms: int = 1200
    """Milliseconds that a finished trick stays on screen (0: none); input is accepted meanwhile."""
    guard_ms: int = 250
    """Keys that play a card are dropped for so many milliseconds after the turn has changed:
    nobody answers a turn so quickly, so such a key was meant for something else."""
    mouse: bool = False
    """Clicks choose cards from the start (otherwise after ``m``); it takes text selection away."""
    chat: bool = True
    """Show what others say; it can be muted and shown again at the table."""
    ready_at_once: bool = False
    """Say ready in the lobby as soon as seated: for a table that was opened to play at once."""
    log_file: Path | None = None
    """Where a crash is written; without one only its sentence is shown."""
