"""Long thoughts are thought beside the event loop, quick ones in it."""

from __future__ import annotations

import asyncio
import random
import threading
from concurrent.futures import ThreadPoolExecutor

from hearts_net.bots.from_deal import view_of
from hearts_net.bots.levels import TEMPERAMENTS, level_names, make_player, temperament_of
from hearts_net.bots.mind import Kind, Question
from hearts_net.bots.process import stand_back
from hearts_net.bots.thinker import QuickThinker, SlowThinker, thinker_for
from hearts_net.protocol.messages import Play, View
from hearts_net.rules.deal import new_deal
from hearts_net.rules.options import Options
from hearts_net.rules.shuffle import deal_hands


class Ponderer:
    """A player who does not answer before it is told to."""

    def __init__(self) -> None:
        self.may_answer = threading.Event()

    def choose_pass(self, _view: View, _rng: random.Random) -> list[str]:
        raise AssertionError("not asked")

    def choose_play(self, view: View, _rng: random.Random) -> str:
        assert self.may_answer.wait(10)
        assert view.own is not None
        return view.own.legal[0]

    def choose_moon(self, _view: View, _rng: random.Random) -> str:
        raise AssertionError("not asked")


def question() -> Question:
    deal = new_deal(Options(), 4, deal_hands(b"thinker".ljust(32)))
    assert deal.turn is not None
    return Question(Kind.PLAY, view_of(deal, deal.turn), "seed", plain=False)


def test_the_loop_goes_on_while_three_think() -> None:
    async def play() -> list[object]:
        player = Ponderer()
        with ThreadPoolExecutor(1, "thinking", stand_back) as executor:
            thinkers = [SlowThinker(player, executor) for _ in range(3)]
            thoughts = [asyncio.ensure_future(each.think(question())) for each in thinkers]
            for _ in range(100):  # what the links do meanwhile
                await asyncio.sleep(0)
            assert not any(thought.done() for thought in thoughts)
            player.may_answer.set()
            return list(await asyncio.gather(*thoughts))

    assert asyncio.run(play()) == [Play("2C")] * 3


def test_levels_that_search_think_beside_the_loop() -> None:
    kinds = [type(thinker_for(level, make_player(level))) for level in level_names()]
    assert kinds == [QuickThinker, QuickThinker, SlowThinker, SlowThinker]


def test_three_bots_at_a_table_differ() -> None:
    assert len({temperament_of(seat) for seat in (1, 2, 3)}) == 3
    for level in level_names():
        assert len({make_player(level, temper) for temper in TEMPERAMENTS}) == 3
