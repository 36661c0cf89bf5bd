"""A whole table in memory: one authority, its store, any number of peers, a network that can fail.

Nothing here waits: time is told, so hours of play take as long as the computing does. The same seed
gives the same run. What the network may do to a message, and when, is in :class:`Faults`; whole
connections can be cut, peers cut off silently, and the host killed at any effect and started again
from what it had stored.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count
from typing import Final

from hearts_net.host.authority import Authority
from hearts_net.host.course import Outcome
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
    Expel,
    Finished,
    Forgive,
    HangUp,
    Plan,
    Publish,
    SendTo,
    Unadmit,
    Unbar,
    Write,
)
from hearts_net.host.opening import Opening
from hearts_net.host.table import Table
from hearts_net.protocol.codec import ToPeer, decode_to_peer, encode
from hearts_net.protocol.host_session import HostSession
from hearts_net.protocol.limits import DIAL_EVERY
from hearts_net.protocol.messages import Join, Message
from hearts_net.protocol.peer_session import LinkState, PeerSession
from hearts_net.testing.clock import FakeClock
from hearts_net.testing.memory_peer import NEVER
from hearts_net.testing.memory_peer import MemoryPeer as MemoryPeer
from hearts_net.testing.players import Chooser, eager

HOST_KEY: Final = "H" * 40
REDIAL_EVERY: Final = 100
LAST_WORDS: Final = 300
PUBLIC_PORT: Final = 26053
_Z85: Final = (
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#"
)


@dataclass(frozen=True, slots=True)
class Faults:
    """What the network does to each message; chances from 0 to 1, times in milliseconds."""

    drop: float = 0.0
    duplicate: float = 0.0
    delay: int = 1
    """At least, one way."""
    jitter: int = 0
    """Up to so much more; with it, messages overtake each other."""


@dataclass(slots=True)
class MemoryStore:
    """Keeps entries as the authority's program would, and can be made to fail."""

    entries: list[bytes] = field(default_factory=list)
    failing: bool = False
    reason: str = "failed"
    """Why it fails, as views say it."""
    writes: int = 0
    synced: int = 0

    def read(self) -> list[bytes]:
        """Return everything that is stored."""
        return self.entries

    def write(self, store: Write) -> bool:
        """Write; False when that fails, and then nothing is written."""
        if self.failing:
            return False
        assert store.first == len(self.entries) + 1
        self.entries.extend(store.entries)
        self.writes += 1
        self.synced += store.sync
        return True


class MemoryNetwork:
    """One table and the network around it; see the module."""

    def __init__(
        self,
        seed: int = 0,
        opening: Opening | None = None,
        faults: Faults | None = None,
        *,
        bots_play: bool = True,
    ) -> None:
        self.rng = random.Random(seed)
        self._entropy = random.Random(f"{seed} shares").randbytes
        self.clock = FakeClock()
        self.faults = faults or Faults()
        self.store = self.new_store()
        self.opening = opening or Opening("t1", "attic", HOST_KEY)
        self.bots_play = bots_play
        self.peers: list[MemoryPeer] = []
        self.staff: dict[str, MemoryPeer] = {}
        """The table's own bots and the deputies, by key."""
        self.admitted: set[str] = set()
        self.expelled: set[str] = set()
        self.barred: set[str] = set()
        self.finished: Finished | None = None
        self._is_beginning = False
        self.kill_at: Callable[[Effect], bool] | None = None
        """Kills the host before the first effect for which this is true."""
        self.blocked: set[bytes] = set()
        """Routes that take nothing: sending fails as it does to a stopped peer."""
        self.published: list[bytes] = []
        self.told: list[tuple[str, bytes]] = []
        """Everything that the host has sent on control: key and body."""
        self.host: Authority | None = None
        self.touched: list[MemoryPeer] = []
        """The peers to which something has happened since somebody took note of it."""
        self._host_due = NEVER
        self.on_table: Callable[[Table], None] | None = None
        """Called with each table of which the host is about to tell, unless it cannot be stored."""
        self.on_stored: Callable[[Write], None] | None = None
        """Called when something has been stored, before anybody is told."""
        self.on_sent: Callable[[MemoryPeer, bytes], None] | None = None
        """Called when a peer sends a body to the host, whatever becomes of it."""
        self._routes: dict[bytes, MemoryPeer] = {}
        self._queue: list[tuple[int, int, Callable[[], None]]] = []
        self._order = count()
        self._names = count(1)
        self._hired: dict[str, tuple[str, str, str]] = {}
        self._keys: dict[int, Iterator[int]] = {}
        self.start_host()

    # ---- the host ------------------------------------------------------------------------------

    @property
    def authority(self) -> Authority:
        """The host, which must be running."""
        assert self.host is not None
        return self.host

    def start_host(self) -> None:
        """Start the host from what is stored; there is none where its start cannot be stored."""
        assert self.host is None
        host = self.host = self._new_host()
        self._is_beginning = True
        self.carry_out(host.begin(self.clock.utc))
        self._is_beginning = False
        if self.host is not None:
            self.carry_out(host.opened(PUBLIC_PORT, "10.0.0.1:26052", *self._times()))

    def _new_host(self) -> Authority:
        return _watched(
            Authority(self.store.read(), self.opening, entropy=self.entropy, new_key=self.new_key),
            self._note_table,
        )

    def _note_table(self, table: Table) -> None:
        if self.on_table is not None:
            self.on_table(table)

    def kill_host(self) -> None:
        """Kill the host: what it had not stored is gone, and every connection with it."""
        self.host = None
        self.admitted.clear()
        self.barred.clear()
        self.expelled.clear()
        self._routes.clear()
        for key in list(self.staff):
            self._dismiss(key)
        for peer in self.peers:
            peer.connection = None
            peer.subscription = None
            peer.take(peer.session.disconnected(self.clock.now))
            peer.dial_due = self.clock.now + REDIAL_EVERY

    def carry_out(self, effects: list[Effect]) -> None:
        """Do what the host asks, in order."""
        assert not any(isinstance(effect, Write) for effect in effects[1:]), "Write comes first"
        host = self.host
        if host is not None:
            self._note_table(host.table)
        for effect in effects:
            if self.kill_at is not None and self.kill_at(effect):
                self.kill_at = None
                self.kill_host()
            if self.host is not host:
                return  # killed here, or in what came of an effect
            if isinstance(effect, Write) and not self._write(effect):
                if self._is_beginning:
                    self.kill_host()
                    return
                self.carry_out(self.authority.store_failed(*self._times(), self.store.reason))
                break
            self._carry_out(effect)
        if host is not None:
            due = host.deadline()
            self._host_due = NEVER if due is None else due

    def _write(self, effect: Write) -> bool:
        written = self.store.write(effect)
        if written and self.on_stored is not None:
            self.on_stored(effect)
        return written

    def _carry_out(self, effect: Effect) -> None:
        match effect:
            case SendTo(route, body):
                self._to_peer(route, body)
            case Publish(body):
                self._publish(body)
            case Admit(key):
                self.admitted.add(key)
            case Unadmit(key):
                self.admitted.discard(key)
            case Expel(key):
                self.expelled.add(key)
                self.admitted.discard(key)
                self.later(LAST_WORDS, partial(self._cut, key, set(self._routes)))
            case Forgive():
                self.expelled.clear()
            case HangUp(route):
                self.later(LAST_WORDS, partial(self._hang_up, route))
            case Bar(key):
                self.barred.add(key)
            case Unbar(key):
                self.barred.discard(key)
            case Cut(key):
                self.later(LAST_WORDS, partial(self._cut, key, set(self._routes)))
            case BotWanted(_, key, name, level):
                self._hire(key, "bot", name, level)
            case DeputyWanted(_, key, level):
                self._hire(key, "deputy", "deputy", level)
            case BotUnwanted(_, key) | DeputyUnwanted(_, key):
                self._dismiss(key)
                self.authority.dismissed(key)
            case BotsStuck():
                self.later(0, self._restart_bots)
            case Finished():
                self.finished = effect
            case Write():
                pass

    def _cut(self, key: str, routes: set[bytes]) -> None:
        for peer in self.everybody():
            if peer.key == key and peer.connection in routes:
                self.break_connection(peer)

    def _hang_up(self, route: bytes) -> None:
        peer = self._routes.get(route)
        if peer is not None:
            self.break_connection(peer)

    def _hire(self, key: str, role: str, name: str, level: str) -> None:
        if not self.bots_play:
            return
        self._hired[key] = (role, name, level)
        self.staff[key] = self._make_peer(key, role, name, level, self.new_chooser())

    def _restart_bots(self) -> None:
        for key, old in list(self.staff.items()):
            self.stop_peer(old)
            if key in self.staff:  # else what came of that has ended the host, and them with it
                self._hire(key, *self._hired[key])

    def _dismiss(self, key: str) -> None:
        peer = self.staff.pop(key, None)
        if peer is not None:
            peer.stopped = True

    def _times(self) -> tuple[int, int]:
        return self.clock.now, self.clock.utc

    # ---- peers ---------------------------------------------------------------------------------

    def new_key(self) -> str:
        """Return a key that nobody has yet."""
        return "".join(self.rng.choices(_Z85, k=40))

    def new_store(self) -> MemoryStore:
        """Return the store of the table, which outlives its hosts."""
        return MemoryStore()

    def entropy(self, count: int) -> bytes:
        """Return what the host takes for chance: of the shuffles among others."""
        return self.rng.randbytes(count)

    def new_chooser(self) -> Chooser:
        """Return whoever plays for a peer that plays by itself, a bot or a deputy."""
        return eager(random.Random(self.rng.random()))

    def add_peer(
        self,
        name: str = "",
        *,
        role: str = "player",
        level: str = "",
        key: str = "",
        plays: bool = True,
        live: bool = True,
        shares: bool = True,
    ) -> MemoryPeer:
        """Add a peer; with ``live``, let time pass until it has its first view.

        Without ``shares`` it puts nothing into the shuffles.
        """
        name = name or f"Peer{next(self._names)}"
        chooser = self.new_chooser() if plays else None
        key = key or self.new_key()
        peer = self._make_peer(key, role, name, level, chooser, shares=shares)
        self.peers.append(peer)
        if live:
            self.run_until(lambda: peer.view is not None)
        return peer

    def _make_peer(
        self,
        key: str,
        role: str,
        name: str,
        level: str,
        chooser: Chooser | None,
        *,
        shares: bool = False,
    ) -> MemoryPeer:
        requests = self._keys.setdefault(hash(key), count(1))
        join = Join(role, name, level)
        session = PeerSession(
            role,
            name,
            level,
            request_ids=lambda: next(requests),
            entropy=self._entropy,
            shares=shares,
        )
        session.between(key, self.opening.host_key)
        peer = MemoryPeer(self, key, join, session, chooser)
        peer.dial_due = self.clock.now
        return peer

    def everybody(self) -> list[MemoryPeer]:
        """Return every peer that has not been stopped, the host's own bots and deputies too."""
        return [peer for peer in [*self.peers, *self.staff.values()] if not peer.stopped]

    def stop_peer(self, peer: MemoryPeer) -> None:
        """End a peer's program without a word; the host hears only that the connection is gone."""
        peer.stopped = True
        self.break_connection(peer)

    def break_connection(self, peer: MemoryPeer) -> None:
        """Close a peer's connection at both ends; the peer dials again."""
        route, peer.connection = peer.connection, None
        peer.dial_due = self.clock.now + REDIAL_EVERY
        peer.take(peer.session.disconnected(self.clock.now))
        if route is not None:
            self._routes.pop(route, None)
            self._gone(route)

    def cut_off(self, peer: MemoryPeer, *, healed: bool = False) -> None:
        """Lose everything to and from a peer silently, until it is healed."""
        peer.cut_off = not healed

    def _gone(self, route: bytes) -> None:
        if self.host is not None:
            self.carry_out(self.host.dropped(route, *self._times(), gone=True))

    # ---- messages ------------------------------------------------------------------------------

    def to_host(self, peer: MemoryPeer, body: bytes) -> None:
        """Send a body from a peer to the host."""
        route = peer.connection
        if self.on_sent is not None:
            self.on_sent(peer, body)
        if route is None or peer.cut_off:
            return
        self._deliver(lambda: self._arrive(route, peer, body))

    def say_raw(self, peer: MemoryPeer, message: Message) -> list[ToPeer]:
        """Give the host a message as from a peer, at once; return what it sends that peer."""
        route = peer.connection
        assert route is not None
        seen = len(self.told)
        body = encode(message)
        self.carry_out(self.authority.receive(route, peer.key, body, *self._times()))
        return [decode_to_peer(body) for key, body in self.told[seen:] if key == peer.key]

    def _arrive(self, route: bytes, peer: MemoryPeer, body: bytes) -> None:
        if self.host is None or self._routes.get(route) is not peer or peer.cut_off:
            return
        self.carry_out(self.host.receive(route, peer.key, body, *self._times()))

    def _to_peer(self, route: bytes, body: bytes) -> None:
        peer = self._routes.get(route)
        if peer is None:
            self.later(0, lambda: self._gone(route))
            return
        if route in self.blocked:
            self.carry_out(self.authority.dropped(route, *self._times(), gone=False))
            return
        self.told.append((peer.key, body))
        if not peer.cut_off:
            self._deliver(lambda: self._receive(route, peer, body))

    def _receive(self, route: bytes, peer: MemoryPeer, body: bytes) -> None:
        if peer.connection == route and not peer.stopped and not peer.cut_off:
            peer.take(peer.session.receive_control(body, self.clock.now))

    def _publish(self, body: bytes) -> None:
        self.published.append(body)
        for peer in self.everybody():
            wants = peer.subscription is not None and body.startswith(peer.subscription)
            if wants and not peer.cut_off and peer.key in self.admitted:
                self._deliver(partial(self._hear, peer, body))

    def _hear(self, peer: MemoryPeer, body: bytes) -> None:
        if peer.subscription is not None and not peer.stopped and not peer.cut_off:
            peer.take(peer.session.receive_public(body, self.clock.now))

    def _deliver(self, action: Callable[[], None]) -> None:
        faults, rng = self.faults, self.rng
        if faults.drop and rng.random() < faults.drop:
            return
        copies = 2 if faults.duplicate and rng.random() < faults.duplicate else 1
        for _ in range(copies):
            extra = rng.randint(0, faults.jitter) if faults.jitter else 0
            self.later(faults.delay + extra, action)

    def later(self, milliseconds: int, action: Callable[[], None]) -> None:
        """Do something when so much time has passed."""
        heapq.heappush(self._queue, (self.clock.now + milliseconds, next(self._order), action))

    # ---- time ----------------------------------------------------------------------------------

    def run_for(self, milliseconds: int) -> None:
        """Let so much time pass."""
        end = self.clock.now + milliseconds
        while self.step(end):
            pass
        self.clock.advance_to(end)

    def run_until(self, condition: Callable[[], bool], within: int = 600_000) -> None:
        """Let time pass until something is so; AssertionError if it does not come about."""
        end = self.clock.now + within
        while not condition():
            if not self.step(end):
                raise AssertionError(f"not so after {within} ms")

    def step(self, end: int) -> bool:
        """Do the next thing that is due by ``end``; False if there is none."""
        if self._queue and self._queue[0][0] <= self.clock.now:
            heapq.heappop(self._queue)[2]()
            return True
        due = self._next_due()
        if due > end:
            return False
        self.clock.advance_to(due)
        if not self._queue or self._queue[0][0] > self.clock.now:
            self._tick()
        return True

    def _next_due(self) -> int:
        due = self._queue[0][0] if self._queue else NEVER
        if self.host is not None and self.finished is None:
            due = min(due, self._host_due)
        for peer in self.everybody():
            if peer.due < due:
                due = peer.due
            if peer.dial_due < due and self.host is not None and self._wants_dial(peer):
                due = peer.dial_due
        return due

    def _tick(self) -> None:
        now = self.clock.now
        host = self.host
        if host is not None and self.finished is None and self._host_due <= now:
            self.carry_out(host.tick(*self._times()))
        for peer in self.everybody():
            if peer.due <= now:
                peer.take(peer.session.tick(now))
            if peer.dial_due <= now and self.host is not None and self._wants_dial(peer):
                self._dial(peer)

    def _wants_dial(self, peer: MemoryPeer) -> bool:
        if peer.session.state is LinkState.ENDED:
            return False
        return peer.connection is None or peer.session.wants_dial

    def _dial(self, peer: MemoryPeer) -> None:
        peer.dial_due = self.clock.now + DIAL_EVERY
        if peer.cut_off or peer.key in self.barred | self.expelled:
            return
        old, peer.connection = peer.connection, self.rng.randbytes(5)
        self._routes[peer.connection] = peer
        if old is not None:
            self._routes.pop(old, None)
        peer.take(peer.session.connected(self.clock.now))


def _watched(host: Authority, note: Callable[[Table], None]) -> Authority:
    """Have a host show each table that it is about to tell of: a failed store makes two."""
    changed = host._room.changed

    def shown(
        outcome: Outcome,
        clock: int,
        first: Plan | None = None,
        also: HostSession | None = None,
    ) -> Plan:
        note(outcome.table)
        return changed(outcome, clock, first, also)

    host._room.changed = shown  # type: ignore[method-assign]
    return host


def four_players(network: MemoryNetwork, *, plays: bool = True) -> list[MemoryPeer]:
    """Seat four people who are always ready; the first has the host's key."""
    names = ("Asha", "Bram", "Chloé", "Dai")
    keys = (network.opening.host_key, "", "", "")
    return [
        network.add_peer(name, key=key, plays=plays) for name, key in zip(names, keys, strict=True)
    ]


def opening(**changes: object) -> Opening:
    """Return an opening for tests: a short game unless the rules say otherwise."""
    base = Opening("t1", "attic", HOST_KEY, rules={"target": 50})
    return replace(base, **changes)  # type: ignore[arg-type]
