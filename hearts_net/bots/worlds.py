"""Hands that the others may hold: imagined worlds, in each of which all that a seat saw holds.

What a seat knows of the unseen cards: how many each other seat holds, the suits that each has shown
to be void in, where the cards are that it has passed on, and that whoever threw a barred card
had nothing else.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hearts_net.bots.sight import Sight
from hearts_net.bots.thumb import Draw
from hearts_net.rules.cards import (
    FULL_DECK,
    SUIT_MASK_OF,
    SUIT_MASKS,
    Card,
    Hands,
    Mask,
    cards_in,
)
from hearts_net.rules.legal import Restrictions

_STEPS = {"left": 1, "across": 2, "right": 3}


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What one seat knows of the other three hands."""

    seat: int
    hand: Mask
    fixed: tuple[Mask, Mask, Mask, Mask]
    """Cards that are known to be in a hand."""
    groups: tuple[tuple[tuple[int, ...], tuple[Card, ...]], ...]
    """The other unseen cards by the seats that may hold them, fewest seats first."""
    room: tuple[int, int, int, int]
    """How many cards of the groups each hand holds."""

    def sample(self, draw: Draw) -> Hands:
        """Return four hands; in the rare case that no fit is found at random, one is worked out."""
        for _ in range(12):
            hands = self._dealt(draw)
            if hands is not None:
                return _four(hands)
        return _four(self._fitted(draw))

    def _dealt(self, draw: Draw) -> list[Mask] | None:
        hands, room = list(self.fixed), list(self.room)
        for seats, cards in self.groups:
            shuffled = sorted(cards, key=lambda _: draw())
            at = 0
            if len(seats) == 1:
                counts: Sequence[int] = (len(cards),)
            elif len(seats) == 2:
                counts = _shared(len(cards), room[seats[0]], room[seats[1]], draw)
            else:
                counts = [room[seat] for seat in seats]
            for seat, count in zip(seats, counts, strict=True):
                if count > room[seat]:
                    return None
                room[seat] -= count
                for card in shuffled[at : at + count]:
                    hands[seat] |= 1 << card
                at += count
        return None if any(room) else hands

    def _fitted(self, draw: Draw) -> list[Mask]:
        """Deal card by card; whenever a hand is full, move an earlier card on to make room."""
        holder: dict[Card, int] = {}
        may = {card: seats for seats, cards in self.groups for card in cards}
        room = list(self.room)
        for card in sorted(may, key=lambda _: draw()):
            _place(card, may, holder, room, set())
        hands = list(self.fixed)
        for card, seat in holder.items():
            hands[seat] |= 1 << card
        return hands


def _shared(count: int, one: int, other: int, draw: Draw) -> tuple[int, int]:
    """Split cards between two hands, each card going where there is room, by how much there is."""
    first = 0
    for _ in range(count):
        if draw() * (one + other) < one:
            one -= 1
            first += 1
        else:
            other -= 1
    return first, count - first


def _place(
    card: Card,
    may: dict[Card, tuple[int, ...]],
    holder: dict[Card, int],
    room: list[int],
    tried: set[int],
) -> bool:
    for seat in may[card]:
        if room[seat]:
            room[seat] -= 1
            holder[card] = seat
            return True
    for seat in may[card]:
        if seat in tried:
            continue
        tried.add(seat)
        for other in [held for held, where in holder.items() if where == seat]:
            if _place(other, may, holder, room, tried):
                holder[card] = seat
                return True
    return False


def know(sight: Sight, restrictions: Restrictions) -> Knowledge:
    """Return what the seat of ``sight`` knows of the other hands."""
    others = tuple(seat for seat in range(4) if seat != sight.seat)
    barred = [_barred(sight, seat, restrictions) for seat in range(4)]
    fixed, room = [0, 0, 0, 0], list(sight.left)
    fixed[sight.seat], room[sight.seat] = sight.hand, 0
    unseen = sight.unseen
    if sight.direction in _STEPS and not sight.passing:
        taker = (sight.seat + _STEPS[sight.direction]) % 4
        fixed[taker] = sight.passed & unseen
        room[taker] -= fixed[taker].bit_count()
        unseen &= ~fixed[taker]
    groups: dict[tuple[int, ...], list[Card]] = {}
    for card in cards_in(unseen):
        seats = tuple(seat for seat in others if not barred[seat] >> card & 1)
        groups.setdefault(seats or others, []).append(card)
    ordered = sorted(groups.items(), key=lambda group: len(group[0]))
    return Knowledge(
        seat=sight.seat,
        hand=sight.hand,
        fixed=(fixed[0], fixed[1], fixed[2], fixed[3]),
        groups=tuple((seats, tuple(cards)) for seats, cards in ordered),
        room=(room[0], room[1], room[2], room[3]),
    )


def _barred(sight: Sight, seat: int, restrictions: Restrictions) -> Mask:
    """Return the cards that a seat has shown not to hold."""
    cards = 0
    for suit in sight.voids[seat]:
        cards |= SUIT_MASKS[suit]
    unplayed = FULL_DECK
    for number, (leader, order) in enumerate(sight.rounds):
        for place, card in enumerate(order):
            if (leader + place) & 3 == seat:
                cards |= _excluded(card, place, order[0], unplayed, not number, restrictions)
            unplayed ^= 1 << card
    return cards


def _excluded(
    card: Card, place: int, first: Card, unplayed: Mask, first_trick: bool, rules: Restrictions
) -> Mask:
    """Return what the player of a card cannot have held, for else the card had been barred."""
    barred = 0
    broken = unplayed & rules.breakers != rules.breakers
    if not place:
        barred = 0 if broken else rules.unbroken_lead
    elif not 1 << card & SUIT_MASK_OF[first]:
        barred = rules.first_trick if first_trick else 0
        barred |= 0 if broken else rules.unbroken_discard
    return FULL_DECK & ~barred if barred >> card & 1 else 0


def _four(hands: Sequence[Mask]) -> Hands:
    first, second, third, fourth = hands
    return first, second, third, fourth
