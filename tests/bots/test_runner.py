"""A bot between a link's events and the commands that it sends."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pytest
from msgspec.structs import replace

from hearts_net.bots.from_deal import view_of
from hearts_net.bots.levels import make_player
from hearts_net.bots.mind import NO_PAUSE, Mind, Question
from hearts_net.bots.runner import PATIENCE, Runner
from hearts_net.bots.thinker import QuickThinker
from hearts_net.protocol.codes import ErrorCode, ProtocolError
from hearts_net.protocol.messages import AnyAct, Pass, Play, Reply, View
from hearts_net.protocol.peer_session import (
    CodeAsked,
    Event,
    HostClosing,
    LinkChanged,
    LinkState,
    NewView,
    RemovedBy,
    Replied,
)
from hearts_net.rules.options import Options

if TYPE_CHECKING:
    from tests.bots.conftest import Kitchen


@dataclass
class Recorder:
    """A line that keeps what is sent over it; ``refuses`` are codes for what cannot be sent."""

    sent: list[tuple[AnyAct, int | None]] = field(default_factory=list)
    refuses: list[ErrorCode] = field(default_factory=list)
    left: bool = False
    news: asyncio.Event = field(default_factory=asyncio.Event)

    def do(self, act: AnyAct, seat: int | None = None) -> int:
        self.news.set()
        if self.refuses:
            raise ProtocolError(self.refuses.pop())
        self.sent.append((act, seat))
        return len(self.sent)

    def leave(self) -> None:
        self.left = True
        self.news.set()

    async def until(self, count: int) -> None:
        async with asyncio.timeout(10):
            while len(self.sent) < count and not self.left:
                self.news.clear()
                await self.news.wait()


class Clock:
    """A monotonic clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 0

    def __call__(self) -> int:
        return self.now


class Failing:
    """A player with a fault."""

    async def think(self, question: Question) -> AnyAct:
        raise ZeroDivisionError(question.kind)


class Slow:
    """A player who thinks until it is told to stop."""

    def __init__(self) -> None:
        self.asked: list[Question] = []
        self.go = asyncio.Event()
        self._quick = QuickThinker(make_player("medium"))

    async def think(self, question: Question) -> AnyAct:
        self.asked.append(question)
        await self.go.wait()
        return await self._quick.think(question)


def in_loop(test: Callable[[], Coroutine[object, object, None]]) -> None:
    asyncio.run(test())


@pytest.fixture
def playing(kitchen: Kitchen) -> View:
    deal = kitchen.deal(Options(), 4, "runner").play(0)
    assert deal.turn is not None
    return replace(view_of(deal, deal.turn), epoch=1, seq=5)


@pytest.fixture
def log() -> list[str]:
    return []


def runner_of(log: list[str], thinker: QuickThinker | Failing | Slow | None = None) -> Runner:
    quick = thinker or QuickThinker(make_player("medium"))
    return Runner(Mind("s", NO_PAUSE), quick, log=log.append)


def test_a_view_is_answered_with_a_card(playing: View, log: list[str]) -> None:
    async def run() -> None:
        runner, line = runner_of(log), Recorder()
        runner.take_line(line)
        runner.heed(LinkChanged(LinkState.LIVE, 0))
        runner.heed(NewView(playing, False))
        await line.until(1)
        ((act, seat),) = line.sent
        assert isinstance(act, Play)
        assert playing.own is not None
        assert act.card in playing.own.legal
        assert seat is None
        assert log == []

    in_loop(run)


def test_a_stale_answer_is_given_again_for_the_newest_view(playing: View, log: list[str]) -> None:
    async def run() -> None:
        runner, line = runner_of(log), Recorder()
        runner.take_line(line)
        runner.heed(NewView(playing, False))
        await line.until(1)
        runner.heed(NewView(replace(playing, seq=9), False))
        runner.heed(Replied(1, Reply(1, False, "stale-trick", {}, 1, 9), line.sent[0][0]))
        await line.until(2)
        assert log == []

    in_loop(run)


def test_a_player_with_a_fault_still_plays_a_legal_card(playing: View, log: list[str]) -> None:
    async def run() -> None:
        runner, line = runner_of(log, Failing()), Recorder()
        runner.take_line(line)
        runner.heed(NewView(playing, False))
        await line.until(1)
        act = line.sent[0][0]
        assert isinstance(act, Play)
        assert playing.own is not None
        assert act.card in playing.own.legal
        assert log == ["the player failed: ZeroDivisionError"]

    in_loop(run)


def test_a_slow_player_is_asked_once_and_its_late_answer_is_dropped(
    playing: View, log: list[str]
) -> None:
    async def run() -> None:
        slow, line = Slow(), Recorder()
        runner = runner_of(log, slow)
        runner.take_line(line)
        runner.heed(NewView(playing, False))
        await asyncio.sleep(0)
        runner.heed(NewView(replace(playing, seq=6), False))
        later = replace(playing, seq=7, public=replace(playing.public, trick_number=2))
        runner.heed(NewView(later, False))
        await asyncio.sleep(0)
        assert len(slow.asked) == 1
        slow.go.set()
        await line.until(1)
        assert len(line.sent) == 1
        assert [question.view.seq for question in slow.asked] == [5, 7]

    in_loop(run)


def test_what_cannot_be_sent_is_tried_again_with_any_legal_card(
    playing: View, log: list[str]
) -> None:
    async def run() -> None:
        clock, line = Clock(), Recorder(refuses=[ErrorCode.BAD_FIELD])
        thinker = QuickThinker(make_player("medium"))
        runner = Runner(Mind("s", NO_PAUSE), thinker, log=log.append, now=clock)
        runner.take_line(line)
        runner.heed(NewView(playing, False))
        async with asyncio.timeout(10):
            await line.news.wait()
        assert line.sent == []
        clock.now += 10_000
        runner.heed(NewView(playing, False))
        await line.until(1)
        assert isinstance(line.sent[0][0], Play)
        assert log == ["not sent: bad-field"]

    in_loop(run)


def test_a_refused_card_is_logged(playing: View, log: list[str]) -> None:
    async def run() -> None:
        runner, line = runner_of(log), Recorder()
        runner.take_line(line)
        runner.heed(NewView(playing, False))
        await line.until(1)
        runner.heed(Replied(1, Reply(1, False, "must-follow", {}, 1, 5), line.sent[0][0]))
        assert log == ["Play refused: must-follow"]
        runner.stop()

    in_loop(run)


def test_when_the_table_closes_nothing_more_is_sent(playing: View, log: list[str]) -> None:
    async def run() -> None:
        runner, line = runner_of(log), Recorder()
        runner.take_line(line)
        runner.heed(HostClosing("done"))
        runner.heed(NewView(playing, False))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert line.sent == []
        assert runner.closing == "done"

    in_loop(run)


def test_a_guest_leaves_a_finished_table_without_people(playing: View, log: list[str]) -> None:
    async def run() -> None:
        clock, line = Clock(), Recorder()
        mind = Mind("s", NO_PAUSE, guest=True)
        thinker = QuickThinker(make_player("easy"))
        runner = Runner(mind, thinker, log=log.append, now=clock)
        runner.take_line(line)
        over = replace(playing, public=replace(playing.public, phase="game-over"))
        assert over.own is not None
        over = replace(over, own=replace(over.own, may=[], legal=[]))
        runner.heed(NewView(over, False))
        clock.now = 60_000
        runner.heed(NewView(replace(over, seq=6), False))
        assert line.left

    in_loop(run)


def test_a_guest_without_a_seat_leaves_a_game_after_a_while(playing: View, log: list[str]) -> None:
    async def run() -> None:
        clock, line = Clock(), Recorder()
        thinker = QuickThinker(make_player("easy"))
        mind = Mind("s", NO_PAUSE, guest=True)
        runner = Runner(mind, thinker, log=log.append, now=clock, guest=True)
        runner.take_line(line)
        seatless = replace(playing, own=None, may=["sit"])
        runner.heed(NewView(seatless, False))
        clock.now = PATIENCE - 1
        runner.heed(NewView(replace(seatless, seq=6), False))
        assert not line.left
        clock.now = PATIENCE
        runner.heed(NewView(replace(seatless, seq=7), False))
        assert line.left
        assert runner.turned_away

    in_loop(run)


def test_a_guest_with_a_seat_waits_through_a_lost_connection(playing: View, log: list[str]) -> None:
    async def run() -> None:
        clock, line = Clock(), Recorder()
        mind, thinker = Mind("s", NO_PAUSE, guest=True), QuickThinker(make_player("easy"))
        runner = Runner(mind, thinker, log=log.append, now=clock, guest=True)
        runner.take_line(line)
        runner.heed(NewView(replace(playing, own=None, may=[]), False))
        runner.heed(NewView(replace(playing, seq=6), False))
        await line.until(1)
        runner.heed(LinkChanged(LinkState.LOST, 0))
        clock.now = 10 * PATIENCE
        runner.heed(LinkChanged(LinkState.LIVE, 0))
        runner.heed(NewView(replace(playing, seq=7), False))
        assert not line.left
        assert not runner.turned_away
        runner.stop()

    in_loop(run)


def test_a_pass_goes_out_like_a_card(kitchen: Kitchen, log: list[str]) -> None:
    async def run() -> None:
        view = replace(view_of(kitchen.deal(Options(), 1, "pass"), 3), epoch=1, seq=2)
        runner, line = runner_of(log), Recorder()
        runner.take_line(line)
        runner.heed(NewView(view, False))
        await line.until(1)
        assert isinstance(line.sent[0][0], Pass)

    in_loop(run)


@pytest.mark.parametrize(
    ("event", "code"),
    [
        (RemovedBy("kicked"), ErrorCode.NOT_ADMITTED),
        (RemovedBy("banned"), ErrorCode.BANNED),
        (CodeAsked(), ErrorCode.WRONG_CODE),
    ],
)
def test_a_bot_that_is_not_wanted_says_why(event: Event, code: ErrorCode) -> None:
    line = Recorder()
    mind, thinker = Mind("s", NO_PAUSE), QuickThinker(make_player("easy"))
    runner = Runner(mind, thinker, log=lambda _: None)
    runner.take_line(line)
    runner.heed(event)
    assert runner.refused == code
    assert line.left == (event == CodeAsked())
