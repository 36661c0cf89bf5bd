"""What the full screen needs from outside: a link to a table, and the doors of the start screen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from hearts_net.protocol.messages import AnyAct


class TableLink(Protocol):
    """A connection to one table, as :class:`hearts_net.peer.link.Link` is."""

    async def run(self) -> None:
        """Stay connected until left, superseded or closed; raise ``HeartsError`` on failure."""

    def do(self, act: AnyAct) -> int:
        """Send a command and return its request id; the answer arrives as an event."""

    def fetch(self, what: str, after: int) -> None:
        """Ask for a page of the ``log`` or of the ``deals``; it arrives as an event."""

    def give_code(self, text: str) -> None:
        """Prove this code where the table wants one; ``HeartsError`` for what cannot be one."""

    def leave(self) -> None:
        """Say goodbye; ``run`` then returns."""


@dataclass(frozen=True, slots=True)
class TableNotice:
    """Comes among a link's events: something to be said to this player alone."""

    text: str


LinkFactory: TypeAlias = Callable[[Callable[[object], None]], TableLink]
"""Makes the link, given the function that takes each of its events."""


@dataclass(frozen=True, slots=True)
class Reached:
    """An event of the link: the table has let this player in."""

    invite: str
    """What others join with; "" where nobody else can."""


@dataclass(frozen=True, slots=True)
class FoundTable:
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

    async def play(self) -> LinkFactory:
        """Open a table with three bots on this machine alone."""

    async def host(self, wanted: NewTable) -> LinkFactory:
        """Open a new table on the local network."""

    async def join(self, address: str, *, watch: bool = False) -> LinkFactory:
        """Reach a table by invite, address or name; ``watch`` takes no seat there."""

    async def resume(self, table: str) -> LinkFactory:
        """Take up a saved table again, by its id."""

    async def look(self, heed: Callable[[Sequence[FoundTable]], None]) -> None:
        """Look for tables until cancelled; ``heed`` gets the list whenever it changes."""

    def favour(self, address: str, *, favourite: bool) -> None:
        """Mark a table that was found as a favourite, or no longer."""

    def saved(self) -> Sequence[SavedTable]:
        """List the tables that can be resumed, newest first."""
