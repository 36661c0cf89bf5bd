"""A whole game at a real table, each player behind a line that keeps failing in another way."""

from __future__ import annotations

import asyncio
import os
import random
from collections.abc import Callable
from typing import Any

import pytest

from hearts_net.bots.levels import DEFAULT_LEVEL, make_player
from hearts_net.bots.mind import NO_PAUSE, Mind
from hearts_net.bots.runner import Runner, play_table
from hearts_net.bots.thinker import QuickThinker
from hearts_net.host.process import launch_table
from hearts_net.host.settings import HostSettings
from hearts_net.peer.endpoint import Target
from hearts_net.peer.home import Home
from hearts_net.peer.identity import new_identity, read_identity
from hearts_net.peer.link import request_ids
from hearts_net.protocol.messages import DealSummary, View
from hearts_net.protocol.peer_session import LinkChanged, LinkState, NewView, PeerSession
from hearts_net.rules.options import Options
from hearts_net.testing.leftovers import stop_leftovers
from hearts_net.testing.proxy import FaultProxy

pytestmark = [
    pytest.mark.long,
    pytest.mark.timeout(240),
    pytest.mark.skipif(os.name != "posix", reason="ends the host with a signal"),
]

TARGET = 20
"""Points: two or three deals, some tens of faults."""


class Guest:
    """A bot behind a proxy, and what it has seen."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.deals: dict[int, DealSummary] = {}
        self.losses = 0
        self.view: View | None = None
        mind = Mind(f"storm {number}", NO_PAUSE, guest=True)
        self.runner = Runner(mind, QuickThinker(make_player(DEFAULT_LEVEL)), log=lambda _line: None)
        self._heed: Callable[[Any], None] = self.runner.heed
        self.runner.heed = self.heed  # type: ignore[method-assign]

    def heed(self, event: Any) -> None:
        if isinstance(event, LinkChanged) and event.state is LinkState.LOST:
            self.losses += 1
        if isinstance(event, NewView):
            assert self.view is None or self._place(event.view) >= self._place(self.view)
            self.view = event.view
            if event.view.public.last_deal is not None:
                self.deals[event.view.public.last_deal.deal] = event.view.public.last_deal
        self._heed(event)

    async def play(self, target: Target) -> str:
        session = PeerSession("bot", f"Bot {self.number}", DEFAULT_LEVEL, request_ids=request_ids())
        return await play_table(target, new_identity(), session, self.runner)

    @staticmethod
    def _place(view: View) -> tuple[int, int]:
        return view.epoch, view.seq


async def storm(proxy: FaultProxy, seed: int) -> None:
    """Let one fault after the other happen to a line, with a moment of peace in between."""
    chance = random.Random(seed)
    while True:
        await asyncio.sleep(chance.uniform(0.1, 0.5))
        match chance.choice(["cut", "half-open", "hole", "one way", "delay", "throttle", "refuse"]):
            case "cut":
                proxy.cut()
            case "half-open":
                proxy.half_open()
            case "hole":
                proxy.black_hole()
            case "one way":
                proxy.black_hole(up=False)
            case "delay":
                proxy.delay(chance.uniform(0.01, 0.3))
            case "throttle":
                proxy.throttle(20_000)
            case "refuse":
                await proxy.refuse()
        await asyncio.sleep(chance.uniform(0.1, 1.5))
        proxy.heal()
        await proxy.listen()


@pytest.mark.parametrize("seed", [1])
def test_a_game_is_played_to_its_end_through_a_storm(home: Home, seed: int) -> None:
    key = read_identity(home)
    settings = HostSettings(
        home.tables, key.public, key.secret, port=0, loopback_only=True, idle=120_000,
        options=Options(target=TARGET),
    )  # fmt: skip
    # the table stays, or whoever is cut off as it ends would look for it for ever

    async def test() -> None:
        running = launch_table(settings)
        guests = [Guest(number) for number in range(4)]
        proxies = [FaultProxy(running.control) for _ in guests]
        for proxy in proxies:
            await proxy.listen()
        players = [
            asyncio.create_task(guest.play(Target("127.0.0.1", proxy.port, running.key)))
            for guest, proxy in zip(guests, proxies, strict=True)
        ]
        while not all(guest.view for guest in guests):
            await asyncio.sleep(0.01)
        storms = [
            asyncio.create_task(storm(proxy, 10 * seed + number))
            for number, proxy in enumerate(proxies)
        ]
        endings = await asyncio.wait_for(asyncio.gather(*players), 200)
        for task in storms:
            task.cancel()
        await asyncio.gather(*storms, return_exceptions=True)
        for proxy in proxies:
            await proxy.close()
        # how many depends on how long the game took; each loss was come back from
        assert sum(guest.losses for guest in guests), "it was no storm"
        assert set(endings) == {""}
        check([guest for guest in guests if guest.view is not None])

    try:
        asyncio.run(test())
    finally:
        stop_leftovers(home.tables)


def check(guests: list[Guest]) -> None:
    """Nobody saw another game than the others, and no point was lost or made."""
    deals: dict[int, DealSummary] = {}
    for guest in guests:
        for number, deal in guest.deals.items():
            assert deals.setdefault(number, deal) == deal
    totals = [0, 0, 0, 0]
    for number in sorted(deals):
        deal = deals[number]
        assert sum(deal.points) in (26, 78)
        totals = [total + points for total, points in zip(totals, deal.points, strict=True)]
        assert deal.totals == totals
    assert max(totals) >= TARGET
