"""When a table ends by itself."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from hearts_net.host.effects import Ending
from hearts_net.host.seats import Presence
from hearts_net.host.table import IN_GAME, Role, Stage, Table
from hearts_net.protocol.host_session import HostSession

SEEN_WITHIN: Final = 5000
"""A peer that has not said by then that it has seen the end is waited for no longer."""


class Endings:
    """Watches for the reasons to end; keeps since when each of them has been so."""

    __slots__ = ("_lonely_since", "_over_since", "_over_stamp", "_was_played", "_was_visited")

    def __init__(self) -> None:
        self._was_played = self._was_visited = False
        self._lonely_since: int | None = None
        self._over_since: int | None = None
        self._over_stamp = (0, 0)

    def look(self, table: Table, peers: Iterable[HostSession], now: int) -> Ending | None:
        """Return why the table is to end now, if it is; ``peers`` are those served."""
        own = {seat.key for seat in table.seats if seat.table_bot}
        others = [
            peer
            for peer in peers
            if peer.role != Role.DEPUTY and peer.key not in own and peer.key in table.guests
        ]
        if self._is_done(table, others, now):
            return Ending.DONE
        return self._is_lonely(table, now)

    def _is_done(self, table: Table, others: list[HostSession], now: int) -> bool:
        if table.stage is not Stage.GAME_OVER:
            self._was_played = True
            self._over_since = None
            return False
        # a finished game that is taken up again is there for whoever comes to look at it
        self._was_visited = self._was_visited or bool(others)
        if not self._was_played:
            if table.settings.exit_when_done:
                return self._was_visited and not others
            return self._was_visited and self._is_left(table, others)
        if self._over_since is None:
            self._over_since = now
            self._over_stamp = (table.epoch, table.seq)
        if table.settings.exit_when_done:
            seen = all(peer.known >= self._over_stamp for peer in others)
            return seen or now >= self._over_since + SEEN_WITHIN
        return self._is_left(table, others)

    @staticmethod
    def _is_left(table: Table, others: list[HostSession]) -> bool:
        return not others and all(
            seat.table_bot or not seat.taken or seat.presence is Presence.LEFT
            for seat in table.seats
        )

    def _is_lonely(self, table: Table, now: int) -> Ending | None:
        persons = any(guest.role is not Role.BOT for guest in table.guests.values())
        bots_play = table.stage in IN_GAME and not table.person_seated
        if persons or bots_play:
            self._lonely_since = None
            return None
        if self._lonely_since is None:
            self._lonely_since = now
        if not table.settings.idle or now < self._lonely_since + table.settings.idle:
            return None
        return Ending.DONE if table.stage is Stage.GAME_OVER else Ending.SAVED

    def deadlines(self, table: Table) -> list[int]:
        """Return when to look again even if nothing happens."""
        times = []
        if self._lonely_since is not None and table.settings.idle:
            times.append(self._lonely_since + table.settings.idle)
        if self._over_since is not None and table.settings.exit_when_done:
            times.append(self._over_since + SEEN_WITHIN)
        return times
