"""``hearts-net join``: sits down at a table, wherever it is."""

from __future__ import annotations

from hearts_client.chosen import Chosen
from hearts_client.playing import in_a_loop, play
from hearts_client.reaching import find_targets, visitor
from hearts_net.peer.home import find_home


def run(chosen: Chosen) -> int:
    """Find the table and play at it."""
    home = find_home()
    where = chosen.text("where")
    targets = in_a_loop(find_targets(where, home))
    guest = visitor(home, chosen)
    with guest.identity:
        factory = guest.link_factory(targets, named_by(where))
        return play(factory, chosen, guest.name, place=targets[0].host)


def named_by(where: str) -> str:
    """Give the host's name as it was typed, for its key to be kept under; "" for an invite."""
    from hearts_net.peer.errors import LinkError
    from hearts_net.peer.invite import is_invite, parse_address

    if not where or is_invite(where):
        return ""
    try:
        return parse_address(where).host
    except LinkError:
        return ""
