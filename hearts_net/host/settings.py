"""What a table is started with."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from hearts_net.protocol import limits
from hearts_net.rules.options import Options

IDLE_LIMIT: Final = 15 * 60_000
"""Milliseconds without any person after which a table saves itself and ends."""
ADMISSIONS: Final = ("open",)
"""Ways of admitting newcomers: ``open`` lets any key in."""


@dataclass(frozen=True, slots=True)
class HostSettings:
    """One table to run; times in milliseconds.

    ``launch_table`` and ``run_table`` take it. ``key`` and ``secret`` are the CURVE pair (Z85) of
    the installation or profile that hosts: it is the server's key, and the player with that key is
    the host's player. With ``table_id`` a stored table is taken up again; its name, rules and bots
    then come from the store.
    """

    tables: Path
    """The folder of all tables (``state/tables``); each has a folder of its own in it."""
    key: str
    secret: str = field(repr=False)
    table: str = "hearts"
    """The name shown."""
    table_id: str = ""
    """A stored table to resume; "" for a new one."""
    port: int = limits.CONTROL_PORT
    """Control; public is the next one. 0: any two that are free."""
    loopback_only: bool = False
    options: Options = field(default_factory=Options)
    bots: int = 0
    """Bots seated at once, from seat 1 upwards (seat 0 is left to the host's player)."""
    level: str = "rule"
    admit: str = "open"
    grace: int = limits.GRACE
    turn_limit: int = 0
    """0: none."""
    exit_when_done: bool = False
    """End as soon as a game is over, without waiting for everybody to leave."""
    json: bool = False
    """Print the ready line as one JSON object."""
    durable: bool = True
    """Sync deals and epochs to the disk; only benchmarks and tests turn it off."""
    idle_limit: int = IDLE_LIMIT
    """0: never ends for want of people."""

    def resumed(self, table_id: str) -> HostSettings:
        """Return the same settings for taking up the stored table ``table_id``."""
        return replace(self, table_id=table_id)
