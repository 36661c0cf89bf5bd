"""Coming and going: hello, join, the proof of a code, bye."""

from __future__ import annotations

from typing import Final

from hearts_net.host import course
from hearts_net.host.door import CODE, OPEN
from hearts_net.host.effects import Admit, Effect, Plan, SendTo, Unadmit
from hearts_net.host.manners import Manners
from hearts_net.host.permissions import refuse
from hearts_net.host.room import Room
from hearts_net.host.table import Role
from hearts_net.host.telling import to
from hearts_net.protocol import messages as wire
from hearts_net.protocol.codes import ErrorCode
from hearts_net.protocol.host_session import (
    ByeRequest,
    HelloRequest,
    HostSession,
    JoinRequest,
    ProveRequest,
    Request,
)
from hearts_net.protocol.limits import CODE_TRIES
from hearts_net.rules.errors import HeartsError

MAX_GUESTS: Final = 64
"""Watchers and players without a seat at once."""


class Arrivals:
    """Serves those who come and go.

    Attributes:
        public_port: of the public socket, once it is bound.

    """

    def __init__(self, room: Room, manners: Manners, host_name: str, machine: str) -> None:
        self.public_port = 0
        self._room = room
        self._manners = manners
        self._host_name = host_name
        self._machine = machine

    def hello(self, session: HostSession, request: HelloRequest) -> Plan:
        """Say who is here, in a version that both speak."""
        session.welcomed()
        table, key = self._room.table, session.key
        guest = table.guests.get(key)
        welcome = wire.Welcome(
            request.version,
            table.epoch,
            table.name,
            self._host_name,
            self.public_port,
            table.seat_of(key),
            table.table_id,
            self._machine,
            here=guest is not None and not guest.slow,
        )
        return [to(session, welcome)]

    def join(self, session: HostSession, join: wire.Join, now: int, clock: int) -> Plan:
        """Let somebody in, have them wait at the door, or say why not."""
        room = self._room
        if join.role == Role.DEPUTY:
            return self._join_deputy(session, join, clock)
        if room.sessions.is_older(session, join):
            session.superseded()
            return room.quiet([to(session, wire.Superseded())], now, clock)
        key = session.key
        try:
            course.check_join(join)
            if room.staff.seat_of(key) is not None:
                refuse(ErrorCode.BAD_ROLE, role=join.role[:40])
            if room.table.seat_of(key) is None:
                if self._is_full(key):
                    refuse(ErrorCode.TABLE_FULL)
                if not room.entrance.is_waiting(room.table, session):
                    self._manners.among_strangers(key, now)
            if room.table.door.way != OPEN and not room.table.is_known(key):
                return self._stop_at_the_door(session, join, now, clock)
            outcome = course.arrive(room.table, key, join, room.moment(now, clock))
        except HeartsError as error:
            return [to(session, wire.Refused(error.code, dict(error.detail)))]
        return room.changed(
            outcome, clock, room.entrance.let_in(session, join, outcome), also=session
        )

    def _stop_at_the_door(
        self, session: HostSession, join: wire.Join, now: int, clock: int
    ) -> Plan:
        """Have a newcomer prove the table's code, or the host's player asked about them."""
        room = self._room
        table = room.table
        if table.store_broken:
            refuse(ErrorCode.STORE_FAILED)
        if table.door.way == CODE:
            return room.entrance.want_code(table, session, join)
        outcome = course.ask(table, session.key, session.route, join, room.moment(now, clock))
        return room.changed(outcome, clock, [to(session, wire.Waiting())])

    def prove(self, session: HostSession, asked: ProveRequest, now: int, clock: int) -> Plan:
        """Let somebody in who knows the table's code; whoever does not has used up a try."""
        room = self._room
        table, moment = room.table, room.moment(now, clock)
        if table.door.way != CODE or table.store_broken:
            return self.join(session, asked.join, now, clock)
        try:
            if table.seat_of(session.key) is None and self._is_full(session.key):
                return [to(session, wire.Refused(ErrorCode.TABLE_FULL, {}))]
            proofs = room.entrance.proved(table, session, asked)
        except HeartsError as error:
            outcome = course.miss_code(table, moment)
            left = CODE_TRIES - outcome.table.door.wrong_codes
            return room.changed(
                outcome, clock, [to(session, wire.Refused(error.code, {"left": left}))]
            )
        outcome = course.arrive(table, session.key, asked.join, moment, has_proved=True)
        first: Plan = [to(session, wire.CodeProved(proofs.host.hex()))]
        first += room.entrance.let_in(session, asked.join, outcome)
        return room.changed(outcome, clock, first, also=session)

    def _is_full(self, key: str) -> bool:
        table = self._room.table
        standing = [other for other in table.guests if table.seat_of(other) is None]
        return len(standing) >= MAX_GUESTS and key not in standing

    def _join_deputy(self, session: HostSession, join: wire.Join, clock: int) -> Plan:
        room = self._room
        seat = room.staff.seat_of(session.key)
        if seat is None:
            return [to(session, wire.Refused(ErrorCode.BAD_ROLE, {"role": join.role}))]
        older = room.sessions.serve(session, join, (room.table.epoch, room.table.seq))
        name = room.table.seats[seat].name
        effects: Plan = [to(older, wire.Superseded())] if older is not None else []
        effects += [Admit(session.key), to(session, wire.Joined(join.role, seat, name))]
        return [*effects, room.teller.view(room.table, session, clock)]

    def bye(self, session: HostSession, now: int, clock: int) -> Plan:
        """Let somebody go who leaves on purpose."""
        room = self._room
        key = session.key
        effects: Plan = [to(session, wire.Bye())]
        if not room.sessions.is_served(session):
            was_asking = room.entrance.asker(room.table, key) is session
            session.left()
            return self.ask_no_more([key], effects, now, clock) if was_asking else effects
        room.sessions.stop(key)
        effects.append(Unadmit(key))
        outcome = course.depart(room.table, key, room.moment(now, clock))
        return room.changed(outcome, clock, effects)

    def ask_no_more(self, keys: list[str], first: Plan, now: int, clock: int) -> Plan:
        """Forget newcomers who have gone before they were answered."""
        room = self._room
        table = course.without_askers(room.table, keys)
        outcome = course.go_on(table, room.moment(now, clock), changed=table is not room.table)
        return room.changed(outcome, clock, first)

    def at_the_end(self, session: HostSession, request: Request) -> Effect:
        """Answer what comes after the end; who had a place here and comes back hears of it too."""
        if isinstance(request, ByeRequest):
            return to(session, wire.Bye())
        table, key = self._room.table, session.key
        comes_back = table.seat_of(key) is not None or key in table.guests
        if comes_back and isinstance(request, HelloRequest | JoinRequest):
            return SendTo(session.route, self._room.closing)
        return to(session, wire.Refused(ErrorCode.CLOSING, {}))
