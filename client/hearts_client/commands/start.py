"""``hearts-net`` alone: the start screen, or the same in plain words."""

from __future__ import annotations

from hearts_client.chosen import Chosen
from hearts_client.terminal import wants_plain


def run(chosen: Chosen) -> int:
    """Open the start screen."""
    from hearts_client.playing import plain_start, start_screen
    from hearts_client.reaching import visitor
    from hearts_client.startdoors import StartDoors
    from hearts_net.peer.home import find_home

    home = find_home()
    guest = visitor(home, chosen)
    with (
        guest.identity as identity,
        StartDoors(home, identity, guest.name, chosen, guest.note) as doors,
    ):
        begin = plain_start if wants_plain(chosen) else start_screen
        return begin(doors, chosen, guest.name)
