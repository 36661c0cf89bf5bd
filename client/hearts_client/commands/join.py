"""``hearts-net join``: sits down at a table, wherever it is."""

from __future__ import annotations

from hearts_client.chosen import Chosen
from hearts_client.flags import HOSTING
from hearts_client.keeping import looked_after
from hearts_client.playing import play
from hearts_client.reaching import find_targets, named_by, visitor
from hearts_net.peer.home import find_home
from hearts_net.peer.loops import in_a_loop


def run(chosen: Chosen) -> int:
    """Find the table and play at it."""
    home = find_home()
    where = chosen.text("where")
    targets = in_a_loop(find_targets(where, home))
    guest = visitor(home, chosen, targets=targets)
    with guest.identity:
        factory = guest.link_factory(targets, named_by(where, targets))
        factory = looked_after(factory, home, guest.identity, chosen.with_usual(HOSTING), targets)
        return play(factory, chosen, guest.name, place=targets[0].host)
