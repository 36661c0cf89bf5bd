"""Deals under random options, to see that no player breaks a rule or thinks too long.

    python -m bench.soak [--quick 10000] [--hard 1000] [--expert 100]

Random, rule, easy and medium players share the quick deals; in the others ``hard`` or ``expert``
plays in one seat among them. The rules refuse whatever is illegal, which ends the run with an
error. Shown is how long a choice took at most, in the processor's milliseconds.
"""

from __future__ import annotations

import argparse
import random
from collections.abc import Sequence

from bench.arena import Clock, Match, Timed, played_deal
from hearts_net.bots.choosers import make_chooser
from hearts_net.testing.options import random_options

QUICK = ("random", "rule", "easy", "medium")
LIMITS = {"hard": (25, 200), "expert": (300, 1000)}
"""Milliseconds that a card and a pass may take."""


def soak(level: str, deals: int, seed: str) -> tuple[Clock, Clock]:
    """Play deals with ``level`` in one seat (any quick player if it is empty); return its times."""
    passing, playing = Clock(), Clock()
    for number in range(deals):
        rng = random.Random(f"{seed} {level} {number}")
        seat = rng.randrange(4)
        choosers = [Timed(make_chooser(rng.choice(QUICK))) for _ in range(4)]
        if level:
            choosers[seat] = Timed(make_chooser(level))
        options = random_options(rng)
        match = Match(level, "quick", "any", options, deals, False, seed)
        played_deal(match, number, seat, choosers)
        passing.add(choosers[seat].passing.written())
        playing.add(choosers[seat].playing.written())
    return passing, playing


def main(words: Sequence[str] | None = None) -> None:
    """Print a line for each kind of player."""
    parser = argparse.ArgumentParser(prog="python -m bench.soak")
    parser.add_argument("--quick", type=int, default=10_000)
    parser.add_argument("--hard", type=int, default=1000)
    parser.add_argument("--expert", type=int, default=100)
    parser.add_argument("--seed", default="soak")
    arguments = parser.parse_args(words)
    for level, deals in (
        ("", arguments.quick),
        ("hard", arguments.hard),
        ("expert", arguments.expert),
    ):
        passing, playing = soak(level, deals, arguments.seed)
        card, three = LIMITS.get(level, (5, 5))
        print(
            f"{level or 'quick players':14} {deals:6} deals, none illegal;"
            f" a card {playing.shown()[0]} ms, at most {playing.longest:.0f} (wanted {card});"
            f" a pass {passing.shown()[0]} ms, at most {passing.longest:.0f} (wanted {three})",
            flush=True,
        )


if __name__ == "__main__":
    main()
