"""Sitting down at a table of this machine: one just opened, or one that was left open before."""

from __future__ import annotations

import sys

from hearts_client.chosen import Chosen
from hearts_client.i18n import _
from hearts_client.keeping import ended_when_left, kept
from hearts_client.playername import player_name
from hearts_client.playing import ask_yes_or_no, can_ask, play
from hearts_client.reaching import Visitor
from hearts_client.safetext import safe_text
from hearts_client.tables import (
    left_open,
    other_port_words,
    owner_of,
    resume_settings,
    take_up,
    target_of,
)
from hearts_client.terminal import wants_plain
from hearts_net.host.archive import StoredTable, stored_tables
from hearts_net.host.folder import Running, TableFolder
from hearts_net.host.settings import HostSettings
from hearts_net.host.table import IN_GAME
from hearts_net.peer.home import Home
from hearts_net.peer.identity import load_identity


def sit_at(
    running: Running, settings: HostSettings, guest: Visitor, chosen: Chosen, *, ready: bool = False
) -> int:
    """Join a table of this machine, and keep it running for as long as its player is here.

    One that nobody else can reach ends with its player. ``ready`` says so at once.
    """
    guest = guest.told(other_port_words(running, settings))
    factory = kept(guest.link_factory([target_of(running)]), settings, running)
    place = _("this machine")
    if chosen.switch("json"):
        print(running.ready_line(), flush=True)
    if running.loopback_only:
        with ended_when_left(running):
            return play(factory, chosen, guest.name, ready=ready, place=place)
    if wants_plain(chosen) and not chosen.switch("json"):
        print(_("The invite to this table: {invite}").format(invite=running.invite), flush=True)
    return play(factory, chosen, guest.name, ready=ready, place=place, invite=running.invite)


def sit_again(table_id: str, guest: Visitor, chosen: Chosen, *, ready: bool = False) -> int:
    """Sit down at a table that was opened before, which is started again where it has ended."""
    settings = resume_settings(guest.home, guest.identity, chosen, table_id)
    return sit_at(take_up(settings), settings, guest, chosen, ready=ready)


def take_up_and_sit(home: Home, folder: TableFolder, chosen: Chosen) -> int:
    """Sit down at a stored table again, as whoever started it before."""
    with load_identity(home, owner_of(home, folder, chosen)) as identity:
        guest = Visitor(home, identity, "player", player_name(chosen))
        return sit_again(folder.table_id, guest, chosen)


def table_to_go_back_to(guest: Visitor, chosen: Chosen, *, practice: bool) -> str | None:
    """Give the id of a table that this player has left open, if it is to be gone back to.

    Where nobody can be asked, the table is only mentioned.
    """
    tables = left_open(guest.home, guest.identity.public)
    own = next((table for table in tables if table.loopback_only is practice), None)
    if own is None:
        return None
    name = safe_text(own.table)
    if chosen.switch("json") or not can_ask():
        words = _("Your table {table} is still open too: hearts-net resume {id} leads back to it.")
        _mention(words.format(table=name, id=own.table_id))
        return None
    words = _("Your table {table} is still open. Go back to it? (yes or no) [yes] ")
    return own.table_id if ask_yes_or_no(words.format(table=name)) else None


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
        _mention(words.format(**facts))
        return False
    words = _("Table {table} was cut off in deal {deal}. Take it up again? (yes or no) [yes] ")
    return ask_yes_or_no(words.format(**facts))


def _mention(words: str) -> None:
    print(words, file=sys.stderr, flush=True)
