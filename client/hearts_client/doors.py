"""The doors of the start screen: what it needs from outside to find tables and open them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from hearts_client.tablelink import LinkFactory


@dataclass(frozen=True, slots=True)
class ListedTable:
    """A table that answers now."""

    name: str
    """Told apart from others of that name."""
    address: str
    """What :meth:`Doors.join` takes: an invite, or host and port."""
    verified: bool
    """The host's key is pinned by an invite or by an earlier visit."""
    note: str = ""
    """What can be done there, already translated: “2 seats free”, “playing, to watch”."""
    watched: bool = False
    """Somebody who comes can only look on."""
    trouble: str = ""
    """Why nothing can be done there, as an error's code."""
    favourite: bool = False
    """The player has marked it; one that does not answer is listed with its trouble."""
    practice: bool = False
    """Nobody on another machine can reach it; known of the tables left open alone."""


@dataclass(frozen=True, slots=True)
class SavedTable:
    """A table of this installation that was saved or has crashed."""

    table: str
    """Its id."""
    name: str
    deal: int
    players: Sequence[str]
    played: int = 0
    """When it was played at last, in UTC milliseconds; 0 where that is not known."""


@dataclass(frozen=True, slots=True)
class NewTable:
    """What the start screen's form for hosting asks."""

    name: str


class Doors(Protocol):
    """The ways into a game that the start screen offers; the command line provides them.

    Each that opens a table returns a link factory and raises ``HeartsError`` when it cannot.
    """

    async def open(self) -> None:
        """Make them ready; until then none of the tables is known."""

    async def play(self) -> LinkFactory:
        """Open a table with three bots on this machine alone."""

    async def host(self, wanted: NewTable) -> LinkFactory:
        """Open a new table on the local network."""

    async def join(self, address: str, *, watch: bool = False) -> LinkFactory:
        """Reach a table by invite, address or name; ``watch`` takes no seat there."""

    async def resume(self, table: str) -> LinkFactory:
        """Take up a saved table again, by its id."""

    async def look(self, heed: Callable[[Sequence[ListedTable]], None]) -> None:
        """Look for tables until cancelled; ``heed`` gets the list whenever it changes."""

    def rename(self, name: str) -> None:
        """Have the player called this at the next table."""

    def favour(self, address: str, *, favourite: bool) -> None:
        """Mark a table that was found as a favourite, or no longer."""

    def left_open(self) -> Sequence[ListedTable]:
        """List the tables that this player has opened here and that run on, newest first."""

    def saved(self) -> Sequence[SavedTable]:
        """List the tables that can be resumed, newest first."""


def to_go_back_to(left_open: Sequence[ListedTable], *, practice: bool) -> ListedTable | None:
    """Give the table to be offered before another one of the same kind is opened."""
    return next((table for table in left_open if table.practice is practice), None)
