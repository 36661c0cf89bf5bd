"""Looking one own choice further: playouts that are repeated for each card to go on with."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import permutations
from typing import TYPE_CHECKING

from hearts_net.bots.ahead import Ahead, Tape, discards, follows, leads
from hearts_net.bots.simple import RandomPlayer
from hearts_net.bots.thumb import Thumb, spread
from hearts_net.protocol.messages import View
from hearts_net.rules.cards import Card, cards_in, mask_of_texts
from hearts_net.rules.deal import Deal
from hearts_net.rules.options import Options
from hearts_net.rules.playout import PlayedOut, Policy, Position, Suits, Table, by_suits

if TYPE_CHECKING:
    from tests.bots.conftest import Kitchen


def test_a_tape_gives_the_same_numbers_again() -> None:
    rng = random.Random(1)
    tape = Tape(rng.random)
    tape.wind(rng.random)
    first = [tape() for _ in range(100)]
    tape.rewind()
    assert [tape() for _ in range(100)] == first
    assert len(set(first)) == 100
    tape.wind(rng.random)
    assert [tape() for _ in range(100)] != first


def suits(*cards: str) -> Suits:
    return spread(mask_of_texts(cards))


def texts(cards: Sequence[Card]) -> set[str]:
    from hearts_net.rules.cards import card_text

    return {card_text(card) for card in cards}


def test_leads_are_the_ends_of_each_suit() -> None:
    hand = suits("2C", "9C", "KC", "4D", "5D", "JS", "QS", "AH")
    others = suits("5C", "3D", "KS", "2H")
    unplayed = [mine | theirs for mine, theirs in zip(hand, others, strict=True)]
    wanted = {"2C", "KC", "4D", "JS", "QS", "AH"}
    assert texts(leads(hand, unplayed, hand)) == wanted


def test_followers_duck_high_or_take_high_or_low() -> None:
    spades = suits("2S", "9S", "JS", "QS", "AS")[2]
    assert set(follows(spades, 2, 10)) == {9, 10, 12}
    assert set(follows(spades, 2, 11)) == {10, 12}
    clubs = suits("2C", "9C", "JC", "QC")[0]
    assert set(follows(clubs, 0, 8)) == {7, 9, 10}


def test_the_queen_may_be_followed_with_under_the_ace() -> None:
    assert set(follows(suits("QS", "KS")[2], 2, 12)) == {10, 11}


def test_discards_are_the_highest_of_each_suit_and_the_queen() -> None:
    hand = suits("2C", "9C", "QS", "KS", "3H", "4H")
    assert texts(discards(hand)) == {"9C", "KS", "QS", "4H"}


def no_slip() -> float:
    return 0.999


def by_script(policy: Policy, me: int, script: Sequence[Card]) -> Policy:
    """Return the policy with one seat playing the cards of a script, in order, when asked."""
    left = list(script)

    def card_of(legal: Suits) -> Card:
        able = [card for card in left if legal[card // 13] >> card % 13 & 1]
        return able[0] if able else next(c for s in range(4) for c in cards_in(legal[s] << 13 * s))

    def lead(table: Table, seat: int, legal: Suits) -> Card:
        return card_of(legal) if seat == me else policy.lead(table, seat, legal)

    def follow(
        table: Table, seat: int, suit: int, held: int, best: int, winner: int, score: int
    ) -> int:
        if seat != me:
            return policy.follow(table, seat, suit, held, best, winner, score)
        return next(card % 13 for card in left if card // 13 == suit and held >> card % 13 & 1)

    def discard(table: Table, seat: int, legal: Suits, winner: int, score: int) -> Card:
        if seat == me:
            return card_of(legal)
        return policy.discard(table, seat, legal, winner, score)

    return Policy(lead, follow, discard)


def test_the_best_is_that_of_all_orders_of_the_last_three_cards(kitchen: Kitchen) -> None:
    """With two cards left after the one tried out, there is one more choice: the next."""
    compared = better = 0
    policy = Thumb(no_slip, False).policy(None)
    ahead_of = [Ahead(seat, Tape(no_slip)) for seat in range(4)]

    def look(deal: Deal, seat: int, _: View) -> None:
        nonlocal compared, better
        if deal.passing or deal.hands[seat].bit_count() != 3:
            return

        def worth(played: PlayedOut) -> float:
            return -played.points[seat]

        hands, position = by_suits(deal.hands), Position.of(deal)
        for card in cards_in(deal.playable):
            after = position.play(card)
            rest = cards_in(deal.hands[seat] & ~(1 << card))
            best = max(
                worth(after.finish(hands, by_script(policy, seat, order), every_card=True))
                for order in permutations(rest)
            )
            found = ahead_of[seat].best(after, hands, policy, worth)
            assert found == best
            compared += 1
            better += best > worth(after.finish(hands, policy))

    rng = random.Random(12)
    for number in range(60):
        deal = kitchen.deal(Options(), number % 4 + 1, f"ending {number}")
        kitchen.play([RandomPlayer()] * 4, deal, f"ending {rng.random()}", look)
    assert compared > 300
    assert better >= 5
