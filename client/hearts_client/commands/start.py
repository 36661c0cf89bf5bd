"""``hearts-net`` alone: the start screen, or the same in plain words."""

from __future__ import annotations

from hearts_client.chosen import Chosen
from hearts_client.terminal import wants_plain


def run(chosen: Chosen) -> int:
    """Open the start screen; what finds and opens tables is loaded once it is there."""
    from hearts_client.latedoors import LateDoors
    from hearts_client.playername import player_name
    from hearts_client.playing import plain_start, start_screen
    from hearts_net.peer.home import find_home

    begin = plain_start if wants_plain(chosen) else start_screen
    name = player_name(chosen)
    with LateDoors(find_home(), chosen, name) as doors:
        return begin(doors, chosen, name)
