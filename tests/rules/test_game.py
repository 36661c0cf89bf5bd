"""A game: phases, scores after deals, moons to choose, and when it ends."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from hearts_net.rules.actions import (
    Action,
    ChooseMoon,
    ClaimRest,
    DealCards,
    PassCards,
    PlayCard,
)
from hearts_net.rules.cards import (
    SEATS,
    SUIT_MASKS,
    Hands,
    cards_in,
    mask_of,
    parse_card,
    random_card,
)
from hearts_net.rules.errors import RuleCode, RuleError
from hearts_net.rules.game import Game, Phase
from hearts_net.rules.options import MoonRule, Options, PassingRule
from hearts_net.rules.shuffle import deal_hands

HANDS = deal_hands(b"a deal")
NONE = PassingRule.NONE
LOW_CLUBS: Hands = (SUIT_MASKS[0], SUIT_MASKS[1], SUIT_MASKS[2], SUIT_MASKS[3])
"""Seat 0 has all the clubs, so it takes every trick: a moon."""


def refused(game: Game, action: Action) -> str:
    before = repr(game)
    with pytest.raises(RuleError) as refusal:
        game.apply(action)
    assert repr(game) == before
    return refusal.value.code


def play_deal(game: Game, rng: Random) -> Game:
    """Play the current deal to its end at random."""
    while game.phase in (Phase.PASSING, Phase.PLAYING):
        deal = game.deal
        assert deal is not None
        if deal.passing:
            seat = deal.passes.index(0)
            game = game.apply(PassCards(seat, mask_of(cards_in(deal.hands[seat])[:3])))
        else:
            assert deal.turn is not None
            game = game.apply(PlayCard(deal.turn, random_card(deal.legal(), rng)))
    return game


def moon(options: Options, totals: tuple[int, int, int, int] = (0, 0, 0, 0)) -> Game:
    """Return a game in which seat 0 has just shot the moon."""
    game = Game(options, totals=totals).apply(DealCards(LOW_CLUBS))
    return play_deal(game, Random(1))


def test_a_game_begins_with_a_deal() -> None:
    game = Game.start(Options())
    assert game.phase is Phase.DEALING
    assert game.number == 0
    assert game.deal is None
    assert game.shooter is None
    for action in (PassCards(0, 7), PlayCard(0, 0), ClaimRest(0)):
        assert refused(game, action) == RuleCode.WRONG_PHASE
    assert refused(game, ChooseMoon(0, MoonRule.OTHERS_GAIN)) == RuleCode.WRONG_PHASE
    with pytest.raises(RuleError, match="wrong-phase"):
        game.default_moon_choice()


def test_the_phases_of_a_deal() -> None:
    game = Game.start(Options()).apply(DealCards(HANDS, shuffle="how"))
    assert game.phase is Phase.PASSING
    assert game.number == 1
    assert game.deal is not None
    assert game.deal.start.shuffle == "how"
    assert refused(game, DealCards(HANDS)) == RuleCode.WRONG_PHASE
    assert refused(game, PlayCard(0, 0)) == RuleCode.WRONG_PHASE
    assert refused(game, ClaimRest(0)) == RuleCode.WRONG_PHASE
    for seat in SEATS:
        game = game.apply(PassCards(seat, mask_of(cards_in(game.deal.dealt[seat])[:3])))
    assert game.phase is Phase.PLAYING
    assert game.deal is not None
    assert refused(game, PassCards(0, 7)) == RuleCode.WRONG_PHASE
    assert refused(game, DealCards(HANDS)) == RuleCode.WRONG_PHASE
    assert refused(game, ChooseMoon(0, MoonRule.OTHERS_GAIN)) == RuleCode.WRONG_PHASE
    game = play_deal(game, Random(1))
    assert game.phase is Phase.DEALING
    assert game.number == 1
    assert game.deal is not None
    assert game.deal.over
    assert game.totals == game.results[0].totals == game.results[0].points
    assert game.results[0].number == 1
    assert refused(game, PlayCard(0, 0)) == RuleCode.WRONG_PHASE
    game = game.apply(DealCards(HANDS))
    assert game.number == 2
    assert len(game.results) == 1
    assert game.phase is Phase.PASSING


def test_plays_refused() -> None:
    game = Game.start(Options(passing=NONE)).apply(DealCards(LOW_CLUBS))
    assert refused(game, PlayCard(1, parse_card("2D"))) == RuleCode.NOT_YOUR_TURN
    assert refused(game, PlayCard(4, 0)) == RuleCode.WRONG_SEAT
    with pytest.raises(RuleError) as refusal:
        game.apply(PlayCard(4, 0))
    assert refusal.value.detail == {"seat": 4}
    assert refused(game, PlayCard(-1, 0)) == RuleCode.WRONG_SEAT
    assert refused(game, PlayCard(0, 1)) == RuleCode.LEAD_TWO_OF_CLUBS
    assert refused(game, PlayCard(0, 13)) == RuleCode.NOT_IN_HAND
    assert refused(game, PlayCard(0, -1)) == RuleCode.NOT_IN_HAND
    assert refused(game, PlayCard(0, 52)) == RuleCode.NOT_IN_HAND
    assert refused(game, PassCards(0, 7)) == RuleCode.HOLD_DEAL
    assert refused(game, DealCards((0, 0, 0, 0))) == RuleCode.WRONG_PHASE
    assert refused(Game.start(Options()), DealCards((0, 0, 0, 0))) == RuleCode.BAD_DEAL
    assert refused(game, ClaimRest(7)) == RuleCode.WRONG_SEAT


def test_a_card_played_by_a_bot() -> None:
    game = Game.start(Options(passing=NONE)).apply(DealCards(LOW_CLUBS))
    game = game.apply(PlayCard(0, 0, by_bot=True))
    assert game.deal is not None
    assert game.deal.plays == ((0, 0, True),)


@pytest.mark.parametrize(
    ("rule", "points"),
    [(MoonRule.OTHERS_GAIN, (0, 26, 26, 26)), (MoonRule.SHOOTER_LOSES, (-26, 0, 0, 0))],
)
def test_a_moon(rule: MoonRule, points: tuple[int, int, int, int]) -> None:
    game = moon(Options(passing=NONE, moon=rule), totals=(1, 2, 3, 4))
    assert game.phase is Phase.DEALING
    assert game.shooter == 0
    result = game.results[-1]
    assert result.points == points
    assert result.moon == 0
    assert result.choice is None
    assert game.totals == tuple(a + b for a, b in zip(points, (1, 2, 3, 4), strict=True))


@pytest.mark.parametrize(
    ("choice", "points"),
    [(MoonRule.OTHERS_GAIN, (0, 26, 26, 26)), (MoonRule.SHOOTER_LOSES, (-26, 0, 0, 0))],
)
def test_a_moon_by_choice(choice: MoonRule, points: tuple[int, int, int, int]) -> None:
    game = moon(Options(passing=NONE, moon=MoonRule.SHOOTER_CHOOSES))
    assert game.phase is Phase.MOON
    assert game.shooter == 0
    assert game.results == ()
    assert game.totals == (0, 0, 0, 0)
    assert game.default_moon_choice() is MoonRule.OTHERS_GAIN
    assert refused(game, DealCards(HANDS)) == RuleCode.WRONG_PHASE
    assert refused(game, PlayCard(0, 0)) == RuleCode.WRONG_PHASE
    assert refused(game, ClaimRest(0)) == RuleCode.WRONG_PHASE
    assert refused(game, PassCards(0, 7)) == RuleCode.WRONG_PHASE
    assert refused(game, ChooseMoon(1, choice)) == RuleCode.NOT_THE_SHOOTER
    assert refused(game, ChooseMoon(4, choice)) == RuleCode.WRONG_SEAT
    assert refused(game, ChooseMoon(0, MoonRule.SHOOTER_CHOOSES)) == RuleCode.NOT_A_CHOICE
    with pytest.raises(RuleError) as refusal:
        game.apply(ChooseMoon(2, choice))
    assert refusal.value.detail == {"seat": 2}
    with pytest.raises(RuleError) as refusal:
        game.apply(ChooseMoon(0, MoonRule.SHOOTER_CHOOSES))
    assert refusal.value.detail == {"choice": "shooter-chooses"}
    with pytest.raises(RuleError) as refusal:
        game.apply(DealCards(HANDS))
    assert refusal.value.detail == {"phase": "moon"}
    game = game.apply(ChooseMoon(0, choice))
    assert game.phase is Phase.DEALING
    assert game.results[-1].points == game.totals == points
    assert game.results[-1].choice is choice
    assert game.results[-1].moon == 0
    assert refused(game, ChooseMoon(0, choice)) == RuleCode.WRONG_PHASE


def test_the_choice_made_for_the_absent_looks_at_the_totals() -> None:
    options = Options(passing=NONE, moon=MoonRule.SHOOTER_CHOOSES)
    assert moon(options, (80, 10, 60, 60)).default_moon_choice() is MoonRule.OTHERS_GAIN
    assert moon(options, (80, 10, 60, 74)).default_moon_choice() is MoonRule.SHOOTER_LOSES
    assert moon(options, (10, 80, 60, 74)).default_moon_choice() is MoonRule.OTHERS_GAIN
    with pytest.raises(RuleError, match="wrong-phase"):
        moon(Options(passing=NONE)).default_moon_choice()


def test_no_choice_without_a_moon() -> None:
    game = Game.start(Options(passing=NONE, moon=MoonRule.SHOOTER_CHOOSES))
    game = play_deal(game.apply(DealCards(HANDS)), Random(1))
    assert game.phase is Phase.DEALING
    assert sum(game.totals) == 26
    assert game.results[-1].moon is None
    assert game.shooter is None


def test_a_moon_can_end_the_game_for_three_at_once() -> None:
    game = moon(Options(passing=NONE), totals=(60, 80, 90, 99))
    assert game.phase is Phase.OVER
    assert game.winner == 0
    assert game.totals == (60, 106, 116, 125)
    for action in (DealCards(HANDS), PlayCard(0, 0), ClaimRest(0), PassCards(0, 7)):
        assert refused(game, action) == RuleCode.GAME_OVER
    assert refused(game, ChooseMoon(0, MoonRule.OTHERS_GAIN)) == RuleCode.GAME_OVER


def test_the_target_counts_after_the_deal() -> None:
    game = moon(Options(passing=NONE, target=26))
    assert game.phase is Phase.OVER
    assert game.winner == 0
    game = moon(Options(passing=NONE, target=27))
    assert game.phase is Phase.DEALING


def test_tied_for_the_fewest_play_on() -> None:
    game = moon(Options(passing=NONE), totals=(46, 20, 74, 90))
    assert game.totals == (46, 46, 100, 116)
    assert game.phase is Phase.DEALING
    assert game.winner is None


def test_a_claim_scores_the_deal() -> None:
    game = Game.start(Options(passing=NONE)).apply(DealCards(LOW_CLUBS))
    assert refused(game, ClaimRest(1)) == RuleCode.NOT_ON_LEAD
    game = game.apply(ClaimRest(0))
    result = game.results[-1]
    assert result.claimed_by == 0
    assert not result.settled
    assert result.points == (0, 26, 26, 26)
    assert game.phase is Phase.DEALING


def test_a_claim_may_leave_a_moon_to_choose() -> None:
    game = Game.start(Options(passing=NONE, moon=MoonRule.SHOOTER_CHOOSES))
    game = game.apply(DealCards(LOW_CLUBS)).apply(ClaimRest(0))
    assert game.phase is Phase.MOON
    game = game.apply(ChooseMoon(0, MoonRule.SHOOTER_LOSES))
    assert game.totals == (-26, 0, 0, 0)


def test_early_end_is_told_in_the_result() -> None:
    game = Game.start(Options(passing=NONE, finish_early=True))
    settled = []
    for seed in range(30):
        after = play_deal(game.apply(DealCards(deal_hands(b"%d" % seed))), Random(seed))
        assert after.deal is not None
        assert after.results[-1].settled == after.deal.settled
        settled.append(after.deal.settled)
    assert set(settled) == {True, False}


@pytest.mark.parametrize("make", [lambda: Game.start(Options())])
def test_a_game_never_changes(make: Callable[[], Game]) -> None:
    game = make()
    with pytest.raises(AttributeError):
        game.number = 3  # type: ignore[misc]
