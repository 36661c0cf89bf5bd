"""``hearts-net host``: a table on the network, as a process of its own, and its first player."""

from __future__ import annotations

import sys

from hearts_client.chosen import Chosen
from hearts_client.i18n import _
from hearts_client.keeping import ended_when_left, kept
from hearts_client.playing import ask_yes_or_no, can_ask, play
from hearts_client.reaching import Visitor, player_name, visitor
from hearts_client.safetext import safe_text
from hearts_client.tables import (
    host_settings,
    other_port_words,
    owner_of,
    resume_settings,
    take_up,
    target_of,
)
from hearts_client.terminal import wants_plain
from hearts_net.host.archive import StoredTable, stored_tables
from hearts_net.host.folder import Running, TableFolder
from hearts_net.host.logfile import start_logging
from hearts_net.host.process import launch_table
from hearts_net.host.run import ready_line, run_table
from hearts_net.host.settings import HostSettings
from hearts_net.host.table import IN_GAME
from hearts_net.peer.home import Home, find_home
from hearts_net.peer.identity import DEFAULT_PROFILE, load_identity, read_identity


def run(chosen: Chosen) -> int:
    """Start the table and join it; with --foreground, be the table."""
    home = find_home()
    if chosen.switch("foreground"):
        identity = read_identity(home, chosen.text("profile") or DEFAULT_PROFILE)
        return be_the_table(host_settings(home, identity, chosen))
    cut_off = cut_off_table(home)
    if cut_off is not None and wants_back(cut_off, chosen):
        return take_up_and_sit(home, cut_off.folder, chosen)
    guest = visitor(home, chosen)
    with guest.identity:
        settings = host_settings(home, guest.identity, chosen)
        return sit_at(launch_table(settings), settings, guest, chosen)


def cut_off_table(home: Home) -> StoredTable | None:
    """Give the newest table whose process died in the middle of a game, None without one."""
    for table in stored_tables(home.tables):
        if table.has_died and table.can_resume and table.stage in IN_GAME:
            return table
    return None


def wants_back(table: StoredTable, chosen: Chosen) -> bool:
    """Ask whether a table is to be taken up again rather than a new one begun.

    Where nobody can be asked, the table is only mentioned.
    """
    facts = {"table": safe_text(table.name), "deal": table.deal}
    if chosen.switch("json") or not can_ask():
        words = _("Table {table} was cut off in deal {deal}: hearts-net resume takes it up again.")
        print(words.format(**facts), file=sys.stderr, flush=True)
        return False
    words = _("Table {table} was cut off in deal {deal}. Take it up again? (yes or no) [yes] ")
    return ask_yes_or_no(words.format(**facts))


def take_up_and_sit(home: Home, folder: TableFolder, chosen: Chosen) -> int:
    """Start a stored table again and sit down at it, as whoever started it before."""
    with load_identity(home, owner_of(home, folder, chosen)) as identity:
        settings = resume_settings(home, identity, chosen, folder.table_id)
        guest = Visitor(home, identity, "player", player_name(chosen))
        return sit_at(take_up(settings), settings, guest, chosen)


def sit_at(running: Running, settings: HostSettings, guest: Visitor, chosen: Chosen) -> int:
    """Join a table of this machine, and keep it running for as long as its player is here.

    One that nobody else can reach ends with its player.
    """
    guest = guest.told(other_port_words(running, settings))
    factory = kept(guest.link_factory([target_of(running)]), settings, running)
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
