"""Bold and cautious players of one level differ, and in what their names say."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING

from hearts_net.bots.exchange import PassEffort, choose_triple
from hearts_net.bots.from_deal import view_of
from hearts_net.bots.levels import BOLD, CAUTIOUS, STEADY, make_player
from hearts_net.bots.search import Effort
from hearts_net.bots.searching import SearchingPlayer
from hearts_net.bots.sight import read_sight
from hearts_net.protocol.messages import View
from hearts_net.rules.deal import Deal
from hearts_net.rules.options import Options

if TYPE_CHECKING:
    from tests.bots.conftest import Kitchen

QUICK = PassEffort(8, 4, (6, 6))


def searching(temperament: str) -> SearchingPlayer:
    """Return a player of the level ``hard`` with fewer worlds, so that tests need not wait."""
    player = make_player("hard", temperament)
    assert isinstance(player, SearchingPlayer)
    return replace(player, effort=Effort((8,), most=10**6), passing=QUICK)


def test_a_bold_searcher_shoots_more_often_than_a_cautious_one(kitchen: Kitchen) -> None:
    shots = dict.fromkeys((BOLD, STEADY, CAUTIOUS), 0)

    def ask(deal: Deal, _seat: int, view: View) -> None:
        if (
            deal.passing
            or view.public.trick_number > 3
            or len(view.own.legal if view.own else []) < 2
        ):
            return
        for temperament in shots:
            verdict = searching(temperament).verdict(view, random.Random("same"))
            shots[temperament] += verdict.shooting

    for number in range(6):
        deal = kitchen.deal(Options(), 4, f"bold {number}")
        kitchen.play([make_player("medium")] * 4, deal, "bold", ask)
    assert shots[BOLD] > shots[CAUTIOUS]
    assert shots[BOLD] >= shots[STEADY] >= shots[CAUTIOUS]


def test_a_bold_searcher_passes_for_the_moon_more_often(kitchen: Kitchen) -> None:
    differ = 0
    for number in range(12):
        sight = read_sight(view_of(kitchen.deal(Options(), 1, f"pass boldly {number}"), 0))
        bold, cautious = (
            choose_triple(sight, QUICK, random.Random("same").random, boldness)
            for boldness in (searching(BOLD).boldness, searching(CAUTIOUS).boldness)
        )
        differ += bold != cautious
    assert differ


def test_bold_and_cautious_mediums_play_apart_where_a_moon_threatens(kitchen: Kitchen) -> None:
    apart = asked = 0

    def ask(_deal: Deal, _seat: int, view: View) -> None:
        nonlocal apart, asked
        if view.public.phase != "playing":
            return
        points = [seat.points for seat in view.public.seats]
        one, other = (
            make_player("medium", temper).choose_play(view, random.Random(1))
            for temper in (BOLD, CAUTIOUS)
        )
        if max(points) > 9 and max(points) == sum(points):
            asked += 1
            apart += one != other
        else:
            assert one == other

    for number in range(60):
        deal = kitchen.deal(Options(), number % 4 + 1, f"fear {number}")
        kitchen.play([make_player("easy")] * 4, deal, "fear", ask)
    assert asked > 10
    assert apart
