"""The table's log: who came and went, and how deals and games ended; no cards, no talk, no keys."""

from __future__ import annotations

import logging
from typing import Final

from hearts_net.host.table import Table
from hearts_net.protocol import messages as wire

log = logging.getLogger("hearts_net.table")

_TOLD: Final = (
    wire.SeatTaken,
    wire.SeatLeft,
    wire.PresenceChanged,
    wire.VoteEnded,
    wire.GameStarted,
    wire.DealStarted,
    wire.DealEnded,
    wire.GameEnded,
    wire.PausedChanged,
    wire.HostRestarted,
    wire.SentAway,
)


class Chronicle:
    """Writes down what has happened since it last looked."""

    def __init__(self, told: int = 0) -> None:
        """Begin after event ``told``: what came before it has been written down already."""
        self._told = told

    def look(self, table: Table) -> None:
        """Log the table's newest events, once each."""
        while self._told < table.log.newest:
            events, _ = table.log.after(self._told)
            for event in events:
                if isinstance(event, _TOLD):
                    log.info("%s", _line(event))
            self._told = events[-1].n


def _line(event: wire.Event) -> str:
    match event:
        case wire.SeatTaken(_, _, seat, name, kind):
            return f"seat {seat}: {name} ({kind})"
        case wire.SeatLeft(_, _, seat, name):
            return f"seat {seat}: {name} has left"
        case wire.PresenceChanged(_, _, seat, name, presence, deputy):
            return f"seat {seat}: {name} is {presence}{', a deputy plays' if deputy else ''}"
        case wire.VoteEnded(_, _, seat, name, choice):
            return f"seat {seat}: voted for {name}: {choice}"
        case wire.GameStarted(_, _, game):
            return f"game {game} starts"
        case wire.DealStarted(_, _, deal, direction):
            return f"deal {deal} ({direction})"
        case wire.DealEnded(_, _, summary):
            return f"deal {summary.deal} ends: points {summary.points}, totals {summary.totals}"
        case wire.GameEnded(_, _, totals, winner):
            return f"game over: totals {totals}, seat {winner} wins"
        case wire.PausedChanged(_, _, paused):
            return f"paused: {paused}" if paused else "the game goes on"
        case wire.HostRestarted(_, _, epoch):
            return f"taken up again, epoch {epoch}"
        case wire.SentAway(_, _, name, reason):
            return f"{name} was {reason}"
        case _:
            raise AssertionError(event)
