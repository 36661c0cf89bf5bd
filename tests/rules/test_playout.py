"""Playouts against the readable rules: the same legal cards, points and moons, and fair chances."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import product
from random import Random

import pytest

from hearts_net.rules.cards import (
    FULL_DECK,
    SEATS,
    SUIT_MASKS,
    Card,
    Hands,
    Mask,
    cards_in,
    mask_of,
    mask_of_texts,
    random_card,
)
from hearts_net.rules.deal import Deal, Rules, new_deal
from hearts_net.rules.options import Options, PassingRule, QueenRule
from hearts_net.rules.playout import (
    Policy,
    Position,
    Suits,
    Table,
    by_suits,
    random_policy,
)
from hearts_net.rules.scoring import moon_shooter, points_of

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


def masks(deck: list[Card]) -> Hands:
    return (mask_of(deck[:13]), mask_of(deck[13:26]), mask_of(deck[26:39]), mask_of(deck[39:]))


def decks(count: int) -> list[list[Card]]:
    rng = Random(5)
    found: list[list[Card]] = [rng.sample(range(52), 52) for _ in range(count)]
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
    for held in ([12, *hearts[:12]], [12, 36, *hearts[:11]]):  # on lead with hearts unbroken
        left = [card for card in range(52) if card not in held]
        rng.shuffle(left)
        found.append(held + left)
    left = [*range(13), 25, *(card for card in range(26, 39) if card != 36)]
    rng.shuffle(left)  # two void in clubs, one after the other, the first with hearts alone
    found.append([*left[:13], *hearts, 36, *range(13, 25), *left[13:]])
    return found


def midway(deal: Deal, rng: Random, plays: int) -> Deal:
    for _ in range(plays):
        deal = deal.play(random_card(deal.legal(), rng))
    return deal


def whole(suits: Suits) -> Mask:
    clubs, diamonds, spades, hearts = suits
    return clubs | diamonds << 13 | spades << 26 | hearts << 39


class Referee:
    """A policy that plays any legal card, and the same deal by the readable rules beside it.

    Whatever the policy is told must be what the rules say.
    """

    def __init__(self, deal: Deal, rng: Random) -> None:
        self.deal = deal
        self._rng = rng
        self.policy = Policy(self.lead, self.follow, self.discard)

    def catch_up(self) -> None:
        """Play what is played unasked: the two of clubs, and the last card of a suit led."""
        while self.deal.turn is not None:
            legal = self.deal.legal()
            forced = legal & (legal - 1) == 0
            follows = self.deal.table and SUIT_MASKS[self.deal.table[0] // 13] & legal
            if not (forced and (follows or not self.deal.plays)):
                break
            self.deal = self.deal.play(legal.bit_length() - 1)

    def see(self, table: Table, seat: int, legal: Mask) -> Card:
        self.catch_up()
        deal = self.deal
        assert deal.leader is not None
        assert (seat, legal) == (deal.turn, deal.legal())
        assert tuple(map(whole, table.hands)) == deal.hands
        assert whole(table.unplayed) == deal.unplayed
        assert tuple(table.points) == deal.points()
        assert table.last == (deal.leader + 3) % 4
        assert table.first_trick is (not deal.tricks)
        card = random_card(legal, self._rng)
        self.deal = deal.play(card)
        return card

    def see_trick(self, winner: int, score: int) -> int:
        trick, options = self.deal.trick, self.deal.options
        led = trick[0][1] // 13
        card, taker = max((card, seat) for seat, card in trick if card // 13 == led)
        assert (winner, score) == (taker, points_of(mask_of(self.deal.table), options))
        return card % 13

    def lead(self, table: Table, seat: int, legal: Suits) -> Card:
        return self.see(table, seat, whole(legal))

    def follow(
        self, table: Table, seat: int, suit: int, held: int, best: int, winner: int, score: int
    ) -> int:
        assert held & (held - 1)  # else nobody is asked
        self.catch_up()
        assert self.see_trick(winner, score) == best
        card = self.see(table, seat, held << 13 * suit)
        assert suit == card // 13
        return card % 13

    def discard(self, table: Table, seat: int, legal: Suits, winner: int, score: int) -> Card:
        self.catch_up()
        self.see_trick(winner, score)
        return self.see(table, seat, whole(legal))


@pytest.mark.parametrize("options", RULES)
def test_playouts_offer_and_score_what_the_rules_do(options: Options) -> None:
    rng = Random(3)
    for number, deck in enumerate(decks(11)[::-1]):
        deal = midway(new_deal(options, 1, masks(deck)), rng, max(0, number - 7) * 5 % 52)
        referee = Referee(deal, rng)
        hands = by_suits(deal.hands)
        points, shooter = Position.of(deal).finish(hands, referee.policy, every_card=True)
        assert tuple(map(whole, hands)) == deal.hands
        referee.catch_up()
        assert referee.deal.over
        assert tuple(points) == referee.deal.points()
        assert shooter == moon_shooter(referee.deal.taken)


@pytest.mark.parametrize("options", RULES[::5])
def test_a_position_goes_on_as_the_deal_does(options: Options) -> None:
    """Also when it began in the middle, and whether or not the hands still have what was played."""
    rng = Random(8)
    for begun in (0, 34):
        start = deal = midway(new_deal(options, 1, masks(decks(1)[0])), rng, begun)
        position = Position.of(start)
        while True:
            laid = deal.plays[len(start.plays) :]
            assert position.laid == tuple((seat, card) for seat, card, _ in laid)
            assert replace(position, laid=()) == Position.of(deal)
            for hands in (by_suits(start.hands), by_suits(deal.hands))[: 2 - len(laid) % 3]:
                referee = Referee(deal, rng)
                points, shooter = position.finish(hands, referee.policy, every_card=True)
                referee.catch_up()
                assert tuple(points) == referee.deal.points()
                assert shooter == moon_shooter(referee.deal.taken)
            card = random_card(deal.legal(), rng)
            deal = deal.play(card)
            if deal.over:
                break
            position = position.play(card)


def highest(_: Table, __: int, legal: Suits, *___: int) -> Card:
    return max(cards_in(whole(legal)))


def lowest(_: Table, __: int, legal: Suits, *___: int) -> Card:
    return min(cards_in(whole(legal)))


def high(_: Table, __: int, ___: int, held: int, *____: int) -> int:
    return held.bit_length() - 1


def low(_: Table, __: int, ___: int, held: int, *____: int) -> int:
    return (held & -held).bit_length() - 1


POLICIES = [
    Policy(lead, follow, discard)
    for lead in (highest, lowest)
    for follow in (high, low)
    for discard in (highest, lowest)
]


@pytest.mark.parametrize("options", RULES[:8:3])
@pytest.mark.parametrize("policy", POLICIES)
def test_what_decides_nothing_need_not_be_played(options: Options, policy: Policy) -> None:
    """Points and moons are the same; moons of every kind come up."""
    for deck in decks(1):
        position = Position.of(new_deal(options, 1, masks(deck)))
        hands = by_suits(masks(deck))
        assert position.finish(hands, policy) == position.finish(hands, policy, every_card=True)


def end_of_deal(
    taken: int, options: Options, **how: bool
) -> tuple[list[int], list[int], int | None]:
    """Return who led, the points, and who shot the moon, in a deal with two tricks left.

    Seat ``taken`` has taken all hearts. Seat 0 leads the queen of spades, and the king takes her;
    then seat 1 leads, and the jack of diamonds takes the last trick.
    """
    hands = mask_of_texts(["QS", "2D"]), mask_of_texts(["KS", "3D"])
    others = mask_of_texts(["4C", "JD"]), mask_of_texts(["5C", "7D"])
    rest = FULL_DECK
    for hand in (*hands, *others):
        rest &= ~hand
    a, b, c, d = (rest if seat == taken else 0 for seat in SEATS)
    leaders: list[int] = []

    def lead(table: Table, seat: int, legal: Suits) -> Card:
        leaders.append(seat)
        return highest(table, seat, legal)

    position = Position.seen(Rules.of(options), 0, (), (a, b, c, d))
    policy = Policy(lead, high, lowest)
    points, shooter = position.finish(by_suits((*hands, *others)), policy, **how)
    return leaders, points, shooter


def test_the_playout_ends_with_the_last_card_that_counts() -> None:
    plain, jack = Options(), Options(jack_of_diamonds=True)
    assert end_of_deal(1, plain) == ([0], [0, 26, 0, 0], 1)
    assert end_of_deal(2, plain) == ([0], [0, 13, 13, 0], None)
    assert end_of_deal(1, plain, every_card=True) == ([0, 1], [0, 26, 0, 0], 1)
    assert end_of_deal(1, jack) == ([0, 1], [0, 26, -10, 0], 1)
    assert end_of_deal(2, jack) == ([0, 1], [0, 13, 3, 0], None)
    assert end_of_deal(0, jack) == ([0, 1], [13, 13, -10, 0], None)


@pytest.mark.parametrize("shooter", SEATS)
@pytest.mark.parametrize("taker", SEATS)
def test_the_jack_plays_no_part_in_the_moon(shooter: int, taker: int) -> None:
    rules = Rules.of(Options(jack_of_diamonds=True))
    left = mask_of_texts(["2D", "3D", "4D", "5D"])
    taken = [0, 0, 0, 0]
    taken[shooter] |= mask_of(range(39, 52)) | mask_of_texts(["QS"])
    taken[taker] |= mask_of_texts(["JD"])
    a, b, c, d = taken
    assert Position.seen(rules, 0, (), (a, b, c, d)).jack_taker == taker
    a |= FULL_DECK & ~(a | b | c | d | left)
    hands = by_suits((1 << 13, 1 << 14, 1 << 15, 1 << 16))
    points, found = Position.seen(rules, 0, (), (a, b, c, d)).finish(hands, POLICIES[0])
    assert found == shooter
    assert sum(points) == 16


@pytest.mark.parametrize(("diamond", "points"), [("3D", [0, 26, -10, 0]), ("KD", [0, 16, 0, 0])])
def test_a_moon_after_the_jack_was_taken(diamond: str, points: list[int]) -> None:
    """Seat 1 has all the hearts; a diamond is led, then the queen falls to its king of spades."""
    rules = Rules.of(Options(jack_of_diamonds=True))
    hands = [mask_of_texts(hand.split()) for hand in ("2D QS", f"{diamond} KS", "JD 4S", "7D 5S")]
    first, second, *others = hands
    rest = FULL_DECK & ~(first | second | others[0] | others[1])
    position = Position.seen(rules, 0, (), (0, rest, 0, 0))
    policy = Policy(lowest, high, highest)
    assert position.finish(by_suits((first, second, others[0], others[1])), policy) == (points, 1)


def test_a_playout_of_what_a_player_thinks_the_hands_are() -> None:
    first, second = decks(1)[0], Random(9).sample(range(52), 52)
    at_two = second.index(0)
    leader = new_deal(RULES[0], 1, masks(first)).turn
    assert leader is not None
    second[at_two], second[leader * 13] = second[leader * 13], second[at_two]
    position = Position.of(new_deal(RULES[0], 1, masks(first)))
    referee = Referee(new_deal(RULES[0], 1, masks(second)), Random(1))
    assert sum(position.finish(by_suits(masks(second)), referee.policy).points) == 26


def test_the_queen_waits_for_hearts_in_the_middle_of_a_deal_too() -> None:
    rules = Rules.of(Options(queen_of_spades=QueenRule.AFTER_HEARTS))
    texts = ("AC 2H 3H 4H", "QS 2D 5H 6H", "7H 8H 9H TH", "JH QH KH AH")
    first, second, third, fourth = (mask_of_texts(hand.split()) for hand in texts)
    taken = FULL_DECK & ~(first | second | third | fourth)
    asked: list[tuple[int, Mask]] = []

    def discard(table: Table, seat: int, legal: Suits, *_: int) -> Card:
        asked.append((seat, whole(legal)))
        return lowest(table, seat, legal)

    position = Position.seen(rules, 0, (), (taken, 0, 0, 0))
    position.finish(by_suits((first, second, third, fourth)), Policy(lowest, low, discard))
    assert asked[:3] == [(1, second & ~mask_of_texts(["QS"])), (2, third), (3, fourth)]


# ---- the random policy ---------------------------------------------------------------------------


def fair(found: Counter[Card], cards: Mask, rounds: int) -> bool:
    """Whether each of some cards, and no other, came up about as often as the others."""
    expected = rounds / cards.bit_count()
    chi = sum((found[card] - expected) ** 2 / expected for card in cards_in(cards))
    return set(found) <= set(cards_in(cards)) and chi < 3 * cards.bit_count() + 10


@pytest.mark.parametrize(
    "text", ["2C", "2C AC", "2C AD", "TS AS", "2C 3C 4D AD QS KS 2H AH", "5H", "4S 5S 7H", "9D KH"]
)
def test_the_random_policy_plays_every_legal_card_with_the_same_chance(text: str) -> None:
    legal, table = mask_of_texts(text.split()), Table([[0] * 4] * 4, [])
    suits = by_suits((legal, 0, 0, 0))[0]
    policy, rounds = random_policy(Random(4)), 1000
    assert fair(Counter(policy.lead(table, 0, suits) for _ in range(rounds)), legal, rounds)
    assert fair(
        Counter(policy.discard(table, 0, suits, 1, 0) for _ in range(rounds)), legal, rounds
    )
    for suit, held in enumerate(suits):
        if held:
            ranks = Counter(policy.follow(table, 0, suit, held, 0, 1, 0) for _ in range(rounds))
            assert fair(ranks, held, rounds)
