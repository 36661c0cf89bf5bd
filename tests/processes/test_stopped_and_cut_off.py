"""Processes stopped for a while, and lines that fail: everybody is back, nothing is lost."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable
from typing import Any

import pytest

from hearts_net.host.process import stop_table
from hearts_net.peer.identity import new_identity
from hearts_net.protocol import limits
from hearts_net.protocol.messages import Ready, Say, View
from hearts_net.testing.proxy import FaultProxy
from hearts_net.testing.seated import SeatedPlayer

StartPlayer = Callable[..., Any]


def stamp(view: View) -> tuple[int, int]:
    return view.epoch, view.seq


async def plays_on(players: list[SeatedPlayer], cards: int = 5) -> None:
    """Wait until so many more cards have been played, or the next deal has come."""

    def progress() -> tuple[int, int]:
        public = players[0].view.public
        return public.deal, len(public.seen)

    deal, seen = progress()
    await players[0].until(lambda: progress() >= (deal, seen + cards))


async def change(player: SeatedPlayer, end: float) -> None:
    """Bring about new states until ``end``, as fast as the host lets a player do so."""
    rate = limits.RATES["command"]
    number = 0
    while asyncio.get_running_loop().time() < end or number < rate.at_once - 2:
        number += 1
        reply = (await player.replied(player.do(Ready(number % 2 == 1)))).reply
        assert reply.ok, reply
        if number >= rate.at_once - 2:
            await asyncio.sleep(rate.every * 1.1 / 1000)


async def stop_client(table: Any, start: StartPlayer, seconds: float) -> None:
    """Stop a client while new states pile up for it, then let it go on."""
    asha = table.player(0, plays=False)
    await asha.until(lambda: asha.is_live)
    bram = start(table, new_identity(), "Bram")
    await asha.until(lambda: bram.newest > (0, 0))
    others = [asha, *(table.player(seat, plays=False) for seat in (2, 3))]
    for player in others:
        await player.until(lambda player=player: player.is_live and player.view.own)
    bram.send(signal.SIGSTOP)
    end = asyncio.get_running_loop().time() + seconds
    await asyncio.gather(*(change(player, end) for player in others))
    bram.send(signal.SIGCONT)
    await asha.until(lambda: bram.newest == stamp(asha.view))
    await asha.until(lambda: asha.view.public.seats[1].presence == "present")
    bram.tell("act")
    await asha.until(lambda: asha.view.public.seats[1].ready or asha.view.public.game)
    for player in others:
        await player.leave()


async def stop_host(table: Any, seconds: float) -> None:
    """Stop the host in the middle of a deal, then let it go on."""
    async with table.four() as players:
        await players[0].until(lambda: len(players[0].view.public.seen) > 5)
        table.send(signal.SIGSTOP)
        said = [player.do(Say("hello?")) for player in players]
        await asyncio.sleep(seconds)
        table.send(signal.SIGCONT)
        for player, request in zip(players, said, strict=True):
            assert (await player.replied(request)).reply.ok
            await player.until(lambda player=player: player.is_live)
        await plays_on(players)
    table.check()


@pytest.mark.timeout(120)
def test_a_client_stopped_for_a_second_while_views_pile_up(
    table: Any, start_player: StartPlayer
) -> None:
    async def test() -> None:
        table.start()
        await stop_client(table, start_player, 1)

    asyncio.run(test())


@pytest.mark.timeout(120)
def test_a_client_asleep_as_the_table_ends_hears_of_it_when_it_wakes(
    table: Any, start_player: StartPlayer
) -> None:
    async def test() -> None:
        table.start()
        sleepers = [start_player(table, new_identity(), name) for name in ("Bram", "Chloé")]
        async with asyncio.timeout(60):
            while any(sleeper.newest == (0, 0) for sleeper in sleepers):
                await asyncio.sleep(0.01)
        for sleeper in sleepers:
            sleeper.send(signal.SIGSTOP)
        await asyncio.to_thread(stop_table, table.now)
        for sleeper in sleepers:
            sleeper.send(signal.SIGCONT)
        async with asyncio.timeout(20):
            while not all("HostClosing" in sleeper.events for sleeper in sleepers):
                await asyncio.sleep(0.01)

    asyncio.run(test())


@pytest.mark.long
@pytest.mark.timeout(180)
def test_clients_and_hosts_stopped_for_long_go_on_where_they_were(
    make_table: Callable[[], Any], start_player: StartPlayer
) -> None:
    """Each at a table of its own, all at once: most of it is waiting."""

    async def test() -> None:
        tables = [make_table() for _ in range(5)]
        for table in tables:
            table.start()
        async with asyncio.TaskGroup() as group:
            for table, seconds in zip(tables[:2], (5, 30), strict=True):
                group.create_task(stop_client(table, start_player, seconds))
            for table, seconds in zip(tables[2:], (1, 5, 30), strict=True):
                group.create_task(stop_host(table, seconds))

    asyncio.run(test())


@pytest.mark.long
@pytest.mark.timeout(180)
def test_a_game_over_a_line_that_is_cut_swallows_everything_or_is_slow(table: Any) -> None:
    async def test() -> None:
        table.start()
        async with FaultProxy(table.now.control) as proxy:
            others = [table.player(seat) for seat in (0, 2, 3)]
            bram = table.player(1, port=proxy.port)
            players = [bram, *others]
            for player in players:
                await player.until(lambda player=player: player.is_live)
            await bram.until(lambda: bram.view.public.seen)
            for _ in range(3):
                proxy.cut()
                await plays_on(players)
            for way in ({"up": True, "down": True}, {"up": False}, {"down": False}):
                proxy.black_hole(**way)
                await asyncio.sleep(2.5)
                proxy.heal()
                await bram.until(lambda: bram.is_live)
                await plays_on(players)
            proxy.half_open()
            await plays_on(players)
            proxy.delay(0.1)
            proxy.throttle(20_000)
            await plays_on(players, cards=8)
            proxy.heal()
            for player in players:
                await player.leave()
        table.check()

    asyncio.run(test())
