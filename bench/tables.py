"""A table of one's own to measure at."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

from hearts_net.host.process import Running, launch_table, stop_table
from hearts_net.host.settings import HostSettings
from hearts_net.peer.identity import new_identity
from hearts_net.rules.options import MAX_TARGET, Options


@contextlib.contextmanager
def opened_table(*, may_die: bool = False) -> Iterator[Running]:
    """Open a table on this machine, its store on the disk; stop it, unless it has died."""
    owner = new_identity()
    with tempfile.TemporaryDirectory() as folder:
        settings = HostSettings(
            tables=Path(folder) / "tables",
            key=owner.public,
            secret=owner.secret,
            port=0,
            loopback_only=True,
            next_deal=0,
            options=Options(target=MAX_TARGET),  # a game lasts as long as the measuring does
        )
        running = launch_table(settings)
        try:
            yield running
        finally:
            with contextlib.suppress(Exception) if may_die else contextlib.nullcontext():
                stop_table(running)
