"""Cuts off a peer that sends a message without end.

ZeroMQ bounds a frame but not the frames of one message, and keeps an unfinished message in memory
where no program sees it. On Linux the connection's own counters tell how much has come in; what has
not come out again, as whole messages, is what libzmq is holding. Elsewhere there is no such guard.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import socket
import struct
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

import zmq
from zmq.utils.monitor import parse_monitor_message

from hearts_net.host.sockets import Socket

IS_SUPPORTED: Final = sys.platform == "linux"
HELD: Final = 2 * 1024 * 1024
"""Bytes that may be held for one peer: more than a full queue of the longest whole messages."""
_PER_SECOND: Final = 1024
"""Bytes for what never comes out: heartbeats and their answers."""
_PER_MESSAGE: Final = 128
"""Bytes that encryption and framing add."""
_LOOK_EVERY: Final = 0.25
_TCP_INFO_SIZE: Final = 136
_BYTES_RECEIVED: Final = 128
"""Offset of ``tcpi_bytes_received`` in the kernel's ``struct tcp_info``."""

log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Connection:
    peer: object
    since: float
    delivered: int = 0


class FloodGuard:
    """Watches the connections of sockets; made inside a running loop, before they are bound."""

    def __init__(self, sockets: Iterable[Socket]) -> None:
        self._loop = asyncio.get_running_loop()
        self._connections: dict[int, _Connection] = {}
        self._sockets = list(sockets) if IS_SUPPORTED else []
        self._monitors = [
            each.get_monitor_socket(zmq.EVENT_ACCEPTED | zmq.EVENT_DISCONNECTED)
            for each in self._sockets
        ]
        self._timer: asyncio.TimerHandle | None = None
        if self._sockets:
            self._timer = self._loop.call_later(_LOOK_EVERY, self._look)

    def delivered(self, frame: zmq.Frame) -> None:
        """Count a frame that has come out."""
        if self._connections:
            known = self._connections.get(frame.get(zmq.SRCFD))
            if known is not None:
                known.delivered += len(frame) + _PER_MESSAGE

    def close(self) -> None:
        """Watch no more; before the sockets are closed."""
        if self._timer is not None:
            self._timer.cancel()
        for watched in self._sockets:
            watched.disable_monitor()
        for monitor in self._monitors:
            monitor.close()
        self._sockets, self._monitors = [], []

    def _look(self) -> None:
        self._timer = self._loop.call_later(_LOOK_EVERY, self._look)
        for monitor in self._monitors:
            self._hear(monitor)
        now = self._loop.time()
        for descriptor, known in list(self._connections.items()):
            if not self._is_in_order(descriptor, known, now):
                del self._connections[descriptor]

    def _hear(self, monitor: Socket) -> None:
        """Take note of connections that came and went."""
        with contextlib.suppress(zmq.Again):
            while True:
                event = parse_monitor_message(monitor.recv_multipart(zmq.NOBLOCK))
                descriptor = int(event["value"])
                self._connections.pop(descriptor, None)
                if event["event"] == zmq.EVENT_ACCEPTED:
                    self._note(descriptor)

    def _note(self, descriptor: int) -> None:
        try:
            with _borrowed(descriptor) as connection:
                peer = connection.getpeername()
        except OSError:
            return  # gone already
        self._connections[descriptor] = _Connection(peer, self._loop.time())

    def _is_in_order(self, descriptor: int, known: _Connection, now: float) -> bool:
        """Cut a connection that holds too much; False where there is nothing left to watch."""
        try:
            with _borrowed(descriptor) as connection:
                if connection.getpeername() != known.peer:
                    return False
                held = _bytes_received(connection) - known.delivered
                if held <= HELD + _PER_SECOND * (now - known.since):
                    return True
                log.warning("a peer was cut off: %d bytes of an unfinished message", held)
                connection.shutdown(socket.SHUT_RDWR)
        except OSError:
            return False
        return False


@contextlib.contextmanager
def _borrowed(descriptor: int) -> Iterator[socket.socket]:
    """Lend libzmq's connection; a duplicate, so that closing it closes nothing of libzmq's."""
    with socket.socket(fileno=os.dup(descriptor)) as connection:
        yield connection


def _bytes_received(connection: socket.socket) -> int:
    info = connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _TCP_INFO_SIZE)
    if len(info) < _TCP_INFO_SIZE:
        return 0  # a kernel before 4.1
    (received,) = struct.unpack_from("=Q", info, _BYTES_RECEIVED)
    return int(received)
