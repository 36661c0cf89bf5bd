"""Where a table may be: a target as a person names it, an endpoint as a socket takes it."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Final

from zmq.utils import z85

LOOPBACK: Final = "127.0.0.1"
LARGEST_PORT: Final = 65535
_KEY_LENGTH = 40
_KEY_BYTES = 32


def is_key(text: str) -> bool:
    """Tell whether a text is a CURVE key in Z85, as sockets take it."""
    if len(text) != _KEY_LENGTH:
        return False
    try:
        return len(z85.decode(text)) == _KEY_BYTES
    except (ValueError, KeyError, struct.error):
        return False


@dataclass(frozen=True, slots=True)
class Target:
    """One way to a table."""

    host: str
    """A literal address without brackets, or a name."""
    control_port: int
    key: str
    """The host's public key (Z85)."""
    table: str = ""
    """The table's name, where it is known beforehand."""
    verified: bool = True
    """False: the key was learned by asking the address itself and nobody has vouched for it."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A literal address, a port, and the key that the host there must have."""

    address: str
    port: int
    key: str

    def url(self) -> str:
        """Write it as ZeroMQ wants it."""
        host = f"[{self.address}]" if ":" in self.address else self.address
        return f"tcp://{host}:{self.port}"
