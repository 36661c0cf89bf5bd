"""Fast playouts against the readable rules: the same legal cards, points and chances."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import product
from random import Random

import pytest

from hearts_net.rules.cards import (
    FULL_DECK,
    Card,
    Hands,
    Mask,
    card_text,
    cards_in,
    mask_of,
    mask_of_texts,
    parse_card,
    random_card,
)
from hearts_net.rules.deal import Deal, Rules, new_deal
from hearts_net.rules.options import Options, PassingRule, QueenRule
from hearts_net.rules.playout import Playout, RandomPlayer, _spade_but_queen
from hearts_net.rules.scoring import card_points

RULES = [
    Options(
        queen_of_spades=queen,
        queen_breaks_hearts=breaks,
        first_trick_points=points,
        jack_of_diamonds=jack,
        passing=PassingRule.NONE,
    )
    for queen, breaks, points, jack in product(
        QueenRule, [False, True], [False, True], [False, True]
    )
]


def dealt(deck: list[Card]) -> Hands:
    return (mask_of(deck[:13]), mask_of(deck[13:26]), mask_of(deck[26:39]), mask_of(deck[39:]))


def decks(count: int) -> list[list[Card]]:
    rng = Random(5)
    found = [rng.sample(range(52), 52) for _ in range(count)]
    hearts = list(range(39, 52))
    rest = [card for card in range(52) if card < 39]
    rng.shuffle(hearts)
    rng.shuffle(rest)
    found.append(hearts + rest)  # one hand with nothing but hearts
    for other in (13, 26):  # and hands with hearts, the queen and another suit, void in clubs
        hand = [36, *hearts[:6], *range(other, other + 6)]
        left = [card for card in range(52) if card not in hand]
        rng.shuffle(hand)
        rng.shuffle(left)
        found.append(left[:13] + hand + left[13:])
    found.append([36, *hearts[1:], hearts[0], *(card for card in rest if card != 36)])
    return found


def midway(deal: Deal, rng: Random, plays: int) -> Deal:
    for _ in range(plays):
        deal = deal.play(random_card(deal.legal(), rng))
    return deal


@pytest.mark.parametrize("options", RULES)
def test_random_deals_are_legal_and_scored_alike(options: Options) -> None:
    rng = Random(1)
    player = RandomPlayer(options)
    for deck in decks(12):
        outcome = player.deal(deck, rng)
        deal = new_deal(options, 1, dealt(deck))
        for card in outcome.order:
            deal = deal.play(card)  # raises RuleError if it is not legal
        assert deal.over
        assert deal.points() == outcome.points


@pytest.mark.parametrize("options", RULES)
def test_random_rests_are_legal_and_scored_alike(options: Options) -> None:
    rng = Random(2)
    player = RandomPlayer(options)
    for number, deck in enumerate(decks(20)[::-1]):
        deal = midway(new_deal(options, 1, dealt(deck)), rng, max(0, number - 4) * 5 % 52)
        outcome = player.rest(deal, rng)
        assert tuple(outcome.order[: len(deal.table)]) == deal.table
        for card in outcome.order[len(deal.table) :]:
            deal = deal.play(card)
        assert deal.over
        assert deal.points() == outcome.points


@pytest.mark.parametrize("options", RULES)
def test_playouts_offer_and_score_the_same(options: Options) -> None:
    rng = Random(3)
    for number, deck in enumerate(decks(10)[::-1]):
        deal = midway(new_deal(options, 1, dealt(deck)), rng, max(0, number - 4) * 5 % 52)
        playout = Playout(deal)
        if not deal.plays:
            assert (playout.led, playout.best, playout.winning) == (0, 0, deal.turn)
        while deal.turn is not None:
            assert playout.turn == deal.turn
            assert playout.legal() == deal.legal()
            assert tuple(playout.hands) == deal.hands
            assert playout.unplayed == deal.unplayed
            assert tuple(playout.points) == deal.points()
            assert playout.on_table == sum(card_points(options)[card] for card in deal.table)
            if deal.trick:
                assert playout.led == deal.table[0]
                suit = [card for card in deal.table if card // 13 == deal.table[0] // 13]
                assert playout.best == max(suit)
                assert (playout.winning, playout.best) in deal.trick
            card = random_card(deal.legal(), rng)
            deal = deal.play(card)
            playout.play(card)
        assert tuple(playout.points) == deal.points()


@pytest.mark.parametrize("options", RULES)
def test_a_void_on_the_first_trick_may_play_every_legal_card(options: Options) -> None:
    player, rng = RandomPlayer(options), Random(6)
    for deck in decks(0):  # somebody has hearts, perhaps the queen, perhaps another suit
        deal = new_deal(options, 1, dealt(deck))
        while deal.table[-1:] == () or deal.hands[deal.turn or 0] & 0x1FFF:
            deal = deal.play(cards_in(deal.legal())[0])
        place = len(deal.table)
        found = {player.rest(deal, rng).order[place] for _ in range(150)}
        assert mask_of(found) == deal.legal()


@pytest.mark.parametrize(
    ("random", "after"),
    [(0.0, "QS 2S KS"), (0.3, "QS 2S KS"), (0.4, "2S QS KS"), (0.6, "2S QS KS"), (0.7, "2S KS QS")],
)
def test_a_spade_but_the_queen(random: float, after: str) -> None:
    """The queen goes back to any place alike; whoever is passed over stays in order."""
    spades = [parse_card(text) for text in ["2S", "KS", "9S", "QS"]]
    assert _spade_but_queen(spades, lambda: random) == parse_card("9S")
    assert [card_text(card) for card in spades] == after.split()
    spades = [parse_card(text) for text in ["2S", "QS", "9S"]]
    assert _spade_but_queen(spades, lambda: random) == parse_card("9S")
    assert [card_text(card) for card in spades] == ["2S", "QS"]


def test_a_policy_plays_every_card() -> None:
    asked: list[tuple[int, Mask]] = []

    def lowest(playout: Playout, legal: Mask) -> Card:
        asked.append((playout.turn, legal))
        return cards_in(legal)[0]

    options = RULES[0]
    deal = new_deal(options, 1, dealt(decks(1)[0]))
    points = Playout(deal).finish(lowest)
    assert len(asked) == 52
    while deal.turn is not None:
        assert asked.pop(0) == (deal.turn, deal.legal())
        deal = deal.play(cards_in(deal.legal())[0])
    assert points == deal.points()


def test_a_playout_of_what_a_player_thinks_the_hands_are() -> None:
    options = RULES[0]
    first, second = decks(1)[0], Random(9).sample(range(52), 52)
    at_two = second.index(0)
    leader = new_deal(options, 1, dealt(first)).turn
    assert leader is not None
    second[at_two], second[leader * 13] = second[leader * 13], second[at_two]
    playout = Playout(new_deal(options, 1, dealt(first)), dealt(second))
    assert tuple(playout.hands) == dealt(second)
    assert sum(playout.finish(lambda _, legal: cards_in(legal)[-1])) == 26


def test_the_rest_of_a_finished_trick_is_nothing() -> None:
    options = Options(passing=PassingRule.NONE)
    deal = midway(new_deal(options, 1, dealt(decks(1)[0])), Random(1), 51)
    outcome = RandomPlayer(options).rest(deal, Random(1))
    assert len(outcome.order) == 4
    assert outcome.points == deal.play(outcome.order[-1]).points()


# ---- every legal card with the same chance -------------------------------------------------------


def ending(hands: tuple[str, str, str, str], options: Options, played: str = "") -> Deal:
    """Return a deal in which seat 0 leads from these hands."""
    first, second, third, fourth = (mask_of_texts(hand.split()) for hand in hands)
    masks: Hands = (first, second, third, fourth)
    gone = mask_of_texts(played.split())
    blank = new_deal(RULES[0], 1, dealt(list(range(52))))
    while blank.legal():
        blank = blank.play(cards_in(blank.legal())[0])
    tricks = blank.tricks[: 13 - max(mask.bit_count() for mask in masks)]
    restrictions = Rules.of(options).restrictions
    # a card that is neither in a hand nor gone counts as unplayed, so hearts may be unbroken
    unplayed = FULL_DECK & ~gone
    start = replace(blank.start, rules=Rules.of(options), dealt=masks, hands=masks)
    return Deal(start, tricks, (), 0, unplayed, restrictions.leads(first, unplayed), 0, None)


def orders(deal: Deal, cards: int) -> dict[tuple[Card, ...], float]:
    """Return every order in which the next cards may fall, with its chance."""
    if not cards:
        return {(): 1.0}
    legal = cards_in(deal.legal())
    return {
        (card, *rest): chance / len(legal)
        for card in legal
        for rest, chance in orders(deal.play(card), cards - 1).items()
    }


@pytest.mark.parametrize(
    ("hands", "options", "played"),
    [
        (("3C 4C 5D", "9C 9D 9S", "TS QS KS", "3H 4H JD"), Options(), ""),
        (("3C 4C 5D", "9C 9D 9S", "TS JS KS", "3H QS JD"), RULES[0], "2H"),
        (
            ("3C 4C 5D", "9C 9D 9S", "TS QS KS", "3H 4H JD"),
            Options(queen_of_spades=QueenRule.AFTER_HEARTS),
            "",
        ),
        (
            ("TS QS KS", "9C 9D 9S", "3C 4C 5D", "3H 4H JD"),
            Options(queen_of_spades=QueenRule.NO_LEAD),
            "",
        ),
    ],
)
def test_every_legal_card_has_the_same_chance(
    hands: tuple[str, str, str, str], options: Options, played: str
) -> None:
    deal = ending(hands, options, played)
    chances = orders(deal, 8)
    player, rng = RandomPlayer(options), Random(4)
    rounds = 6000
    found = Counter(tuple(player.rest(deal, rng).order[:8]) for _ in range(rounds))
    assert set(found) <= set(chances)
    chi = sum((found[key] - rounds * p) ** 2 / (rounds * p) for key, p in chances.items())
    freedom = len(chances) - 1
    assert freedom > 20
    assert abs(chi - freedom) < 5 * (2 * freedom) ** 0.5
