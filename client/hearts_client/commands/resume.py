"""``hearts-net resume``: takes a saved or crashed table up again, and sits down at it."""

from __future__ import annotations

from hearts_client.chosen import Chosen
from hearts_client.commands.host import be_the_table
from hearts_client.sitdown import take_up_and_sit
from hearts_client.tables import owner_of, resume_settings, running_table, stored_table
from hearts_net.host.errors import HostError, StoreCode, StoreError
from hearts_net.host.folder import TableFolder
from hearts_net.peer.home import Home, find_home
from hearts_net.peer.identity import load_identity


def run(chosen: Chosen) -> int:
    """Take the table up, or join it where it runs already; with --foreground, be it."""
    home = find_home()
    foreground = chosen.switch("foreground")
    folder = _wanted(home, chosen.text("table_name"), may_run=not foreground)
    if not foreground:
        return take_up_and_sit(home, folder, chosen)
    with load_identity(home, owner_of(home, folder, chosen)) as identity:
        return be_the_table(resume_settings(home, identity, chosen, folder.table_id))


def _wanted(home: Home, name: str, *, may_run: bool) -> TableFolder:
    try:
        return stored_table(home, name).folder
    except StoreError as error:
        if error.code != StoreCode.LOCKED or not may_run:
            raise
        try:
            return TableFolder(running_table(home, name).folder)
        except HostError:  # it is only just starting, or ending
            raise error from None
