"""A table that answers, as a list of tables shows it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from hearts_net.peer.endpoint import Target
from hearts_net.protocol import limits
from hearts_net.protocol.advert import Advert

MOST_FOUND: Final = 64
"""Tables that are kept of one look: a room has few, a prankster any number."""
MOST_ADDRESSES: Final = 16


class Source(StrEnum):
    """How a table was found, what needs no network first."""

    HERE = "here"
    """It runs on this machine."""
    VISITED = "visited"
    """It was visited before, and answers."""
    AROUND = "around"
    """It answered the question to everybody, or was advertised and answers."""


class Standing(StrEnum):
    """What can be done with a table now."""

    OPEN = "open"
    """Sit down: a seat is free."""
    HELD = "held"
    """Come back: a seat is held for this player."""
    SITTING = "sitting"
    """This player sits there already, and plays from another window."""
    RUNNING = "running"
    """Watch: the game is under way."""
    FULL = "full"
    """Watch, or wait: every seat is taken."""
    OTHER_VERSION = "other-version"
    """Nothing: it speaks no version that this program does."""
    NO_WAY_IN = "no-way-in"
    """Nothing: it answers, and its port cannot be reached; something filters it."""


@dataclass(frozen=True, slots=True)
class FoundTable:
    """A table that answers."""

    table: str
    key: str
    """The host's public key (Z85)."""
    port: int
    addresses: tuple[str, ...]
    """Where it may be reached; those of IPv4 first, since a person may have to type one."""
    versions: tuple[int, ...]
    """The protocol versions that it speaks."""
    source: Source
    verified: bool
    """The key was known before the answer."""
    machine: str = ""
    """What the host's machine calls itself."""
    free: int = 0
    """Seats that somebody who joins now can have."""
    admit: str = "open"
    phase: str = "lobby"
    held_seat: int | None = None
    """The seat that this player has."""
    here: bool = False
    """This player is there already, from another window."""
    favourite: bool = False
    stranger: str = ""
    """Why it is not to be joined by its name alone: ``host-key-changed``, ``namesake``, or ""."""
    reached: bool | None = None
    """Whether the control port was reached with its key; None: not tried yet."""

    def targets(self) -> list[Target]:
        """Say how to join it."""
        return [
            Target(address, self.port, self.key, self.table, self.verified)
            for address in self.addresses
        ]

    def fits(self) -> bool:
        """Tell whether this program and the table speak a common version."""
        return bool(set(self.versions) & set(limits.VERSIONS))

    @property
    def standing(self) -> Standing:
        """What can be done with it now."""
        if not self.fits():
            return Standing.OTHER_VERSION
        if self.reached is False:
            return Standing.NO_WAY_IN
        if self.held_seat is not None:
            return Standing.SITTING if self.here else Standing.HELD
        if self.free:
            return Standing.OPEN
        return Standing.FULL if self.phase == "lobby" else Standing.RUNNING


def found_from(
    advert: Advert, addresses: Iterable[str], source: Source, *, verified: bool
) -> FoundTable:
    """Make an entry of what a table says of itself."""
    return FoundTable(
        advert.table,
        advert.key,
        advert.control,
        in_order(addresses),
        tuple(advert.versions),
        source,
        verified,
        advert.machine,
        advert.free,
        advert.admit,
        advert.phase,
    )


def in_order(addresses: Iterable[str]) -> tuple[str, ...]:
    """Put the addresses that are easiest to type first, and no more than can be tried."""
    each = list(dict.fromkeys(addresses))
    each.sort(key=lambda address: (":" in address, "%" in address))
    return tuple(each[:MOST_ADDRESSES])


def merged(tables: Iterable[FoundTable]) -> list[FoundTable]:
    """Put together what was found of one table; the first that was found gives the source."""
    by_place: dict[tuple[str, int], FoundTable] = {}
    for table in tables:
        place = (table.key, table.port)
        first = by_place.setdefault(place, table)
        by_place[place] = replace(
            first,
            addresses=in_order((*first.addresses, *table.addresses)),
            verified=first.verified or table.verified,
        )
    return list(by_place.values())[:MOST_FOUND]
