"""Which three cards a rule player passes: those whose suits are the least trouble without them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Final

from hearts_net.bots.sight import Sight
from hearts_net.rules.cards import (
    CLUBS,
    DIAMONDS,
    HEARTS,
    JACK_MASK,
    QUEEN_MASK,
    SPADES,
    SUIT_MASKS,
)  # fmt: skip

LOW_SPADES: Final = SUIT_MASKS[SPADES] & (QUEEN_MASK - 1)
ABOVE_JACK: Final = SUIT_MASKS[DIAMONDS] & ~(2 * JACK_MASK - 1)

VOID_GAIN: Final = (2.2, 1.1, 0.4)
"""Points that holding no, one or two cards of a side suit is worth: room to throw cards off."""
QUEEN_RISK: Final = (9.0, 8.0, 6.5, 4.0, 2.2, 1.2)
"""Expected trouble of holding the queen of spades with so many other spades."""
ACE_RISK: Final = (4.5, 4.0, 3.0, 1.8, 0.8, 0.3)
"""The same for the ace, with so many spades below the queen, while another may hold her."""
KING_RISK: Final = (3.8, 3.4, 2.6, 1.5, 0.7, 0.3)
CATCHER: Final = 2.0
"""What a diamond above the jack is worth where the jack counts."""
JACK_HELD: Final = 4.0
"""What the jack itself is worth."""
HEART_WEIGHT: Final = 0.5
"""Points that a heart costs for each rank that it is too high for its place in the suit."""
SIDE_WEIGHT: Final = 0.3
"""The same for a club or a diamond."""
SAFE_RANK: Final = 1.0
"""The highest rank (0 is the two) of a lowest card that does no harm."""
RANKS_A_GUARD: Final = 2.3
"""How many ranks higher a card may be for each lower one of its suit in the hand."""


def choose_three(sight: Sight) -> int:
    """Return the mask of the three cards whose loss leaves the least risk.

    The risk of a hand is the sum over its suits, so each suit is looked at once for every number of
    cards passed from it, and the best way to add up to three is taken.
    """
    best: dict[int, tuple[float, int]] = {0: (0.0, 0)}
    for suit in (CLUBS, DIAMONDS, SPADES, HEARTS):
        options = list(_ways(sight, suit))
        step: dict[int, tuple[float, int]] = {}
        for count, (risk, chosen) in best.items():
            for cards, more in options:
                total = count + cards.bit_count()
                new = (risk + more, chosen | cards)
                if total <= 3 and (total not in step or new[0] < step[total][0]):
                    step[total] = new
        best = step
    return best[3][1]


def _ways(sight: Sight, suit: int) -> Iterator[tuple[int, float]]:
    """Yield sets of up to three cards of ``suit`` worth passing, each with the risk left."""
    held = sight.hand & SUIT_MASKS[suit]
    cards = [card for card in range(suit * 13 + 12, suit * 13 - 1, -1) if held >> card & 1]
    for count in range(min(3, len(cards)) + 1):
        for chosen in combinations(cards[: count + 2], count):
            mask = sum(1 << card for card in chosen)
            yield mask, suit_risk(suit, held & ~mask, sight.jack, sight.queen_rule)


def suit_risk(suit: int, held: int, jack: bool, queen_rule: str) -> float:
    """Estimate the points that holding just these cards of ``suit`` will cost."""
    if suit == SPADES:
        return _spade_risk(held, queen_rule)
    length = held.bit_count()
    weight = HEART_WEIGHT if suit == HEARTS else SIDE_WEIGHT
    risk, place, rest = 0.0, 0, held >> suit * 13
    while rest:
        low = rest & -rest
        rank = low.bit_length() - 1
        risk += weight * max(0.0, rank - (SAFE_RANK + RANKS_A_GUARD * place))
        place += 1
        rest ^= low
    if suit != HEARTS and length < len(VOID_GAIN):
        risk -= VOID_GAIN[length]
    if suit == DIAMONDS and jack:
        risk -= CATCHER * (held & ABOVE_JACK).bit_count()
        if held & JACK_MASK:
            risk -= JACK_HELD
    return risk


def _spade_risk(held: int, queen_rule: str) -> float:
    low = min(5, (held & LOW_SPADES).bit_count())
    risk = -0.25 * low
    if held & QUEEN_MASK:
        risk += QUEEN_RISK[min(5, held.bit_count() - 1)] * (
            1.25 if queen_rule == "after-hearts" else 1
        )
        return risk
    ace, king = held >> 38 & 1, held >> 37 & 1
    return risk + ace * ACE_RISK[low] + king * KING_RISK[low]
