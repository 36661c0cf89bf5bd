"""``hearts-net resume``: takes a saved or crashed table up again, and sits down at it."""

from __future__ import annotations

from hearts_client.chosen import Chosen
from hearts_client.commands.host import be_the_table, sit_at
from hearts_client.reaching import Visitor, player_name
from hearts_client.tables import owner_of, resume_settings, stored_table
from hearts_net.host.process import launch_table
from hearts_net.peer.home import find_home


def run(chosen: Chosen) -> int:
    """Take the table up; with --foreground, be it."""
    home = find_home()
    folder = stored_table(home, chosen.text("table_name")).folder
    with owner_of(home, folder, chosen) as identity:
        settings = resume_settings(home, identity, chosen, folder.table_id)
        if chosen.switch("foreground"):
            return be_the_table(settings)
        guest = Visitor(home, identity, "player", player_name(chosen))
        return sit_at(launch_table(settings), guest, chosen)
