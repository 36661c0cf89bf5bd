"""A seat's view made straight from a deal, so that players can play without a host or a network.

It has what a host would show that seat of the cards and the score, and nothing of anybody else's
hand; names, keys, times and events are left empty.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from hearts_net.protocol.messages import (
    OptionValue,
    OwnView,
    PublicView,
    SeatView,
    TrickCard,
    TrickView,
    View,
)
from hearts_net.rules.cards import CARD_TEXTS, HAND_SIZE, QUEEN_MASK, SEATS, SUITS, hand_texts
from hearts_net.rules.deal import Deal, Trick
from hearts_net.rules.options import Options
from hearts_net.rules.scoring import MOON_POINTS, Scores, moon_shooter, penalty_of

PASSING: Final = "passing"
PLAYING: Final = "playing"
MOON: Final = "moon"
_NAMES: Final = ("A", "B", "C", "D")
_SUIT_SETS: Final = tuple(
    "".join(SUITS[suit] for suit in range(4) if suits >> suit & 1) for suits in range(16)
)
"""Sets of suits, as masks, written out."""
_ACTS: Final = {PASSING: "pass", PLAYING: "play", MOON: "choose-moon"}


def plain_rules(options: Options) -> dict[str, OptionValue]:
    """Return options as a view shows them."""
    return dict(options.to_dict())


def view_of(
    deal: Deal,
    seat: int,
    *,
    number: int = 1,
    totals: Scores = (0, 0, 0, 0),
    rules: Mapping[str, OptionValue] | None = None,
) -> View:
    """Return what ``seat`` sees of ``deal``, which is deal ``number`` of a game with these totals.

    ``rules`` saves turning the options into plain values again for each view of a game.
    """
    phase = PASSING if deal.passing else PLAYING if deal.turn is not None else MOON
    tally = _tallied(deal)
    taken = deal.taken
    public = PublicView(
        table="rules",
        game="",
        phase=phase,
        paused="",
        rules=dict(rules) if rules is not None else plain_rules(deal.options),
        seats=_seats(deal, tally, totals),
        watchers=0,
        deal=number,
        direction=deal.direction.value,
        trick_number=deal.trick_number if phase == PLAYING else 0,
        leader=deal.leader if phase == PLAYING else None,
        turn=deal.turn if phase != MOON else moon_shooter(taken),
        turn_until=0,
        next_at=0,
        trick=[TrickCard(who, CARD_TEXTS[card]) for who, card in deal.trick],
        last_trick=_last_trick(deal.tricks),
        hearts_broken=deal.hearts_broken,
        queen_taken_by=next((who for who in SEATS if taken[who] & QUEEN_MASK), None),
        points_out=MOON_POINTS - sum(map(penalty_of, taken)),
        seen=tally.seen,
        shown_voids=tally.voids,
        last_deal=None,
        winner=None,
        newest_event=0,
        address="",
    )
    own = _own(deal, seat, phase, public.turn)
    return View(0, len(public.seen), 0, public, own, [], "bot", [])


@dataclass(frozen=True, slots=True)
class _Tally:
    """What one look through the tricks of a deal gives."""

    seen: list[str]
    voids: list[str]
    tricks: list[int]


def _tallied(deal: Deal) -> _Tally:
    seen: list[str] = []
    voids, tricks = [0, 0, 0, 0], [0, 0, 0, 0]
    rounds = [(trick.leader, trick.order) for trick in deal.tricks]
    if deal.leader is not None:
        rounds.append((deal.leader, tuple(card for _, card in deal.trick)))
    for leader, order in rounds:
        for place, card in enumerate(order):
            seen.append(CARD_TEXTS[card])
            if card // HAND_SIZE != order[0] // HAND_SIZE:
                voids[(leader + place) & 3] |= 1 << order[0] // HAND_SIZE
    for trick in deal.tricks:
        tricks[trick.winner] += 1
    return _Tally(seen, [_SUIT_SETS[suits] for suits in voids], tricks)


def _own(deal: Deal, seat: int, phase: str, turn: int | None) -> OwnView:
    asked = not deal.passes[seat] if phase == PASSING else turn == seat
    hand = deal.hands[seat]
    received = deal.received[seat] if hand.bit_count() == HAND_SIZE else 0
    return OwnView(
        seat=seat,
        hand=hand_texts(hand),
        legal=hand_texts(deal.legal_for(seat)),
        passed=hand_texts(deal.passes[seat]),
        received=hand_texts(received),
        may=[_ACTS[phase]] if asked else [],
        can_claim=deal.can_claim(seat),
    )


def _seats(deal: Deal, tally: _Tally, totals: Scores) -> list[SeatView]:
    points, hands = deal.points(), deal.hands
    return [
        SeatView(
            kind="bot",
            name=_NAMES[seat],
            key="",
            level="",
            presence="present",
            since=0,
            held_until=0,
            deputy=False,
            ready=True,
            host=False,
            cards=hands[seat].bit_count(),
            passed=deal.passes[seat] != 0,
            points=points[seat],
            total=totals[seat],
            tricks=tally.tricks[seat],
        )
        for seat in SEATS
    ]


def _last_trick(tricks: tuple[Trick, ...]) -> TrickView | None:
    if not tricks:
        return None
    last = tricks[-1]
    cards = [TrickCard(who, CARD_TEXTS[card]) for who, card in last.cards]
    return TrickView(len(tricks), cards, last.winner, last.points)
