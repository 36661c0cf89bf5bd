"""What a line typed in plain mode can mean, and what a command may look at to say so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from hearts_client.plain_cards import NotUnderstoodError
from hearts_client.plain_wishes import USUAL, PlainWishes
from hearts_client.refusals import error_sentence
from hearts_client.speech import Style
from hearts_client.table_state import TableState
from hearts_net.protocol import messages as m


@dataclass(frozen=True, slots=True)
class Do:
    """Send this act."""

    act: m.AnyAct


@dataclass(frozen=True, slots=True)
class DoAll:
    """Send these acts, one after another."""

    acts: tuple[m.AnyAct, ...]


@dataclass(frozen=True, slots=True)
class Tell:
    """Say these lines, and nothing else."""

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Leave:
    """Say goodbye and end."""


@dataclass(frozen=True, slots=True)
class WaitForTurn:
    """Read no further line before the table waits for this player."""


@dataclass(frozen=True, slots=True)
class TellHint:
    """Work out a hint for the newest view and say it."""


@dataclass(frozen=True, slots=True)
class Confirm:
    """Do what the player was asked about."""


@dataclass(frozen=True, slots=True)
class SetWish:
    """Change a setting of this player's."""

    wish: str
    """Its word in :data:`hearts_client.plain_wishes.WISHES`."""
    value: str
    """As it was typed."""
    kept: bool = True
    """For good, and not for now only."""


@dataclass(frozen=True, slots=True)
class ChooseAhead:
    """Play this card at the player's turn if it may be played then; "": nothing any more."""

    card: str


@dataclass(frozen=True, slots=True)
class ToStart:
    """Leave the table, and go on where another can be chosen."""


@dataclass(frozen=True, slots=True)
class TellTricks:
    """Say every trick of a deal, fetching what is missing of them first; 0: the newest deal."""

    deal: int


@dataclass(frozen=True, slots=True)
class TellDeals:
    """Say the score sheet, fetching what is missing of it first."""


Intent: TypeAlias = (
    Do
    | DoAll
    | Tell
    | Leave
    | WaitForTurn
    | TellDeals
    | TellTricks
    | TellHint
    | SetWish
    | ChooseAhead
    | ToStart
    | Confirm
)


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What a command may look at."""

    state: TableState
    view: m.View
    style: Style
    invite: str = ""
    """What others join with, where that is known."""
    host_time: int = 0
    """What the host's clock says now."""
    wishes: PlainWishes = USUAL
    ahead: str = ""
    """The card that is chosen ahead."""
    waited: int = 0
    """Milliseconds for which whoever is awaited now has been."""
    comes_from_start: bool = False
    """There is a start to go back to."""


def own_view(known: Knowledge) -> m.OwnView:
    """Give what this player's seat sees; raises :class:`NotUnderstoodError` without a seat."""
    if known.view.own is None:
        raise NotUnderstoodError(error_sentence("no-seat"))
    return known.view.own


Handler: TypeAlias = Callable[[Knowledge, str], Intent]


@dataclass(frozen=True, slots=True)
class PlainCommand:
    """One command: how it is typed, what it does in words, and the doing."""

    name: str
    usage: str
    words: str
    handler: Handler
    applies: Callable[[Knowledge], bool]
    """Whether it does something now for this player: only then help lists it."""
