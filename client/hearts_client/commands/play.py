"""``hearts-net play``: a table with three bots, on this machine alone."""

from __future__ import annotations

import contextlib

from hearts_client.chosen import Chosen
from hearts_client.flags import HOSTING
from hearts_client.i18n import _
from hearts_client.keeping import kept, stop_here
from hearts_client.playing import play
from hearts_client.practice import forget_untouched
from hearts_client.reaching import visitor
from hearts_client.sitdown import sit_again, table_to_go_back_to
from hearts_client.tables import practice_settings, target_of
from hearts_net.host.folder import Running
from hearts_net.host.process import launch_table
from hearts_net.peer.home import find_home


def run(chosen: Chosen) -> int:
    """Start the table, sit down, say ready; when the player leaves, the table ends.

    It is saved, unless no card has been played. One left open before is offered first.
    """
    home = find_home()
    guest = visitor(home, chosen)
    with guest.identity:
        own = table_to_go_back_to(guest, chosen, practice=True)
        if own is not None:
            return sit_again(own, guest, chosen.with_usual(HOSTING), ready=True)
        settings = practice_settings(home, guest.identity, chosen)
        with contextlib.ExitStack() as ending:

            def started(running: Running) -> None:
                ending.callback(forget_untouched, running)
                ending.callback(stop_here, running)

            running = launch_table(settings, started=started)
            factory = kept(guest.link_factory([target_of(running)]), settings, running)
            return play(factory, chosen, guest.name, ready=True, place=_("this machine"))
