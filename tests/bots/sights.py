"""What a seat sees, written down as cards."""

from __future__ import annotations

from hearts_net.bots.sight import Sight
from hearts_net.rules.cards import FULL_DECK, mask_of_texts, parse_card
from hearts_net.rules.options import Options

NO_VOIDS = (frozenset[int](), frozenset[int](), frozenset[int](), frozenset[int]())


def sight(hand: str, trick: str = "", gone: str = "", legal: str = "") -> Sight:
    """What seat 3 sees; the trick's cards are the last ones before it, ``gone`` were played."""
    held, played = mask_of_texts(hand.split()), mask_of_texts((gone + " " + trick).split())
    laid = [parse_card(card) for card in trick.split()]
    led = laid[0] // 13 if laid else None
    follows = mask_of_texts(card for card in hand.split() if parse_card(card) // 13 == led)
    count = held.bit_count()
    return Sight(
        seat=3,
        hand=held,
        legal=mask_of_texts(legal.split()) or follows or held,
        direction="left",
        passed=0,
        received=0,
        tricks=(),
        trick=tuple((3 - len(laid) + place, card) for place, card in enumerate(laid)),
        unseen=FULL_DECK & ~held & ~played,
        taken=(0, 0, 0, 0),
        voids=NO_VOIDS,
        left=(count, count, count, count),
        totals=(0, 0, 0, 0),
        hearts_broken=True,
        jack=False,
        queen_rule="always",
        passing=False,
        options=Options(),
    )
