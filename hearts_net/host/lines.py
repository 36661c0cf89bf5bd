"""Whose the live subscriptions are, so that those of somebody sent away can be ended.

ZeroMQ gives no way to end one connection of a socket. But a subscription names the descriptor that
it came over, and shutting that ends the connection for both sides; libzmq then lets go of it. Where
a descriptor is no file's (Windows), a subscription lasts until its connection ends by itself.
"""

from __future__ import annotations

import contextlib
import os
import socket
from typing import Final

import zmq

from hearts_net.host.descriptors import borrowed

IS_SUPPORTED: Final = os.name == "posix"
_MOST: Final = 1024
"""Connections that are remembered; those of long ago are forgotten first."""


class Lines:
    """Remembers which descriptor belongs to which key, and who is at its other end."""

    __slots__ = ("_peers",)

    def __init__(self) -> None:
        self._peers: dict[tuple[str, int], object] = {}

    def note(self, key: str, subscription: zmq.Frame) -> None:
        """Take note of the connection that a subscription of ``key`` came over."""
        if not IS_SUPPORTED:
            return
        descriptor = int(subscription.get(zmq.SRCFD))
        with contextlib.suppress(OSError), borrowed(descriptor) as connection:
            self._peers.pop((key, descriptor), None)
            self._peers[key, descriptor] = connection.getpeername()
        if len(self._peers) > _MOST:
            del self._peers[next(iter(self._peers))]

    def cut(self, key: str) -> None:
        """End the connections of a key, unless a descriptor is somebody else's by now."""
        for line in [line for line in self._peers if line[0] == key]:
            peer = self._peers.pop(line)
            with contextlib.suppress(OSError), borrowed(line[1]) as connection:
                if connection.getpeername() == peer:
                    connection.shutdown(socket.SHUT_RDWR)
