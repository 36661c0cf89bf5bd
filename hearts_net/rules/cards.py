"""Cards as small integers, and sets of cards as bit masks.

A card is ``suit * 13 + rank``: suits clubs, diamonds, spades, hearts are 0 to 3, ranks two to ace
are 0 to 12 (rule 1: rank 2 low to ace high, no trumps). So two cards of one suit compare as their
numbers do, and the cards of a suit are neighbours. A hand, or any other set of cards, is a mask:
an ``int`` with bit ``card`` set.

In text a card is two characters, rank then suit: ``2C``, ``TD``, ``QS``, ``AH``.
"""

from __future__ import annotations

from collections.abc import Iterable
from random import Random
from typing import Final, TypeAlias

from hearts_net.rules.errors import CardCode, CardError

Card: TypeAlias = int
"""0 to 51."""
Mask: TypeAlias = int
"""A set of cards."""
Hands: TypeAlias = tuple[Mask, Mask, Mask, Mask]
"""One mask for each seat."""

SEATS: Final = (0, 1, 2, 3)
"""Clockwise; the next seat is the one to the left (rule 1)."""

RANKS: Final = "23456789TJQKA"
SUITS: Final = "CDSH"
CLUBS: Final = 0
DIAMONDS: Final = 1
SPADES: Final = 2
HEARTS: Final = 3

DECK_SIZE: Final = 52
HAND_SIZE: Final = 13
FULL_DECK: Final[Mask] = (1 << DECK_SIZE) - 1
DRAW_BITS: Final = 30
"""Random bits whose remainder is one of up to 52 places: so many that none is favoured by more than
a part in 10^7, and no more than Python reckons with fastest."""

TWO_OF_CLUBS: Final[Card] = 0
JACK_OF_DIAMONDS: Final[Card] = 22
QUEEN_OF_SPADES: Final[Card] = 36

SUIT_MASKS: Final = tuple(((1 << HAND_SIZE) - 1) << suit * HAND_SIZE for suit in range(4))
SUIT_MASK_OF: Final = tuple(mask for mask in SUIT_MASKS for _ in range(HAND_SIZE))
"""For each card, all the cards of its suit."""
ACE_OF_SUIT: Final = tuple(suit * HAND_SIZE + 12 for suit in range(4) for _ in range(HAND_SIZE))
"""For each card, the ace of its suit."""
HEARTS_MASK: Final[Mask] = SUIT_MASKS[HEARTS]
QUEEN_MASK: Final[Mask] = 1 << QUEEN_OF_SPADES
JACK_MASK: Final[Mask] = 1 << JACK_OF_DIAMONDS
TWO_OF_CLUBS_MASK: Final[Mask] = 1 << TWO_OF_CLUBS
PENALTY_MASK: Final[Mask] = HEARTS_MASK | QUEEN_MASK
"""Every card that costs points (rule 6); taking all of them is shooting the moon (rule 7)."""

CARD_TEXTS: Final = tuple(rank + suit for suit in SUITS for rank in RANKS)
_CARDS_BY_TEXT: Final = {text: card for card, text in enumerate(CARD_TEXTS)}


def suit_of(card: Card) -> int:
    """Return the suit of a card, 0 to 3."""
    return card // HAND_SIZE


def card_text(card: Card) -> str:
    """Return a card's two characters; :class:`CardError` if it is none."""
    if not 0 <= card < DECK_SIZE:
        raise CardError(CardCode.NOT_A_CARD, card=card)
    return CARD_TEXTS[card]


def parse_card(text: str) -> Card:
    """Return the card that two characters (capitals) name; :class:`CardError` if they name none."""
    card = _CARDS_BY_TEXT.get(text)
    if card is None:
        raise CardError(CardCode.NOT_A_CARD, card=text)
    return card


def mask_of(cards: Iterable[Card]) -> Mask:
    """Return the set of some cards."""
    mask = 0
    for card in cards:
        mask |= 1 << card
    return mask


def mask_of_texts(texts: Iterable[str]) -> Mask:
    """Return the set of some cards given as text; :class:`CardError` for one that is none."""
    return mask_of(map(parse_card, texts))


def cards_in(mask: Mask) -> list[Card]:
    """Return the cards of a set, clubs to hearts, each suit from low to high."""
    cards = []
    while mask:
        lowest = mask & -mask
        cards.append(lowest.bit_length() - 1)
        mask ^= lowest
    return cards


def hand_texts(mask: Mask) -> list[str]:
    """Return the cards of a set as text, clubs to hearts, each suit from low to high."""
    texts = []
    while mask:
        lowest = mask & -mask
        texts.append(CARD_TEXTS[lowest.bit_length() - 1])
        mask ^= lowest
    return texts


def random_card(mask: Mask, rng: Random) -> Card:
    """Return one card of a set that is not empty, each as likely as the others."""
    count = mask.bit_count()
    if count == 1:
        return mask.bit_length() - 1
    skipped = rng.getrandbits(DRAW_BITS) % count
    while skipped:
        mask &= mask - 1  # drop the lowest
        skipped -= 1
    return (mask & -mask).bit_length() - 1
