"""The table's own bots and the deputies: which are wanted, and which no more."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hearts_net.host.effects import (
    BotUnwanted,
    BotWanted,
    DeputyUnwanted,
    DeputyWanted,
    Plan,
    SendTo,
    Unadmit,
)
from hearts_net.host.seats import SeatState
from hearts_net.host.sessions import Sessions
from hearts_net.protocol.codec import encode
from hearts_net.protocol.messages import Bye


class Staff:
    """Hires and dismisses whoever plays in a process of the host's.

    Attributes:
        deputies: the key of whoever plays for each absent player, by seat.

    """

    __slots__ = ("_levels", "_new_key", "_sessions", "deputies")

    def __init__(
        self, sessions: Sessions, new_key: Callable[[], str], levels: Sequence[str]
    ) -> None:
        self.deputies: dict[int, str] = {}  # replaced, never changed: it can be gone back to
        self._sessions = sessions
        self._new_key = new_key
        self._levels = levels

    def seat_of(self, key: str) -> int | None:
        """Return the seat that this key plays for as a deputy."""
        return next((seat for seat, held in self.deputies.items() if held == key), None)

    def heard(self, seats: Sequence[SeatState]) -> dict[str, int]:
        """Return when each bot and deputy was heard last, 0 for one that is not connected."""
        keys = [seat.key for seat in seats if seat.table_bot] + list(self.deputies.values())
        sessions = {key: self._sessions.of(key) for key in keys}
        return {key: found.last_heard if found else 0 for key, found in sessions.items()}

    def bots(self, before: Sequence[SeatState], after: Sequence[SeatState]) -> Plan:
        """Return which bots of the table's own are wanted, and which no more."""
        effects: Plan = []
        for seat, (old, new) in enumerate(zip(before, after, strict=True)):
            if old.key == new.key:
                continue
            if old.table_bot:
                effects += [*self._dismissed(old.key), BotUnwanted(seat, old.key)]
            if new.table_bot:
                effects.append(BotWanted(seat, new.key, new.name, new.level))
        return effects

    def deputise(self, seats: Sequence[SeatState]) -> Plan:
        """Return which deputies are wanted, and which no more."""
        effects: Plan = []
        for seat, state in enumerate(seats):
            key = self.deputies.get(seat)
            if state.deputy and key is None:
                key = self._new_key()
                self.deputies = {**self.deputies, seat: key}
                effects.append(DeputyWanted(seat, key, self._level_for(state)))
            elif key is not None and not state.deputy:
                self.deputies = {s: k for s, k in self.deputies.items() if s != seat}
                effects += [*self._dismissed(key), DeputyUnwanted(seat, key)]
        return effects

    def _level_for(self, state: SeatState) -> str:
        """Return a bot's own level, where it is one of the table's."""
        return state.level if state.level in self._levels else self._levels[0]

    def _dismissed(self, key: str) -> Plan:
        """Return what ends the connection of a bot that is not wanted any more."""
        session = self._sessions.stop(key)
        if session is None:
            return []
        return [SendTo(session.route, encode(Bye())), Unadmit(key)]
