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


class Signal(StrEnum):
    """How a client says that it is this player's turn."""

    BELL = "bell"
    """The terminal's bell."""
    FLASH = "flash"
    """The screen in reverse for a moment."""
    NONE = "none"


@dataclass(frozen=True, slots=True)
class ClientSettings:
    """How one client looks and behaves: as the command line says, then as its player sets it."""

    name: str
    """The player's name as the client sends it."""
    lang: str = "en"
    """The language's code."""
    ascii: bool = False
    """Suits, lines and marks in ASCII; for a standard output that is not UTF-8, or by wish."""
    utf8: bool = True
    """Standard output takes more than ASCII."""
    colours: Colours = Colours.FOUR
    theme: str = BUILT_IN[0]
    theme_folder: Path | None = None
    """Where the player's own themes are."""
    themes: tuple[str, ...] = BUILT_IN
    """Those that there are."""
    background: Background = Background.UNKNOWN
    """What the player says is behind the text; otherwise ``told_background`` counts."""
    told_background: Background = Background.UNKNOWN
    """What the terminal says of it; where nobody knows, the terminal's own colours decide."""
    signal: Signal = Signal.BELL
    speed_ms: int = 1200
    """Milliseconds that a finished trick stays on screen (0: none); input is accepted meanwhile."""
    guard_ms: int = 250
    """Keys that play a card are dropped for so many milliseconds after the turn has changed:
    nobody answers a turn so quickly, so such a key was meant for something else."""
    mouse: bool = False
    """Clicks choose cards from the start (otherwise after ``m``); it takes text selection away."""
    chat: bool = True
    """Show what others say; it can be muted and shown again at the table."""
    hints: bool = False
    """Say in a line why the legal cards are legal, and what the points are."""
    first_game: bool = False
    """Nobody has played a game to its end here: the same hints, until that one is over."""
    preselect: bool = False
    """A card can be chosen before one's turn, and is played then if it is legal."""
    confirm_queen: bool = False
    """Ask before the queen of spades is played."""
    ready_at_once: bool = False
    """Say ready in the lobby as soon as seated: for a table that was opened to play at once."""
    log_file: Path | None = None
    """Where a crash is written; without one only its sentence is shown."""

    @property
    def explains(self) -> bool:
        """Whether hints are shown."""
        return self.hints or self.first_game

    @property
    def behind(self) -> Background:
        """What is behind the text, as far as anybody knows."""
        known = self.background is not Background.UNKNOWN
        return self.background if known else self.told_background
