"""One socket towards a host, with its options, its monitor and its place in the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Final, TypeAlias

import zmq
from zmq.utils.monitor import parse_monitor_message

from hearts_net.peer.endpoint import Endpoint
from hearts_net.peer.identity import Identity
from hearts_net.peer.monitor import WATCHED, Sighting, Watch
from hearts_net.protocol.limits import MAX_TO_PEER

Socket: TypeAlias = "zmq.Socket[bytes]"
Context: TypeAlias = "zmq.Context[Socket]"

# plain numbers: calculating with Python's flags takes longer than asking the socket
_EVENTS: Final = int(zmq.EVENTS)
_INPUT: Final = int(zmq.POLLIN)
_AT_ONCE: Final = int(zmq.NOBLOCK)

HIGH_WATER: Final = 64
"""Messages; more would only hide that the other side has stopped."""
HEARTBEAT: Final = 2000
HEARTBEAT_TIMEOUT: Final = 6000
HANDSHAKE: Final = 3000
"""Milliseconds; on both sides the same, so that either notices what the other would."""
OPTIONS: Final = (
    (zmq.LINGER, 0),
    (zmq.IPV6, 1),
    (zmq.SNDHWM, HIGH_WATER),
    (zmq.RCVHWM, HIGH_WATER),
    (zmq.MAXMSGSIZE, MAX_TO_PEER),
    (zmq.RECONNECT_IVL, 100),
    (zmq.RECONNECT_IVL_MAX, 500),
    (zmq.CONNECT_TIMEOUT, 2000),
    (zmq.HANDSHAKE_IVL, HANDSHAKE),
    (zmq.HEARTBEAT_IVL, HEARTBEAT),
    (zmq.HEARTBEAT_TIMEOUT, HEARTBEAT_TIMEOUT),
    (zmq.HEARTBEAT_TTL, HEARTBEAT_TIMEOUT),
)
"""Of every socket towards a host."""


class Connection:
    """A DEALER or SUB socket that connects to one endpoint, again and again until closed.

    ``ready`` is called from the event loop whenever there may be something to take; whoever is
    called takes everything, since the descriptors speak only of changes.
    """

    def __init__(
        self,
        context: Context,
        kind: int,
        identity: Identity,
        endpoint: Endpoint,
        ready: Callable[[], None],
        subscription: bytes | None = None,
    ) -> None:
        self.endpoint = endpoint
        self._watch = Watch()
        self.ready = ready
        self._readable = True
        self._stirred = False
        self._news = True
        self._loop = asyncio.get_running_loop()
        self._socket: Socket = context.socket(kind)
        try:
            self._monitor: Socket = self._set_up(identity, subscription)
        except BaseException:
            self._socket.close(0)
            raise
        self._descriptors = [int(self._socket.fileno()), int(self._monitor.fileno())]
        self._loop.add_reader(self._descriptors[0], self._socket_stirs)
        self._loop.add_reader(self._descriptors[1], self._monitor_stirs)

    def _set_up(self, identity: Identity, subscription: bytes | None) -> Socket:
        for option, value in OPTIONS:
            self._socket.setsockopt(option, value)
        self._socket.setsockopt(zmq.CURVE_PUBLICKEY, identity.public.encode("ascii"))
        self._socket.setsockopt(zmq.CURVE_SECRETKEY, identity.secret.encode("ascii"))
        self._socket.setsockopt(zmq.CURVE_SERVERKEY, self.endpoint.key.encode("ascii"))
        if subscription is not None:
            self._socket.setsockopt(zmq.SUBSCRIBE, subscription)
        monitor: Socket = self._socket.get_monitor_socket(WATCHED)
        monitor.setsockopt(zmq.LINGER, 0)
        try:
            self._socket.connect(self.endpoint.url())
        except BaseException:
            self._socket.disable_monitor()
            monitor.close(0)
            raise
        return monitor

    @property
    def sighting(self) -> Sighting:
        """What has been seen at the endpoint last."""
        return self._watch.sighting

    @property
    def has_news(self) -> bool:
        """Whether the monitor may have something to tell."""
        return self._news

    def rule_out(self) -> None:
        """Take it as known from elsewhere that something else listens there."""
        self._watch.rule_out()

    def next_sighting(self) -> Sighting | None:
        """Take the next news of the monitor; None when there is none at present."""
        while self._news:
            if not has_input(self._monitor):
                self._news = False
                break
            event = parse_monitor_message(self._monitor.recv_multipart(zmq.NOBLOCK))
            sighting = self._watch.see(event["event"], event["value"])
            if sighting is not None:
                return sighting
        return None

    def receive(self) -> bytes | None:
        """Take the next message of one frame; None when there is none. Others are dropped."""
        socket = self._socket
        while self._readable:
            if not self._stirred and not has_input(socket):
                self._readable = False
                break
            self._stirred = False
            try:
                frame = socket.recv(_AT_ONCE, copy=False)
            except zmq.Again:
                continue  # it stirred for something else
            if not frame.more:
                return frame.bytes
            while frame.more:
                frame = socket.recv(_AT_ONCE, copy=False)
        return None

    def look(self) -> None:
        """Have :meth:`receive` look at the socket though its descriptor has not stirred."""
        self._readable = True

    def settle(self) -> None:
        """Look at the socket without taking anything, or its descriptor goes on stirring."""
        if self._readable:
            self._readable = has_input(self._socket)

    def send(self, body: bytes) -> bool:
        """Send one frame; False when nobody could take it, and then it is gone.

        Without a connection nothing is sent: it would wait for the next host. libzmq has an option
        for that, IMMEDIATE, with which it also forgets what has arrived before a connection broke,
        such as the last word of a host to a program that was asleep.

        A send can swallow the descriptor's word of a message: call :meth:`receive` afterwards.
        """
        if self._watch.sighting is not Sighting.UP:
            return False
        self._readable = True
        try:
            self._socket.send(body, _AT_ONCE)
        except zmq.Again:
            return False
        return True

    def close(self) -> None:
        """Close the socket at once, whatever is still on its way. A second time does nothing."""
        if self._socket.closed:
            return
        for descriptor in self._descriptors:
            self._loop.remove_reader(descriptor)
        self._socket.disable_monitor()
        self._monitor.close(0)
        self._socket.close(0)

    def _socket_stirs(self) -> None:
        self._readable = self._stirred = True
        self.ready()

    def _monitor_stirs(self) -> None:
        self._news = True
        self.ready()


def has_input(socket: Socket) -> bool:
    """Ask a socket for a message, which costs half of the exception that an empty one raises."""
    return bool(int(socket.getsockopt(_EVENTS)) & _INPUT)
