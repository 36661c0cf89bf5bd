"""The table's two sockets: their options, how they are bound, and how they are closed.

Every option has its reason in ``protocol.md``; the short of it: a stopped peer must cost the others
nothing, a stranger must not impersonate anybody, and a frame must not be larger than a command.
"""

from __future__ import annotations

import errno
import sys
from dataclasses import dataclass
from typing import Final

import zmq

from hearts_net.host.errors import HostCode, HostError
from hearts_net.host.zap import CONTROL_DOMAIN, PUBLIC_DOMAIN
from hearts_net.peer.connection import HANDSHAKE, HEARTBEAT, HEARTBEAT_TIMEOUT, HIGH_WATER
from hearts_net.protocol import limits

COUNTS_BYTES: Final = sys.platform == "linux"
"""Whether the system tells how much a connection has received."""
_HIGH_WATER_IN: Final = 0 if COUNTS_BYTES else HIGH_WATER
"""None where the guard counts bytes instead: libzmq 4.3.5 aborts where a connection breaks whose
input it has stopped, if a PING is still to be answered or to be sent on it. A queue without a bound
never stops any input."""
_ZERO_COPY_RECEIVE: Final = 10
"""ZMQ_ZERO_COPY_RECV, for which pyzmq has no name."""
_RECEIVE_BUFFER_ON_PUBLIC: Final = 8 * 1024
"""What is here when a connection is cut still comes in."""
_SEND_BUFFER: Final = 32 * 1024
_BACKLOG: Final = 1024
_NO_IPV6: Final = (zmq.EAFNOSUPPORT, zmq.EADDRNOTAVAIL, zmq.EPROTONOSUPPORT, errno.ENODEV)
_ANY_PORT_TRIES: Final = 20

Socket = zmq.Socket[bytes]
Context = zmq.Context[Socket]


@dataclass(frozen=True, slots=True)
class Ports:
    """Where the table listens."""

    control: int
    public: int


def make_context() -> Context:
    """Return the context that the table's sockets live in.

    With libzmq's zero copy each message that waits may keep 18 KiB of what it came in with.
    """
    context: Context = zmq.Context()
    context.set(_ZERO_COPY_RECEIVE, 0)
    return context


def make_control(context: Context, secret: str) -> Socket:
    """Return the unbound ROUTER that serves every peer."""
    socket = context.socket(zmq.ROUTER)
    _common(socket, secret, CONTROL_DOMAIN)
    socket.setsockopt(zmq.ROUTER_MANDATORY, 1)
    socket.setsockopt(zmq.ROUTER_HANDOVER, 0)
    return socket


def make_public(context: Context, secret: str) -> Socket:
    """Return the unbound XPUB for the public view."""
    socket = context.socket(zmq.XPUB)
    _common(socket, secret, PUBLIC_DOMAIN)
    socket.setsockopt(zmq.XPUB_VERBOSE, 1)
    socket.setsockopt(zmq.MAXMSGSIZE, limits.MAX_ON_PUBLIC)
    socket.setsockopt(zmq.RCVBUF, _RECEIVE_BUFFER_ON_PUBLIC)
    return socket


def _common(socket: Socket, secret: str, domain: bytes) -> None:
    socket.setsockopt(zmq.LINGER, 0)
    socket.setsockopt(zmq.IPV6, 1)
    socket.setsockopt(zmq.SNDHWM, HIGH_WATER)
    socket.setsockopt(zmq.RCVHWM, _HIGH_WATER_IN)
    socket.setsockopt(zmq.SNDBUF, _SEND_BUFFER)
    socket.setsockopt(zmq.MAXMSGSIZE, limits.MAX_TO_HOST)
    socket.setsockopt(zmq.HEARTBEAT_IVL, HEARTBEAT)
    socket.setsockopt(zmq.HEARTBEAT_TIMEOUT, HEARTBEAT_TIMEOUT)
    socket.setsockopt(zmq.HEARTBEAT_TTL, HEARTBEAT_TIMEOUT)
    socket.setsockopt(zmq.HANDSHAKE_IVL, HANDSHAKE)
    socket.setsockopt(zmq.BACKLOG, _BACKLOG)
    socket.setsockopt(zmq.ZAP_DOMAIN, domain)
    socket.setsockopt(zmq.ZAP_ENFORCE_DOMAIN, 1)
    socket.setsockopt(zmq.CURVE_SERVER, 1)
    socket.setsockopt(zmq.CURVE_SECRETKEY, secret.encode("ascii"))


def bind_pair(control: Socket, public: Socket, port: int, *, loopback_only: bool) -> Ports:
    """Bind both sockets and return where.

    ``port`` is control's, public's is the next one; 0 is any two that are free. Raises
    :class:`HostError` ``port-in-use`` or ``cannot-bind``.
    """
    bind = _bind_loopback if loopback_only else _bind_everywhere
    first = bind(control, port)
    return Ports(first, bind(public, port + 1 if port else 0))


def bind_again(control: Socket, public: Socket, ports: Ports, *, loopback_only: bool) -> Ports:
    """Bind to the ports of an earlier run where they are free, else to any two."""
    bind = _bind_loopback if loopback_only else _bind_everywhere
    found = []
    for socket, port in ((control, ports.control), (public, ports.public)):
        try:
            found.append(bind(socket, port))
        except HostError:
            found.append(bind(socket, 0))
    return Ports(*found)


def _bind_everywhere(socket: Socket, port: int) -> int:
    try:
        return _bind(socket, f"tcp://[::]:{port or '*'}", port)
    except HostError as error:
        if error.detail.get("errno") not in _NO_IPV6:
            raise
    socket.setsockopt(zmq.IPV6, 0)
    return _bind(socket, f"tcp://0.0.0.0:{port or '*'}", port)


def _bind_loopback(socket: Socket, port: int) -> int:
    for left in reversed(range(_ANY_PORT_TRIES)):
        found = _bind(socket, f"tcp://127.0.0.1:{port or '*'}", port)
        try:
            _bind(socket, f"tcp://[::1]:{found}", found)
        except HostError as error:
            if error.detail.get("errno") in _NO_IPV6:
                return found
            socket.unbind(f"tcp://127.0.0.1:{found}")
            if port or not left:
                raise
            continue
        return found
    raise AssertionError("the last try returns or raises")


def _bind(socket: Socket, endpoint: str, port: int) -> int:
    try:
        socket.bind(endpoint)
    except zmq.ZMQError as error:
        taken = error.errno == zmq.EADDRINUSE
        code = HostCode.PORT_IN_USE if taken else HostCode.CANNOT_BIND
        raise HostError(
            code, port=port, errno=error.errno or 0, reason=error.strerror or ""
        ) from error
    bound = socket.getsockopt(zmq.LAST_ENDPOINT)
    assert isinstance(bound, bytes)
    return int(bound.rstrip(b"\0").rpartition(b":")[2])
