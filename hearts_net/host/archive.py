"""What this machine's stored tables tell: which there are, and every game played at them.

Reading touches nothing: a running table is read beside its process, a damaged or newer store is
left as it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from hearts_net.host.changes import after_fact, restored
from hearts_net.host.errors import StoreCode, StoreError
from hearts_net.host.facts import Began, decode_entry
from hearts_net.host.folder import TableFolder, table_folders
from hearts_net.host.seats import Kind, SeatState
from hearts_net.host.store import read_journal
from hearts_net.host.table import Stage, Table
from hearts_net.rules.errors import HeartsError
from hearts_net.rules.game import Game
from hearts_net.rules.record import Header, Player, PlayerType, record_lines


@dataclass(frozen=True, slots=True)
class StoredTable:
    """A table of this machine, running or not."""

    folder: TableFolder
    name: str
    """The table's name; "" where the store cannot be read."""
    stage: Stage
    deal: int
    players: tuple[str, ...]
    """The names of those who hold seats, in seat order."""
    last_change: int
    """UTC milliseconds."""
    is_running: bool
    has_died: bool = False
    """Its process has ended without having been stopped: somebody may miss it."""
    trouble: str = ""
    """Why the store cannot be read (a code of :class:`StoreCode`); "" where it can."""

    @property
    def can_resume(self) -> bool:
        """Whether taking the table up again would lead anywhere."""
        return not self.is_running and not self.trouble


@dataclass(frozen=True, slots=True)
class StoredGame:
    """One game as it was played at a stored table, as far as its last finished deal."""

    table_id: str
    table: str
    number: int
    """Counts the games of one table from 1."""
    started: int
    """UTC milliseconds."""
    ended: int
    """UTC milliseconds of the last finished deal's end."""
    header: Header
    keys: tuple[str, str, str, str]
    """The players' public keys (Z85) by seat, as the game began."""
    states: tuple[Game, ...]
    """The state after each finished deal."""

    @property
    def winner(self) -> int | None:
        """The seat that won, once the game is finished."""
        return self.states[-1].winner if self.states else None

    def lines(self, *, legal: bool = False) -> Iterator[str]:
        """Yield the game's record, line by line."""
        return record_lines(self.header, self.states, legal=legal)


@dataclass(frozen=True, slots=True)
class StoredGames:
    """The games of this machine's tables."""

    games: list[StoredGame]
    """The newest first."""
    troubles: dict[str, StoreError]
    """By table id, why a table's games cannot be read."""


def stored_tables(tables: Path) -> list[StoredTable]:
    """Return every table of this machine, the most recently used first.

    A table whose process died before its first entry has never been one: nobody was told of it.
    """
    found = (_look_at(folder) for folder in table_folders(tables) if folder.store.exists())
    return [table for table in found if table is not None]


def stored_games(tables: Path) -> StoredGames:
    """Return every game of every readable table, and what is wrong with the other tables."""
    games: list[StoredGame] = []
    troubles: dict[str, StoreError] = {}
    for folder in table_folders(tables):
        try:
            games.extend(read_games(folder))
        except StoreError as error:
            if error.code != StoreCode.MISSING:  # a folder in which no table was ever begun
                troubles[folder.table_id] = error
    games.sort(key=lambda game: game.started, reverse=True)
    return StoredGames(games, troubles)


def read_games(folder: TableFolder) -> list[StoredGame]:
    """Return the games of one table, oldest first; those without a finished deal are left out.

    Raises :class:`StoreError` for a store that is missing, damaged or of a later version.
    """
    reader = _Reader(folder)
    for number, body in enumerate(read_journal(folder.store), start=1):
        reader.read(number, body)
    return reader.games()


def _look_at(folder: TableFolder) -> StoredTable | None:
    try:
        bodies = read_journal(folder.store)
        table = restored(bodies)
    except StoreError as error:
        return StoredTable(
            folder,
            "",
            Stage.LOBBY,
            0,
            (),
            0,
            folder.is_running(),
            folder.has_died(),
            trouble=error.code,
        )
    if not bodies:
        return None
    return StoredTable(
        folder,
        table.name,
        table.stage,
        table.deal_number,
        tuple(seat.name for seat in table.seats if seat.taken),
        decode_entry(bodies[-1], len(bodies)).time,
        folder.is_running(),
        has_died=folder.has_died(),
    )


class _Open:
    """A game that is being read."""

    def __init__(self, table: Table, number: int, started: int) -> None:
        self._table = table  # as the game began: names, keys and rules
        self._number = number
        self._started = self._ended = started
        self.states: list[Game] = []

    def note(self, table: Table, time: int) -> None:
        """Keep the state after each finished deal."""
        game = table.game
        if game is not None and len(game.results) > len(self.states):
            self.states.append(game)
            self._ended = time

    def game(self, table_id: str) -> StoredGame:
        table = self._table
        first, second, third, fourth = table.seats
        player = partial(_player, host_key=table.host_key)
        started = datetime.fromtimestamp(self._started // 1000, UTC)
        header = Header(
            table.game_id,
            started.strftime("%Y-%m-%dT%H:%M:%SZ"),
            table.options,
            (player(first), player(second), player(third), player(fourth)),
        )
        return StoredGame(
            table_id,
            table.name,
            self._number,
            self._started,
            self._ended,
            header,
            (first.key, second.key, third.key, fourth.key),
            tuple(self.states),
        )


def _player(seat: SeatState, host_key: str) -> Player:
    is_host = seat.key == host_key
    if seat.kind is Kind.BOT:
        return Player(seat.name, PlayerType.BOT, seat.level, is_host=is_host)
    return Player(seat.name, PlayerType.HUMAN, is_host=is_host)


class _Reader:
    """Follows one table's journal and notes its games."""

    def __init__(self, folder: TableFolder) -> None:
        self._folder = folder
        self._table = Table()
        self._open: _Open | None = None
        self._games: list[StoredGame] = []
        self._count = 0

    def read(self, number: int, body: bytes) -> None:
        """Take the journal's next entry."""
        entry = decode_entry(body, number)
        # one fact at a time: an entry may finish a deal and begin what comes after it
        for fact in entry.facts:
            try:
                self._table = after_fact(self._table, fact, entry.time)
            except (HeartsError, ValueError, IndexError, AssertionError) as error:
                raise StoreError(StoreCode.DAMAGED, entry=number, reason=str(error)) from error
            if isinstance(fact, Began):
                self._close()
                self._count += 1
                self._open = _Open(self._table, self._count, entry.time)
            if self._open is not None:
                self._open.note(self._table, entry.time)

    def games(self) -> list[StoredGame]:
        """Return what was found."""
        self._close()
        return self._games

    def _close(self) -> None:
        if self._open is not None and self._open.states:
            self._games.append(self._open.game(self._folder.table_id))
        self._open = None
