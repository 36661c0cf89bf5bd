"""``hearts-net host``: a table on the network, as a process of its own, and its first player."""

from __future__ import annotations

import sys

from hearts_client.chosen import Chosen
from hearts_client.i18n import _
from hearts_client.reaching import visitor
from hearts_client.safetext import safe_text
from hearts_client.sitdown import (
    cut_off_table,
    sit_again,
    sit_at,
    table_to_go_back_to,
    take_up_and_sit,
    wants_back,
)
from hearts_client.tables import host_settings, other_port_words
from hearts_net.host.folder import Running
from hearts_net.host.logfile import start_logging
from hearts_net.host.process import launch_table
from hearts_net.host.settings import HostSettings
from hearts_net.peer.home import find_home
from hearts_net.peer.identity import DEFAULT_PROFILE, read_identity


def run(chosen: Chosen) -> int:
    """Start the table and join it; with --foreground, be the table.

    A table that was cut off, or that this player has left open, is offered first.
    """
    home = find_home()
    if chosen.switch("foreground"):
        identity = read_identity(home, chosen.text("profile") or DEFAULT_PROFILE)
        return be_the_table(host_settings(home, identity, chosen))
    cut_off = cut_off_table(home)
    if cut_off is not None and wants_back(cut_off, chosen):
        return take_up_and_sit(home, cut_off.folder, chosen)
    guest = visitor(home, chosen)
    with guest.identity:
        own = table_to_go_back_to(guest, chosen, practice=False)
        if own is not None:
            return sit_again(own, guest, chosen)
        settings = host_settings(home, guest.identity, chosen)
        return sit_at(launch_table(settings), settings, guest, chosen)


def be_the_table(settings: HostSettings) -> int:
    """Run a table in this process, its log on standard error, until it ends."""
    from hearts_net.host.run import run_table  # the host itself, which nobody else needs

    start_logging()

    def tell(running: Running) -> None:
        if words := other_port_words(running, settings):
            print(words, file=sys.stderr, flush=True)
        if not settings.json:
            print(
                _("Table {table} is open. Join with: hearts-net join {invite}").format(
                    table=safe_text(running.table), invite=running.invite
                ),
                flush=True,
            )

    try:
        return run_table(settings, tell)
    finally:
        sys.stdout.flush()
