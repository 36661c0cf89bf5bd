"""``hearts-net bot``: a computer player over the network."""

from __future__ import annotations

import functools

from hearts_client.botwords import BotTeller
from hearts_client.chosen import Chosen
from hearts_client.crash import log_to
from hearts_client.reaching import find_targets, named_by
from hearts_client.safetext import safe_text
from hearts_client.tables import level_of
from hearts_net.bots.mind import pauses
from hearts_net.bots.runner import run_bot
from hearts_net.peer.home import find_home
from hearts_net.peer.identity import load_identity
from hearts_net.peer.loops import in_a_loop
from hearts_net.peer.target import finder_for
from hearts_net.peer.visit import Visit


def run(chosen: Chosen) -> int:
    """Join, play, and leave when the table ends."""
    home = find_home()
    level = level_of(chosen.text("level"))
    where = chosen.text("where")
    targets = in_a_loop(find_targets(where, home))
    with load_identity(home, chosen.text("profile") or None) as identity:
        name = safe_text(chosen.text("name"))
        return run_bot(
            targets,
            identity,
            level,
            name,
            pause=pauses(chosen.number("pause")),
            finder=finder_for(home, targets),
            log=log_to(chosen.text("log_file")),
            code=chosen.text("code"),
            visit=Visit(home, named_by(where, targets)),
            told=BotTeller(functools.partial(print, flush=True)).heed,
        )
