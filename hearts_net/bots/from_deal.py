"""A seat's view made straight from a deal, so that players can play without a host or a network.

It has what a host would show that seat of the cards and the score, and nothing of anybody else's
hand; names, keys, times and events are left empty.
"""

from __future__ import annotations

from collections.abc import Mapping
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
from hearts_net.rules.cards import CARD_TEXTS, HAND_SIZE, SUITS, hand_texts
from hearts_net.rules.deal import Deal, Trick
from hearts_net.rules.options import Options
from hearts_net.rules.scoring import Scores, moon_shooter

PASSING: Final = "passing"
PLAYING: Final = "playing"
MOON: Final = "moon"
_NAMES: Final = ("A", "B", "C", "D")
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
    public = PublicView(
        table="rules",
        game="",
        phase=phase,
        paused="",
        rules=dict(rules) if rules is not None else plain_rules(deal.options),
        seats=_seats(deal, totals),
        watchers=0,
        deal=number,
        direction=deal.direction.value,
        trick_number=0 if phase == PASSING else deal.trick_number,
        leader=deal.leader,
        turn=deal.turn if phase != MOON else moon_shooter(deal.taken),
        turn_until=0,
        next_at=0,
        trick=[TrickCard(who, CARD_TEXTS[card]) for who, card in deal.trick],
        last_trick=_trick(deal.tricks),
        hearts_broken=deal.hearts_broken,
        queen_taken_by=deal.queen_taker,
        points_out=deal.out_points,
        seen=_seen(deal),
        shown_voids=_voids(deal),
        last_deal=None,
        winner=None,
        newest_event=0,
        address="",
    )
    own = _own(deal, seat, phase, public.turn)
    return View(0, len(public.seen), 0, public, own, [], "bot", [])


def _own(deal: Deal, seat: int, phase: str, turn: int | None) -> OwnView:
    asked = not deal.passes[seat] if phase == PASSING else turn == seat
    return OwnView(
        seat=seat,
        hand=hand_texts(deal.hands[seat]),
        legal=hand_texts(deal.legal_for(seat)),
        passed=hand_texts(deal.passes[seat]),
        received=hand_texts(deal.received[seat]),
        may=[_ACTS[phase]] if asked else [],
        can_claim=deal.can_claim(seat),
    )


def _seats(deal: Deal, totals: Scores) -> list[SeatView]:
    points, done = deal.points(), len(deal.tricks)
    tricks = [0, 0, 0, 0]
    for trick in deal.tricks:
        tricks[trick.winner] += 1
    laid = {who for who, _ in deal.trick}
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
            cards=HAND_SIZE - done - (seat in laid),
            passed=deal.passes[seat] != 0,
            points=points[seat],
            total=totals[seat],
            tricks=tricks[seat],
        )
        for seat in range(4)
    ]


def _trick(tricks: tuple[Trick, ...]) -> TrickView | None:
    if not tricks:
        return None
    last = tricks[-1]
    cards = [TrickCard(who, CARD_TEXTS[card]) for who, card in last.cards]
    return TrickView(len(tricks), cards, last.winner, last.points)


def _seen(deal: Deal) -> list[str]:
    seen = [CARD_TEXTS[card] for trick in deal.tricks for _, card in trick.cards]
    seen.extend([CARD_TEXTS[card] for _, card in deal.trick])
    return seen


def _voids(deal: Deal) -> list[str]:
    shown: list[set[int]] = [set(), set(), set(), set()]
    for cards in (*(trick.cards for trick in deal.tricks), deal.trick):
        for who, card in cards:
            led = cards[0][1] // HAND_SIZE
            if card // HAND_SIZE != led:
                shown[who].add(led)
    return ["".join(SUITS[suit] for suit in sorted(voids)) for voids in shown]
