"""Rules of any kind, by chance."""

from __future__ import annotations

import random

from hearts_net.rules.options import MoonRule, Options, PassingRule, QueenRule


def random_options(rng: random.Random) -> Options:
    """Return any options."""
    return Options(
        target=rng.choice((50, 100, 150)),
        queen_of_spades=rng.choice(list(QueenRule)),
        queen_breaks_hearts=rng.random() < 0.5,
        first_trick_points=rng.random() < 0.5,
        moon=rng.choice(list(MoonRule)),
        jack_of_diamonds=rng.random() < 0.5,
        passing=rng.choice(list(PassingRule)),
        finish_early=rng.random() < 0.3,
    )
