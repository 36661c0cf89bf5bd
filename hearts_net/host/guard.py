"""Watches every connection of the two sockets, and shuts those that overdo it.

ZeroMQ accepts whoever comes, keeps an unfinished message in memory where no program sees it, and
remembers every subscription. Here the connections are counted, all of them and those of each
address; who connects without end is answered no more for a while (``turnstile``); a connection on
which nothing is ever said is closed; and the bytes that have come in are held
against the whole messages that have come out. For the bytes Linux's own counters are read; other
systems have only the rest. On Windows, where a socket of libzmq's cannot be borrowed, there is no
such guard.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
import struct
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import zmq

from hearts_net.host.crowd import Crowd
from hearts_net.host.descriptors import borrowed
from hearts_net.host.sentry import Sentry
from hearts_net.host.sockets import COUNTS_BYTES, Context, Socket
from hearts_net.host.turnstile import Turnstile
from hearts_net.protocol.limits import (
    CONNECTIONS,
    CONNECTIONS_PER_ADDRESS,
    HELD,
    HELD_ON_PUBLIC,
    RATES,
    SPEAK_WITHIN,
)

IS_SUPPORTED: Final = sys.platform != "win32"
_PER_SECOND: Final = 1024
"""Bytes for what never comes out: heartbeats and their answers."""
_PER_SECOND_ON_PUBLIC: Final = 128
_PER_MESSAGE: Final = 42
"""Bytes that encryption and framing add: no more, or who sends much has much to his credit."""
_LOOK_EVERY: Final = 0.05
"""Seconds: in that time some 10 MiB come in at most, as fast as libzmq can decrypt."""
_IDLE: Final = 0.005
"""Seconds of the process's own time: what comes in meanwhile, to be decrypted, is 2 MiB at most."""
_LOOK_AT_LEAST_EVERY: Final = 1.0
"""Seconds, however little the process has to do."""
_LAST_WORD: Final = 0.2
"""Seconds that a peer has to hear why before its connection is closed."""
_TO_SHAKE_HANDS: Final = 0.25
"""Seconds that a connection has, where all are taken, until it has to make room for another."""
_AT_ONCE: Final = 16
"""Monitor events heard before the table's messages have a chance."""
_TCP_INFO_SIZE: Final = 136
_BYTES_RECEIVED: Final = 128
"""Offset of ``tcpi_bytes_received`` in the kernel's ``struct tcp_info``."""
_EVENT: Final = struct.Struct("=hi")
_EVENTS: Final = zmq.EVENT_LISTENING | zmq.EVENT_ACCEPTED | zmq.EVENT_DISCONNECTED
_LISTENING: Final = int(zmq.EVENT_LISTENING)
_ACCEPTED: Final = int(zmq.EVENT_ACCEPTED)

log = logging.getLogger(__name__)


@dataclass(slots=True, eq=False)
class _Connection:
    monitor: Socket
    peer: object
    address: str
    since: float
    on_public: bool
    delivered: int = 0
    route: bytes = b""
    key: str = ""
    cut: bool = False

    @property
    def spoke(self) -> bool:
        """Whether a message has come out, so that the key is known."""
        return bool(self.key)


class FloodGuard:
    """Watches the connections of a table; made inside a running loop, before they are bound.

    Attributes:
        on_cut: is told the key whose connection was cut, where that is known.

    """

    def __init__(self, context: Context, control: Socket, public: Socket) -> None:
        self._loop = asyncio.get_running_loop()
        self._connections: dict[int, _Connection] = {}
        self._by_route: dict[bytes, int] = {}
        self._crowd: Counter[str] = Counter()
        self._turned_away = 0
        self._rush = Crowd(RATES["connection"])
        self._turnstile = Turnstile()
        self.on_cut: Callable[[str], None] = lambda _key: None
        self._sockets = [control, public] if IS_SUPPORTED else []
        self._monitors = [_monitor(context, each) for each in self._sockets]
        self._public = self._monitors[-1] if self._monitors else None
        self._sentry = Sentry(self._look_at) if self._sockets and COUNTS_BYTES else None
        self._looked_at = self._busy_at = 0.0
        self._timer: asyncio.TimerHandle | None = None
        for monitor in self._monitors:
            self._loop.add_reader(int(monitor.getsockopt(zmq.FD)), self._hear)
        if self._sockets:
            self._hear()  # a descriptor tells of news only once there was nothing to read
            self._timer = self._loop.call_later(_LOOK_EVERY, self._look)

    def delivered(self, route: bytes, frame: zmq.Frame) -> None:
        """Count a frame that has come out of control."""
        if not self._sockets:
            return
        descriptor = int(frame.get(zmq.SRCFD))
        known = self._connections.get(descriptor)
        if known is None:
            self._hear()
            known = self._connections.get(descriptor)
            if known is None:
                return
        known.delivered += len(frame) + _PER_MESSAGE
        if known.route != route:
            self._by_route.pop(known.route, None)  # its number is this one's by now
            known.route, known.key = route, str(frame.get("User-Id"))
            self._by_route[route] = descriptor

    def subscribed(self, key: str, frame: zmq.Frame) -> None:
        """Note whose a public connection is."""
        known = self._connections.get(int(frame.get(zmq.SRCFD))) if self._sockets else None
        if known is not None and known.on_public:
            known.key = key

    def hang_up(self, route: bytes) -> None:
        """Close the control connection of a route, once it could hear why."""
        descriptor = self._by_route.get(route, -1)
        known = self._connections.get(descriptor)
        if known is not None:
            self._loop.call_later(_LAST_WORD, self._shut, descriptor, known)

    def hang_up_on(self, key: str) -> None:
        """Close the control connections of a key, once it could hear why."""
        for descriptor, each in self._connections.items():
            if each.key == key and not each.on_public:
                self._loop.call_later(_LAST_WORD, self._shut, descriptor, each)

    def close(self) -> None:
        """Watch no more; before the sockets are closed."""
        if self._timer is not None:
            self._timer.cancel()
        if self._sentry is not None:
            self._sentry.close()
            self._sentry = None
        for monitor in self._monitors:
            self._loop.remove_reader(int(monitor.getsockopt(zmq.FD)))
        for watched in self._sockets:
            watched.monitor(None, 0)
        for monitor in self._monitors:
            monitor.close()
        self._sockets, self._monitors = [], []
        self._connections.clear()

    # ---- who comes and goes ----------------------------------------------------------------------

    def _hear(self) -> None:
        """Take note of connections that came and went; later of the rest, where there are many."""
        for monitor in self._monitors:
            for _ in range(_AT_ONCE):
                try:
                    body, _place = monitor.recv_multipart(zmq.NOBLOCK)
                except zmq.Again:
                    break
                event, descriptor = _EVENT.unpack(body)
                self._forget(descriptor, monitor)
                if event == _ACCEPTED:
                    self._note(descriptor, monitor)
                elif event == _LISTENING:
                    self._turnstile.listens(descriptor)
            else:
                self._loop.call_soon(self._hear)

    def _forget(self, descriptor: int, monitor: Socket | None = None) -> None:
        known = self._connections.get(descriptor)
        if known is None or monitor not in (None, known.monitor):
            return
        del self._connections[descriptor]
        self._crowd[known.address] -= 1
        if not self._crowd[known.address]:
            del self._crowd[known.address]
        if self._by_route.get(known.route) == descriptor:
            del self._by_route[known.route]

    def _note(self, descriptor: int, monitor: Socket) -> None:
        self._forget(descriptor)  # the other socket's monitor has yet to say that it is gone
        try:
            with borrowed(descriptor) as connection:
                peer = connection.getpeername()
                address = _plain(str(peer[0]))
                if self._is_too_many(address):
                    connection.shutdown(socket.SHUT_RDWR)
                    return
        except OSError:
            return  # gone already
        self._crowd[address] += 1
        self._connections[descriptor] = _Connection(
            monitor, peer, address, self._loop.time(), monitor is self._public
        )
        if self._sentry is not None and monitor is self._public:
            self._sentry.watch(descriptor)

    def _is_too_many(self, address: str) -> bool:
        if self._rush.is_over(address.encode(), int(self._loop.time() * 1000)):
            if lasts := self._turnstile.bar(address, self._loop.time()):
                log.warning("an address connects without end: no answer for %.0f s", lasts)
            return True
        few = self._crowd[address] < CONNECTIONS_PER_ADDRESS
        if few and (len(self._connections) < CONNECTIONS or self._made_room()):
            return False
        if not self._turned_away:
            log.warning("too many connections: more are turned away")
        self._turned_away += 1
        return True

    def _made_room(self) -> bool:
        """Close the connection that has been silent longest, if it has had its chance to speak."""
        silent = [(each.since, at) for at, each in self._connections.items() if not each.spoke]
        since, oldest = min(silent, default=(self._loop.time(), 0))
        if self._loop.time() - since < _TO_SHAKE_HANDS:
            return False
        self._shut(oldest, self._connections[oldest])
        self._forget(oldest)
        return True

    # ---- how they behave -------------------------------------------------------------------------

    def _look(self) -> None:
        """Look at every connection, unless this process has hardly done anything since.

        Whatever comes in has been read and decrypted here, so who sends much makes it busy.
        """
        self._timer = self._loop.call_later(_LOOK_EVERY, self._look)
        now, busy = self._loop.time(), time.process_time()
        self._turnstile.look(now)
        if busy - self._busy_at < _IDLE and now - self._looked_at < _LOOK_AT_LEAST_EVERY:
            return
        self._looked_at, self._busy_at = now, busy
        self._look_at_all(now)

    def _look_at_all(self, now: float) -> None:
        self._hear()
        if self._turned_away and len(self._connections) < CONNECTIONS_PER_ADDRESS // 2:
            log.warning("%d connections were turned away", self._turned_away)
            self._turned_away = 0
        for descriptor, known in list(self._connections.items()):
            if not self._is_in_order(descriptor, known, now):
                self._forget(descriptor)

    def _is_in_order(self, descriptor: int, known: _Connection, now: float) -> bool:
        """Cut a connection that overdoes it; False where there is nothing left to watch."""
        if not known.spoke and not known.on_public and now - known.since > SPEAK_WITHIN / 1000:
            self._shut(descriptor, known)
            return False
        return not COUNTS_BYTES or self._holds_little(descriptor, known, now)

    def _look_at(self, descriptor: int) -> None:
        """Look at one connection; in the sentry's thread."""
        known = self._connections.get(descriptor)
        if known is not None and known.on_public and not known.cut:
            self._holds_little(descriptor, known, self._loop.time())

    def _holds_little(self, descriptor: int, known: _Connection, now: float) -> bool:
        """Cut a connection on which too much has come in; False where it is no more."""
        try:
            with borrowed(descriptor) as connection:
                if connection.getpeername() != known.peer:
                    return False
                held = _bytes_received(connection) - known.delivered
                if held <= _allowed(known, now):
                    return True
                known.cut = True
                log.warning("a peer was cut off: %d bytes that are no message", held)
                connection.shutdown(socket.SHUT_RDWR)
                if known.spoke:
                    self._loop.call_soon_threadsafe(self.on_cut, known.key)
        except OSError:
            return False
        return False

    def _shut(self, descriptor: int, known: _Connection) -> None:
        """Close one connection, unless it is gone and its number is another's by now."""
        if self._connections.get(descriptor) is not known:
            return
        with contextlib.suppress(OSError), borrowed(descriptor) as connection:
            if connection.getpeername() == known.peer:
                connection.shutdown(socket.SHUT_RDWR)


def _monitor(context: Context, watched: Socket) -> Socket:
    """Return what tells of the connections of a socket.

    Its queue has no bound: with one, libzmq's own thread would wait for it to be read.
    """
    endpoint = f"inproc://guard-{id(watched)}"
    watched.monitor(endpoint, _EVENTS)
    monitor = context.socket(zmq.PAIR)
    monitor.setsockopt(zmq.RCVHWM, 0)
    monitor.setsockopt(zmq.LINGER, 0)
    monitor.connect(endpoint)
    return monitor


def _allowed(known: _Connection, now: float) -> float:
    """Return how many bytes a connection may hold that have not come out."""
    if known.on_public:
        return HELD_ON_PUBLIC + _PER_SECOND_ON_PUBLIC * (now - known.since)
    return HELD + _PER_SECOND * (now - known.since)


def _plain(address: str) -> str:
    """Return an address as it is written, whichever kind of socket it came in on."""
    return address.removeprefix("::ffff:").partition("%")[0]


def _bytes_received(connection: socket.socket) -> int:
    info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _TCP_INFO_SIZE)
    if len(info) < _TCP_INFO_SIZE:
        return 0  # a kernel before 4.1
    (received,) = struct.unpack_from("=Q", info, _BYTES_RECEIVED)
    return int(received)
