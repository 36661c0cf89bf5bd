"""What a table is started with."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Final

from hearts_net.host.errors import HostCode, HostError
from hearts_net.host.opening import IDLE, LEVELS, TableSettings
from hearts_net.protocol import limits
from hearts_net.protocol.messages import ADMISSIONS
from hearts_net.protocol.orders import LONGEST_PAUSE, PAUSE
from hearts_net.rules.errors import OptionError
from hearts_net.rules.options import Options

MOST_BOTS: Final = 4
STORED: Final = TableSettings.__struct_fields__
"""The settings that a table stores."""
CRASH_VARIABLE: Final = "HEARTS_NET_CRASH_AT"
"""A test aid: makes a table's process kill itself, see :func:`crash_point`."""
CRASH_MOMENTS: Final = tuple(
    f"{side}-{step}" for step in ("commit", "reply", "publication") for side in ("before", "after")
)
_NAME: Final = 64


@dataclass(frozen=True, slots=True)
class CrashPoint:
    """Where a table's process kills itself."""

    moment: str
    """One of :data:`CRASH_MOMENTS`."""
    number: int
    """Which one, counted from 1; those before the ports are bound are not counted."""


def crash_point(environment: Mapping[str, str]) -> CrashPoint | None:
    """Read the crash point, such as ``before-commit:12``; None (as ever in play) without one.

    Raises :class:`HostError` ``bad-settings`` for anything else.
    """
    text = environment.get(CRASH_VARIABLE, "")
    if not text:
        return None
    moment, _, number = text.partition(":")
    if moment not in CRASH_MOMENTS or not number.isdecimal() or not int(number):
        raise HostError(HostCode.BAD_SETTINGS, setting=CRASH_VARIABLE)
    return CrashPoint(moment, int(number))


@dataclass(frozen=True, slots=True)
class HostSettings:
    """What the process of one table is started with; times in milliseconds.

    Of these the table keeps :data:`STORED`, its :class:`~hearts_net.host.opening.TableSettings`.
    ``launch_table`` and ``run_table`` take it. ``key`` and ``secret`` are the CURVE pair (Z85) of
    the installation or profile that hosts: it is the server's key, and the player with that key is
    the host's player. With ``table_id`` a stored table is taken up again; its key, name, rules and
    bots, and whether it is loopback-only, then come from its folder.
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
    """Control; public is the next one. 0: any two that are free. A resumed table has the ports of
    its last run where they are free, unless this is neither 0 nor the default."""
    elsewhere: bool = False
    """Where these ports are in use others will do, any that are free."""
    loopback_only: bool = False
    options: Options = field(default_factory=Options)
    bots: int = 0
    """Bots seated at once, from seat 1 upwards (the fourth on seat 0)."""
    level: str = "medium"
    levels: tuple[str, ...] = LEVELS
    """Every level that a bot of the table may have; the first is the deputies'."""
    pause: int = PAUSE
    """Milliseconds that a bot of the table seems to think at most, where people play."""
    admit: str = "open"
    """Who is let in to a new table, one of ``ADMISSIONS``; a stored one knows it."""
    grace: int = limits.GRACE
    turn_limit: int = 0
    """0: none."""
    next_deal: int = limits.NEXT_DEAL
    exit_when_done: bool = False
    """End once the game is over and everybody has seen that it is."""
    json: bool = False
    """Print the ready line as one JSON object."""
    durable: bool = False
    """Sync every event to the disk itself, not only each deal's end and each new epoch."""
    syncs: bool = True
    """False: never sync anything; for benchmarks and tests alone."""
    idle: int = IDLE
    """0: never ends for want of people."""
    kept: tuple[str, ...] = ()
    """Which of :data:`STORED` a resumed table keeps, whatever is said of them here."""

    def checked(self) -> HostSettings:
        """Return these settings, or raise :class:`HostError` ``bad-settings`` naming a bad one."""
        bad = {
            "table": not 1 <= len(self.table) <= _NAME,
            "port": not 0 <= self.port <= 65534,
            "bots": not 0 <= self.bots <= MOST_BOTS,
            "level": self.level not in self.levels,
            "admit": self.admit not in ADMISSIONS,
            "pause": not 0 <= self.pause <= LONGEST_PAUSE,
            "grace": self.grace < 0,
            "turn_limit": self.turn_limit < 0,
            "next_deal": self.next_deal < 0,
            "idle": self.idle < 0,
            "kept": not set(STORED) >= set(self.kept),
        }
        for name, is_bad in bad.items():
            if is_bad:
                raise HostError(HostCode.BAD_SETTINGS, setting=name)
        return self

    @property
    def is_new(self) -> bool:
        """Whether these are for a table that there has not been before."""
        return not self.table_id

    def stored(self) -> TableSettings:
        """Return those that a table stores."""
        return TableSettings(**{name: getattr(self, name) for name in STORED})

    def resumed(self, table_id: str) -> HostSettings:
        """Return the same settings for taking up the stored table ``table_id``."""
        return replace(self, table_id=table_id)

    def to_json(self) -> bytes:
        """Return the settings for the table's folder, without the keys, which have a file."""
        values: dict[str, Any] = {
            each.name: getattr(self, each.name)
            for each in fields(self)
            if each.name not in ("tables", "key", "secret")
        }
        return json.dumps(values | {"options": self.options.to_dict()}).encode()


def settings_from_json(body: bytes, tables: Path, key: str, secret: str) -> HostSettings:
    """Read what :meth:`HostSettings.to_json` wrote; raises :class:`HostError` ``bad-settings``."""
    known = {each.name for each in fields(HostSettings)} - {"tables", "key", "secret"}
    try:
        found = {name: value for name, value in json.loads(body).items() if name in known}
        found["options"] = Options.from_dict(found.get("options", {}))
        found["levels"] = tuple(found.get("levels", LEVELS))
        found["kept"] = tuple(found.get("kept", ()))
        return HostSettings(tables=tables, key=key, secret=secret, **found).checked()
    except (ValueError, TypeError, AttributeError, RecursionError, OptionError) as error:
        raise HostError(HostCode.BAD_SETTINGS, reason=str(error)) from error
