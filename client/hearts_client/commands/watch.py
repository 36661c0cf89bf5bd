"""``hearts-net watch``: a table told in plain words to somebody without a seat."""

from __future__ import annotations

import sys

from hearts_client.chosen import Chosen
from hearts_client.plain import PlainManner
from hearts_client.playing import talk
from hearts_client.reaching import find_targets, named_by, visitor
from hearts_net.peer.home import find_home
from hearts_net.peer.loops import in_a_loop


def run(chosen: Chosen) -> int:
    """Follow the table until it ends; lines are only read from a terminal."""
    home = find_home()
    where = chosen.text("where")
    targets = in_a_loop(find_targets(where, home))
    guest = visitor(home, chosen, "watcher")
    with guest.identity:
        terminal = sys.stdin is not None and sys.stdin.isatty()
        manner = PlainManner(sit=False, terminal=terminal, reads=terminal)
        factory = guest.link_factory(targets, named_by(where, targets))
        return in_a_loop(talk(factory, manner, ascii_only=chosen.switch("ascii"), reads=terminal))
