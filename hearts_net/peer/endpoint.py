"""Where a table may be: a target as a person names it, an endpoint as a socket takes it."""

from __future__ import annotations

from dataclasses import dataclass


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
