"""A view says everything that a seat may know: tricks, voids, who has taken what."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import msgspec
import pytest

from hearts_net.bots.from_deal import view_of
from hearts_net.bots.player import BotError
from hearts_net.bots.sight import read_sight
from hearts_net.bots.simple import RandomPlayer
from hearts_net.protocol.messages import View
from hearts_net.rules.cards import FULL_DECK, SUITS
from hearts_net.rules.deal import Deal
from hearts_net.rules.options import Options

if TYPE_CHECKING:
    from tests.bots.conftest import Kitchen


def test_tricks_are_put_together_again_from_the_cards_seen(kitchen: Kitchen) -> None:
    looked = 0

    def compare(deal: Deal, seat: int, view: View) -> None:
        nonlocal looked
        sight = read_sight(view)
        assert sight.hand == deal.hands[seat]
        assert sight.legal == deal.legal_for(seat)
        assert sight.taken == deal.taken
        assert sight.trick == deal.trick
        assert sight.unseen == FULL_DECK & ~deal.hands[seat] & ~deal.played
        assert sight.left == tuple(hand.bit_count() for hand in deal.hands)
        for seen, true in zip(sight.tricks, deal.tricks, strict=True):
            assert seen.leader == true.leader
            assert seen.winner == true.winner
            assert seen.cards == tuple(card for _, card in true.cards)
        shown = ["".join(SUITS[suit] for suit in sorted(voids)) for voids in sight.voids]
        assert shown == view.public.shown_voids
        looked += 1

    for number in range(20):
        rng = random.Random(number)
        deal = kitchen.deal(kitchen.options(rng), rng.randint(1, 4), f"sight {number}")
        kitchen.play([RandomPlayer()] * 4, deal, f"sight {number}", compare)
    assert looked > 20 * 45


def test_a_view_without_a_seat_is_refused(kitchen: Kitchen) -> None:
    view = view_of(kitchen.deal(Options(), 1, "watch"), 0)
    with pytest.raises(BotError) as caught:
        read_sight(msgspec.structs.replace(view, own=None))
    assert caught.value.code == "no-seat"
