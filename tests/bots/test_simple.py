"""A beginner plays badly, but nothing that nobody would."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from hearts_net.bots.from_deal import view_of
from hearts_net.bots.levels import TEMPERAMENTS, make_player
from hearts_net.rules.cards import QUEEN_MASK, random_card
from hearts_net.rules.options import Options

if TYPE_CHECKING:
    from tests.bots.conftest import Kitchen

HIGH = {"KS", "AS", "QS"}


def test_a_beginner_leads_no_high_spade_while_the_queen_may_catch_it(kitchen: Kitchen) -> None:
    asked = slips = 0
    players = [make_player("easy", temper) for temper in TEMPERAMENTS]
    for number in range(400):
        rng = random.Random(f"absurd {number}")
        deal = kitchen.deal(kitchen.options(rng), 4, f"absurd {number}")
        while not deal.over and deal.turn is not None:
            view = view_of(deal, deal.turn)
            assert view.own is not None
            choices = set(view.own.legal)
            if not view.public.trick and not deal.played & QUEEN_MASK and choices & HIGH:
                card = rng.choice(players).choose_play(view, rng)
                if choices - HIGH:
                    assert card not in HIGH
                    asked += 1
                    lowest = min(choices - HIGH, key=lambda text: "23456789TJQKA".index(text[0]))
                    slips += card[0] != lowest[0]
            deal = deal.play(random_card(deal.playable, rng))
    assert asked > 300
    assert slips > 20  # it is a beginner all the same


def test_a_beginner_leads_the_ace_of_spades_where_the_queen_is_gone(kitchen: Kitchen) -> None:
    led = 0
    for number in range(80):
        rng = random.Random(f"gone {number}")
        deal = kitchen.deal(Options(), 4, f"gone {number}")
        while not deal.over and deal.turn is not None:
            view = view_of(deal, deal.turn)
            assert view.own is not None
            if not view.public.trick and deal.played & QUEEN_MASK and "AS" in view.own.legal:
                led += make_player("easy").choose_play(view, rng) == "AS"
            deal = deal.play(random_card(deal.playable, rng))
    assert led > 0
