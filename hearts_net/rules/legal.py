"""Which cards are legal: rules 3 to 5 and the options that restrict them.

For the player to move, in this order:

1. The first trick's leader plays the two of clubs (rule 3).
2. Whoever holds the suit led follows it (rule 4). No option ever overrides that.
3. Otherwise the whole hand is legal, less what is barred.
4. If that leaves nothing, the whole hand is legal: so the set of legal cards is never empty.
"""

from __future__ import annotations

from dataclasses import dataclass

from hearts_net.rules.cards import HEARTS_MASK, PENALTY_MASK, QUEEN_MASK, Mask
from hearts_net.rules.options import Options, QueenRule


@dataclass(frozen=True, slots=True)
class Restrictions:
    """What a game's options bar, as sets of cards."""

    unbroken_lead: Mask
    """Barred for a leader until hearts are broken: hearts (rule 5), and the queen as the option says."""
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


def legal_cards(hand: Mask, suit_led: Mask, barred: Mask) -> Mask:
    """Return the legal cards of a hand: steps 2, 3 and 4. ``suit_led`` is 0 for a leader."""
    return hand & suit_led or hand & ~barred or hand


def outranks_the_rest(hand: Mask, played: Mask, suit_masks: tuple[Mask, ...]) -> bool:
    """Whether each card of a hand outranks every card of its suit that is neither played nor in the hand.

    This is when somebody on lead may claim the rest: whatever such a player leads takes the trick.
    """
    for suit in suit_masks:
        mine = hand & suit
        others = suit & ~played & ~hand
        if mine and others > mine & -mine:  # their highest against my lowest
            return False
    return True
