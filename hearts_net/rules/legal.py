"""Which cards are legal: rules 3 to 5 and the options that restrict them.

For the player to move, in this order:

1. The first trick's leader plays the two of clubs (rule 3).
2. Whoever holds the suit led follows it (rule 4). No option ever overrides that.
3. Otherwise the whole hand is legal, less what is barred.
4. If that leaves nothing, the whole hand is legal: so the set of legal cards is never empty.
"""

from __future__ import annotations

from dataclasses import dataclass

from hearts_net.rules.cards import (
    HEARTS_MASK,
    PENALTY_MASK,
    QUEEN_MASK,
    SUIT_MASKS,
    Mask,
)
from hearts_net.rules.options import Options, QueenRule


@dataclass(frozen=True, slots=True)
class Restrictions:
    """What a game's options bar, as sets of cards."""

    unbroken_lead: Mask
    """Barred for a leader until hearts are broken: hearts (rule 5), and perhaps the queen."""
    unbroken_discard: Mask
    """Barred for somebody void in the suit led until hearts are broken."""
    first_trick: Mask
    """Barred on the first trick: the penalty cards, where there are no points on it."""
    breakers: Mask
    """Playing one of these breaks hearts, also when the lead of it was forced."""

    @classmethod
    def of(cls, options: Options) -> Restrictions:
        """Read them off the options."""
        rule = options.queen_of_spades
        return cls(
            unbroken_lead=HEARTS_MASK | (0 if rule is QueenRule.ALWAYS else QUEEN_MASK),
            unbroken_discard=QUEEN_MASK if rule is QueenRule.AFTER_HEARTS else 0,
            first_trick=0 if options.first_trick_points else PENALTY_MASK,
            breakers=HEARTS_MASK | (QUEEN_MASK if options.queen_breaks_hearts else 0),
        )

    def broken(self, unplayed: Mask) -> bool:
        """Whether hearts are broken: one of the cards that break them has been played (rule 5)."""
        return unplayed & self.breakers != self.breakers

    def leads(self, hand: Mask, unplayed: Mask) -> Mask:
        """Return what may be led from a hand (not to the first trick): steps 3 and 4.

        ``unplayed`` are the cards that have not been played in this deal.
        """
        if unplayed & self.breakers != self.breakers:
            return hand
        return hand & ~self.unbroken_lead or hand

    def discards(self, hand: Mask, unplayed: Mask, first_trick: bool) -> Mask:
        """Return what may be played from a hand that is void in the suit led: steps 3 and 4."""
        legal = hand
        if first_trick:
            legal &= ~self.first_trick
        if unplayed & self.breakers == self.breakers:
            legal &= ~self.unbroken_discard
        return legal or hand


def outranks_the_rest(hand: Mask, unplayed: Mask) -> bool:
    """Whether each card of a hand outranks all that the others still hold of its suit.

    The others hold what has not been played and is not in the hand. This is when somebody on lead
    may claim the rest: whatever such a player leads takes the trick.
    """
    for suit in SUIT_MASKS:
        mine = hand & suit
        others = suit & unplayed & ~hand
        if mine and others > mine & -mine:  # their highest against my lowest
            return False
    return True
