"""libzmq's own connections and listening sockets, by the numbers of their descriptors."""

from __future__ import annotations

import os
import socket


def borrowed(descriptor: int) -> socket.socket:
    """Lend one of libzmq's sockets; a duplicate, so that closing it closes nothing of libzmq's.

    Raises ``OSError`` where it has been closed.
    """
    return socket.socket(fileno=os.dup(descriptor))
