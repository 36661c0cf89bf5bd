"""A seat: whose it is, and whether that player is here."""

from __future__ import annotations

from enum import StrEnum
from typing import Final, TypeAlias

from msgspec import Struct


class Kind(StrEnum):
    """Who holds a seat."""

    EMPTY = "empty"
    PERSON = "person"
    BOT = "bot"


class Presence(StrEnum):
    """Whether the holder of a seat is here. ``SLOW`` is only ever shown, never stored."""

    PRESENT = "present"
    SLOW = "slow"
    AWAY = "away"
    """The connection is gone or silent: the seat is held."""
    LEFT = "left"
    """Left on purpose during a game."""


class SeatState(Struct, frozen=True):
    """What is stored of a seat."""

    kind: Kind = Kind.EMPTY
    key: str = ""
    name: str = ""
    level: str = ""
    table_bot: bool = False
    """A bot of the table's own: started by the host, replaced by a person who joins."""
    presence: Presence = Presence.PRESENT
    since: int = 0
    """UTC milliseconds since when ``presence`` is what it is."""
    deputy: bool = False
    """A bot plays this seat's cards at present."""
    once: bool = False
    """The bot plays one turn only, which has taken too long."""
    waits: int = 0
    """How often those present have decided to wait longer for the player who is away."""
    ready: bool = False
    not_yet: bool = False
    """The holder has said "not yet" between deals: the next one does not start by itself."""

    @property
    def taken(self) -> bool:
        """Whether anybody holds the seat."""
        return self.kind is not Kind.EMPTY

    @property
    def is_person(self) -> bool:
        """Whether a person holds the seat, here or not."""
        return self.kind is Kind.PERSON

    @property
    def is_ready(self) -> bool:
        """Whether the holder is ready; bots always are."""
        return self.kind is Kind.BOT or self.ready

    @property
    def held(self) -> bool:
        """Whether the seat waits for somebody: a table's own bots are never waited for."""
        return self.taken and not self.table_bot and self.presence is not Presence.PRESENT


class Ballot(Struct, frozen=True):
    """What the holder of seat ``by`` wants for a ``seat`` whose holder is away."""

    seat: int
    by: int
    choice: str
    """``wait``: hold it for another grace; ``bot``: let a bot play now."""
    key: str
    """Whose wish it is: who sits there later has not said anything."""


Seats: TypeAlias = tuple[SeatState, SeatState, SeatState, SeatState]
EMPTY_SEAT: Final = SeatState()


def with_seat(seats: Seats, seat: int, state: SeatState) -> Seats:
    """Return the seats with one of them changed."""
    first, second, third, fourth = (
        state if number == seat else old for number, old in enumerate(seats)
    )
    return first, second, third, fourth
