"""The authority: bytes, presence and time in, effects out; no socket, clock or disk.

The life of one, as the program around it drives it::

    authority = Authority(store.entries(), opening, entropy=os.urandom, new_key=keys.new)
    carry_out(authority.begin(clock))  # one Store, synced, before the ports are bound
    carry_out(authority.opened(public_port, address, now, clock))  # bots wanted
    ... receive, dropped, tick at deadline() ...
    carry_out(authority.close(Ending.SAVED, now, clock))  # Closing to everybody, then Finished
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from functools import partial
from typing import Final

from msgspec import Struct, field
from msgspec.structs import replace

from hearts_net.host import conduct, course
from hearts_net.host.clocks import Clocks
from hearts_net.host.conduct import Conduct, Conducts, Verdict
from hearts_net.host.course import Outcome
from hearts_net.host.crowd import Crowd
from hearts_net.host.door import CODE, OPEN
from hearts_net.host.effects import (
    Admit,
    Bar,
    BotsStuck,
    Effect,
    Ending,
    Expel,
    Finished,
    Forgive,
    HangUp,
    Later,
    Plan,
    Publish,
    SendTo,
    Store,
    Unadmit,
    unrolled,
)
from hearts_net.host.endings import Endings
from hearts_net.host.entrance import Entrance
from hearts_net.host.facts import encode_entry
from hearts_net.host.lobby import Moment
from hearts_net.host.opening import Opening
from hearts_net.host.permissions import (
    Actor,
    Refusal,
    check_who,
    deputy_for,
    refuse,
)
from hearts_net.host.projection import (
    project_accepted,
    project_refused,
)
from hearts_net.host.sessions import RefusedAnswers, Sessions, Snapshot
from hearts_net.host.staff import Staff
from hearts_net.host.table import IN_GAME, UNSAVED, Role, Table
from hearts_net.host.telling import Teller, to
from hearts_net.host.vigil import Vigil
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
from hearts_net.protocol.limits import ALIVE_EVERY, CODE_TRIES, PAUSE, RATES
from hearts_net.rules.errors import HeartsError

HOST_NAME: Final = "hearts-net"
RETRY_EVERY: Final = 250
"""A peer that takes nothing is tried with one fresh view this often."""
TOGETHER: Final = 250
"""So long after the first guest was shut out the others are told, of all who were by then."""
PROBE_EVERY: Final = 1000
"""While nothing can be stored, it is tried again this often."""
SAVE_EVERY: Final = 5000
"""And so often while the game goes on unsaved: there is ever more to write at once."""
MAX_ADDRESS: Final = 64
MAX_DISMISSED: Final = 64
"""So many keys of former bots are known: each says its last words within a moment."""
MAX_GUESTS: Final = 64
"""Watchers and players without a seat at once."""

_KINDS: Final[dict[type[Request], int]] = {
    HelloRequest: conduct.ARRIVE,
    JoinRequest: conduct.ARRIVE,
    ProveRequest: conduct.ARRIVE,
    ByeRequest: conduct.ARRIVE,
    CommandRequest: conduct.COMMAND,
    CommitRequest: conduct.LOOK,
    RevealRequest: conduct.LOOK,
    SnapshotRequest: conduct.LOOK,
    FetchRequest: conduct.LOOK,
    AliveRequest: conduct.ALIVE,
}
"""What each request counts as, for how often it may come."""
_PACED: Final = (wire.Pass, wire.Play, wire.Claim, wire.ChooseMoon)


class _Step(Struct, frozen=True):
    """Where a call began: what to go back to, and what to serve again, if it cannot be stored."""

    table: Table
    sessions: Snapshot
    deputies: dict[int, str]
    unsaved: tuple[bytes, ...] = ()
    session: HostSession | None = None
    request: Request | None = None
    regardless: Plan = field(default_factory=list)
    """What is to be done though nothing can be stored: it says nothing of the table."""


class Authority:
    """One table and everybody connected to it.

    ``now`` is monotonic, ``clock`` is UTC, both in milliseconds. Every method returns effects to be
    carried out in order, at once, before the next call.

    Attributes:
        inherited: number of the newest event of an earlier run, 0 for a new table.

    """

    def __init__(
        self,
        stored: Iterable[bytes],
        opening: Opening,
        *,
        entropy: Callable[[int], bytes],
        new_key: Callable[[], str],
        host_name: str = HOST_NAME,
        machine: str = "",
    ) -> None:
        """Take up what is stored, or open a new table where nothing is.

        ``entropy(n)`` gives n random bytes; ``new_key()`` makes a key pair for a bot of the table,
        keeps its secret, and returns the public key. ``machine`` is what the host's machine calls
        itself, for the welcome. Raises
        :class:`~hearts_net.host.errors.StoreError` ``store-damaged`` for entries that are no table.
        """
        self._opening = opening
        self._entropy = entropy
        self._conducts = Conducts()
        self._strangers = Crowd(RATES["stranger"])
        self._strangers_looks = Crowd(RATES["stranger-look"])
        self._made: list[str] = []
        """The keys made in one step, which are nobody's if it cannot be stored."""
        self._made_in: _Step | None = None
        self._new_key = self._trusted(new_key)
        self._host_name = host_name
        self._machine = machine
        self._table = Table.restore(stored)
        self.inherited: Final = self._table.log.newest
        self._sessions = Sessions()
        self._refused = RefusedAnswers()
        self._staff = Staff(self._sessions, self._new_key, opening.levels)
        self._teller = Teller(self._sessions, self._staff)
        self._entrance = Entrance(self._sessions, self._teller, entropy)
        self._endings = Endings()
        self._vigil = Vigil()
        self._public_port = 0
        self._is_open = False
        self._finished = False
        self._closing = b""
        self._woken = False
        self._beat_due = 0
        self._retry_due = 0
        self._leaving: list[str] = []
        """Guests shut out of whom the others have yet to be told."""
        self._leaving_due = 0
        self._dismissed: deque[str] = deque(maxlen=MAX_DISMISSED)
        self._probe_due = 0
        self._unsaved: tuple[bytes, ...] = ()
        self._step = _Step(self._table, self._sessions.snapshot(), {})

    @property
    def table(self) -> Table:
        """The table as it is."""
        return self._table

    @property
    def unsaved(self) -> tuple[bytes, ...]:
        """The newest entries, which are not stored since it goes on without."""
        return self._unsaved

    @property
    def deputies(self) -> dict[int, str]:
        """The keys of those who play for absent players, by seat."""
        return dict(self._staff.deputies)

    # ---- the start -----------------------------------------------------------------------------

    def begin(self, clock: int) -> list[Effect]:
        """Start a new epoch: exactly one synced Store, to be written before the ports are bound."""
        self._start_step()
        moment = self._moment(0, clock)
        if self._table.entries:
            outcome = course.begin_epoch(self._table, self._opening, moment)
        else:
            outcome = course.open_table(self._opening, moment)
        self._table = outcome.table
        return self._stored(outcome)

    def opened(self, public_port: int, address: str, now: int, clock: int) -> list[Effect]:
        """Take note of the bound ports and ask for the bots.

        ``address`` is host:port as somebody may type it, "" on a loopback-only table.
        """
        self._start_step()
        self._public_port = public_port
        # nobody could come before, so countdowns begin now
        self._table = replace(self._table, address=address[:MAX_ADDRESS], clocks=Clocks())
        self._is_open = True
        self._beat_due = now + ALIVE_EVERY
        outcome = course.go_on(self._table, self._moment(now, clock))
        plan = self._changed(outcome, clock)
        plan += [Bar(key) for key in self._table.door.banned]
        return list(unrolled(plan + self._staff.bots(Table().seats, self._table.seats)))

    # ---- what comes in -------------------------------------------------------------------------

    def receive(self, route: bytes, key: str, body: bytes, now: int, clock: int) -> list[Effect]:
        """Handle one body from the connection ``route``, whose peer holds ``key``."""
        return list(unrolled(self.plan(route, key, body, now, clock)))

    def plan(self, route: bytes, key: str, body: bytes, now: int, clock: int) -> Plan:
        """Handle one body as :meth:`receive` does; the views are made as the plan is carried out.

        All of it is to be carried out before the next call, except where a Store fails.
        """
        manners = self._conducts.of(key, now)
        if now < manners.held_until:
            return self._judged(manners.unread(), route, key, now, clock)
        session = self._sessions.session(route, key, now)
        if session is None:
            return [SendTo(route, encode(wire.Refused(ErrorCode.TABLE_FULL, {}))), HangUp(route)]
        if self._sessions.hung_up:
            return self._hung_up() + self._heard(session, manners, body, now, clock)
        return self._heard(session, manners, body, now, clock)

    def _hung_up(self) -> Plan:
        given_up: Plan = [HangUp(route) for route in self._sessions.hung_up]
        self._sessions.hung_up.clear()
        return given_up

    def _heard(
        self, session: HostSession, manners: Conduct, body: bytes, now: int, clock: int
    ) -> Plan:
        request = session.receive(body, now)
        if isinstance(request, Rejected):
            return self.offended(session.route, session.key, request.refused, now, clock)
        kind = _KINDS[type(request)]
        if manners.is_over(kind, now):
            return self._too_fast(session, request, now, clock)
        if kind != conduct.COMMAND:
            manners.spend(kind, now)
        if kind == conduct.LOOK and self._is_look_too_many(session.key, manners, now):
            return [to(session, wire.Refused(ErrorCode.TOO_FAST, {}))]
        self._start_step(session, request)
        try:
            effects = self._serve(session, request, now, clock)
        except Exception:
            self._go_back()  # nothing of it is stored, or has been told
            raise
        effects.append(Later(partial(self._ended, now), urgent=False))
        return effects

    # ---- manners -------------------------------------------------------------------------------

    def offended(self, route: bytes, key: str, refused: wire.Refused, now: int, clock: int) -> Plan:
        """Refuse what is no message, or came at the wrong time, and count a strike."""
        manners = self._conducts.of(key, now)
        if now < manners.held_until:
            return self._judged(manners.unread(), route, key, now, clock)
        verdict = manners.strike(now)
        if verdict is Verdict.FINE:
            return [SendTo(route, encode(refused))]
        return self._judged(verdict, route, key, now, clock)

    def subscribed(self, key: str, now: int, clock: int, *, to_all: bool) -> Plan:
        """Hear that a key has subscribed on public, or has ended a subscription."""
        verdict = self._conducts.of(key, now).subscribed(now, to_all=to_all)
        served = self._sessions.served.get(key)
        return self._judged(verdict, served.route if served else b"", key, now, clock)

    def ran_away(self, key: str, now: int, clock: int) -> Plan:
        """Hear that a connection of a key was cut: what came was no message, and far too much."""
        if self._conducts.of(key, now).trusted:
            return []
        served = self._sessions.served.get(key)
        verdict = self._conducts.of(key, now).shut_out()
        return self._judged(verdict, served.route if served else b"", key, now, clock)

    def _too_fast(self, session: HostSession, request: Request, now: int, clock: int) -> Plan:
        verdict = self._conducts.of(session.key, now).strike(now)
        if verdict is not Verdict.FINE:
            return self._judged(verdict, session.route, session.key, now, clock)
        if not isinstance(request, CommandRequest):
            return [to(session, wire.Refused(ErrorCode.TOO_FAST, {}))]
        known = self._answered(session.key, request.command.id)
        return [SendTo(session.route, known or self._refusal(session, request.command))]

    def _refusal(self, session: HostSession, command: wire.Command) -> bytes:
        body = encode(project_refused(self._table, command.id, Refusal(ErrorCode.TOO_FAST)))
        self._refused.add(session.key, command.id, body)
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
        self._start_step()
        effects = self._step.regardless
        if route:
            effects.append(SendTo(route, encode(wire.Refused(ErrorCode.SHUT_OUT, {}))))
        effects.append(Expel(key))
        if self._sessions.stop(key) is None or key not in self._table.guests:
            return effects
        if self._table.seat_of(key) is None:
            if not self._leaving:
                self._leaving_due = now + TOGETHER
            self._leaving.append(key)
            return effects
        lost = course.without(self._table, key)
        outcome = course.go_on(lost, self._moment(now, clock), changed=True)
        return self._changed(outcome, clock, effects) + self._ended(now)

    def _trusted(self, new_key: Callable[[], str]) -> Callable[[], str]:
        """Trust whoever gets a key of the table's own: its bots and the deputies."""
        self._conducts.trust(self._opening.host_key)

        def made() -> str:
            key = new_key()
            self._conducts.trust(key)
            if self._made_in is not self._step:
                self._made_in, self._made = self._step, []
            self._made.append(key)
            return key

        return made

    def dismissed(self, key: str) -> None:
        """Hear that a bot or deputy of the table's own is not wanted any more.

        Its key is forgotten, and what it had sent before it heard of that gets it no seat.
        """
        self._conducts.distrust(key)
        self._dismissed.append(key)

    def _serve(self, session: HostSession, request: Request, now: int, clock: int) -> Plan:
        if self._finished:
            return [self._at_the_end(session, request)]
        if session.key in self._dismissed:
            return [to(session, wire.Bye())]
        if session.key in self._table.door.banned and not isinstance(request, ByeRequest):
            return [to(session, wire.Refused(ErrorCode.BANNED, {}))]
        self._wake(session, now, clock)
        match request:
            case CommandRequest():
                return self._command(session, request.command, now, clock)
            case HelloRequest():
                return self._quiet(self._hello(session, request), now, clock)
            case JoinRequest():
                return self._join(session, request.join, now, clock)
            case ProveRequest():
                return self._prove(session, request, now, clock)
            case CommitRequest() | RevealRequest():
                return self._take_share(session, request, now, clock)
            case SnapshotRequest():
                return self._snapshot(session, now, clock)
            case FetchRequest():
                return self._quiet(
                    [self._teller.page(self._table, session, request.fetch)], now, clock
                )
            case AliveRequest():
                return self._quiet(self._alive(session, clock), now, clock)
            case ByeRequest():
                return self._bye(session, now, clock)
            case Rejected():
                return [to(session, request.refused)]

    def _hello(self, session: HostSession, request: HelloRequest) -> Plan:
        session.welcomed()
        table, key = self._table, session.key
        welcome = wire.Welcome(
            request.version,
            table.epoch,
            table.name,
            self._host_name,
            self._public_port,
            table.seat_of(key),
            key == table.host_key,
            table.table_id,
            self._machine,
        )
        return [to(session, welcome)]

    def _join(self, session: HostSession, join: wire.Join, now: int, clock: int) -> Plan:
        if join.role == Role.DEPUTY:
            return self._join_deputy(session, join, clock)
        if self._sessions.is_older(session, join):
            session.superseded()
            return self._quiet([to(session, wire.Superseded())], now, clock)
        key = session.key
        try:
            course.check_join(join)
            if self._staff.seat_of(key) is not None:
                refuse(ErrorCode.BAD_ROLE, role=join.role[:40])
            if self._table.seat_of(key) is None:
                if self._is_full(key):
                    refuse(ErrorCode.TABLE_FULL)
                if not self._entrance.is_waiting(self._table, session):
                    self._among_strangers(key, now)
            if self._table.door.way != OPEN and not self._table.is_known(key):
                return self._stop_at_the_door(session, join, now, clock)
            outcome = course.arrive(self._table, key, join, self._moment(now, clock))
        except HeartsError as error:
            return [to(session, wire.Refused(error.code, dict(error.detail)))]
        return self._changed(
            outcome, clock, self._entrance.let_in(session, join, outcome), also=session
        )

    def _stop_at_the_door(
        self, session: HostSession, join: wire.Join, now: int, clock: int
    ) -> Plan:
        """Have a newcomer prove the table's code, or the host's player asked about them."""
        table = self._table
        if table.store_broken:
            refuse(ErrorCode.STORE_FAILED)
        if table.door.way == CODE:
            return self._entrance.want_code(table, session, join)
        outcome = course.ask(table, session.key, session.route, join, self._moment(now, clock))
        return self._changed(outcome, clock, [to(session, wire.Waiting())])

    def _prove(self, session: HostSession, asked: ProveRequest, now: int, clock: int) -> Plan:
        """Let somebody in who knows the table's code; whoever does not has used up a try."""
        table, moment = self._table, self._moment(now, clock)
        if table.door.way != CODE or table.store_broken:
            return self._join(session, asked.join, now, clock)
        try:
            if table.seat_of(session.key) is None and self._is_full(session.key):
                return [to(session, wire.Refused(ErrorCode.TABLE_FULL, {}))]
            proofs = self._entrance.proved(table, session, asked)
        except HeartsError as error:
            outcome = course.miss_code(table, moment)
            left = CODE_TRIES - outcome.table.door.wrong_codes
            return self._changed(
                outcome, clock, [to(session, wire.Refused(error.code, {"left": left}))]
            )
        outcome = course.arrive(table, session.key, asked.join, moment, has_proved=True)
        first: Plan = [to(session, wire.CodeProved(proofs.host.hex()))]
        first += self._entrance.let_in(session, asked.join, outcome)
        return self._changed(outcome, clock, first, also=session)

    def _among_strangers(self, key: str, now: int) -> None:
        """Let those without a seat, who may be one with many keys, do only so much together."""
        if key != self._table.host_key and self._strangers.is_over(b"", now):
            refuse(ErrorCode.TOO_FAST)

    def _is_look_too_many(self, key: str, manners: Conduct, now: int) -> bool:
        """Whether those without a seat have looked so often that the players would wait."""
        if manners.trusted or self._table.seat_of(key) is not None:
            return False
        return self._strangers_looks.is_over(b"", now)

    def _is_full(self, key: str) -> bool:
        table = self._table
        standing = [other for other in table.guests if table.seat_of(other) is None]
        return len(standing) >= MAX_GUESTS and key not in standing

    def _join_deputy(self, session: HostSession, join: wire.Join, clock: int) -> Plan:
        seat = self._staff.seat_of(session.key)
        if seat is None:
            return [to(session, wire.Refused(ErrorCode.BAD_ROLE, {"role": join.role}))]
        older = self._sessions.serve(session, join, (self._table.epoch, self._table.seq))
        name = self._table.seats[seat].name
        effects: Plan = [to(older, wire.Superseded())] if older is not None else []
        effects += [Admit(session.key), to(session, wire.Joined(join.role, seat, name))]
        return [*effects, self._teller.view(self._table, session, clock)]

    def _command(self, session: HostSession, command: wire.Command, now: int, clock: int) -> Plan:
        key = session.key
        manners = self._conducts.of(key, now)
        known = self._answered(key, command.id)
        if known is not None:
            manners.spend(conduct.COMMAND, now)
            return self._quiet([SendTo(session.route, known)], now, clock)
        try:
            actor = self._actor(session, command)
            if isinstance(command.do, wire.Say) and manners.is_over(conduct.SAY, now):
                refuse(ErrorCode.TOO_FAST)
            if isinstance(command.do, wire.Admit) and not self._entrance.is_asking(
                self._table, command.do.key, now
            ):
                check_who(self._table, actor, command.do)
                refuse(ErrorCode.NOT_HERE)
            moment = self._moment(now, clock)
            outcome = course.handle(self._table, key, actor, command, moment, changed=self._woken)
            if actor.seat is None:
                self._among_strangers(key, now)
        except HeartsError as error:
            manners.spend(conduct.COMMAND, now)
            body = encode(project_refused(self._table, command.id, error))
            if error.code != ErrorCode.STORE_FAILED:
                self._refused.add(key, command.id, body)
            return self._quiet([SendTo(session.route, body)], now, clock)
        if not isinstance(command.do, _PACED):  # the game itself paces these
            manners.spend(conduct.COMMAND, now)
        if isinstance(command.do, wire.Say):
            manners.spend(conduct.SAY, now)
        reply = to(session, project_accepted(outcome.table, key, command.id))
        first = [reply, *self._entrance.after(self._table, command.do, outcome)]
        effects = self._changed(outcome, clock, first, also=session)
        if isinstance(command.do, wire.Close):
            effects += self._end(Ending.SAVED)
        return effects

    def _answered(self, key: str, request: int) -> bytes | None:
        """Return the answer that a request has had, whatever it says this time."""
        if self._table.answers.get((key, request)) is not None:
            return encode(project_accepted(self._table, key, request))
        return self._refused.get(key, request)

    def _actor(self, session: HostSession, command: wire.Command) -> Actor:
        if session.role == Role.DEPUTY:
            actor = deputy_for(self._staff.seat_of(session.key))
        else:
            actor = self._teller.actor(self._table, session.key)
        if command.seat is not None and command.seat != actor.seat:
            refuse(ErrorCode.NOT_ALLOWED, seat=command.seat)
        return actor

    def _snapshot(self, session: HostSession, now: int, clock: int) -> Plan:
        if not self._woken:
            return [self._teller.view(self._table, session, clock)]
        # that the sender is back makes a new state: one number never stands for two states
        outcome = course.go_on(self._table, self._moment(now, clock), changed=True)
        return self._changed(outcome, clock, also=session)

    def _take_share(
        self, session: HostSession, request: CommitRequest | RevealRequest, now: int, clock: int
    ) -> Plan:
        """Take a peer's part in the shuffle; what was not asked for has no answer and no effect."""
        seat = self._table.seat_of(session.key)
        if seat is None or session.role not in (Role.PLAYER, Role.BOT):
            return self._quiet([], now, clock)
        moment, woken = self._moment(now, clock), self._woken
        if isinstance(request, CommitRequest):
            commit = request.commit
            outcome = course.take_commitment(self._table, seat, commit, moment, changed=woken)
        else:
            reveal = request.reveal
            outcome = course.take_share(self._table, seat, reveal, moment, changed=woken)
        return self._changed(outcome, clock)

    def _alive(self, session: HostSession, clock: int) -> Plan:
        effects: Plan = [to(session, wire.Alive(self._table.epoch, self._table.seq))]
        if session.dirty and not self._woken:
            session.dirty = False
            effects.append(self._teller.view(self._table, session, clock))
        return effects

    def _bye(self, session: HostSession, now: int, clock: int) -> Plan:
        key = session.key
        effects: Plan = [to(session, wire.Bye())]
        if not self._sessions.is_served(session):
            was_asking = self._entrance.asker(self._table, key) is session
            session.left()
            return self._ask_no_more([key], effects, now, clock) if was_asking else effects
        self._sessions.stop(key)
        effects.append(Unadmit(key))
        outcome = course.depart(self._table, key, self._moment(now, clock))
        return self._changed(outcome, clock, effects)

    def _ask_no_more(self, keys: list[str], first: Plan, now: int, clock: int) -> Plan:
        table = course.without_askers(self._table, keys)
        outcome = course.go_on(table, self._moment(now, clock), changed=table is not self._table)
        return self._changed(outcome, clock, first)

    def dropped(self, route: bytes, now: int, clock: int, *, gone: bool) -> list[Effect]:
        """Hear that a send failed, or (``gone``) that the connection is no more.

        A peer that takes nothing at present gets one fresh view as soon as it does.
        """
        session = self._sessions.by_route(route)
        if session is None:
            return []
        if not gone:
            if self._sessions.is_served(session) and not session.dirty:
                session.dirty = True
                self._retry_due = now + RETRY_EVERY
            return []
        return self.lost([route], now, clock)

    def lost(self, routes: Iterable[bytes], now: int, clock: int) -> list[Effect]:
        """Hear that these connections are no more; the others are told once."""
        self._start_step()
        sessions = [self._sessions.by_route(route) for route in routes]
        known = [session for session in sessions if session is not None]
        asked = [each.key for each in known if self._entrance.asker(self._table, each.key) is each]
        served = [each for each in known if self._sessions.forget(each.route) is not None]
        plan = self._ask_no_more(asked, [], now, clock) if asked else []
        # who has no seat is let in anew with the next join
        plan += [Unadmit(one.key) for one in served if self._table.seat_of(one.key) is None]
        table = self._table
        for session in served:
            if session.key in table.guests:
                table = course.without(table, session.key)
        if table is not self._table:
            outcome = course.go_on(table, self._moment(now, clock), changed=True)
            plan = plan + self._changed(outcome, clock)
        elif not plan:
            return []
        return list(unrolled(plan + self._ended(now)))

    # ---- time ----------------------------------------------------------------------------------

    def tick(self, now: int, clock: int) -> list[Effect]:
        """Do what has become due."""
        if self._finished:
            return []
        due = self.deadline()
        self._start_step()
        self._sessions.forget_strangers(now)
        moment = self._moment(now, clock)
        table = course.as_heard(self._table, self._sessions.presences(now), clock)
        table = course.without_askers(table, self._entrance.gone(table, now))
        table = self._without_those_shut_out(table, now)
        quieter = table is not self._table
        if table.saving and now >= self._probe_due:
            # alone: should it fail, nothing else of this call must be lost with it
            self._probe_due = now + (PROBE_EVERY if table.store_broken else SAVE_EVERY)
            return list(unrolled(self._changed(course.probe_store(table, moment), clock)))
        outcome = course.go_on(table, moment, changed=quieter)
        effects = self._changed(outcome, clock)
        table = self._table
        if self._conducts.after_game(table.game_id, is_over=table.stage not in IN_GAME):
            effects.append(Forgive())
        effects += self._retries(now, clock)
        effects += self._beat(now)
        if self._vigil.is_stuck(self._staff.heard(self._table.seats), now, due):
            effects.append(BotsStuck())
        return list(unrolled(effects + self._ended(now)))

    def _without_those_shut_out(self, table: Table, now: int) -> Table:
        if not self._leaving or now < self._leaving_due:
            return table
        self._leaving.clear()
        return course.with_served(table, self._sessions.served)

    def _wake(self, session: HostSession, now: int, clock: int) -> None:
        """Have a guest back who had been quiet and is heard now."""
        session.presence(now)
        self._woken = False
        served = self._sessions.served.get(session.key)
        if served is None or served.route != session.route or session.role == Role.DEPUTY:
            return
        guest = self._table.guests.get(session.key)
        if guest is None:
            guest = course.back_again(self._table, session.key, served.join, clock)
        elif guest.slow:
            guest = replace(guest, slow=False, since=clock)
        else:
            return
        self._table = course.with_guest(self._table, session.key, guest)
        self._woken = True

    def _quiet(self, effects: Plan, now: int, clock: int) -> Plan:
        """Return effects that change nothing, having told that a sender who was gone is back."""
        if not self._woken:
            return effects
        outcome = course.go_on(self._table, self._moment(now, clock), changed=True)
        return self._changed(outcome, clock, effects)

    def _retries(self, now: int, clock: int) -> Plan:
        if now < self._retry_due:
            return []
        self._retry_due = now + RETRY_EVERY
        effects: Plan = []
        for session in self._sessions.all_served():
            if session.dirty:
                session.dirty = False
                effects.append(self._teller.view(self._table, session, clock))
        return effects

    def _beat(self, now: int) -> Plan:
        if now < self._beat_due:
            return []
        self._beat_due = now + ALIVE_EVERY
        if not self._sessions.served:
            return []
        return [Publish(encode(wire.Beat(self._table.epoch, self._table.seq)))]

    def deadline(self) -> int | None:
        """Return when (monotonic) :meth:`tick` is next due; None: not before something happens."""
        if self._finished:
            return None
        times = self._endings.deadlines(self._table)
        if self._sessions.served:
            times.append(self._beat_due)
        if self._leaving:
            times.append(self._leaving_due)
        for session in self._sessions.all_served():
            due = session.deadline()
            if due is not None:
                times.append(due)
            if session.dirty:
                times.append(self._retry_due)
        times += self._entrance.deadlines(self._table)
        if self._table.saving:
            times.append(self._probe_due)
        ending = self._table.clocks.deadline()
        if ending is not None:
            times.append(ending)
        watched = self._vigil.deadline()
        if watched is not None:
            times.append(watched)
        return min(times, default=None)

    # ---- the store -----------------------------------------------------------------------------

    def store_failed(self, now: int, clock: int, reason: str = "failed") -> list[Effect]:
        """Hear that the Store of the last list failed and that nothing after it was done.

        Everything is as it was before; the sender of a command is told ``store-failed``, and the
        game stands still until storing works again (tried every ``PROBE_EVERY``) or the host's
        player goes on without. ``reason`` is what the view says of it in ``saving``.
        """
        step = self._step
        self._go_back()
        effects: Plan = [*step.regardless]
        if step.table.saving not in (UNSAVED, reason):
            self._probe_due = now + PROBE_EVERY
            effects += self._broken(now, clock, reason)
        if step.session is not None and step.request is not None:
            effects += self._serve(step.session, step.request, now, clock)
        return list(unrolled(effects))

    def _go_back(self) -> None:
        """Have everything as it was where the last call began."""
        step = self._step
        self._sessions.restore(step.sessions)
        self._table = course.with_served(step.table, self._sessions.served)
        self._staff.deputies = step.deputies
        self._unsaved = step.unsaved
        self._finished = False
        if self._made_in is step:
            for key in self._made:
                self._conducts.distrust(key)

    def store_lost(self, now: int, clock: int, reason: str) -> list[Effect]:
        """Hear that the next Store is going to fail: the store has gone or been damaged."""
        if self._finished or self._table.saving:
            return []
        self._probe_due = now + PROBE_EVERY
        return list(unrolled(self._broken(now, clock, reason)))

    def _broken(self, now: int, clock: int, reason: str) -> Plan:
        self._start_step()
        outcome = course.break_store(self._table, reason, self._moment(now, clock))
        return self._changed(outcome, clock)

    # ---- the end -------------------------------------------------------------------------------

    def close(self, reason: Ending, now: int, clock: int) -> list[Effect]:
        """End the table: everybody is told, then Finished."""
        del now, clock  # nothing in the last words says when
        return list(unrolled(self._end(reason)))

    def _ended(self, now: int) -> Plan:
        if self._finished or not self._is_open:
            return []
        reason = self._endings.look(self._table, self._sessions.all_served(), now)
        return self._end(reason) if reason is not None else []

    def _end(self, reason: Ending) -> Plan:
        if self._finished:
            return []
        self._finished = True
        self._closing = encode(wire.Closing(reason.value))
        return [*self.last_words(), Finished(reason)]

    def last_words(self) -> list[SendTo]:
        """Return what everybody who is served is told at the end, and again until they have gone.

        A connection that breaks takes with it what its peer has not read: whoever is slow would
        never know.
        """
        served = self._sessions.all_served()
        return [SendTo(session.route, self._closing) for session in served]

    def _at_the_end(self, session: HostSession, request: Request) -> Effect:
        """Answer what comes after the end; who had a place here and comes back hears of it too."""
        if isinstance(request, ByeRequest):
            return to(session, wire.Bye())
        table, key = self._table, session.key
        comes_back = table.seat_of(key) is not None or key in table.guests
        if comes_back and isinstance(request, HelloRequest | JoinRequest):
            return SendTo(session.route, self._closing)
        return to(session, wire.Refused(ErrorCode.CLOSING, {}))

    # ---- what goes out -------------------------------------------------------------------------

    def _start_step(
        self, session: HostSession | None = None, request: Request | None = None
    ) -> None:
        self._step = _Step(
            self._table,
            self._sessions.snapshot(),
            self._staff.deputies,
            self._unsaved,
            session,
            request,
        )
        self._woken = False

    def _moment(self, now: int, clock: int) -> Moment:
        return Moment(now, clock, self._entropy, self._new_key, self._opening.levels)

    def _stored(self, outcome: Outcome) -> list[Effect]:
        if outcome.entry is None:
            return []
        before, after = self._step.table, outcome.table
        body = encode_entry(outcome.entry)
        if after.saving == UNSAVED:
            self._unsaved = (*self._unsaved, body)
            return []
        if self._unsaved:
            kept, self._unsaved = self._unsaved, ()
            return [Store(outcome.entry.number - len(kept), (*kept, body), True)]
        sync = after.settings.durable or (
            before.epoch != after.epoch or _deals_done(before) != _deals_done(after)
        )
        # what somebody has promised must not be asked for a second time, whatever happens
        sync = sync or (before.promised is not after.promised and _is_bound(after))
        return [Store(outcome.entry.number, (body,), sync)]

    def _unseated(self, before: Table) -> Plan:
        """Let those in no more who have lost their seats while they were away."""
        gone = {seat.key for seat in before.seats if seat.taken and not seat.table_bot}
        gone -= {seat.key for seat in self._table.seats}
        return [Unadmit(key) for key in sorted(gone) if key not in self._sessions.served]

    def _changed(
        self,
        outcome: Outcome,
        clock: int,
        first: Plan | None = None,
        also: HostSession | None = None,
    ) -> Plan:
        """Store, then tell: ``first`` (answers), then a view to everybody and to ``also``."""
        before = self._step.table
        self._table = outcome.table
        effects = [*self._stored(outcome), *(first or [])]
        if self._is_open and before.seats is not self._table.seats:
            effects += self._staff.bots(before.seats, self._table.seats)
            effects += self._unseated(before)
            effects += self._staff.deputise(self._table.seats)
        after = self._table
        if after.gathering is not before.gathering or after.promised is not before.promised:
            effects += self._teller.shuffle(before, after)
        if outcome.changed:
            effects.append(self._teller.state(self._table, clock, also))
        return effects


def _is_bound(table: Table) -> bool:
    """Whether any player has a share in the deal that is shuffled, or was shuffled last."""
    return table.promised is not None and any(table.promised.seats)


def _deals_done(table: Table) -> int:
    return len(table.game.results) if table.game is not None else 0
