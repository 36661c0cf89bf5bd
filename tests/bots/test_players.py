"""What every level must do, whatever the options: play by the rules, from its own view alone."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TYPE_CHECKING

import pytest

from hearts_net.bots.exchange import PassEffort
from hearts_net.bots.from_deal import view_of
from hearts_net.bots.levels import level_names, make_any_player, make_player, thinks_long
from hearts_net.bots.player import BotError, Player
from hearts_net.bots.search import Effort
from hearts_net.bots.searching import SearchingPlayer
from hearts_net.bots.simple import RandomPlayer
from hearts_net.protocol.messages import View
from hearts_net.rules.cards import hand_texts
from hearts_net.rules.deal import Deal
from hearts_net.rules.options import Options, QueenRule

if TYPE_CHECKING:
    from tests.bots.conftest import Kitchen


SMALL = SearchingPlayer(Effort((4, 4), most=10**6, hindsight=True), PassEffort(6, 2, (2, 2)))
"""Plays as the searching levels do, with so few worlds that tests need not wait for it."""
SLOW = tuple(level for level in level_names() if thinks_long(level))
SEARCHING = ("small", *SLOW)
QUICK = ("random", "rule", *(level for level in level_names() if not thinks_long(level)))


def test_levels_are_named_weakest_first() -> None:
    assert level_names() == ("easy", "medium", "hard", "expert")


def test_an_unknown_level_is_a_typed_error() -> None:
    with pytest.raises(BotError) as caught:
        make_player("grandmaster" * 20)
    assert caught.value.code == "unknown-level"
    assert "easy" in str(caught.value.detail["levels"])


def player_named(name: str) -> Player:
    return SMALL if name == "small" else make_any_player(name)


def play_by_the_rules(kitchen: Kitchen, deals: range, names: Sequence[str]) -> int:
    """Let players play deals under any options; the rules refuse whatever is illegal."""
    cards = 0
    for number in deals:
        rng = random.Random(number)
        players = [player_named(rng.choice(names)) for _ in range(4)]
        deal = kitchen.deal(kitchen.options(rng), rng.randint(1, 4), f"legal {number}")
        end = kitchen.play(players, deal, f"legal {number}")
        assert end.over
        cards += end.played.bit_count()
    return cards


def test_no_illegal_card_under_any_options(kitchen: Kitchen) -> None:
    assert play_by_the_rules(kitchen, range(150), QUICK) > 150 * 40
    assert play_by_the_rules(kitchen, range(150, 154), ("small",)) > 4 * 40


@pytest.mark.long
@pytest.mark.timeout(300)
def test_no_illegal_card_in_two_thousand_deals(kitchen: Kitchen) -> None:
    assert play_by_the_rules(kitchen, range(2000), QUICK) > 2000 * 40
    assert play_by_the_rules(kitchen, range(2000, 2010), SLOW) > 10 * 40


QUICK_AND_SLOW = pytest.mark.parametrize(
    "level", [*QUICK, "small", *(pytest.param(name, marks=pytest.mark.long) for name in SLOW)]
)


@QUICK_AND_SLOW
def test_a_choice_depends_on_what_the_seat_sees_and_on_nothing_else(
    kitchen: Kitchen, level: str
) -> None:
    player, worlds = player_named(level), random.Random(7)
    choices = changed = 0

    def elsewhere(deal: Deal, seat: int, view: View) -> None:
        nonlocal choices, changed
        if level in SEARCHING and worlds.random() > 0.15:
            return
        other = kitchen.other_world(deal, seat, worlds)
        if other is None:
            return
        changed += other.hands != deal.hands
        there = view_of(other, seat)
        assert there == view
        if deal.passing:
            here, too = (player.choose_pass(v, random.Random(3)) for v in (view, there))
            assert here == too
        else:
            card, same = (player.choose_play(v, random.Random(3)) for v in (view, there))
            assert card == same
        choices += 1

    rng, played = random.Random(11), make_player("medium")
    for number in range(4 if level in SLOW else 6):
        deal = kitchen.deal(kitchen.options(rng), rng.randint(1, 4), f"worlds {number}")
        kitchen.play([played] * 4, deal, f"worlds {number}", elsewhere)
    assert choices > (15 if level in SEARCHING else 6 * 40)
    assert changed > (10 if level in SEARCHING else 6 * 30)


@QUICK_AND_SLOW
def test_the_same_view_and_seed_give_the_same_choice(kitchen: Kitchen, level: str) -> None:
    sparing = random.Random(2)

    def again(deal: Deal, _seat: int, view: View) -> None:
        if level in SLOW and sparing.random() > 0.2:
            return
        one, two = player_named(level), player_named(level)
        if deal.passing:
            assert one.choose_pass(view, random.Random("s")) == two.choose_pass(
                view, random.Random("s")
            )
        else:
            assert one.choose_play(view, random.Random("s")) == two.choose_play(
                view, random.Random("s")
            )

    deal = kitchen.deal(Options(jack_of_diamonds=True), 1, "again")
    assert kitchen.play([make_player("medium")] * 4, deal, "again", again).over


@pytest.mark.parametrize("level", level_names())
def test_a_view_that_asks_nothing_is_refused(kitchen: Kitchen, level: str) -> None:
    deal = kitchen.deal(Options(), 4, "nothing")
    assert deal.turn is not None
    view = view_of(deal, (deal.turn + 1) % 4)
    with pytest.raises(BotError) as caught:
        make_player(level).choose_play(view, random.Random(0))
    assert caught.value.code == "nothing-to-choose"


@QUICK_AND_SLOW
def test_passes_are_three_cards_of_the_hand(kitchen: Kitchen, level: str) -> None:
    rng, player = random.Random(5), player_named(level)
    for number in range(1 if level in SEARCHING else 25):
        deal = kitchen.deal(kitchen.options(rng), 1, f"pass {number}")
        for seat in range(4):
            cards = player.choose_pass(view_of(deal, seat), rng)
            assert len(set(cards)) == 3
            assert set(cards) <= set(hand_texts(deal.dealt[seat]))


def test_medium_beats_easy_and_easy_beats_random(kitchen: Kitchen) -> None:
    easy, medium = make_player("easy"), make_player("medium")
    assert kitchen.match(easy, RandomPlayer(), 40, Options()).difference > 2.5
    assert kitchen.match(medium, easy, 40, Options()).difference > 1.5


@pytest.mark.long
@pytest.mark.parametrize(
    "options",
    [
        Options(),
        Options(first_trick_points=False),
        Options(first_trick_points=False, jack_of_diamonds=True),
        Options(queen_of_spades=QueenRule.AFTER_HEARTS),
        Options(queen_of_spades=QueenRule.NO_LEAD, queen_breaks_hearts=True),
    ],
    ids=["standard", "no-blood", "omnibus", "wait-for-hearts", "no-lead"],
)
def test_medium_beats_easy_under_every_kind_of_rules(kitchen: Kitchen, options: Options) -> None:
    match = kitchen.match(make_player("medium"), make_player("easy"), 150, options)
    assert match.difference > 1.0
