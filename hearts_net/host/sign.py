"""The sign above the table's door: what it says of itself to whoever looks for one."""

from __future__ import annotations

import socket
from dataclasses import dataclass

from hearts_net.host.table import BETWEEN, Stage, Table
from hearts_net.protocol import limits
from hearts_net.protocol.advert import Advert

_LONGEST_MACHINE = 32


@dataclass(frozen=True, slots=True)
class Sign:
    """What does not change about a table while it is open."""

    key: str
    control: int
    public: int

    def read(self, table: Table) -> Advert:
        """Say what the table is now."""
        return Advert(
            self.key,
            self.control,
            self.public,
            list(limits.VERSIONS),
            table.name,
            machine_name(),
            free_seats(table),
            table.door.way,
            table.stage.value,
        )


def free_seats(table: Table) -> int:
    """Count the seats that somebody who joins now can have: in the lobby a bot gives way."""
    if table.stage not in BETWEEN:
        return 0
    in_lobby = table.stage is Stage.LOBBY
    return sum(not seat.taken or (in_lobby and seat.table_bot) for seat in table.seats)


def machine_name() -> str:
    """Return what this machine calls itself now, without what a screen would act on."""
    try:
        name = socket.gethostname()
    except (OSError, UnicodeError):
        return ""
    shown = "".join(mark for mark in name.partition(".")[0] if mark.isprintable())
    return shown.encode(errors="ignore").decode()[:_LONGEST_MACHINE]
