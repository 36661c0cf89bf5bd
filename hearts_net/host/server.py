"""The table on the network: what the authority asks for, carried out over two sockets and a store.

Sockets are synchronous, and read when their descriptor says so. ZeroMQ's descriptor is
edge-triggered and a send can swallow the edge, so whoever has sent looks whether there is something
to take.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Final, Protocol

import zmq

from hearts_net.host.authority import Authority
from hearts_net.host.chronicle import Chronicle
from hearts_net.host.effects import (
    Admit,
    Bar,
    BotsStuck,
    BotUnwanted,
    BotWanted,
    Cut,
    DeputyUnwanted,
    DeputyWanted,
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
    Unadmit,
    Unbar,
    Write,
)
from hearts_net.host.errors import StoreCode, StoreError
from hearts_net.host.guard import FloodGuard
from hearts_net.host.keyring import Keyring
from hearts_net.host.lines import Lines
from hearts_net.host.sockets import Socket
from hearts_net.host.store import Store
from hearts_net.host.zap import Doorkeeper
from hearts_net.peer.connection import has_input
from hearts_net.protocol.codec import BEATS, EVERYTHING
from hearts_net.protocol.codes import ErrorCode
from hearts_net.protocol.messages import Refused

_TURN: Final = 64
"""Messages served before the loop's timers have a chance."""
# plain numbers: calculating with Python's flags takes longer than asking the socket
_AT_ONCE: Final = int(zmq.NOBLOCK)
_ROUTE: Final = int(zmq.NOBLOCK | zmq.SNDMORE)
_AFTER: Final = 0.003
"""Seconds until what nobody waits for is done: the players' programs have the machine first."""
_SAY_AGAIN: Final = 0.015
"""Seconds between two looks whether everybody has heard that the table is closed."""
_QUIET: Final = 0.05
"""Seconds after a deal's end until the store's log is merged: everybody has been told by then."""

_NOT_ONE_FRAME: Final = Refused(ErrorCode.BAD_FRAME, {"reason": "frames"})
_CHECK_EVERY: Final = 2.0
"""Seconds between two looks whether the store's file is still what it was."""
_SAVING: Final = {
    StoreCode.FULL: "full",
    StoreCode.UNWRITABLE: "unwritable",
    StoreCode.NEWER: "newer",
    StoreCode.DAMAGED: "damaged",
}
"""How views say what is wrong with the store; anything else is ``failed``."""

log = logging.getLogger(__name__)


class Bots(Protocol):
    """What the server asks of whoever keeps the table's bots running."""

    def sit(self, seat: int, public: str, secret: str, name: str, level: str) -> None:
        """Have a bot join and play ``seat``."""

    def deputise(self, seat: int, public: str, secret: str, level: str) -> None:
        """Have a bot play for the absent player of ``seat``."""

    def dismiss(self, seat: int, public: str) -> None:
        """Have the bot with this key leave."""

    def restart(self) -> None:
        """Have all of them start anew: one of them hangs."""


def monotonic_ms() -> int:
    """Return the monotonic clock in milliseconds."""
    return time.monotonic_ns() // 1_000_000


def utc_ms() -> int:
    """Return the host's clock (UTC) in milliseconds."""
    return time.time_ns() // 1_000_000


class TableServer:
    """Carries a table's effects out, in order, the store first.

    Made inside a running loop. ``finished`` is set once, to why the table ended, or to the
    exception of a fault that leaves the store and the table apart.
    """

    def __init__(
        self,
        authority: Authority,
        journal: Store,
        keyring: Keyring,
        control: Socket,
        public: Socket,
        doorkeeper: Doorkeeper,
        bots: Bots,
        guard: FloodGuard,
    ) -> None:
        self._authority = authority
        self._journal = journal
        self._keyring = keyring
        self._control = control
        self._public = public
        self._doorkeeper = doorkeeper
        self._bots = bots
        self._guard = guard
        guard.on_cut = self._ran_away
        self._chronicle = Chronicle(authority.inherited)
        self._publics = Lines()
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._checking: asyncio.TimerHandle | None = None
        self._armed_for = 0
        self._dropped: deque[tuple[bytes, bool]] = deque()
        self._rest: deque[Later] = deque()
        """What nobody waits for."""
        self._afterwards: asyncio.TimerHandle | None = None
        self._descriptors: list[int] = []
        self._stopped = False
        self.finished: asyncio.Future[Ending] = self._loop.create_future()

    # ---- life ------------------------------------------------------------------------------------

    def serve(self, public_port: int, address: str) -> None:
        """Start serving the bound sockets."""
        self._carry_out(self._authority.opened(public_port, address, monotonic_ms(), utc_ms()))
        # a first tick sets the clocks going, that of a table where nobody ever comes among them
        self._carry_out(self._authority.tick(monotonic_ms(), utc_ms()))
        self._watch(self._doorkeeper.descriptor, self._doorkeeper.drain)
        self._watch(int(self._control.getsockopt(zmq.FD)), self._turn)
        self._watch(int(self._public.getsockopt(zmq.FD)), self._take_subscriptions)
        self._loop.call_soon(self._first_turn)
        self._checking = self._loop.call_later(_CHECK_EVERY, self._check_store)

    def close(self, reason: Ending) -> None:
        """End the table: tell everybody, then set ``finished``."""
        if self.finished.done():
            return
        with self._fatal():
            self._make_the_rest()
            self._carry_out(self._authority.close(reason, monotonic_ms(), utc_ms()))
        if not self.finished.done():
            self.finished.set_result(reason)

    async def part(self, within: float) -> None:
        """Say the last words until everybody has gone, ``within`` seconds at most.

        A peer that has heard them closes its connection; if the host did so first, libzmq would
        drop what a slow peer has not read yet.
        """
        until = self._loop.time() + within
        left = bool(self._authority.last_words())
        while left and self._loop.time() < until:
            await asyncio.sleep(_SAY_AGAIN)
            with self._fatal():
                for _ in range(_TURN):  # who comes back just now hears them too
                    if not self._serve_one():
                        break
                left = self._say_again()

    def _say_again(self) -> bool:
        """Repeat the last words; tell whether anybody is left to hear them."""
        left = False
        for word in self._authority.last_words():
            try:
                self._control.send(word.route, _ROUTE)
                self._control.send(word.body, _AT_ONCE)
                left = True
            except zmq.Again:
                left = True  # it has not read the first ones yet
            except zmq.ZMQError:
                continue  # it has gone
        return left

    def stop(self) -> None:
        """Serve no more; the sockets and the store are their owner's to close."""
        for descriptor in self._descriptors:
            self._loop.remove_reader(descriptor)
        self._descriptors.clear()
        self._stopped = True
        for timer in (self._timer, self._checking, self._afterwards):
            if timer is not None:
                timer.cancel()
        self._timer = self._checking = self._afterwards = None

    def _watch(self, descriptor: int, ready: Callable[[], None]) -> None:
        self._loop.add_reader(descriptor, ready)
        self._descriptors.append(descriptor)

    # ---- turns -----------------------------------------------------------------------------------

    def _first_turn(self) -> None:
        if not self._stopped:
            self._doorkeeper.drain()
            self._turn()
            self._take_subscriptions()

    def _turn(self) -> None:
        """Serve what waits, until control has nothing more to give."""
        if self._stopped:
            return  # queued before the sockets were closed
        served = 0
        try:
            while served < _TURN and not self.finished.done() and self._serve_one():
                served += 1
        except Exception as error:
            self._fail(error)
            return
        if served == _TURN:
            self._loop.call_soon(self._turn)
        if self._afterwards is None:
            self._afterwards = self._loop.call_later(_AFTER, self._do_the_rest)

    def _do_the_rest(self) -> None:
        """Do what nobody has waited for, once the players have been told."""
        self._afterwards = None
        if self._stopped:
            return
        with self._fatal():
            self._make_the_rest()
            self._chronicle.look(self._authority.table)
            self._arm()
            if has_input(self._control):
                self._loop.call_soon(self._turn)

    def _make_the_rest(self) -> None:
        while self._rest:
            self._carry_out(_made(self._rest.popleft()))

    def _serve_one(self) -> bool:
        """Serve one message; False when none waits."""
        if not has_input(self._control):
            return False
        route = self._control.recv(_AT_ONCE)
        frame = self._control.recv(_AT_ONCE, copy=False)
        self._guard.delivered(route, frame)
        is_whole = not frame.more
        if not is_whole:
            self._discard_rest(route)
        try:
            key = str(frame.get("User-Id"))
            if is_whole:
                plan = self._authority.plan(route, key, frame.bytes, monotonic_ms(), utc_ms())
            else:
                plan = self._authority.offended(
                    route, key, _NOT_ONE_FRAME, monotonic_ms(), utc_ms()
                )
        except Exception:
            # one peer's message must not end everybody's game
            log.exception("a message could not be served")
            return True
        self._carry_out(plan)
        return True

    def _discard_rest(self, route: bytes) -> None:
        more = True
        while more:
            frame = self._control.recv(_AT_ONCE, copy=False)
            self._guard.delivered(route, frame)
            more = frame.more

    def _take_subscriptions(self) -> None:
        """Take subscriptions off the XPUB; they need no answer, but somebody may make too many."""
        if self._stopped:
            return
        with self._fatal():
            if self._drain_public():
                self._loop.call_soon(self._take_subscriptions)

    def _drain_public(self) -> bool:
        """Take some subscriptions; True where more may wait."""
        for _ in range(_TURN):
            try:  # not by asking for its events: with that, the guard's thread could not run
                frame = self._public.recv(_AT_ONCE, copy=False)
            except zmq.Again:
                return False
            try:
                key = str(frame.get("User-Id"))
            except zmq.ZMQError:
                continue  # that of a subscriber who is gone, which libzmq has ended itself
            self._publics.note(key, frame)
            self._guard.subscribed(key, frame)
            usual = frame.bytes[1:] in (EVERYTHING, BEATS)
            plan = self._authority.subscribed(key, monotonic_ms(), utc_ms(), usual=usual)
            self._carry_out(plan)
        return True

    def _ran_away(self, key: str) -> None:
        """Serve no more whose connection had to be cut."""
        if not self._stopped and not self.finished.done():
            with self._fatal():
                self._carry_out(self._authority.ran_away(key, monotonic_ms(), utc_ms()))

    # ---- time ------------------------------------------------------------------------------------

    def _arm(self) -> None:
        """Have :meth:`_tick` called at the authority's deadline, or somewhat before."""
        if self.finished.done():
            return
        due = self._authority.deadline()
        if due is None or (self._timer is not None and self._armed_for <= due):
            return
        if self._timer is not None:
            self._timer.cancel()
        self._armed_for = due
        self._timer = self._loop.call_later(max(0, due - monotonic_ms()) / 1000, self._tick)

    def _tick(self) -> None:
        self._timer = None
        if self.finished.done():
            return
        with self._fatal():
            due = self._authority.deadline()
            if due is not None and due <= monotonic_ms():
                self._carry_out(self._authority.tick(monotonic_ms(), utc_ms()))
        self._turn()

    # ---- effects ---------------------------------------------------------------------------------

    def _carry_out(self, plan: Iterable[Effect | Later]) -> None:
        """Carry a plan out in order, then what follows from the effects that failed.

        Peers who are gone are told of together: telling each of the others' end would fail too.
        """
        self._carry_all(plan)
        while self._dropped:
            failed = dict.fromkeys(self._dropped)
            self._dropped.clear()
            for route, gone in failed:
                if not gone:
                    now, clock = monotonic_ms(), utc_ms()
                    self._carry_all(self._authority.dropped(route, now, clock, gone=False))
            lost = [route for route, gone in failed if gone]
            if lost:
                self._carry_all(self._authority.lost(lost, monotonic_ms(), utc_ms()))

    def _carry_all(self, plan: Iterable[Effect | Later]) -> None:
        wrong = self._carry_list(plan)
        if wrong:
            failed = self._authority.store_failed(monotonic_ms(), utc_ms(), wrong)
            if self._carry_list(failed):
                log.error("what follows a failed write could not be written either")

    def _carry_list(self, plan: Iterable[Effect | Later]) -> str:
        """Carry a plan out; where the store failed, the rest is left: say what is wrong then."""
        for effect in plan:
            if isinstance(effect, SendTo):
                self._send(effect)
            elif isinstance(effect, Later):
                if not effect.urgent:
                    self._rest.append(effect)
                elif wrong := self._carry_list(_made(effect)):
                    return wrong
            elif isinstance(effect, Publish):
                self._publish(effect)
            elif isinstance(effect, Write):
                try:
                    self._store(effect)
                except StoreError as error:
                    return self._cannot_save(error)
            else:
                self._carry_rare(effect)
        return ""

    def _send(self, effect: SendTo) -> None:
        send = self._control.send
        try:
            send(effect.route, _ROUTE)  # it is this frame that fails where the peer takes nothing
            send(effect.body, _AT_ONCE)
        except zmq.Again:
            self._dropped.append((effect.route, False))
        except zmq.ZMQError as error:
            if error.errno != zmq.EHOSTUNREACH:
                log.warning("a send failed: %s", error)
            self._dropped.append((effect.route, True))

    def _publish(self, effect: Publish) -> None:
        # who takes nothing loses updates; a snapshot or the next one makes it whole
        with contextlib.suppress(zmq.Again):
            self._public.send(effect.body, _AT_ONCE)
        self._loop.call_soon(self._take_subscriptions)

    def _store(self, effect: Write) -> None:
        self._journal.append(effect.first, effect.entries, sync=effect.sync)
        if effect.sync or self._journal.wants_checkpoint:
            self._loop.call_later(_QUIET, self._checkpoint)

    def _cannot_save(self, error: StoreError) -> str:
        wrong = _SAVING.get(StoreCode(error.code), "failed")
        if wrong != self._authority.table.saving:  # or it has been said already
            log.error("the table cannot be saved: %s", error)
        return wrong

    def _check_store(self) -> None:
        if self._stopped or self.finished.done():
            return
        self._checking = self._loop.call_later(_CHECK_EVERY, self._check_store)
        try:
            self._journal.check()
        except StoreError as error:
            wrong = self._cannot_save(error)
            with self._fatal():
                self._carry_out(self._authority.store_lost(monotonic_ms(), utc_ms(), wrong))
            self._turn()

    def _save_what_is_left(self) -> None:
        """Store at the very end, if it works by now, what was told while it went on unsaved."""
        left = self._authority.unsaved
        if not left:
            return
        try:
            first = self._authority.table.entries - len(left) + 1
            self._journal.append(first, left, sync=True)
        except StoreError as error:
            log.error("the table ends unsaved: %s", error)

    def _checkpoint(self) -> None:
        if not self.finished.done():
            self._journal.checkpoint()

    def _carry_rare(self, effect: Effect) -> None:
        match effect:
            case Admit(key):
                self._doorkeeper.admit(key)
            case Unadmit(key):
                self._doorkeeper.unadmit(key)
                self._publics.cut(key)
            case Bar(key):
                self._doorkeeper.bar(key)
            case Unbar(key):
                self._doorkeeper.unbar(key)
            case Cut(key):
                self._cut(key)
            case Expel(key):
                self._doorkeeper.expel(key)
                self._cut(key)
            case Forgive():
                self._doorkeeper.forgive()
            case HangUp(route):
                self._guard.hang_up(route)
            case BotWanted(seat, key, name, level):
                self._bots.sit(seat, key, self._keyring.secret(key), name, level)
            case DeputyWanted(seat, key, level):
                self._bots.deputise(seat, key, self._keyring.secret(key), level)
            case BotUnwanted(seat, key) | DeputyUnwanted(seat, key):
                self._bots.dismiss(seat, key)
                self._keyring.forget(key)
                self._authority.dismissed(key)
            case BotsStuck():
                self._bots.restart()
            case Finished(reason):
                self._save_what_is_left()
                if not self.finished.done():
                    self.finished.set_result(reason)
            case _:
                raise TypeError(f"not an effect: {effect!r}")

    def _cut(self, key: str) -> None:
        self._publics.cut(key)
        self._guard.hang_up_on(key)

    @contextlib.contextmanager
    def _fatal(self) -> Iterator[None]:
        """End the table on a fault of its own; what was told is stored, so it can be resumed."""
        try:
            yield
        except Exception as error:
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        log.exception("the table cannot go on")
        if not self.finished.done():
            self.finished.set_exception(error)


def _made(later: Later) -> Plan:
    """Return what is made by now; what cannot be made, once all is stored, ends nobody's game."""
    try:
        return later.make()
    except Exception:
        log.exception("not everybody could be told")
        return []
