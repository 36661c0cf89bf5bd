"""The authority: bytes, presence and time in, effects out; no socket, clock or disk.

The life of one, as the program around it drives it::

    authority = Authority(store.entries(), opening, entropy=os.urandom, new_key=keys.new)
    carry_out(authority.begin(clock))  # one Write, synced, before the ports are bound
    carry_out(authority.opened(public_port, address, now, clock))  # bots wanted
    ... receive, dropped, tick at deadline() ...
    carry_out(authority.close(Ending.SAVED, now, clock))  # Closing to everybody, then Finished
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from functools import partial
from typing import Final

from msgspec.structs import replace

from hearts_net.host import course
from hearts_net.host.arrivals import Arrivals
from hearts_net.host.clocks import Clocks
from hearts_net.host.conduct import COMMAND, SAY, Conduct
from hearts_net.host.effects import (
    Bar,
    BotsStuck,
    Effect,
    Ending,
    Forgive,
    HangUp,
    Later,
    Plan,
    Publish,
    SendTo,
    Unadmit,
    unrolled,
)
from hearts_net.host.manners import Manners
from hearts_net.host.opening import Opening
from hearts_net.host.permissions import (
    Actor,
    check_who,
    deputy_for,
    refuse,
)
from hearts_net.host.projection import (
    project_accepted,
    project_refused,
)
from hearts_net.host.room import Room
from hearts_net.host.table import IN_GAME, UNSAVED, Role, Table
from hearts_net.host.telling import to
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
from hearts_net.protocol.limits import ALIVE_EVERY
from hearts_net.rules.errors import HeartsError

HOST_NAME: Final = "hearts-net"
RETRY_EVERY: Final = 250
"""A peer that takes nothing is tried with one fresh view this often."""
PROBE_EVERY: Final = 1000
"""While nothing can be stored, it is tried again this often."""
SAVE_EVERY: Final = 5000
"""And so often while the game goes on unsaved: there is ever more to write at once."""
MAX_ADDRESS: Final = 64
MAX_DISMISSED: Final = 64
"""So many keys of former bots are known: each says its last words within a moment."""
PACED: Final = (wire.Pass, wire.Play, wire.Claim, wire.ChooseMoon)
"""Acts that the game itself paces, so that they do not count where they are accepted."""


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
        self._room = Room(stored, opening, entropy, new_key)
        self._manners = Manners(self._room)
        self._arrivals = Arrivals(self._room, self._manners, host_name, machine)
        self._vigil = Vigil()
        self.inherited: Final = self._room.table.log.newest
        self._beat_due = 0
        self._retry_due = 0
        self._probe_due = 0
        self._dismissed: deque[str] = deque(maxlen=MAX_DISMISSED)

    @property
    def table(self) -> Table:
        """The table as it is."""
        return self._room.table

    @property
    def unsaved(self) -> tuple[bytes, ...]:
        """The newest entries, which are not stored since it goes on without."""
        return self._room.unsaved

    @property
    def deputies(self) -> dict[int, str]:
        """The keys of those who play for absent players, by seat."""
        return dict(self._room.staff.deputies)

    # ---- the start -----------------------------------------------------------------------------

    def begin(self, clock: int) -> list[Effect]:
        """Start a new epoch: exactly one synced Write, to be written before the ports are bound."""
        room = self._room
        room.begin_step()
        moment = room.moment(0, clock)
        if room.table.entries:
            outcome = course.begin_epoch(room.table, room.opening, moment)
        else:
            outcome = course.open_table(room.opening, moment)
        room.table = outcome.table
        return room.stored(outcome)

    def opened(self, public_port: int, address: str, now: int, clock: int) -> list[Effect]:
        """Take note of the bound ports and ask for the bots.

        ``address`` is host:port as somebody may type it, "" on a loopback-only table.
        """
        room = self._room
        room.begin_step()
        self._arrivals.public_port = public_port
        # nobody could come before, so countdowns begin now
        room.table = replace(room.table, address=address[:MAX_ADDRESS], clocks=Clocks())
        room.is_open = True
        self._beat_due = now + ALIVE_EVERY
        outcome = course.go_on(room.table, room.moment(now, clock))
        plan = room.changed(outcome, clock)
        plan += [Bar(key) for key in room.table.door.banned]
        return list(unrolled(plan + room.staff.bots(Table().seats, room.table.seats)))

    # ---- what comes in -------------------------------------------------------------------------

    def receive(self, route: bytes, key: str, body: bytes, now: int, clock: int) -> list[Effect]:
        """Handle one body from the connection ``route``, whose peer holds ``key``."""
        return list(unrolled(self.plan(route, key, body, now, clock)))

    def plan(self, route: bytes, key: str, body: bytes, now: int, clock: int) -> Plan:
        """Handle one body as :meth:`receive` does; the views are made as the plan is carried out.

        All of it is to be carried out before the next call, except where a Write fails.
        """
        room = self._room
        conduct = room.conducts.of(key, now)
        if now < conduct.held_until:
            return self._manners.unread(conduct, route, key, now, clock)
        session = room.sessions.session(route, key, now)
        if session is None:
            return [SendTo(route, encode(wire.Refused(ErrorCode.TABLE_FULL, {}))), HangUp(route)]
        plan = self._heard(session, conduct, body, now, clock)
        return plan + self._hung_up() if room.sessions.hung_up else plan

    def _hung_up(self) -> Plan:
        room = self._room
        given_up: Plan = [HangUp(route) for route in room.sessions.hung_up]
        room.sessions.hung_up.clear()
        room.step.regardless.extend(given_up)
        return given_up

    def _heard(
        self, session: HostSession, conduct: Conduct, body: bytes, now: int, clock: int
    ) -> Plan:
        room = self._room
        request = session.receive(body, now)
        instead = self._manners.judge(session, conduct, request, now, clock)
        if instead is not None:
            return instead
        room.begin_step(session, request)
        try:
            effects = self._serve(session, request, now, clock)
        except Exception:
            room.go_back()  # nothing of it is stored, or has been told
            raise
        effects.append(Later(partial(room.ended, now), urgent=False))
        return effects

    def offended(self, route: bytes, key: str, refused: wire.Refused, now: int, clock: int) -> Plan:
        """Refuse what is no message and count a strike."""
        return self._manners.offended(route, key, refused, now, clock)

    def subscribed(self, key: str, now: int, clock: int, *, usual: bool) -> Plan:
        """Hear that a key has subscribed on public, or has ended a subscription."""
        return self._manners.subscribed(key, now, clock, usual=usual)

    def ran_away(self, key: str, now: int, clock: int) -> Plan:
        """Hear that a connection of a key was cut: what came was no message, and far too much."""
        return self._manners.ran_away(key, now, clock)

    def dismissed(self, key: str) -> None:
        """Hear that a bot or deputy of the table's own is not wanted any more.

        Its key is forgotten, and what it had sent before it heard of that gets it no seat.
        """
        self._room.conducts.distrust(key)
        self._dismissed.append(key)

    def _serve(self, session: HostSession, request: Request, now: int, clock: int) -> Plan:
        room = self._room
        if room.finished:
            return [self._arrivals.at_the_end(session, request)]
        if session.key in self._dismissed:
            return [to(session, wire.Bye())]
        if session.key in room.table.door.banned and not isinstance(request, ByeRequest):
            return [to(session, wire.Refused(ErrorCode.BANNED, {}))]
        self._wake(session, now, clock)
        match request:
            case CommandRequest():
                return self._command(session, request.command, now, clock)
            case HelloRequest():
                return room.quiet(self._arrivals.hello(session, request), now, clock)
            case JoinRequest():
                return self._arrivals.join(session, request.join, now, clock)
            case ProveRequest():
                return self._arrivals.prove(session, request, now, clock)
            case CommitRequest() | RevealRequest():
                return self._take_share(session, request, now, clock)
            case SnapshotRequest():
                return self._snapshot(session, now, clock)
            case FetchRequest():
                return room.quiet(
                    [room.teller.page(room.table, session, request.fetch)], now, clock
                )
            case AliveRequest():
                return room.quiet(self._alive(session, clock), now, clock)
            case ByeRequest():
                return self._arrivals.bye(session, now, clock)
            case Rejected():
                return [to(session, request.refused)]

    def _command(self, session: HostSession, command: wire.Command, now: int, clock: int) -> Plan:
        room = self._room
        key = session.key
        conduct = room.conducts.of(key, now)
        known = room.answered(key, command.id)
        if known is not None:
            conduct.spend(COMMAND, now)
            return room.quiet([SendTo(session.route, known)], now, clock)
        try:
            actor = self._actor(session, command)
            if isinstance(command.do, wire.Say) and conduct.is_over(SAY, now):
                refuse(ErrorCode.TOO_FAST)
            if isinstance(command.do, wire.Admit) and not room.entrance.is_asking(
                room.table, command.do.key, now
            ):
                check_who(room.table, actor, command.do)
                refuse(ErrorCode.NOT_HERE)
            moment = room.moment(now, clock)
            outcome = course.handle(room.table, key, actor, command, moment, changed=room.woken)
            if actor.seat is None:
                self._manners.among_strangers(key, now)
        except HeartsError as error:
            conduct.spend(COMMAND, now)
            body = encode(project_refused(room.table, command.id, error))
            if error.code != ErrorCode.STORE_FAILED:
                room.refused.add(key, command.id, body)
            return room.quiet([SendTo(session.route, body)], now, clock)
        if not isinstance(command.do, PACED):  # the game itself paces these
            conduct.spend(COMMAND, now)
        if isinstance(command.do, wire.Say):
            conduct.spend(SAY, now)
        reply = to(session, project_accepted(outcome.table, key, command.id))
        first = [reply, *room.entrance.after(room.table, command.do, outcome)]
        effects = room.changed(outcome, clock, first, also=session)
        if isinstance(command.do, wire.Close):
            effects += room.end(Ending.SAVED)
        return effects

    def _actor(self, session: HostSession, command: wire.Command) -> Actor:
        room = self._room
        if session.role == Role.DEPUTY:
            actor = deputy_for(room.staff.seat_of(session.key))
        else:
            actor = room.teller.actor(room.table, session.key)
        if command.seat is not None and command.seat != actor.seat:
            refuse(ErrorCode.NOT_ALLOWED, seat=command.seat)
        return actor

    def _snapshot(self, session: HostSession, now: int, clock: int) -> Plan:
        room = self._room
        if not room.woken:
            return [room.teller.view(room.table, session, clock)]
        # that the sender is back makes a new state: one number never stands for two states
        outcome = course.go_on(room.table, room.moment(now, clock), changed=True)
        return room.changed(outcome, clock, also=session)

    def _take_share(
        self, session: HostSession, request: CommitRequest | RevealRequest, now: int, clock: int
    ) -> Plan:
        """Take a peer's part in the shuffle; what was not asked for has no answer and no effect."""
        room = self._room
        seat = room.table.seat_of(session.key)
        if seat is None or session.role not in (Role.PLAYER, Role.BOT):
            return room.quiet([], now, clock)
        moment, woken = room.moment(now, clock), room.woken
        if isinstance(request, CommitRequest):
            commit = request.commit
            outcome = course.take_commitment(room.table, seat, commit, moment, changed=woken)
        else:
            reveal = request.reveal
            outcome = course.take_share(room.table, seat, reveal, moment, changed=woken)
        return room.changed(outcome, clock)

    def _alive(self, session: HostSession, clock: int) -> Plan:
        room = self._room
        effects: Plan = [to(session, wire.Alive(room.table.epoch, room.table.seq))]
        if session.dirty and not room.woken:
            session.dirty = False
            effects.append(room.teller.view(room.table, session, clock))
        return effects

    def dropped(self, route: bytes, now: int, clock: int, *, gone: bool) -> list[Effect]:
        """Hear that a send failed, or (``gone``) that the connection is no more.

        A peer that takes nothing at present gets one fresh view as soon as it does.
        """
        session = self._room.sessions.by_route(route)
        if session is None:
            return []
        if not gone:
            if self._room.sessions.is_served(session) and not session.dirty:
                session.dirty = True
                self._retry_due = now + RETRY_EVERY
            return []
        return self.lost([route], now, clock)

    def lost(self, routes: Iterable[bytes], now: int, clock: int) -> list[Effect]:
        """Hear that these connections are no more; the others are told once."""
        room = self._room
        room.begin_step()
        sessions = [room.sessions.by_route(route) for route in routes]
        known = [session for session in sessions if session is not None]
        asking = [one.key for one in known if room.entrance.asker(room.table, one.key) is one]
        served = [one for one in known if room.sessions.forget(one.route) is not None]
        # who has no seat is let in anew with the next join
        shut = [Unadmit(one.key) for one in served if room.table.seat_of(one.key) is None]
        room.step.regardless.extend(shut)
        table = course.without_askers(room.table, asking)
        for session in served:
            if session.key in table.guests:
                table = course.without(table, session.key)
        quieter = table is not room.table
        if not quieter and not shut:
            return []
        outcome = course.go_on(table, room.moment(now, clock), changed=quieter)
        return list(unrolled(room.changed(outcome, clock, [*shut]) + room.ended(now)))

    # ---- time ----------------------------------------------------------------------------------

    def tick(self, now: int, clock: int) -> list[Effect]:
        """Do what has become due."""
        room = self._room
        if room.finished:
            return []
        due = self.deadline()
        room.begin_step()
        room.sessions.forget_strangers(now)
        moment = room.moment(now, clock)
        table = course.as_heard(room.table, room.sessions.presences(now), clock)
        table = course.without_askers(table, room.entrance.gone(table, now))
        table = self._manners.without_those_shut_out(table, now)
        quieter = table is not room.table
        if table.saving and now >= self._probe_due:
            # alone: should it fail, nothing else of this call must be lost with it
            self._probe_due = now + (PROBE_EVERY if table.store_broken else SAVE_EVERY)
            return list(unrolled(room.changed(course.probe_store(table, moment), clock)))
        outcome = course.go_on(table, moment, changed=quieter)
        effects = room.changed(outcome, clock)
        table = room.table
        if room.conducts.after_game(table.game_id, is_over=table.stage not in IN_GAME):
            effects.append(Forgive())
        effects += self._retries(now, clock)
        effects += self._beat(now)
        if self._vigil.is_stuck(room.staff.heard(room.table.seats), now, due):
            effects.append(BotsStuck())
        return list(unrolled(effects + room.ended(now)))

    def _wake(self, session: HostSession, now: int, clock: int) -> None:
        """Have a guest back who had been quiet and is heard now."""
        room = self._room
        session.presence(now)
        room.woken = False
        served = room.sessions.served.get(session.key)
        if served is None or served.route != session.route or session.role == Role.DEPUTY:
            return
        guest = room.table.guests.get(session.key)
        if guest is None:
            guest = course.back_again(room.table, session.key, served.join, clock)
        elif guest.slow:
            guest = replace(guest, slow=False, since=clock)
        else:
            return
        room.table = course.with_guest(room.table, session.key, guest)
        room.woken = True

    def _retries(self, now: int, clock: int) -> Plan:
        room = self._room
        if now < self._retry_due:
            return []
        self._retry_due = now + RETRY_EVERY
        effects: Plan = []
        for session in room.sessions.all_served():
            if session.dirty:
                session.dirty = False
                effects.append(room.teller.view(room.table, session, clock))
        return effects

    def _beat(self, now: int) -> Plan:
        room = self._room
        if now < self._beat_due:
            return []
        self._beat_due = now + ALIVE_EVERY
        if not room.sessions.served:
            return []
        return [Publish(encode(wire.Beat(room.table.epoch, room.table.seq)))]

    def deadline(self) -> int | None:
        """Return when (monotonic) :meth:`tick` is next due; None: not before something happens."""
        room = self._room
        if room.finished:
            return None
        times = room.endings.deadlines(room.table)
        if room.sessions.served:
            times.append(self._beat_due)
        shut_out = self._manners.deadline()
        if shut_out is not None:
            times.append(shut_out)
        for session in room.sessions.all_served():
            due = session.deadline()
            if due is not None:
                times.append(due)
            if session.dirty:
                times.append(self._retry_due)
        times += room.entrance.deadlines(room.table)
        if room.table.saving:
            times.append(self._probe_due)
        ending = room.table.clocks.deadline()
        if ending is not None:
            times.append(ending)
        watched = self._vigil.deadline()
        if watched is not None:
            times.append(watched)
        return min(times, default=None)

    # ---- the store -----------------------------------------------------------------------------

    def store_failed(self, now: int, clock: int, reason: str = "failed") -> list[Effect]:
        """Hear that the Write of the last list failed and that nothing after it was done.

        Everything is as it was before; the sender of a command is told ``store-failed``, and the
        game stands still until storing works again (tried every ``PROBE_EVERY``) or the host's
        player goes on without. ``reason`` is what the view says of it in ``saving``.
        """
        step = self._room.step
        self._room.go_back()
        effects: Plan = [*step.regardless]
        if step.table.saving not in (UNSAVED, reason):
            self._probe_due = now + PROBE_EVERY
            effects += self._broken(now, clock, reason)
        if step.session is not None and step.request is not None:
            effects += self._serve(step.session, step.request, now, clock)
        return list(unrolled(effects))

    def store_lost(self, now: int, clock: int, reason: str) -> list[Effect]:
        """Hear that the next Write is going to fail: the store has gone or been damaged."""
        if self._room.finished or self._room.table.saving:
            return []
        self._probe_due = now + PROBE_EVERY
        return list(unrolled(self._broken(now, clock, reason)))

    def _broken(self, now: int, clock: int, reason: str) -> Plan:
        room = self._room
        room.begin_step()
        outcome = course.break_store(room.table, reason, room.moment(now, clock))
        return room.changed(outcome, clock)

    # ---- the end -------------------------------------------------------------------------------

    def close(self, reason: Ending, now: int, clock: int) -> list[Effect]:
        """End the table: everybody is told, then Finished."""
        del now, clock  # nothing in the last words says when
        return list(unrolled(self._room.end(reason)))

    def last_words(self) -> list[SendTo]:
        """Return what everybody is told at the end, and again until they have gone."""
        return self._room.last_words()
