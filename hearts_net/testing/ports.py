"""Ports of this machine."""

from __future__ import annotations

import socket
import time


def in_the_way(port: int, within: float = 5.0) -> socket.socket:
    """Take a port that a killed process has just left, within so many seconds."""
    deadline = time.monotonic() + within
    while True:
        try:
            return socket.create_server(("127.0.0.1", port))
        except OSError:
            assert time.monotonic() < deadline
