"""The host is killed between any two of its steps, and nothing that it told is ever lost."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from typing import Any

import pytest

from hearts_net.host.settings import CRASH_MOMENTS, crash_point
from hearts_net.peer.home import Home
from hearts_net.peer.target import finder_for
from hearts_net.testing.ports import in_the_way
from hearts_net.testing.seated import SeatedPlayer


async def all_live(players: list[SeatedPlayer], epoch: int) -> None:
    for player in players:
        await player.until(
            lambda player=player: player.is_live and player.view.epoch == epoch  # type: ignore[misc]
        )


def progress(players: list[SeatedPlayer]) -> tuple[int, int]:
    public = players[0].view.public
    return public.deal, len(public.seen)


async def plays_on(players: list[SeatedPlayer], cards: int = 5) -> None:
    """Wait until so many more cards have been played, or the next deal has come."""
    deal, seen = progress(players)
    await players[0].until(lambda: progress(players) >= (deal, seen + cards))


@pytest.mark.parametrize("text", ["now", "before-commit", "before-commit:0", "after-lunch:3", ":"])
def test_a_crash_point_is_one_or_is_refused(text: str) -> None:
    from hearts_net.host.errors import HostError

    assert crash_point({}) is None
    found = crash_point({"HEARTS_NET_CRASH_AT": "after-reply:12"})
    assert found is not None
    assert (found.moment, found.number) == ("after-reply", 12)
    with pytest.raises(HostError):
        crash_point({"HEARTS_NET_CRASH_AT": text})


async def crash_and_come_back(table: Any, moments: list[str]) -> None:
    """Play one game through a crash at each of these moments."""
    table.start(moments[0])
    async with table.four() as players:
        for epoch, moment in enumerate([*moments[1:], ""], start=2):
            await table.dead()
            before = table.now
            await table.start_again(moment)
            assert (table.now.control, table.now.key) == (before.control, before.key)
            if moment:
                continue  # it may die before everybody is back
            await all_live(players, epoch)
        await plays_on(players)
        table.check()


@pytest.mark.timeout(120)
def test_a_host_killed_around_a_commit_a_reply_and_a_publication(table: Any) -> None:
    moments = ["after-commit:17", "before-reply:9", "before-publication:20"]
    asyncio.run(crash_and_come_back(table, moments))


@pytest.mark.long
@pytest.mark.timeout(300)
def test_a_host_killed_at_each_kind_of_moment(make_table: Callable[[], Any]) -> None:
    """At two tables at once: a game that comes back waits more than it works."""
    rng = random.Random(7)
    moments = [f"{moment}:{rng.randint(1, 30)}" for moment in CRASH_MOMENTS for _ in range(3)]
    rng.shuffle(moments)

    async def test() -> None:
        async with asyncio.TaskGroup() as group:
            for some in (moments[:9], moments[9:]):
                # at first only when all four are there
                work = crash_and_come_back(make_table(), ["before-commit:23", *some])
                group.create_task(work)

    asyncio.run(test())


@pytest.mark.long
@pytest.mark.timeout(300)
def test_a_host_killed_at_twenty_random_moments(make_table: Callable[[], Any]) -> None:
    """Ten at each of two tables."""

    async def kill_ten(table: Any, rng: random.Random) -> None:
        table.start()
        async with table.four() as players:
            for epoch in range(2, 12):
                if rng.random() < 0.5:
                    await players[0].until(lambda: players[0].view.public.seen)
                await asyncio.sleep(rng.uniform(0, 0.3))
                await table.killed()
                await table.start_again()
                if rng.random() < 0.7:  # else it is killed while they come back
                    await all_live(players, epoch)
            await all_live(players, 11)
            await plays_on(players)
            table.check()

    async def test() -> None:
        async with asyncio.TaskGroup() as group:
            for seed in (20, 21):
                group.create_task(kill_ten(make_table(), random.Random(seed)))

    asyncio.run(test())


@pytest.mark.timeout(120)
def test_a_host_that_comes_back_on_another_port_is_found_and_the_game_goes_on(
    table: Any, tmp_path: Any
) -> None:
    home = Home(tmp_path / "config", tmp_path / "data", tmp_path)
    assert home.tables == table.settings.tables

    async def test() -> None:
        table.start()
        finder = finder_for(home, [table.target()])
        async with table.four(finder=finder) as players:
            await players[0].until(lambda: players[0].view.public.seen)
            before = table.now.control
            await table.killed()
            with in_the_way(before):
                await table.start_again()
                assert table.now.control != before
                await all_live(players, 2)
                await plays_on(players)
                table.check()

    asyncio.run(test())
