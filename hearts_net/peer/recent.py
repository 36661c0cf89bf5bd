"""The tables that this installation visited last, so that nobody has to type an address twice."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

from hearts_net.peer.endpoint import LARGEST_PORT, Target, is_key
from hearts_net.peer.home import Home, held, write_private
from hearts_net.peer.invite import is_host

MOST_RECENT: Final = 20
_MAX_SIZE: Final = 64 * 1024
_MAX_ADDRESSES: Final = 16


@dataclass(frozen=True, slots=True)
class RecentTable:
    """A table that was joined once."""

    table: str
    key: str
    """The host's public key (Z85)."""
    port: int
    addresses: tuple[str, ...]
    """Every address that it was reached by, the newest first."""
    visited: int
    """When, in milliseconds since 1970 UTC; 0 for one that was only marked."""
    favourite: bool = False
    """Marked by the player: it is listed before the others, and never forgotten for newer ones."""

    def targets(self) -> list[Target]:
        """Say how to join it again."""
        return [
            Target(address, self.port, self.key, self.table, verified=self.visited > 0)
            for address in self.addresses
        ]


def recent_tables(home: Home) -> list[RecentTable]:
    """Return the tables visited, the newest first; what cannot be read is forgotten."""
    try:
        with open(_file(home), "rb") as file:
            entries = json.loads(file.read(_MAX_SIZE))
    except (OSError, ValueError, RecursionError):
        return []
    if not isinstance(entries, list):
        return []
    return [table for entry in entries[:MOST_RECENT] if (table := _from_fields(entry))]


def note_visit(home: Home, table: RecentTable) -> None:
    """Put a table first. Raises :class:`LinkError` ``home-unwritable``."""
    with held(home):
        others = recent_tables(home)
        for other in others:
            if _same(other, table):
                table = _merged(table, other)
        _write(home, [table, *(other for other in others if not _same(other, table))])


def mark_favourite(home: Home, table: RecentTable) -> None:
    """Note whether a table is a favourite, as ``table`` says; one never visited becomes the last.

    Raises :class:`LinkError` ``home-unwritable``.
    """
    with held(home):
        others = recent_tables(home)
        if any(_same(other, table) for other in others):
            tables = [
                replace(other, favourite=table.favourite) if _same(other, table) else other
                for other in others
            ]
        else:
            tables = [*others, table]
        _write(home, [each for each in tables if each.favourite or each.visited])


def _write(home: Home, tables: list[RecentTable]) -> None:
    """Write the tables, the last of those that are no favourites left out where there are many."""
    room = MOST_RECENT - sum(table.favourite for table in tables)
    kept = []
    for table in tables:
        room -= not table.favourite
        if table.favourite or room >= 0:
            kept.append(table)
    text = json.dumps([asdict(entry) for entry in kept[:MOST_RECENT]], indent=1)
    write_private(_file(home), text.encode())


def _file(home: Home) -> Path:
    return home.state / "recent.json"


def _same(one: RecentTable, other: RecentTable) -> bool:
    return (one.key, one.table) == (other.key, other.table)


def _merged(new: RecentTable, old: RecentTable) -> RecentTable:
    addresses = tuple(dict.fromkeys((*new.addresses, *old.addresses)))[:_MAX_ADDRESSES]
    return RecentTable(new.table, new.key, new.port, addresses, new.visited, old.favourite)


def _from_fields(entry: object) -> RecentTable | None:
    if not isinstance(entry, Mapping):
        return None
    fields: Mapping[str, Any] = entry
    try:
        table = RecentTable(
            str(fields["table"]),
            str(fields["key"]),
            int(fields["port"]),
            tuple(str(address) for address in fields["addresses"])[:_MAX_ADDRESSES],
            int(fields["visited"]),
            fields.get("favourite") is True,
        )
    except (KeyError, TypeError, ValueError):
        return None
    good = is_key(table.key) and 0 < table.port <= LARGEST_PORT
    return table if good and table.addresses and all(map(is_host, table.addresses)) else None
