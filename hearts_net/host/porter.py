"""What the host's player does at the door: lets in, sends away, bans, chooses who may come."""

from __future__ import annotations

from collections.abc import Callable

from hearts_net.host.door import CODE
from hearts_net.host.facts import (
    AdmissionSet,
    AnyFact,
    Banned,
    Freed,
    LetIn,
    PresenceNoted,
    SentAway,
    Unbanned,
)
from hearts_net.host.permissions import refuse
from hearts_net.host.seats import Presence
from hearts_net.host.table import IN_GAME, Stage, Table
from hearts_net.protocol import messages as wire
from hearts_net.protocol.codes import ErrorCode
from hearts_net.protocol.tablecode import new_code


def decide(
    table: Table,
    act: wire.Admit | wire.Kick | wire.Ban | wire.Unban | wire.SetAdmission,
    entropy: Callable[[int], bytes],
) -> list[AnyFact]:
    """Return the facts that an act at the door makes.

    Raises :class:`~hearts_net.host.permissions.Refusal` ``not-here`` for a key that it cannot be
    about, and ``not-allowed`` for the host's player and the table's own bots.
    """
    match act:
        case wire.Admit(key, admit):
            if key not in table.door.asking:
                refuse(ErrorCode.NOT_HERE)
            return [LetIn(key) if admit else SentAway(key)]
        case wire.Kick(key):
            return _sent_away(table, key, "kicked")
        case wire.Ban(key):
            facts = _sent_away(table, key, "banned")
            return [*facts, Banned(key, _name_of(table, key))]
        case wire.Unban(key):
            if key not in table.door.banned:
                refuse(ErrorCode.NOT_HERE)
            return [Unbanned(key)]
        case wire.SetAdmission(admission):
            return [chosen(admission, entropy)]


def chosen(admission: str, entropy: Callable[[int], bytes]) -> AdmissionSet:
    """Return the fact that this is who is let in, with a new code where one is needed."""
    return AdmissionSet(admission, new_code(entropy) if admission == CODE else "")


def leaves(table: Table, seat: int) -> AnyFact:
    """Return what becomes of the seat of somebody who goes: out of a game, it stays theirs."""
    if table.stage is Stage.LOBBY:
        return Freed(seat)
    return PresenceNoted(seat, Presence.LEFT, table.stage in IN_GAME)


def _sent_away(table: Table, key: str, reason: str) -> list[AnyFact]:
    seat = table.seat_of(key)
    if key == table.host_key or (seat is not None and table.seats[seat].table_bot):
        refuse(ErrorCode.NOT_ALLOWED)
    if seat is None and key not in table.guests and key not in table.door.asking:
        refuse(ErrorCode.NOT_HERE)
    here = seat is not None or key in table.guests
    gone: list[AnyFact] = [SentAway(key, _name_of(table, key), reason) if here else SentAway(key)]
    return gone if seat is None else [leaves(table, seat), *gone]


def _name_of(table: Table, key: str) -> str:
    seat = table.seat_of(key)
    if seat is not None:
        return table.seats[seat].name
    somebody = table.guests.get(key) or table.door.asking[key]
    return somebody.name
