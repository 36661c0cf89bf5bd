"""Bots' names: short, friendly and never the same twice."""

from __future__ import annotations

import random

from hearts_net.bots.names import NAMES, pick_name


def test_names_are_short_and_distinct() -> None:
    assert len({name.casefold() for name in NAMES}) == len(NAMES) >= 20
    assert all(name.isalpha() and len(name) <= 8 for name in NAMES)


def test_a_taken_name_is_not_given_again() -> None:
    rng, taken = random.Random(1), ["ADA"]
    for _ in range(len(NAMES) + 40):
        name = pick_name(taken, rng)
        assert name.casefold() not in {other.casefold() for other in taken}
        taken.append(name)
