"""The room: the table, everybody who is connected to it, and the one way in which that changes.

Whatever comes in begins a step, decides what comes of it (:mod:`hearts_net.host.course`), and has
:meth:`Room.changed` store that first and tell it then. What cannot be stored has not been: the room
goes back to where the step began.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec import Struct, field

from hearts_net.host import course
from hearts_net.host.changes import restored
from hearts_net.host.conduct import Conducts
from hearts_net.host.course import Outcome
from hearts_net.host.effects import Effect, Ending, Finished, Plan, SendTo, Unadmit, Write
from hearts_net.host.endings import Endings
from hearts_net.host.entrance import Entrance
from hearts_net.host.facts import encode_entry
from hearts_net.host.lobby import Moment
from hearts_net.host.opening import Opening
from hearts_net.host.projection import project_accepted
from hearts_net.host.sessions import RefusedAnswers, Sessions, Snapshot
from hearts_net.host.staff import Staff
from hearts_net.host.table import UNSAVED, Table
from hearts_net.host.telling import Teller
from hearts_net.protocol import messages as wire
from hearts_net.protocol.codec import encode
from hearts_net.protocol.host_session import HostSession, Request


class Step(Struct, frozen=True):
    """Where a call began: what to go back to, and what to serve again, if it cannot be stored."""

    table: Table
    sessions: Snapshot
    deputies: dict[int, str]
    unsaved: tuple[bytes, ...] = ()
    session: HostSession | None = None
    request: Request | None = None
    regardless: Plan = field(default_factory=list)
    """What is to be done though nothing can be stored: it says nothing of the table."""


class Room:
    """The table as it is, and who is there.

    Attributes:
        table: replaced, never changed.
        is_open: somebody may be there by now.
        finished: the table has ended; nothing more happens.
        woken: the sender of what is served had gone quiet; nobody knows yet that it is back.
        unsaved: the newest entries, which are not stored since it goes on without.

    """

    def __init__(
        self,
        stored: Iterable[bytes],
        opening: Opening,
        entropy: Callable[[int], bytes],
        make_key: Callable[[], str],
    ) -> None:
        self.opening = opening
        self.table = restored(stored)
        self.conducts = Conducts()
        self.conducts.trust(opening.host_key)
        self.sessions = Sessions()
        self.refused = RefusedAnswers()
        self.staff = Staff(self.sessions, self.new_key, opening.levels)
        self.teller = Teller(self.sessions, self.staff)
        self.entrance = Entrance(self.sessions, self.teller, entropy)
        self.endings = Endings()
        self.is_open = self.finished = self.woken = False
        self.unsaved: tuple[bytes, ...] = ()
        self.closing = b""
        """The last word, once the table has ended."""
        self._entropy = entropy
        self._make_key = make_key
        self._made: list[str] = []
        """The keys made in one step, which are nobody's if it cannot be stored."""
        self._made_in: Step | None = None
        self.step = Step(self.table, self.sessions.snapshot(), {})

    def new_key(self) -> str:
        """Return a key for a bot of the table's own or a deputy, who is trusted."""
        key = self._make_key()
        self.conducts.trust(key)
        if self._made_in is not self.step:
            self._made_in, self._made = self.step, []
        self._made.append(key)
        return key

    def answered(self, key: str, request: int) -> bytes | None:
        """Return the answer that a request has had, whatever it says this time."""
        if self.table.answers.get((key, request)) is not None:
            return encode(project_accepted(self.table, key, request))
        return self.refused.get(key, request)

    # ---- steps -----------------------------------------------------------------------------------

    def begin_step(
        self, session: HostSession | None = None, request: Request | None = None
    ) -> None:
        """Note where a call begins."""
        self.step = Step(
            self.table,
            self.sessions.snapshot(),
            self.staff.deputies,
            self.unsaved,
            session,
            request,
        )
        self.woken = False

    def go_back(self) -> None:
        """Have everything as it was where the last call began."""
        step = self.step
        self.sessions.restore(step.sessions)
        self.table = course.with_served(step.table, self.sessions.served)
        self.staff.deputies = step.deputies
        self.unsaved = step.unsaved
        self.finished = False
        if self._made_in is step:
            for key in self._made:
                self.conducts.distrust(key)

    def moment(self, now: int, clock: int) -> Moment:
        """Return when this happens, and where what is random or new comes from."""
        return Moment(now, clock, self._entropy, self.new_key, self.opening.levels)

    # ---- store, then tell ------------------------------------------------------------------------

    def changed(
        self,
        outcome: Outcome,
        clock: int,
        first: Plan | None = None,
        also: HostSession | None = None,
    ) -> Plan:
        """Store, then tell: ``first`` (answers), then a view to everybody and to ``also``."""
        before = self.step.table
        self.table = outcome.table
        effects = [*self.stored(outcome), *(first or [])]
        if self.is_open and before.seats is not self.table.seats:
            effects += self.staff.bots(before.seats, self.table.seats)
            effects += self._unseated(before)
            effects += self.staff.deputise(self.table.seats)
        after = self.table
        if after.gathering is not before.gathering or after.promised is not before.promised:
            effects += self.teller.shuffle(before, after)
        if outcome.changed:
            effects += self.teller.state(self.table, clock, also)
        return effects

    def stored(self, outcome: Outcome) -> list[Effect]:
        """Return the Write of what has come about, if it is durable."""
        if outcome.entry is None:
            return []
        before, after = self.step.table, outcome.table
        body = encode_entry(outcome.entry)
        if after.saving == UNSAVED:
            self.unsaved = (*self.unsaved, body)
            return []
        if self.unsaved:
            kept, self.unsaved = self.unsaved, ()
            return [Write(outcome.entry.number - len(kept), (*kept, body), True)]
        sync = after.settings.durable or (
            before.epoch != after.epoch or _deals_done(before) != _deals_done(after)
        )
        # what somebody has promised must not be asked for a second time, whatever happens
        sync = sync or (before.promised is not after.promised and _is_bound(after))
        return [Write(outcome.entry.number, (body,), sync)]

    def _unseated(self, before: Table) -> Plan:
        """Let those in no more who have lost their seats while they were away."""
        gone = {seat.key for seat in before.seats if seat.taken and not seat.table_bot}
        gone -= {seat.key for seat in self.table.seats}
        return [Unadmit(key) for key in sorted(gone) if key not in self.sessions.served]

    def quiet(self, effects: Plan, now: int, clock: int) -> Plan:
        """Return effects that change nothing, having told that a sender who was gone is back."""
        if not self.woken:
            return effects
        outcome = course.go_on(self.table, self.moment(now, clock), changed=True)
        return self.changed(outcome, clock, effects)

    # ---- the end ---------------------------------------------------------------------------------

    def ended(self, now: int) -> Plan:
        """Return how the table ends, where it is to end now."""
        if self.finished or not self.is_open:
            return []
        reason = self.endings.look(self.table, self.sessions.all_served(), now)
        return self.end(reason) if reason is not None else []

    def end(self, reason: Ending) -> Plan:
        """End the table: everybody is told, then Finished."""
        if self.finished:
            return []
        self.finished = True
        self.closing = encode(wire.Closing(reason.value))
        return [*self.last_words(), Finished(reason)]

    def last_words(self) -> list[SendTo]:
        """Return what everybody who is served is told at the end, and again until they have gone.

        A connection that breaks takes with it what its peer has not read: whoever is slow would
        never know.
        """
        served = self.sessions.all_served()
        return [SendTo(session.route, self.closing) for session in served]


def _is_bound(table: Table) -> bool:
    """Whether any player has a share in the deal that is shuffled, or was shuffled last."""
    return table.promised is not None and any(table.promised.seats)


def _deals_done(table: Table) -> int:
    return len(table.game.results) if table.game is not None else 0
