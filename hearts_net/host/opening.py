"""What a table is opened with, and the settings that hold while it runs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from msgspec import Struct

from hearts_net.protocol.limits import GRACE, NEXT_DEAL

IDLE: Final = 15 * 60_000
"""A table with no person connected for so long is saved and ends."""
LEVELS: Final = ("medium", "easy", "hard", "expert")
"""The usual levels of bots, the deputies' first."""


class TableSettings(Struct, frozen=True):
    """What holds at a table while it runs, in milliseconds.

    It is stored with each epoch, since a resumed table may get others. What the process of a table
    is started with is more: :class:`~hearts_net.host.settings.HostSettings`.
    """

    grace: int = GRACE
    """An away seat is held so long before a deputy plays for it."""
    turn_limit: int = 0
    """A turn may take so long before a deputy plays it; 0: no limit."""
    next_deal: int = NEXT_DEAL
    """The next deal starts by itself after so long."""
    idle: int = IDLE
    """Without a person connected for so long, the table is saved and ends; 0: never."""
    exit_when_done: bool = False
    """End once the game is over and every peer has seen that it is."""
    durable: bool = False
    """Whatever happens reaches the disk itself before it is told: safe against a power cut too."""


@dataclass(frozen=True, slots=True)
class Opening:
    """A new table; for a stored one only ``settings``, ``kept`` and ``levels`` are looked at."""

    table_id: str
    name: str
    host_key: str
    """The server's public key: the player with this key is the host's player."""
    rules: dict[str, bool | int | str] = field(default_factory=dict)
    """Options by name, as ``Options.to_dict`` gives them; those not named have their defaults."""
    settings: TableSettings = field(default_factory=TableSettings)
    bots: tuple[str, ...] = ()
    """Levels of the table's own bots, seated from seat 1 upwards (the fourth one on seat 0)."""
    levels: tuple[str, ...] = LEVELS
    """Every level that a bot of the table may have; the first is the deputies'."""
    kept: tuple[str, ...] = ()
    """Fields of ``settings`` that a stored table keeps as they are stored."""
    admission: str = "open"
    """Who is let in to a new table: ``open``, ``code`` or ``ask``."""
