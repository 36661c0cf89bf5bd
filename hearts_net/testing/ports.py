"""Ports of this machine."""

from __future__ import annotations

import secrets
import socket
import time

_OWN = range(14000, 24000)
"""Below those that Linux, macOS and Windows give to whoever asks for any port or connects to one,
so that nobody is given such a port by chance before it is used; and none of Hearts' own."""


def free_port() -> int:
    """Return a port on which nobody listens, as on the next one; it stays so long enough."""
    for _ in range(100):
        port = secrets.choice(_OWN)
        if _is_free(port) and _is_free(port + 1):
            return port
    raise AssertionError("no two free ports in a row")


def _is_free(port: int) -> bool:
    try:
        socket.create_server(("", port)).close()
    except OSError:
        return False
    return True


def in_the_way(port: int, within: float = 5.0) -> socket.socket:
    """Take a port that a killed process has just left, within so many seconds."""
    deadline = time.monotonic() + within
    while True:
        try:
            return socket.create_server(("127.0.0.1", port))
        except OSError:
            assert time.monotonic() < deadline
