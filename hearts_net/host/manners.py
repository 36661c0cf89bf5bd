"""What comes of bad manners: too much, too fast, or nothing that is a message.

How each key behaves is counted in :mod:`hearts_net.host.conduct`; what comes of it is here.
"""

from __future__ import annotations

from typing import Final

from hearts_net.host import course
from hearts_net.host.conduct import ALIVE, ARRIVE, COMMAND, LOOK, Conduct, Verdict
from hearts_net.host.crowd import Crowd
from hearts_net.host.effects import Expel, Plan, SendTo
from hearts_net.host.permissions import Refusal, refuse
from hearts_net.host.projection import project_refused
from hearts_net.host.room import Room
from hearts_net.host.table import Table
from hearts_net.host.telling import to
from hearts_net.protocol import messages as wire
from hearts_net.protocol.codec import encode
from hearts_net.protocol.codes import ErrorCode
from hearts_net.protocol.host_session import (
    AliveRequest,
    ByeRequest,
    CommandRequest,
    CommitRequest,
    FetchRequest,
    HelloRequest,
    HostSession,
    JoinRequest,
    ProveRequest,
    Rejected,
    Request,
    RevealRequest,
    SnapshotRequest,
)
from hearts_net.protocol.limits import PAUSE, RATES

TOGETHER: Final = 250
"""Milliseconds after which the others are told that a guest was shut out, with all until then."""

KINDS: Final[dict[type[Request], int]] = {
    HelloRequest: ARRIVE,
    JoinRequest: ARRIVE,
    ProveRequest: ARRIVE,
    ByeRequest: ARRIVE,
    CommandRequest: COMMAND,
    CommitRequest: LOOK,
    RevealRequest: LOOK,
    SnapshotRequest: LOOK,
    FetchRequest: LOOK,
    AliveRequest: ALIVE,
}
"""What each request counts as, for how often it may come."""


class Manners:
    """Judges what comes before it is served."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self._strangers = Crowd(RATES["stranger"])
        self._strangers_looks = Crowd(RATES["stranger-look"])
        self._leaving: list[str] = []
        """Guests shut out of whom the others have yet to be told."""
        self._leaving_due = 0

    def judge(
        self, session: HostSession, conduct: Conduct, request: Request, now: int, clock: int
    ) -> Plan | None:
        """Count a request; None where it is to be served, else what is done instead."""
        if isinstance(request, Rejected):
            return self.offended(session.route, session.key, request.refused, now, clock)
        kind = KINDS[type(request)]
        if conduct.is_over(kind, now):
            return self._too_fast(session, request, now, clock)
        if kind != COMMAND:
            conduct.spend(kind, now)
        if kind == LOOK and self._is_look_too_many(session.key, conduct, now):
            return [to(session, wire.Refused(ErrorCode.TOO_FAST, {}))]
        return None

    def unread(self, conduct: Conduct, route: bytes, key: str, now: int, clock: int) -> Plan:
        """Count what comes from a key that is set aside."""
        return self._judged(conduct.unread(), route, key, now, clock)

    def offended(self, route: bytes, key: str, refused: wire.Refused, now: int, clock: int) -> Plan:
        """Refuse what is no message, or came at the wrong time, and count a strike."""
        conduct = self._room.conducts.of(key, now)
        if now < conduct.held_until:
            return self.unread(conduct, route, key, now, clock)
        verdict = conduct.strike(now)
        if verdict is Verdict.FINE:
            return [SendTo(route, encode(refused))]
        return self._judged(verdict, route, key, now, clock)

    def subscribed(self, key: str, now: int, clock: int, *, usual: bool) -> Plan:
        """Hear that a key has subscribed on public, or has ended a subscription."""
        verdict = self._room.conducts.of(key, now).subscribed(now, usual=usual)
        served = self._room.sessions.served.get(key)
        return self._judged(verdict, served.route if served else b"", key, now, clock)

    def ran_away(self, key: str, now: int, clock: int) -> Plan:
        """Hear that a connection of a key was cut: what came was no message, and far too much."""
        room = self._room
        if room.conducts.of(key, now).trusted:
            return []
        served = room.sessions.served.get(key)
        verdict = room.conducts.of(key, now).shut_out()
        return self._judged(verdict, served.route if served else b"", key, now, clock)

    def _too_fast(self, session: HostSession, request: Request, now: int, clock: int) -> Plan:
        verdict = self._room.conducts.of(session.key, now).strike(now)
        if verdict is not Verdict.FINE:
            return self._judged(verdict, session.route, session.key, now, clock)
        if not isinstance(request, CommandRequest):
            return [to(session, wire.Refused(ErrorCode.TOO_FAST, {}))]
        known = self._room.answered(session.key, request.command.id)
        return [SendTo(session.route, known or self._refusal(session, request.command))]

    def _refusal(self, session: HostSession, command: wire.Command) -> bytes:
        body = encode(project_refused(self._room.table, command.id, Refusal(ErrorCode.TOO_FAST)))
        self._room.refused.add(session.key, command.id, body)
        return body

    def _judged(self, verdict: Verdict, route: bytes, key: str, now: int, clock: int) -> Plan:
        """Do to a key what its conduct asks for, and tell it."""
        match verdict:
            case Verdict.FINE:
                return []
            case Verdict.SET_ASIDE:
                told = wire.Refused(ErrorCode.SET_ASIDE, {"wait": PAUSE})
                return [SendTo(route, encode(told))]
            case Verdict.SHUT_OUT:
                return self._shut_out(route, key, now, clock)

    def _shut_out(self, route: bytes, key: str, now: int, clock: int) -> Plan:
        """Serve a key no more; its seat is held as that of somebody who is away.

        That a guest without a seat is gone is told with the next tick: many may go at once.
        """
        room = self._room
        room.begin_step()
        effects: Plan = [Expel(key)]
        if route:
            effects.insert(0, SendTo(route, encode(wire.Refused(ErrorCode.SHUT_OUT, {}))))
        room.step.regardless.extend(effects)
        if room.sessions.stop(key) is None or key not in room.table.guests:
            return effects
        if room.table.seat_of(key) is None:
            if not self._leaving:
                self._leaving_due = now + TOGETHER
            self._leaving.append(key)
            return effects
        lost = course.without(room.table, key)
        outcome = course.go_on(lost, room.moment(now, clock), changed=True)
        return room.changed(outcome, clock, effects) + room.ended(now)

    def among_strangers(self, key: str, now: int) -> None:
        """Let those without a seat, who may be one with many keys, do only so much together.

        Raises :class:`Refusal` ``too-fast``.
        """
        if key != self._room.table.host_key and self._strangers.is_over(b"", now):
            refuse(ErrorCode.TOO_FAST)

    def _is_look_too_many(self, key: str, conduct: Conduct, now: int) -> bool:
        """Whether those without a seat have looked so often that the players would wait."""
        if conduct.trusted or self._room.table.seat_of(key) is not None:
            return False
        return self._strangers_looks.is_over(b"", now)

    def without_those_shut_out(self, table: Table, now: int) -> Table:
        """Return the table without guests who were shut out, once that is due to be told."""
        if not self._leaving or now < self._leaving_due:
            return table
        self._leaving.clear()
        return course.with_served(table, self._room.sessions.served)

    def deadline(self) -> int | None:
        """Return when others are to be told of guests who were shut out."""
        return self._leaving_due if self._leaving else None
