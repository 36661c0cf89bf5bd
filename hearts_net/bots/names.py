"""Short names for bots, none of which looks like another."""

from __future__ import annotations

import random
from collections.abc import Collection
from typing import Final

NAMES: Final = (
    "Ada", "Bruno", "Clio", "Dario", "Edda", "Fritz", "Greta", "Hugo", "Iris",
    "Juno", "Kasimir", "Lotte", "Milo", "Nora", "Otis", "Pia", "Quentin", "Rosa",
    "Sven", "Tilda", "Ugo", "Vera", "Wanda", "Xenia", "Yorick", "Zelda",
)  # fmt: skip


def pick_name(taken: Collection[str], rng: random.Random) -> str:
    """Return a name that nobody in ``taken`` has (case aside); with a number once all are used."""
    used = {name.casefold() for name in taken}
    free = [name for name in NAMES if name.casefold() not in used]
    if free:
        return rng.choice(free)
    number, name = 2, rng.choice(NAMES)
    while f"{name} {number}".casefold() in used:
        number += 1
    return f"{name} {number}"
