"""The peer's side of the protocol: one session that outlives its connections.

Bytes and time go in; what to send and what happened come out. The program around it owns the
sockets: it calls :meth:`PeerSession.connected` whenever a control connection's handshake has
succeeded (also for a new one dialled beside the old, after closing the old) and acts on the outputs
in their sequence.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias, TypeVar

from msgspec.structs import replace

from hearts_net.protocol import limits
from hearts_net.protocol.codec import (
    BEATS,
    EVERYTHING,
    ToPeer,
    decode_to_host,
    decode_to_peer,
    encode,
)
from hearts_net.protocol.codes import ErrorCode, ProtocolError
from hearts_net.protocol.messages import (
    Alive,
    AnyAct,
    Beat,
    Bye,
    Closing,
    CodeProved,
    CodeWanted,
    Command,
    Commitments,
    DealsPage,
    Fetch,
    Hello,
    Join,
    Joined,
    LogPage,
    Message,
    OptionValue,
    Proof,
    ProveCode,
    Public,
    Refused,
    Removed,
    Reply,
    Shuffling,
    Snapshot,
    Superseded,
    View,
    Waiting,
    Welcome,
)
from hearts_net.protocol.peer_door import DoorOutput, PeerDoor
from hearts_net.protocol.peer_outputs import (
    AskedAbout,
    BadMessage,
    CodeAsked,
    DealChecked,
    DealsArrived,
    Event,
    HostClosing,
    HostSilent,
    JoinedTable,
    LeftTable,
    LinkChanged,
    LogArrived,
    NewView,
    OtherTable,
    Output,
    RefusedBy,
    RemovedBy,
    Replied,
    Send,
    Subscribe,
    SupersededBy,
    Unsubscribe,
    Welcomed,
)
from hearts_net.protocol.peer_states import TRANSITIONS, Cause, LinkState
from hearts_net.protocol.unanswered import Unanswered
from hearts_net.protocol.witness import Witness

__all__ = [
    "TRANSITIONS",
    "AskedAbout",
    "BadMessage",
    "Cause",
    "CodeAsked",
    "DealChecked",
    "DealsArrived",
    "Event",
    "HostClosing",
    "HostSilent",
    "JoinedTable",
    "LeftTable",
    "LinkChanged",
    "LinkState",
    "LogArrived",
    "NewView",
    "OtherTable",
    "Output",
    "PeerSession",
    "RefusedBy",
    "RemovedBy",
    "Replied",
    "Send",
    "Stamp",
    "Subscribe",
    "SupersededBy",
    "Unsubscribe",
    "Welcomed",
]

_T = TypeVar("_T")
Stamp: TypeAlias = tuple[int, int]
"""An (epoch, seq): which state something speaks of; the greater one is newer."""

_WAIT: Final = frozenset((ErrorCode.TOO_FAST, ErrorCode.SET_ASIDE))
"""Refusals that pass: whatever has an answer is sent again after ``REPLY_WITHIN``."""


class PeerSession:
    """One peer's session with one table.

    Attributes:
        state: where the session stands.
        view: the newest state; for a watcher its ``own`` is None.
        welcome, joined: the host's newest answers, None before the first.
        wants_dial: nothing was heard for ``DIAL_AFTER``; dial anew beside the old connection.

    """

    def __init__(
        self,
        role: str,
        name: str,
        level: str = "",
        *,
        request_ids: Callable[[], int],
        client: str = "hearts-net",
        entropy: Callable[[int], bytes] | None = None,
        shares: bool = True,
    ) -> None:
        """Make a session; ``request_ids`` gives numbers below 2**53, new for this key for ever.

        ``entropy(n)`` gives n random bytes, to prove a table's code with (without it the session
        ends with ``not-admitted`` where one is asked for) and, unless ``shares`` is false, for a
        share in each shuffle.
        """
        self.state = LinkState.CONNECTING
        self.view: View | None = None
        self.welcome: Welcome | None = None
        self.joined: Joined | None = None
        self.wants_dial = False
        self._hello = Hello(list(limits.VERSIONS), client)
        puts_in = shares and entropy is not None
        self._join = Join(role, name, level, shares=puts_in)
        """With the first state seen: of two programs with one key, the newer saw a later one."""
        self._witness = Witness(entropy if puts_in else None)
        self._request_ids = request_ids
        self._admitted = False
        self._asked_at: int | None = None
        self._told_silent = False
        self._greeted_at = 0
        self._heard_at: int | None = None
        """From when silence counts; see :meth:`_ask_again`."""
        self._answered = False
        self._alive_due = 0
        self._known: Stamp = (0, 0)
        self._behind_due: int | None = None
        self._subscribed = 0
        self._subscribe_due = 0
        self._unanswered = Unanswered()
        self._leave_by: int | None = None
        self._door = PeerDoor(entropy)

    # ---- the transport's news

    def between(self, peer_key: str, host_key: str) -> None:
        """Say between which public keys (Z85) the control connection is, before it is used."""
        self._door.between(peer_key, host_key)
        self._witness.host_key = host_key

    def connected(self, now: int) -> list[Output]:
        """Start over on a fresh control connection, whose handshake has just succeeded."""
        if self.state is LinkState.ENDED:
            return []
        self._heard_at, self._answered = now, False
        self.wants_dial = False
        if self.state is LinkState.LEAVING:
            return [_send(Bye())]
        return self._greet(Cause.CONNECTED, now)

    def disconnected(self, now: int) -> list[Output]:
        """Note that the control connection is gone; what has no answer is asked again later."""
        if self.state is LinkState.ENDED:
            return []
        self._admitted = False
        self._asked_at = None
        outputs = self._move(Cause.DISCONNECTED, now)
        if self._over():
            outputs.extend(self._end(LeftTable()))
        return outputs

    def public_connected(self, now: int) -> list[Output]:
        """Ask for a snapshot: whatever changed before the subscription worked is in it."""
        if not self._serving():
            return []
        self._behind_due = now + limits.REPLY_WITHIN
        return [_send(Snapshot())]

    def receive_control(self, body: bytes, now: int) -> list[Output]:
        """Take one body frame of the control connection."""
        if self.state is LinkState.ENDED:
            return []
        try:
            message = decode_to_peer(body)
        except ProtocolError as error:
            return [BadMessage(error.code, dict(error.detail))]
        self._heard_at = now
        self._answered = True
        self.wants_dial = False
        if self._admitted and self.state is LinkState.LOST:
            return self._move(Cause.HEARD, now) + self._take(message, now)
        return self._take(message, now)

    def receive_public(self, body: bytes, now: int) -> list[Output]:
        """Take one body frame of the public connection."""
        if self.state is LinkState.ENDED:
            return []
        try:
            message = decode_to_peer(body)
        except ProtocolError as error:
            return [BadMessage(error.code, dict(error.detail))]
        if not isinstance(message, Public | Beat):
            return [BadMessage(ErrorCode.UNKNOWN_MESSAGE, {})]
        self._subscribe_due = now + limits.AWAY_AFTER
        match message:
            case Public():
                return self._take_public(message, now)
            case Beat(epoch, seq):
                self._know((epoch, seq), now)
                return []

    # ---- what the program wants

    def command(self, act: AnyAct, now: int, seat: int | None = None) -> tuple[int, list[Output]]:
        """Do something at the table, once; :class:`Replied` has the answer and the id returned.

        It is meant for the moment of the newest view, and sent again until there is a reply.

        Raises:
            ProtocolError: ``not-joined`` before the first view and after the end; ``bad-field`` if
                the act is not one that could be sent.

        """
        if self.view is None or self.state in (LinkState.LEAVING, LinkState.ENDED):
            raise ProtocolError(ErrorCode.NOT_JOINED)
        command = self._stamped(act, self.view, seat)
        body = encode(command)
        decode_to_host(body)
        self._unanswered.add_command(command.id, command, self.view, now)
        return command.id, [Send(body)] if self._serving() else []

    def give_code(self, text: str, now: int) -> list[Output]:
        """Prove this code where the host wants one, now or when it does.

        Raises:
            ProtocolError: ``wrong-code``, for what cannot be one.

        """
        return self._at_the_door(self._door.give_code(text), now)

    def fetch(self, what: str, after: int, now: int) -> list[Output]:
        """Ask for a page of ``log`` or ``deals`` past number ``after``."""
        fetch = Fetch(what, after)
        decode_to_host(encode(fetch))
        self._unanswered.add_page(fetch, now)
        return [_send(fetch)] if self._serving() else []

    def leave(self, now: int) -> list[Output]:
        """Say bye; :class:`LeftTable` follows with the host's bye, or after ``LEAVE_WITHIN``."""
        if self.state in (LinkState.LEAVING, LinkState.ENDED):
            return []
        outputs = self._move(Cause.LEAVE, now)
        if self._over():
            return outputs + self._end(LeftTable())
        self._leave_by = now + limits.LEAVE_WITHIN
        return [_send(Bye()), *outputs]

    # ---- time

    def tick(self, now: int) -> list[Output]:
        """Do what is due: signs of life, asking again, noticing silence."""
        if self.state is LinkState.ENDED:
            return []
        if self._leave_by is not None:
            if now < self._leave_by:
                return []
            return self._move(Cause.SILENCE, now) + self._end(LeftTable())
        outputs: list[Output] = []
        outputs.extend(self._ask_again(now))
        outputs.extend(self._notice_silence(now))
        if self._serving():
            outputs.extend(self._keep_up(now))
        return outputs

    @property
    def is_behind(self) -> bool:
        """Whether there is a state of which the view is still to come."""
        return self._behind_due is not None

    def deadline(self) -> int | None:
        """Say when :meth:`tick` is next due; None: only after something else has happened."""
        return min(self._deadlines(), default=None)

    def _deadlines(self) -> list[int]:
        if self.state is LinkState.ENDED:
            return []
        if self._leave_by is not None:
            return [self._leave_by]
        times = []
        if self._heard_at is not None and not self.wants_dial:
            times.append(self._heard_at + limits.DIAL_AFTER)
        if self._asked_at is not None:
            times.append(self._asked_at + self._ask_every())
            if not self._told_silent and self.state is LinkState.GREETING:
                times.append(self._greeted_at + limits.HELLO_WITHIN)
        if self._serving():
            times.append(self._alive_due)
            times.extend(self._unanswered.deadlines())
            if self._behind_due is not None:
                times.append(self._behind_due)
            if self._subscribed:
                times.append(self._subscribe_due)
        return times

    def _serving(self) -> bool:
        """Whether the host is thought to serve this connection (also when it has been silent)."""
        return self._admitted and self.state in (LinkState.LIVE, LinkState.LOST)

    def _notice_silence(self, now: int) -> list[Output]:
        if self._heard_at is None or now < self._heard_at + limits.DIAL_AFTER or self.wants_dial:
            return []
        self.wants_dial = True
        return self._move(Cause.SILENCE, now)

    def _ask_again(self, now: int) -> list[Output]:
        """Hello and join are sent again like everything else that has an answer.

        A host that answers "later" is asked as long after as it would be called silent: silence
        counts from the new question, or its answer would come too late.
        """
        if self._asked_at is None:
            return []
        outputs: list[Output] = []
        hello_over = now >= self._greeted_at + limits.HELLO_WITHIN
        if self.state is LinkState.GREETING and hello_over and not self._told_silent:
            self._told_silent = True
            outputs.append(HostSilent())
        if now >= self._asked_at + self._ask_every():
            self._asked_at = now
            if self._answered and self._heard_at is not None:
                self._heard_at, self._answered = now, False
            greeting = self.state is LinkState.GREETING
            outputs.append(_send(self._hello if greeting else self._join))
        return outputs

    def _ask_every(self) -> int:
        return limits.ALIVE_EVERY if self._door.is_waiting else limits.REPLY_WITHIN

    def _keep_up(self, now: int) -> list[Output]:
        outputs: list[Output] = []
        if now >= self._alive_due:
            self._alive_due = now + limits.ALIVE_EVERY
            epoch, seq = self._stamp()
            outputs.append(_send(Alive(epoch, seq)))
        outputs.extend(_send(message) for message in self._unanswered.due(now))
        if self._witness.awaits_proof and not self._unanswered.awaits("proof"):
            outputs.extend(_some(self._witness.no_proof()))
        if self._behind_due is not None and now >= self._behind_due:
            self._behind_due = now + limits.REPLY_WITHIN
            outputs.append(_send(Snapshot()))
        if self._subscribed and now >= self._subscribe_due:
            outputs.append(self._subscribe(self._subscribed, now))
        return outputs

    # ---- messages

    def _take(self, message: ToPeer, now: int) -> list[Output]:
        if self.state is LinkState.LEAVING and not isinstance(
            message, Bye | Superseded | Removed | Closing
        ):
            return []
        match message:
            case View():
                return self._take_view(message, now)
            case Reply():
                return self._take_reply(message, now)
            case Welcome():
                return self._take_welcome(message, now)
            case CodeWanted() | CodeProved() | Waiting():
                if self.state is not LinkState.JOINING or self._admitted:
                    return []  # of no meaning any more
                return self._at_the_door(self._door.take(message), now)
            case Joined():
                return self._take_joined(message, now)
            case Refused():
                return self._take_refused(message, now)
            case Alive(epoch, seq):
                self._know((epoch, seq), now)
                return []
            case LogPage():
                self._unanswered.page_came("log")
                return [LogArrived(message)]
            case DealsPage():
                self._unanswered.page_came("deals")
                return [DealsArrived(message)]
            case Shuffling():
                return [_send(each) for each in _some(self._witness.shuffling(message))]
            case Commitments():
                return [_send(each) for each in _some(self._witness.commitments(message))]
            case Proof():
                self._unanswered.page_came("proof")
                return [*_some(self._witness.proof(message))]
            case Bye():
                return self._move(Cause.BYE, now) + self._end(LeftTable())
            case Superseded():
                return self._move(Cause.TAKEN_OVER, now) + self._end(SupersededBy())
            case Removed(reason):
                return self._move(Cause.SENT_AWAY, now) + self._end(RemovedBy(reason))
            case Closing(reason):
                return self._move(Cause.CLOSED, now) + self._end(HostClosing(reason))
            case Public() | Beat():
                return [BadMessage(ErrorCode.UNKNOWN_MESSAGE, {})]

    def _take_welcome(self, welcome: Welcome, now: int) -> list[Output]:
        if self.state is not LinkState.GREETING:
            return []
        if welcome.version not in limits.VERSIONS:
            return self._refuse(ErrorCode.VERSION, {"host_speaks": str(welcome.version)}, now)
        known = self.welcome.table_id if self.welcome is not None else ""
        if known and welcome.table_id not in ("", known):
            return self._turn_away(welcome, now)
        self.welcome = welcome
        self._asked_at = now
        outputs: list[Output] = [Welcomed(welcome), _send(self._join)]
        outputs.extend(self._move(Cause.WELCOME, now))
        if welcome.epoch < self._stamp()[0]:
            outputs.extend(self._forget(welcome.epoch))
        return outputs

    def _turn_away(self, welcome: Welcome, now: int) -> list[Output]:
        """Sit down at no other table than the own one, though it has the same host and port."""
        self._asked_at = self._heard_at = None
        return [_send(Bye()), *self._move(Cause.OTHER_TABLE, now), OtherTable(welcome.table)]

    def _forget(self, epoch: int) -> list[Output]:
        """Drop what was known: epochs only grow, so this table has been set back."""
        self.view = None
        self._join = replace(self._join, epoch=0, seq=0)
        self._witness.forget()
        self._known = (0, 0)
        outputs: list[Output] = []
        for pending in self._unanswered.drop():
            stale = Reply(pending.command.id, False, ErrorCode.STALE_EPOCH, {}, epoch, 0)
            outputs.append(Replied(pending.asked, stale, pending.command.do))
        return outputs

    def _at_the_door(self, said: DoorOutput, now: int) -> list[Output]:
        match said:
            case None:
                return []
            case ErrorCode():
                return self._refuse(said, {}, now)
            case ProveCode():
                self._asked_at = now
                return [_send(said)]
            case CodeAsked() | AskedAbout():
                return [said]

    def _take_joined(self, joined: Joined, now: int) -> list[Output]:
        if self.state is not LinkState.JOINING:
            return []
        if not self._door.let_in():
            return self._refuse(ErrorCode.HOST_UNPROVED, {}, now)
        assert self.welcome is not None
        self.joined = joined
        self._admitted = True
        outputs: list[Output] = [JoinedTable(joined)]
        port = self.welcome.public_port
        if port:
            outputs.append(self._subscribe(port, now))
        elif self._subscribed:
            outputs.append(Unsubscribe())
        self._subscribed = port
        return outputs

    def _subscribe(self, port: int, now: int) -> Subscribe:
        self._subscribe_due = now + limits.AWAY_AFTER
        return Subscribe(port, EVERYTHING if self._lives_on_public() else BEATS)

    def _take_view(self, view: View, now: int) -> list[Output]:
        """Keep a view unless it is older; the first one after ``joined`` makes the session live."""
        if not self._admitted:
            return []
        outputs = self._keep(view, now)
        self._catch_up((view.epoch, view.seq))
        if self.state is LinkState.JOINING:
            self._asked_at = None
            self._alive_due = now
            outputs.extend(self._move(Cause.FIRST_VIEW, now))
            outputs.extend(_send(message) for message in self._unanswered.everything(now))
        return outputs

    def _take_public(self, message: Public, now: int) -> list[Output]:
        """For a watcher this is the state; for the others, word that there is one."""
        stamp = (message.epoch, message.seq)
        if self.view is None or not self._lives_on_public():
            self._know(stamp, now)
            return []
        if stamp <= self._stamp():
            return []
        view = View(
            *stamp,
            time=message.time,
            public=message.public,
            own=None,
            events=message.events,
            role=self.view.role,
            may=self.view.may,
        )
        outputs = self._keep(view, now)
        self._catch_up(stamp)
        return outputs

    def _lives_on_public(self) -> bool:
        """Whether the public view is the state that this peer shows; a seat has its own view."""
        return self.joined is not None and self.joined.role == "watcher"

    def _take_reply(self, reply: Reply, now: int) -> list[Output]:
        pending = self._unanswered.replied(reply.id)
        if pending is None:
            return []
        self._know((reply.epoch, reply.seq), now)
        view = self.view
        if reply.code == ErrorCode.STALE_EPOCH and view and pending.is_still_meant(view):
            command = self._stamped(pending.command.do, view, pending.command.seat)
            self._unanswered.add_command(pending.asked, command, view, now)
            return [_send(command)] if self._serving() else []
        return [Replied(pending.asked, reply, pending.command.do)]

    def _take_refused(self, refused: Refused, now: int) -> list[Output]:
        code = refused.code
        if code in (ErrorCode.HELLO_FIRST, ErrorCode.NOT_JOINED):
            if Cause.ASKED_HELLO in TRANSITIONS[self.state]:
                return self._greet(Cause.ASKED_HELLO, now)
            return []
        if code == ErrorCode.SUPERSEDED:
            return self._move(Cause.TAKEN_OVER, now) + self._end(SupersededBy())
        if code in _WAIT:
            return [RefusedBy(code, refused.detail, final=False)]  # asked again by and by
        joining = self.state is LinkState.JOINING
        if code == ErrorCode.WRONG_CODE and joining and self._door.was_wrong():
            self._asked_at = now
            return [RefusedBy(code, refused.detail, final=False), _send(self._join)]
        if self.state in (LinkState.GREETING, LinkState.JOINING):
            return self._refuse(code, refused.detail, now)
        if code == ErrorCode.SHUT_OUT:
            moved = self._move(Cause.SHUT_OUT, now)
            return moved + self._end(RefusedBy(code, refused.detail, final=True))
        return [RefusedBy(code, refused.detail, final=False)]

    # ---- parts

    def _move(self, cause: Cause, now: int) -> list[Output]:
        target = TRANSITIONS[self.state].get(cause, self.state)
        if target is self.state:
            return []
        self.state = target
        return [LinkChanged(target, now)]

    def _over(self) -> bool:
        return self.state is LinkState.ENDED

    def _greet(self, cause: Cause, now: int) -> list[Output]:
        self._admitted = False
        self._asked_at = self._greeted_at = now
        self._told_silent = False
        self._behind_due = None
        self._door.start_over()
        return [_send(self._hello), *self._move(cause, now)]

    def _refuse(self, code: str, detail: dict[str, OptionValue], now: int) -> list[Output]:
        moved = self._move(Cause.REFUSED, now)
        return moved + self._end(RefusedBy(code, detail, final=True))

    def _end(self, why: Event) -> list[Output]:
        self.state = LinkState.ENDED
        self._admitted = False
        self.wants_dial = False
        self._leave_by = None
        self._unanswered.drop()
        outputs: list[Output] = [Unsubscribe()] if self._subscribed else []
        self._subscribed = 0
        return [*outputs, why]

    def _stamp(self) -> Stamp:
        return (self.view.epoch, self.view.seq) if self.view else (0, 0)

    def _know(self, stamp: Stamp, now: int) -> None:
        """Note that a state exists; if its view does not come soon, a snapshot is asked for."""
        self._known = max(self._known, stamp)
        if self._known > self._stamp() and self._behind_due is None:
            self._behind_due = now + limits.OWN_VIEW_WITHIN

    def _catch_up(self, stamp: Stamp) -> None:
        self._known = max(self._known, stamp)
        if self._stamp() >= self._known:
            self._behind_due = None

    def _keep(self, view: View, now: int) -> list[Output]:
        old = self.view
        if old is None:
            self._join = replace(self._join, epoch=view.epoch, seq=view.seq)
        elif (view.epoch, view.seq) < (old.epoch, old.seq):
            return []
        self.view = view
        news = self._witnessed(view, old, now)
        if old is None:
            return [NewView(view, gap=False), *news]
        if (view.epoch, view.seq) == (old.epoch, old.seq):
            return news if _shows_same(old, view) else [NewView(view, gap=False), *news]
        return [NewView(view, gap=_has_gap(old, view)), *news]

    def _witnessed(self, view: View, old: View | None, now: int) -> list[Output]:
        outputs: list[Output] = []
        for news in self._witness.saw(view, old):
            if isinstance(news, DealChecked):
                outputs.append(news)
            else:
                outputs.extend(self.fetch(news.what, news.after, now))
        return outputs

    def _stamped(self, act: AnyAct, view: View, seat: int | None) -> Command:
        public = view.public
        return Command(self._request_ids(), view.epoch, public.deal, public.trick_number, act, seat)


def _some(value: _T | None) -> tuple[_T, ...]:
    return () if value is None else (value,)


def _send(message: Message) -> Send:
    return Send(encode(message))


def _shows_same(old: View, new: View) -> bool:
    """Whether two views of one state differ in nothing but the time and the events."""
    return (old.public, old.own, old.role, old.may) == (new.public, new.own, new.role, new.may)


def _has_gap(old: View, new: View) -> bool:
    """Whether events lie between two views that the newer one does not carry."""
    known, newest = old.public.newest_event, new.public.newest_event
    if newest - known > len(new.events):
        return True
    return newest - known > len([event for event in new.events if event.n > known])
