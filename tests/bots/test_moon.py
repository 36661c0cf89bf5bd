"""A bot's choice after its moon is the one that the rules make for absent players."""

from __future__ import annotations

import random
from typing import Final

import pytest

from hearts_net.bots.from_deal import view_of
from hearts_net.bots.levels import level_names, make_player
from hearts_net.rules.cards import (
    CLUBS,
    FULL_DECK,
    JACK_MASK,
    PENALTY_MASK,
    SPADES,
    SUIT_MASKS,
    cards_in,
    mask_of,
    parse_card,
)
from hearts_net.rules.deal import Deal, new_deal
from hearts_net.rules.options import MoonRule, Options
from hearts_net.rules.scoring import Scores, moon_choice_for, moon_shooter

ACE_OF_CLUBS: Final = 1 << parse_card("AC")


def moon(options: Options, shooter: int, jack: int) -> Deal:
    """Play a deal in which ``shooter`` takes all 26 points, and ``jack`` the jack of diamonds.

    The shooter holds the clubs: it claims at once, or after ``jack`` has taken one with the ace.
    """
    hands = [0, 0, 0, 0]
    rest = cards_in(FULL_DECK & ~SUIT_MASKS[CLUBS])
    if jack == shooter:
        hands[shooter] = SUIT_MASKS[CLUBS]
    else:
        ace_of_spades, jack_of_diamonds = parse_card("AS"), parse_card("JD")
        hands[shooter] = SUIT_MASKS[CLUBS] & ~ACE_OF_CLUBS | 1 << ace_of_spades
        spades = [card for card in rest if card // 13 == SPADES and card != ace_of_spades]
        hands[jack] = ACE_OF_CLUBS | mask_of(spades)
        thrower = next(seat for seat in range(4) if seat not in (shooter, jack))
        hands[thrower] = 1 << jack_of_diamonds
        dealt = hands[shooter] | hands[jack] | hands[thrower]
        rest = [card for card in rest if not dealt >> card & 1]
    rest.sort(key=lambda card: card % 13)
    for seat in range(4):
        missing = 13 - hands[seat].bit_count()
        hands[seat] |= mask_of(rest[:missing])
        rest = rest[missing:]
    first, second, third, fourth = hands
    deal = new_deal(options, 4, (first, second, third, fourth))
    while not deal.can_claim(shooter):
        assert deal.turn is not None
        deal = deal.play(_card(deal, deal.turn, jack))
    return deal.claim(shooter)


def _card(deal: Deal, seat: int, jack: int) -> int:
    """Throw the jack on the ace of clubs and no point, then lead spades to the ace."""
    wanted = ("2C", "JD", "AC", "AS", "2S") if seat == jack or not deal.tricks else ("AS",)
    legal = deal.legal_for(seat)
    for text in wanted:
        if legal >> parse_card(text) & 1:
            return parse_card(text)
    harmless = legal & ~PENALTY_MASK or legal
    return cards_in(harmless)[0]


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
    level: str, totals: Scores, choice: str
) -> None:
    deal = moon(Options(moon=MoonRule.SHOOTER_CHOOSES), 0, 1)
    view = view_of(deal, 0, totals=totals)
    assert make_player(level).choose_moon(view, random.Random(0)) == choice


def test_every_choice_is_the_rules_choice() -> None:
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
        deal = moon(options, shooter, jack)
        assert moon_shooter(deal.taken) == shooter
        assert deal.taken[jack] & JACK_MASK
        view = view_of(deal, shooter, totals=totals)
        assert view.own is not None
        assert view.own.may == ["choose-moon"]
        choice = player.choose_moon(view, rng)
        assert choice == moon_choice_for(shooter, deal.taken, totals, options)
        chosen.add(choice)
    assert chosen == {"others-gain", "shooter-loses"}
