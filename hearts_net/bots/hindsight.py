"""What playouts get wrong about a card, learnt from how deals went on that good players played.

Playouts are played by a rule of thumb. Against players that search, a card's playouts say little
about which of two close cards is the better one, and they err in the same way again and again: they
would part with the queen of spades where she is well guarded, or lead high cards that are wanted
later. So, for 170,000 choices of the level ``hard`` in deals among four of it, and for half as many
in deals against three players by the rule of thumb, every card was played in the very deal and the
rest of it played on, four times, by searching players of less effort. What that was worth more or
less than the playouts had said was fitted to traits of the card (weighted least squares over cards
that playouts put within :data:`REACH` points of the best, traits chosen one by one by how well they
foretold what had been left out of the fit). The weights are points of the playouts.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Final, TypeAlias

from hearts_net.bots.sight import Sight
from hearts_net.bots.thumb import ABOVE_QUEEN, COUNT, QUEEN, spread
from hearts_net.rules.cards import (
    DIAMONDS,
    HAND_SIZE,
    HEARTS,
    PENALTY_MASK,
    QUEEN_OF_SPADES,
    SEATS,
    SPADES,
    Card,
)
from hearts_net.rules.playout import Ranks

REACH: Final = 8.0
"""Points behind the best within which a card is close enough for hindsight to choose it."""
EARLY: Final = 4
"""So many tricks are the beginning of a deal."""
LATE: Final = 8
"""From so many finished tricks on it is near its end."""
ACE_RANK: Final = HAND_SIZE - 1


class Look:
    """One card of a seat's hand, looked at as a play."""

    def __init__(self, sight: Sight, card: Card) -> None:
        self.sight, self.card = sight, card
        self.suit, self.rank = divmod(card, HAND_SIZE)
        self.others = spread(sight.unseen)
        """The cards in the other three hands."""
        self.kept = spread(sight.hand & ~(1 << card))
        """The hand without the card."""

    @cached_property
    def out(self) -> int:
        """How many cards of its suit the others have."""
        return COUNT[self.others[self.suit]]

    @cached_property
    def below(self) -> int:
        """How many of those are lower."""
        return COUNT[self.others[self.suit] & ((1 << self.rank) - 1)]

    @property
    def height(self) -> float:
        """The share of those that is lower, from 0 to 1; 1 where the others have none."""
        return self.below / self.out if self.out else 1.0

    @property
    def is_top(self) -> bool:
        """No other hand has a higher one of its suit."""
        return self.below == self.out

    @property
    def takes(self) -> bool:
        """It would take the trick as it lies."""
        winning = self.sight.winning
        if winning is None:
            return True
        return self.suit == winning[1] // HAND_SIZE and self.card > winning[1]

    @property
    def queen_is_out(self) -> bool:
        """Another hand has the queen of spades."""
        return bool(self.others[SPADES] & QUEEN)

    @property
    def takers(self) -> list[int]:
        """The seats that have taken penalty cards."""
        return [seat for seat in SEATS if self.sight.taken[seat] & PENALTY_MASK]

    @property
    def points_are_split(self) -> bool:
        """Two seats have taken penalty cards, so nobody can shoot the moon."""
        return len(self.takers) > 1

    @property
    def another_has_all(self) -> bool:
        """One other seat has taken all penalty cards so far."""
        return len(self.takers) == 1 and self.takers[0] != self.sight.seat


Trait: TypeAlias = Callable[[Look], float]


def keeps_queen(look: Look) -> float:
    """1 if the queen of spades stays in the hand."""
    return float(bool(look.kept[SPADES] & QUEEN))


def guards_queen(look: Look) -> float:
    """How many spades stay with her."""
    return COUNT[look.kept[SPADES]] - 1.0 if look.kept[SPADES] & QUEEN else 0.0


def hunts_queen(look: Look) -> float:
    """1 for a spade below the queen while another hand has her."""
    low = look.suit == SPADES and look.card < QUEEN_OF_SPADES
    return float(low and look.queen_is_out)


def hunts_queen_early(look: Look) -> float:
    """1 for any spade in the first tricks while another hand has the queen."""
    early = len(look.sight.tricks) < EARLY
    return float(early and look.suit == SPADES and look.queen_is_out)


def shuns_spades(look: Look) -> float:
    """1 for another suit than spades while another hand has the queen."""
    return float(look.suit != SPADES and look.queen_is_out)


def bares_high_spades(look: Look) -> float:
    """1 if king or ace of spades stay without a lower spade while another hand has the queen."""
    spades = look.kept[SPADES]
    bare = spades & ABOVE_QUEEN and not spades & (QUEEN - 1)
    return float(bool(bare) and look.queen_is_out)


def high_heart(look: Look) -> float:
    """For a heart, its rank, from 0 for the two to 1 for the ace."""
    return look.rank / ACE_RANK if look.suit == HEARTS else 0.0


def top_heart(look: Look) -> float:
    """1 for a heart above all others' hearts."""
    return float(look.suit == HEARTS and look.is_top)


def heart_after_moon(look: Look) -> float:
    """1 for a heart when nobody can shoot the moon any more."""
    return float(look.suit == HEARTS and look.points_are_split)


def heart_to_shooter(look: Look) -> float:
    """1 for a heart while one other seat has all points."""
    return float(look.suit == HEARTS and look.another_has_all)


def queen_to_shooter(look: Look) -> float:
    """1 for the queen of spades while one other seat has all points."""
    return float(look.card == QUEEN_OF_SPADES and look.another_has_all)


def takes_after_moon(look: Look) -> float:
    """1 for a card that takes the trick so far when nobody can shoot the moon any more."""
    return float(look.takes and look.points_are_split)


def higher_out(look: Look) -> float:
    """How many higher cards of its suit the others have, in eighths."""
    return (look.out - look.below) / 8


def higher_held(look: Look) -> float:
    """How many higher cards of its suit the hand has, in fifths."""
    return COUNT[look.kept[look.suit] >> look.rank] / 5


def top_to_shooter(look: Look) -> float:
    """1 for a card that nobody can beat while one other seat has all points."""
    return float(look.is_top and look.another_has_all)


def one_lower_out(look: Look) -> float:
    """1 if the others have just one lower card of its suit."""
    return float(look.below == 1)


def from_length(look: Look) -> float:
    """How many more cards of its suit the hand has, in sixths."""
    return COUNT[look.kept[look.suit]] / 6


def early_side_height(look: Look) -> float:
    """In the first tricks, for a club or a diamond, the share of the others' that is lower."""
    early = len(look.sight.tricks) < EARLY and look.suit <= DIAMONDS
    return look.height if early else 0.0


def late_height(look: Look) -> float:
    """In the last tricks, the share of the others' cards of its suit that is lower."""
    return look.height if len(look.sight.tricks) >= LATE else 0.0


def exits(look: Look) -> float:
    """In how many suits the hand keeps a card lower than all others'."""
    return float(
        sum(
            bool(mine and theirs and mine & -mine < theirs & -theirs)
            for mine, theirs in zip(look.kept, look.others, strict=True)
        )
    )


def no_exit(look: Look) -> float:
    """1 if there is no such suit."""
    return float(not exits(look))


def tops(look: Look) -> float:
    """In how many suits the hand keeps a card higher than all others'."""
    return float(
        sum(mine > theirs for mine, theirs in zip(map(_top, look.kept), look.others, strict=True))
    )


def no_top_against_shooter(look: Look) -> float:
    """1 if there is no such suit while one other seat has all points."""
    return float(look.another_has_all and not tops(look))


def top_heart_against_shooter(look: Look) -> float:
    """1 if the highest heart stays in the hand while one other seat has all points."""
    hearts = _top(look.kept[HEARTS]) > look.others[HEARTS]
    return float(look.another_has_all and hearts)


def lowest_heart_kept(look: Look) -> float:
    """How high the lowest heart kept is: the share, about, of others' hearts below it."""
    hearts = look.kept[HEARTS]
    return _height(hearts & -hearts, look.others[HEARTS])


def highest_heart_kept(look: Look) -> float:
    """How high the highest heart kept is, in the same way."""
    return _height(_top(look.kept[HEARTS]), look.others[HEARTS])


def _top(ranks: Ranks) -> Ranks:
    """Return the highest rank alone."""
    return 1 << ranks.bit_length() - 1 if ranks else 0


def _height(card: Ranks, others: Ranks) -> float:
    return COUNT[others & (card - 1)] / (COUNT[others] + 1) if card else 0.0


LEADING: Final[tuple[tuple[float, Trait], ...]] = (
    (6.03, keeps_queen),
    (9.78, hunts_queen),
    (-3.07, high_heart),
    (2.14, guards_queen),
    (5.80, shuns_spades),
    (1.89, higher_out),
    (-2.52, hunts_queen_early),
    (1.25, heart_after_moon),
    (-1.18, higher_held),
    (0.70, tops),
    (-2.57, bares_high_spades),
    (-0.99, no_exit),
)
FOLLOWING: Final[tuple[tuple[float, Trait], ...]] = (
    (8.07, keeps_queen),
    (3.74, hunts_queen),
    (-4.18, high_heart),
    (-1.88, takes_after_moon),
    (0.94, exits),
    (-3.33, lowest_heart_kept),
    (2.35, top_heart_against_shooter),
    (1.65, top_heart),
    (0.58, tops),
    (1.10, late_height),
    (3.29, queen_to_shooter),
    (1.71, highest_heart_kept),
)
DISCARDING: Final[tuple[tuple[float, Trait], ...]] = (
    (-1.68, from_length),
    (-1.47, no_top_against_shooter),
    (-2.52, lowest_heart_kept),
    (0.66, exits),
    (-2.33, keeps_queen),
    (0.87, early_side_height),
    (-0.27, one_lower_out),
    (0.27, heart_to_shooter),
    (1.58, highest_heart_kept),
    (-2.19, queen_to_shooter),
    (0.48, high_heart),
    (-0.42, top_to_shooter),
)


def underrated(sight: Sight, card: Card) -> float:
    """Return by how many points playouts underrate a card of the hand; below 0: overrate it."""
    if not sight.trick:
        traits = LEADING
    elif card // HAND_SIZE == sight.led:
        traits = FOLLOWING
    else:
        traits = DISCARDING
    look = Look(sight, card)
    return sum(weight * trait(look) for weight, trait in traits)
