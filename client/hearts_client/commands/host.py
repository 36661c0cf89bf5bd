"""``hearts-net host``: a table on the network, as a process of its own, and its first player."""

from __future__ import annotations

import sys

from hearts_client.chosen import Chosen
from hearts_client.commands.play import ended_when_left
from hearts_client.i18n import _
from hearts_client.playing import play, wants_plain
from hearts_client.reaching import Visitor, visitor
from hearts_client.safetext import safe_text
from hearts_client.tables import host_settings, target_of
from hearts_net.host.folder import Running
from hearts_net.host.process import launch_table
from hearts_net.host.run import ready_line, run_table
from hearts_net.host.settings import HostSettings
from hearts_net.peer.home import find_home
from hearts_net.peer.identity import DEFAULT_PROFILE, read_identity


def run(chosen: Chosen) -> int:
    """Start the table and join it; with --foreground, be the table."""
    home = find_home()
    if chosen.switch("foreground"):
        identity = read_identity(home, chosen.text("profile") or DEFAULT_PROFILE)
        return be_the_table(host_settings(home, identity, chosen))
    guest = visitor(home, chosen)
    with guest.identity:
        return sit_at(launch_table(host_settings(home, guest.identity, chosen)), guest, chosen)


def sit_at(running: Running, guest: Visitor, chosen: Chosen) -> int:
    """Join a table of this machine; one that nobody else can reach ends with its player."""
    factory = guest.link_factory([target_of(running)])
    place = _("this machine")
    if chosen.switch("json"):
        print(ready_line(running), flush=True)
    if running.loopback_only:
        with ended_when_left(running):
            return play(factory, chosen, guest.name, place=place)
    if wants_plain(chosen) and not chosen.switch("json"):
        print(_("The invite to this table: {invite}").format(invite=running.invite), flush=True)
    return play(factory, chosen, guest.name, place=place, invite=running.invite)


def be_the_table(settings: HostSettings) -> int:
    """Run a table in this process, its log on standard error, until it ends."""
    from hearts_net.host.__main__ import start_logging

    start_logging()

    def tell(running: Running) -> None:
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
