"""A bot's choice after its moon is the one that the rules make for absent players."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from hearts_net.bots.from_deal import view_of
from hearts_net.bots.levels import level_names, make_player
from hearts_net.rules.cards import FULL_DECK, HEARTS_MASK, JACK_MASK, QUEEN_MASK, Hands
from hearts_net.rules.deal import Deal
from hearts_net.rules.options import MoonRule, Options
from hearts_net.rules.scoring import Scores, moon_choice_for

if TYPE_CHECKING:
    from tests.bots.conftest import Kitchen


def moon(kitchen: Kitchen, options: Options, shooter: int, jack: int) -> Deal:
    """A finished deal in which ``shooter`` has taken all 26 points and ``jack`` the jack."""
    taken = [0, 0, 0, 0]
    taken[shooter] = HEARTS_MASK | QUEEN_MASK
    taken[jack] |= JACK_MASK
    taken[(shooter + 1) % 4] |= FULL_DECK & ~(HEARTS_MASK | QUEEN_MASK | JACK_MASK)
    first, second, third, fourth = taken
    piles: Hands = (first, second, third, fourth)
    deal = kitchen.deal(options, 4, "moon")
    return deal._replace(turn=None, playable=0, played=FULL_DECK, taken=piles)


@pytest.mark.parametrize("level", level_names())
@pytest.mark.parametrize(
    ("totals", "choice"),
    [
        ((0, 0, 0, 0), "others-gain"),
        ((60, 90, 70, 80), "others-gain"),  # it ends, and the shooter has won
        ((95, 80, 20, 60), "shooter-loses"),  # seat 2 would win with 46
        ((95, 80, 69, 69), "others-gain"),  # 95 against 95: nobody stands alone, it goes on
    ],
)
def test_others_gain_unless_somebody_else_would_win(
    kitchen: Kitchen, level: str, totals: Scores, choice: str
) -> None:
    deal = moon(kitchen, Options(moon=MoonRule.SHOOTER_CHOOSES), 0, 1)
    view = view_of(deal, 0, totals=totals)
    assert make_player(level).choose_moon(view, random.Random(0)) == choice


def test_every_choice_is_the_rules_choice(kitchen: Kitchen) -> None:
    rng, player = random.Random(2), make_player("medium")
    chosen = set()
    for _ in range(400):
        options = Options(
            moon=MoonRule.SHOOTER_CHOOSES,
            jack_of_diamonds=rng.random() < 0.7,
            target=rng.choice((50, 100)),
        )
        shooter, jack = rng.randrange(4), rng.randrange(4)
        totals: Scores = (rng.randint(-30, 99), rng.randint(-30, 99), rng.randint(0, 99), 70)
        deal = moon(kitchen, options, shooter, jack)
        view = view_of(deal, shooter, totals=totals)
        assert view.own is not None
        assert view.own.may == ["choose-moon"]
        choice = player.choose_moon(view, rng)
        assert choice == moon_choice_for(shooter, deal.taken, totals, options)
        chosen.add(choice)
    assert chosen == {"others-gain", "shooter-loses"}
