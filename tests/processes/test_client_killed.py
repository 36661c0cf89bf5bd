"""A client is killed in every phase of a game, and its player is back in the same seat."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Callable
from typing import Any

import pytest

from hearts_net.peer.identity import new_identity
from hearts_net.protocol.messages import Say, View
from hearts_net.testing.seated import SeatedPlayer

VICTIM = 1
StartPlayer = Callable[..., Any]
Moment = tuple[str, Callable[[View], object]]
"""What is so when the client is killed, as the others see it."""


def seat(view: View) -> Any:
    return view.public.seats[VICTIM]


def in_trick(view: View, number: int, cards: int) -> bool:
    public = view.public
    return public.phase == "playing" and public.trick_number == number and (
        len(public.trick) == cards
    )  # fmt: skip


MOMENTS: list[Moment] = [
    ("in the lobby", lambda view: view.public.phase == "lobby"),
    ("ready in the lobby", lambda view: seat(view).ready and view.public.phase == "lobby"),
    ("asked to pass", lambda view: view.public.phase == "passing" and not seat(view).passed),
    ("having passed", lambda view: view.public.phase == "passing" and seat(view).passed),
    ("before the first card", lambda view: in_trick(view, 1, 0)),
    ("in the first trick", lambda view: in_trick(view, 1, 2)),
    ("between two tricks", lambda view: in_trick(view, 2, 0)),
    ("at turn", lambda view: view.public.turn == VICTIM and view.public.trick_number == 3),
    ("having played", lambda view: any(c.seat == VICTIM for c in view.public.trick)),
    ("with three cards out", lambda view: in_trick(view, 6, 3)),
    ("in the last trick", lambda view: in_trick(view, 13, 1)),
    ("between deals", lambda view: view.public.phase == "deal-over"),
    ("ready for the next", lambda view: seat(view).ready and view.public.phase == "deal-over"),
    ("passing again", lambda view: view.public.deal == 2 and view.public.phase == "passing"),
    ("in the second deal", lambda view: view.public.deal == 2 and in_trick(view, 4, 1)),
]
IN_FLIGHT = 5
"""Kills more, each at once after the client was told to act."""

BETWEEN = 1.5
"""Seconds between two arrivals: a host bears no more of one key for long."""


class Victims:
    """One player after another with the same key, each killed in the end."""

    def __init__(self, table: Any, start: StartPlayer, others: list[SeatedPlayer]) -> None:
        self._table = table
        self._start = start
        self._others = others
        self._identity = new_identity()
        self._told = (0, 0)
        self._next_at = 0.0
        self.now: Any = None

    @property
    def view(self) -> View:
        return self._others[0].view

    async def come(self) -> None:
        now = asyncio.get_running_loop().time()
        await asyncio.sleep(max(0.0, self._next_at - now))
        self._next_at = max(now, self._next_at) + BETWEEN
        self.now = self._start(self._table, self._identity, "Bram", seed=3)
        await self._others[0].until(
            lambda: (
                (seat(self.view).key, seat(self.view).presence)
                == (self._identity.public, "present")
            )
        )

    async def until(self, moment: Callable[[View], object]) -> None:
        """Let the game go on until it has come to a moment."""
        asha = self._others[0]
        while not moment(self.view):
            if self._may_act():
                self._told = self.now.newest
                self.now.tell("act")
            await asha.until(lambda: moment(self.view) or self._may_act())

    def _may_act(self) -> bool:
        """Tell whether it sees what the others see, so that it acts on nothing newer."""
        return bool(self.now.newest == (self.view.epoch, self.view.seq) != self._told)

    async def die(self) -> None:
        self.now.send(signal.SIGKILL)
        self.now.wait()
        asha = self._others[0]
        while seat(self.view).presence != "away":
            asha.do(Say("Where are you?"))  # a host notices who has gone when it tells them more
            with contextlib.suppress(AssertionError):
                await asha.until(lambda: seat(self.view).presence == "away", within=1.1)


def hold_at(others: list[SeatedPlayer], name: str, moment: Callable[[View], object]) -> None:
    """Have nobody act at a moment; one of them not even before it, where all must have acted."""
    for player in others:
        player.holds = moment
    if name.startswith("ready") or name == "having passed":
        others[0].holds = lambda view: view.public.phase in ("lobby", "passing", "deal-over")
    for player in others:
        player.plays = True
        player.act()


async def kill_at(table: Any, start: StartPlayer, moments: list[Moment], in_flight: int) -> None:
    table.start()
    asha = table.player(0, plays=False)
    await asha.until(lambda: asha.is_live)
    victims = Victims(table, start, [asha])
    await victims.come()
    others = [asha]
    for number in (2, 3):
        others.append(table.player(number))
        await others[-1].until(lambda: others[-1].is_live)
    for name, moment in moments:
        hold_at(others, name, moment)
        await victims.until(moment)
        await victims.die()
        await victims.come()
    for player in others:
        player.holds = None
        player.act()
    for _ in range(in_flight):
        await victims.until(lambda view: view.public.turn == VICTIM)
        victims.now.tell("act")
        await victims.die()
        await victims.come()
    victims.now.tell("play")
    deal, seen = asha.view.public.deal, len(asha.view.public.seen)
    await asha.until(lambda: (asha.view.public.deal, len(asha.view.public.seen)) > (deal, seen + 4))
    for player in others:
        await player.leave()
    table.check()


@pytest.mark.timeout(120)
def test_a_client_killed_between_two_cards_is_back_in_its_seat(
    table: Any, start_player: StartPlayer
) -> None:
    asyncio.run(kill_at(table, start_player, MOMENTS[2:3], 1))


@pytest.mark.long
@pytest.mark.timeout(300)
def test_a_client_killed_at_twenty_moments_is_back_in_its_seat(
    make_table: Callable[[], Any], start_player: StartPlayer
) -> None:
    """At two tables at once, since a host bears only so many arrivals of one key."""
    assert len(MOMENTS) + IN_FLIGHT == 20

    async def test() -> None:
        async with asyncio.TaskGroup() as group:
            group.create_task(kill_at(make_table(), start_player, MOMENTS[:10], 0))
            group.create_task(kill_at(make_table(), start_player, MOMENTS[10:], IN_FLIGHT))

    asyncio.run(test())


@pytest.mark.timeout(120)
def test_of_two_clients_with_one_key_the_newer_plays_and_the_older_stops(
    table: Any, start_player: StartPlayer
) -> None:
    async def test() -> None:
        table.start()
        identity = new_identity()
        asha = table.player(0, plays=False)
        await asha.until(lambda: asha.is_live)
        older = start_player(table, identity, "Bram")
        await asha.until(lambda: seat(asha.view).key == identity.public)
        newer = start_player(table, identity, "Bram")
        await asha.until(lambda: "SupersededBy" in older.events and newer.newest > (0, 0))
        newer.tell("act")
        await asha.until(lambda: seat(asha.view).ready)
        assert seat(asha.view).presence == "present"
        assert "SupersededBy" not in newer.events
        await asha.leave()

    asyncio.run(test())
