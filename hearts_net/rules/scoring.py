"""Points, the moon, and who has won (rules 6 to 9)."""

from __future__ import annotations

from operator import add
from typing import Final, TypeAlias

from hearts_net.rules.cards import (
    DECK_SIZE,
    HEARTS,
    HEARTS_MASK,
    JACK_MASK,
    JACK_OF_DIAMONDS,
    PENALTY_MASK,
    QUEEN_MASK,
    QUEEN_OF_SPADES,
    Hands,
    Mask,
    suit_of,
)
from hearts_net.rules.options import MoonRule, Options

Scores: TypeAlias = tuple[int, int, int, int]
"""One number for each seat."""

QUEEN_POINTS: Final = 13
JACK_POINTS: Final = -10
MOON_POINTS: Final = 26
"""A deal holds 26 points: thirteen hearts and the queen (rule 6)."""


_CARD_POINTS: Final = tuple(
    1 if suit_of(card) == HEARTS else QUEEN_POINTS if card == QUEEN_OF_SPADES else 0
    for card in range(DECK_SIZE)
)
_CARD_POINTS_WITH_JACK: Final = tuple(
    JACK_POINTS if card == JACK_OF_DIAMONDS else points for card, points in enumerate(_CARD_POINTS)
)


def card_points(options: Options) -> tuple[int, ...]:
    """Return what each card scores: a heart 1, the queen 13 (rule 6), and the jack by option."""
    return _CARD_POINTS_WITH_JACK if options.jack_of_diamonds else _CARD_POINTS


def penalty_of(cards: Mask) -> int:
    """Return the penalty points in some cards: 1 a heart, 13 the queen of spades (rule 6)."""
    hearts = (cards & HEARTS_MASK).bit_count()
    return hearts + QUEEN_POINTS if cards & QUEEN_MASK else hearts


def points_of(cards: Mask, options: Options) -> int:
    """Return what some cards score: the penalty points, and -10 for the jack where it counts."""
    points = penalty_of(cards)
    return points + JACK_POINTS if options.jack_of_diamonds and cards & JACK_MASK else points


def counting_cards(options: Options) -> Mask:
    """Return every card that counts: hearts, the queen of spades, and the jack where it counts."""
    return PENALTY_MASK | (JACK_MASK if options.jack_of_diamonds else 0)


def moon_shooter(taken: Hands) -> int | None:
    """Return the seat that has taken all 26 points (rule 7), if one has.

    The jack of diamonds plays no part in it; 25 points, or all hearts but not the queen, are no
    moon.
    """
    for seat, cards in enumerate(taken):
        if cards & PENALTY_MASK == PENALTY_MASK:
            return seat
    return None


def deal_points(taken: Hands, options: Options, moon: MoonRule) -> Scores:
    """Return the points of a finished deal; ``moon`` says how a moon is scored, if there is one.

    The jack's -10 is applied besides the moon's score, to whoever took it.
    """
    shooter = moon_shooter(taken)
    first, second, third, fourth = (
        points_of(cards, options) + _moon_change(seat, shooter, moon)
        for seat, cards in enumerate(taken)
    )
    return first, second, third, fourth


_MOON_CHANGES: Final = {
    MoonRule.OTHERS_GAIN: (-MOON_POINTS, MOON_POINTS),
    MoonRule.SHOOTER_LOSES: (-2 * MOON_POINTS, 0),
}


def _moon_change(seat: int, shooter: int | None, moon: MoonRule) -> int:
    """Return what a moon adds to the plain points, of which the shooter has 26, the others none."""
    if shooter is None:
        return 0
    for_shooter, for_others = _MOON_CHANGES[moon]
    return for_shooter if seat == shooter else for_others


def added(totals: Scores, points: Scores) -> Scores:
    """Return the totals after a deal."""
    first, second, third, fourth = map(add, totals, points)
    return first, second, third, fourth


def winner_of(totals: Scores, target: int) -> int | None:
    """Return who has won when a deal leaves these totals, or None when the game goes on (rule 9).

    Somebody must have reached the target, and exactly one player must have the fewest points. Ties
    above the lowest decide nothing.
    """
    fewest = min(totals)
    if max(totals) < target or totals.count(fewest) > 1:
        return None
    return totals.index(fewest)


def moon_choice_for(shooter: int, taken: Hands, totals: Scores, options: Options) -> MoonRule:
    """Return the choice that is made for a bot, and for a player whose time has run out.

    It is ``others-gain``, unless that would end the game with another winner: then
    ``shooter-loses``.
    """
    after = added(totals, deal_points(taken, options, MoonRule.OTHERS_GAIN))
    if winner_of(after, options.target) in (None, shooter):
        return MoonRule.OTHERS_GAIN
    return MoonRule.SHOOTER_LOSES
