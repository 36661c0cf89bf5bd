"""``hearts-net`` alone: the start screen; where there is no terminal, the help."""

from __future__ import annotations

from hearts_client.chosen import Chosen
from hearts_client.cli import make_parser
from hearts_client.terminal import wants_plain


def run(chosen: Chosen) -> int:
    """Open the start screen."""
    if wants_plain(chosen):
        print(make_parser().format_help(), end="")
        return 0
    from hearts_client.playing import start_screen
    from hearts_client.reaching import visitor
    from hearts_client.startdoors import StartDoors
    from hearts_net.peer.home import find_home

    home = find_home()
    guest = visitor(home, chosen)
    with (
        guest.identity as identity,
        StartDoors(home, identity, guest.name, chosen, guest.note) as doors,
    ):
        return start_screen(doors, chosen, guest.name)
