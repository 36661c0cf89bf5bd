"""Whom a link calls: one address of a table, and the key that its host must have."""

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
