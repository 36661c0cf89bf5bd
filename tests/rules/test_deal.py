"""One deal: passing, the two of clubs, the order of play, early ends, and every refusal."""

from __future__ import annotations

from random import Random

import pytest

from hearts_net.rules.cards import (
    FULL_DECK,
    HEARTS_MASK,
    JACK_MASK,
    QUEEN_MASK,
    QUEEN_OF_SPADES,
    SEATS,
    SUIT_MASKS,
    TWO_OF_CLUBS,
    TWO_OF_CLUBS_MASK,
    Hands,
    cards_in,
    hand_texts,
    mask_of,
    mask_of_texts,
    parse_card,
    random_card,
)
from hearts_net.rules.deal import Deal, Direction, Rules, direction_of, new_deal
from hearts_net.rules.errors import RuleCode, RuleError
from hearts_net.rules.options import Options, PassingRule
from hearts_net.rules.shuffle import deal_hands

HANDS = deal_hands(b"a deal")
NO_PASSING = Options(passing=PassingRule.NONE)
BY_SUIT: Hands = (SUIT_MASKS[0], SUIT_MASKS[1], SUIT_MASKS[2], SUIT_MASKS[3])


def lowest(deal: Deal, seat: int) -> int:
    """Return the three lowest cards of a hand."""
    return mask_of(cards_in(deal.hands[seat])[:3])


def passed_by_all(deal: Deal) -> Deal:
    for seat in SEATS:
        deal = deal.pass_cards(seat, lowest(deal, seat))
    return deal


def played_out(deal: Deal, seed: int = 1) -> Deal:
    rng = Random(seed)
    while deal.legal():
        deal = deal.play(random_card(deal.legal(), rng))
    return deal


def played(deal: Deal, cards: str) -> Deal:
    for text in cards.split():
        deal = deal.play(parse_card(text))
    return deal


# ---- rule 2 -------------------------------------------------------------------------------------


def test_before_passing_nothing_has_happened_and_the_rules_are_those_given() -> None:
    rules = Rules.of(Options())
    deal = new_deal(rules, 1, HANDS)
    assert deal.start.rules is rules
    assert (deal.tricks, deal.table, deal.turn, deal.bot_cards) == ((), (), None, 0)


@pytest.mark.parametrize(
    ("passing", "directions"),
    [
        ("left-right-across-hold", "left right across hold left right across hold left"),
        ("left-right-across", "left right across left right across left right across"),
        ("left", "left left left left left left left left left"),
        ("none", "hold hold hold hold hold hold hold hold hold"),
    ],
)
def test_cycle_of_directions(passing: str, directions: str) -> None:
    options = Options.from_dict({"passing": passing})
    found = [direction_of(number, options) for number in range(1, 10)]
    assert found == [Direction(name) for name in directions.split()]


@pytest.mark.parametrize(
    ("number", "giver_of"),
    [(1, (3, 0, 1, 2)), (2, (1, 2, 3, 0)), (3, (2, 3, 0, 1))],
    ids=["left", "right", "across"],
)
def test_passing(number: int, giver_of: tuple[int, ...]) -> None:
    before = new_deal(Options(), number, HANDS)
    after = passed_by_all(before)
    for seat in SEATS:
        giver = giver_of[seat]
        assert after.received[seat] == after.passes[giver] == lowest(before, giver)
        assert after.hands[seat] == HANDS[seat] & ~lowest(before, seat) | lowest(before, giver)
    assert after.dealt == HANDS
    assert after.opening() == after


def test_everybody_chooses_before_seeing_what_comes() -> None:
    deal = new_deal(Options(), 1, HANDS)
    for seat in (2, 0, 3):
        deal = deal.pass_cards(seat, lowest(deal, seat))
        assert deal.passing
        assert deal.received == (0, 0, 0, 0)
        assert deal.hands == HANDS
        assert deal.turn is None
        assert deal.leader is None
        assert deal.legal() == 0
        assert not deal.over
    deal = deal.pass_cards(1, lowest(deal, 1))
    assert not deal.passing
    assert 0 not in deal.received


def test_hold_deal() -> None:
    deal = new_deal(Options(), 4, HANDS)
    assert deal.direction is Direction.HOLD
    assert not deal.passing
    assert deal.received == (0, 0, 0, 0)
    assert deal.turn is not None
    assert HANDS[deal.turn] & TWO_OF_CLUBS_MASK
    with pytest.raises(RuleError) as refusal:
        deal.pass_cards(0, lowest(deal, 0))
    assert refusal.value.code == RuleCode.HOLD_DEAL


@pytest.mark.parametrize(
    ("seat", "cards", "code"),
    [
        (4, 0b111, "wrong-seat"),
        (-1, 0b111, "wrong-seat"),
        (0, 0b111, "already-passed"),
        (1, "two", "pass-three"),
        (1, "four", "pass-three"),
        (1, "of another", "not-in-hand"),
        (1, 0b111 << 52, "not-in-hand"),
    ],
)
def test_passes_refused(seat: int, cards: int | str, code: str) -> None:
    deal = new_deal(Options(), 1, HANDS)
    deal = deal.pass_cards(0, lowest(deal, 0))
    own = cards_in(HANDS[1])
    named = {"two": own[:2], "four": own[:4], "of another": [*own[:2], cards_in(HANDS[2])[0]]}
    mask = cards if isinstance(cards, int) else mask_of(named[cards])
    with pytest.raises(RuleError) as refusal:
        deal.pass_cards(seat, mask)
    assert refusal.value.code == code
    facts = {"cards": mask.bit_count()} if code == RuleCode.PASS_THREE else {"seat": seat}
    assert refusal.value.detail == facts


def test_no_pass_after_the_last() -> None:
    deal = passed_by_all(new_deal(Options(), 1, HANDS))
    with pytest.raises(RuleError) as refusal:
        deal.pass_cards(0, lowest(deal, 0))
    assert refusal.value.code == RuleCode.WRONG_PHASE


# ---- rule 3 -------------------------------------------------------------------------------------


@pytest.mark.parametrize("holder", SEATS)
@pytest.mark.parametrize("number", [1, 2, 3])
def test_the_two_of_clubs_may_change_hands(number: int, holder: int) -> None:
    hands = tuple(BY_SUIT[(suit - holder) % 4] for suit in SEATS)
    assert hands[holder] & TWO_OF_CLUBS_MASK
    deal = new_deal(Options(), number, (hands[0], hands[1], hands[2], hands[3]))
    after = passed_by_all(deal)  # the lowest three go, so the two goes as well
    taker = (holder + {1: 1, 2: 3, 3: 2}[number]) % 4  # left, right, across
    assert after.turn == after.leader == taker
    assert cards_in(after.legal()) == [TWO_OF_CLUBS]


def test_the_two_of_clubs_is_led() -> None:
    deal = new_deal(NO_PASSING, 1, HANDS)
    assert deal.turn is not None
    other = next(card for card in cards_in(deal.hands[deal.turn]) if card != TWO_OF_CLUBS)
    with pytest.raises(RuleError) as refusal:
        deal.play(other)
    assert refusal.value.code == RuleCode.LEAD_TWO_OF_CLUBS
    assert deal.trick_number == 1


# ---- the course of play -------------------------------------------------------------------------


def test_turns_go_clockwise_and_the_taker_leads() -> None:
    deal = new_deal(NO_PASSING, 1, HANDS)
    rng = Random(3)
    for number in range(1, 14):
        leader = deal.leader
        assert leader is not None
        for place in range(4):
            assert deal.turn == (leader + place) % 4
            assert deal.leader == leader
            assert deal.trick_number == number
            assert len(deal.trick) == place
            assert [seat for seat, _ in deal.trick] == [(leader + i) % 4 for i in range(place)]
            deal = deal.play(random_card(deal.legal(), rng))
        assert deal.trick == ()
        assert deal.last_trick is not None
        assert deal.last_trick.leader == leader
        if number < 13:
            assert deal.turn == deal.last_trick.winner
    assert deal.turn is None
    assert deal.leader is None  # the player who wins trick 13 leads nothing: the deal is over
    assert deal.over
    assert not deal.settled
    assert deal.trick_number == 13
    assert deal.hands == (0, 0, 0, 0)
    assert deal.played == FULL_DECK
    assert sum(deal.points()) == 26


def test_what_has_been_taken() -> None:
    deal = new_deal(NO_PASSING, 1, BY_SUIT)
    deal = played(deal, "2C 2D QS 3H")
    assert deal.taken == (mask_of_texts(["2C", "2D", "QS", "3H"]), 0, 0, 0)
    assert deal.points() == (14, 0, 0, 0)
    assert deal.queen_taker == 0
    assert deal.hearts_broken
    after = played(deal, "3C AD AS 2H")
    assert after.points() == (15, 0, 0, 0)
    assert after.plays[:5] == (
        (0, 0, False),
        (1, 13, False),
        (2, QUEEN_OF_SPADES, False),
        (3, parse_card("3H"), False),
        (0, 1, False),
    )
    assert after.trick_number == 3
    on_table = played(after, "4C JD 3S 4H")
    assert on_table.points() == (16, 0, 0, 0)


def test_nothing_is_taken_at_first() -> None:
    deal = new_deal(NO_PASSING, 1, BY_SUIT)
    assert deal.queen_taker is None
    assert deal.last_trick is None
    assert not deal.hearts_broken
    assert deal.plays == ()
    assert deal.legal_for(0) == TWO_OF_CLUBS_MASK
    assert deal.legal_for(1) == 0
    assert deal.trick_number == 1


def test_points_on_the_table_are_out_until_taken() -> None:
    deal = played(new_deal(NO_PASSING, 1, BY_SUIT), "2C 2D QS")
    assert deal.queen_taker is None
    assert deal.played == mask_of_texts(["2C", "2D", "QS"])
    assert hand_texts(deal.hands[2] & QUEEN_MASK) == []


def test_a_bots_card_for_somebody_absent_is_marked() -> None:
    deal = new_deal(NO_PASSING, 1, BY_SUIT).play(TWO_OF_CLUBS).play(parse_card("2D"), by_bot=True)
    assert deal.plays == ((0, 0, False), (1, 13, True))
    deal = played(deal, "QS 3H 3C")
    assert [by_bot for _, _, by_bot in deal.plays] == [False, True, False, False, False]


@pytest.mark.parametrize(("seat", "card"), [(1, 52), (1, -1), (1, 1000), (1, 14)])
def test_cards_that_are_not_in_hand(seat: int, card: int) -> None:
    deal = new_deal(NO_PASSING, 1, BY_SUIT).play(TWO_OF_CLUBS).play(14)
    refusal = deal.refusal(2, card)
    assert refusal is not None
    assert refusal.code == RuleCode.NOT_IN_HAND
    assert refusal.detail == {"card": card}
    turn = deal.refusal(seat, card)
    assert turn is not None
    assert turn.code == RuleCode.NOT_YOUR_TURN
    assert turn.detail == {"seat": 1}


def test_nobody_plays_when_the_deal_is_over_or_not_begun() -> None:
    for deal in (played_out(new_deal(NO_PASSING, 1, HANDS)), new_deal(Options(), 1, HANDS)):
        with pytest.raises(RuleError) as refusal:
            deal.play(0)
        assert refusal.value.code == RuleCode.WRONG_PHASE
        with pytest.raises(RuleError) as claim:
            deal.claim(0)
        assert claim.value.code == RuleCode.WRONG_PHASE
        assert not deal.can_claim(0)
        assert deal.trick == ()


def test_a_state_never_changes() -> None:
    deal = new_deal(NO_PASSING, 1, HANDS)
    before = tuple(deal)
    after = deal.play(TWO_OF_CLUBS)
    assert tuple(deal) == before
    assert after != deal
    with pytest.raises(AttributeError):
        deal.turn = 0  # type: ignore[misc]
    with pytest.raises(AttributeError):
        deal.start.hands = HANDS  # type: ignore[misc]


# ---- bad deals ----------------------------------------------------------------------------------

A, B, C, D = HANDS


@pytest.mark.parametrize(
    "hands",
    [
        (A, B, C, C),
        (A | B, 0, C, D),
        (A, B, C, D & (D - 1)),
        (A, B, C),
        (A, B, C, D, 0),
        (A, B, C, D & (D - 1) | 1 << 52),
        (A | 1 << 52, B, C, D),
    ],
)
def test_hands_that_are_not_the_deck(hands: tuple[int, ...]) -> None:
    with pytest.raises(RuleError) as refusal:
        new_deal(NO_PASSING, 1, hands)  # type: ignore[arg-type]
    assert refusal.value.code == RuleCode.BAD_DEAL


# ---- finish_early -------------------------------------------------------------------------------

EARLY = Options(passing=PassingRule.NONE, finish_early=True)
EARLY_JACK = Options(passing=PassingRule.NONE, finish_early=True, jack_of_diamonds=True)


@pytest.mark.parametrize("options", [EARLY, EARLY_JACK, NO_PASSING])
def test_finish_early(options: Options) -> None:
    counting = HEARTS_MASK | QUEEN_MASK | (JACK_MASK if options.jack_of_diamonds else 0)
    settled = 0
    for seed in range(40):
        deal = new_deal(options, 1, deal_hands(b"%d" % seed))
        rng = Random(seed)
        while deal.legal():
            if not deal.trick and options.finish_early:
                assert deal.unplayed & counting
            deal = deal.play(random_card(deal.legal(), rng))
        assert deal.over
        assert deal.settled == (len(deal.tricks) < 13)
        assert deal.trick_number == len(deal.tricks)
        assert sum(deal.points()) == 26 - 10 * options.jack_of_diamonds
        if deal.settled:
            settled += 1
            assert not deal.unplayed & counting
            assert deal.played | sum(deal.hands) == FULL_DECK
            assert deal.legal() == 0
            assert not deal.can_claim(deal.tricks[-1].winner)
    assert (settled > 0) == options.finish_early


def test_finish_early_is_not_looked_at_after_trick_13() -> None:
    """A deal whose last counting card falls in trick 13 is played out, not settled."""
    deal = new_deal(EARLY, 1, BY_SUIT)
    rng = Random(1)
    while deal.legal():
        cards = deal.legal()
        keep = mask_of_texts(["AH"])
        deal = deal.play(random_card(cards & ~keep or cards, rng))
    assert len(deal.tricks) == 13
    assert deal.over
    assert not deal.settled
