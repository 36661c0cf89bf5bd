"""The search for a card: what its verdict holds."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from hearts_net.bots.levels import make_player
from hearts_net.bots.search import Effort, Table, choose_card
from hearts_net.bots.sight import read_sight
from hearts_net.protocol.messages import View
from hearts_net.rules.deal import Deal
from hearts_net.rules.options import Options

if TYPE_CHECKING:
    from tests.bots.conftest import Kitchen


def test_a_moon_that_fails_is_worth_no_more_than_ducking(kitchen: Kitchen) -> None:
    """So it is in every batch, however the arms have changed their order since the first."""
    effort = Effort((8, 8, 8), most=10**6)
    compared = made = 0

    def look(deal: Deal, _seat: int, view: View) -> None:
        nonlocal compared, made
        if deal.passing or view.own is None or len(view.own.legal) < 2:
            return
        draw = random.Random(view.seq).random
        arms = choose_card(Table(read_sight(view)), effort, draw).arms
        ducking = {arm.card: arm.worths for arm in arms if not arm.shooting}
        for arm in arms:
            if arm.shooting:
                both = list(zip(arm.worths, ducking[arm.card], strict=False))
                assert sum(moon > duck for moon, duck in both) <= arm.moons
                compared += len(both)
                made += arm.moons

    for number in range(3):
        deal = kitchen.deal(Options(), 4, f"failed moon {number}")
        kitchen.play([make_player("medium")] * 4, deal, "failed moon", look)
    assert compared > 1000
    assert made > 10
