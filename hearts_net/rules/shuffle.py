"""The shuffle: a deck in an order that a secret key decides, so that anyone can check it later.

The key (any bytes; a table makes it from every player's secret) is stretched to a stream of
bytes: SHA-256 in HMAC, of a counter. Fisher-Yates goes from the top of the deck down and draws
one byte for each position; a byte that would make some positions likelier than others is thrown
away.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterator
from typing import Final

from hearts_net.rules.cards import DECK_SIZE, HAND_SIZE, Card, Hands, mask_of

_BLOCK_LABEL: Final = b"hearts-net shuffle "


def _stream(key: bytes) -> Iterator[int]:
    """Yield the bytes of HMAC-SHA256(key, label + counter); counter = 0, 1, … is four bytes."""
    counter = 0
    while True:
        yield from hmac.digest(key, _BLOCK_LABEL + counter.to_bytes(4), "sha256")
        counter += 1


def shuffled(key: bytes) -> tuple[Card, ...]:
    """Return the 52 cards in the order that ``key`` decides."""
    deck = list(range(DECK_SIZE))
    draw = _stream(key).__next__
    for top in range(DECK_SIZE - 1, 0, -1):
        choices = top + 1
        fair = 256 - 256 % choices  # bytes from here up would favour the low positions
        byte = draw()
        while byte >= fair:
            byte = draw()
        other = byte % choices
        deck[top], deck[other] = deck[other], deck[top]
    return tuple(deck)


def deal_hands(key: bytes) -> Hands:
    """Deal the deck that ``key`` decides: the first 13 cards to seat 0, the next to seat 1, …."""
    deck = shuffled(key)
    first, second, third, fourth = (
        mask_of(deck[start : start + HAND_SIZE]) for start in range(0, DECK_SIZE, HAND_SIZE)
    )
    return first, second, third, fourth
