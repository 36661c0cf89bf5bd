"""The application on a terminal in memory: bytes of keys go in, cells come out.

The table is a real host over the network in memory; its time passes as the tests say.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import pytest
from prompt_toolkit.input import PipeInput, create_pipe_input
from prompt_toolkit.output.vt100 import Vt100_Output

from hearts_client.doors import ListedTable, NewTable, SavedTable
from hearts_client.full.app import FullScreen
from hearts_client.past import Past
from hearts_client.settings import ClientSettings, Colours
from hearts_client.tablelink import LinkFactory
from hearts_client.testing.glass import Glass
from hearts_client.themefile import Background
from hearts_net.peer.errors import LinkCode, LinkError
from hearts_net.protocol.messages import AnyAct
from hearts_net.protocol.peer_session import LinkState
from hearts_net.rules.errors import HeartsError
from hearts_net.testing.network import HOST_KEY, MemoryNetwork, MemoryPeer, opening

DEADLINE = 8.0
WAITED = ("YOUR TURN", "Deal 1 is over.")


class MemoryLink:
    """A link over the network in memory."""

    def __init__(self, peer: MemoryPeer, on_event: Callable[[object], None]) -> None:
        self.peer = peer
        self.on_event = on_event
        self.told = 0
        self.error: Exception | None = None
        self.broken: Exception | None = None
        self.done = asyncio.Event()

    async def run(self) -> None:
        self.pump()
        await self.done.wait()
        if self.error is not None:
            raise self.error

    def do(self, act: AnyAct) -> int:
        if self.broken is not None:
            raise self.broken
        return self.peer.do(act)

    def give_code(self, text: str) -> None:
        self.peer.give_code(text)

    def fetch(self, what: str, after: int) -> None:
        self.peer.fetch(what, after)

    def leave(self) -> None:
        self.peer.leave()

    def pump(self, milliseconds: int = 20) -> None:
        """Let time pass at the table, and tell what came of it."""
        self.peer.network.run_for(milliseconds)
        while self.told < len(self.peer.events):
            event = self.peer.events[self.told]
            self.told += 1
            self.on_event(event)
        if self.peer.session.state is LinkState.ENDED:
            self.done.set()

    def fail(self, error: Exception) -> None:
        self.error = error
        self.done.set()


class Person:
    """Somebody at a terminal."""

    def __init__(self, keys: PipeInput, glass: Glass, screen: FullScreen) -> None:
        self.keys = keys
        self.glass = glass
        self.screen = screen
        self.link: MemoryLink | None = None
        self.task: asyncio.Task[int] | None = None

    def factory(self, network: MemoryNetwork, key: str = HOST_KEY) -> LinkFactory:
        def make(on_event: Callable[[object], None]) -> MemoryLink:
            peer = network.add_peer("Asha", key=key, plays=False, live=False)
            self.link = MemoryLink(peer, on_event)
            return self.link

        return make

    def begin(self, factory: LinkFactory | None) -> None:
        self.task = asyncio.create_task(self.screen.run(factory))

    async def until_so(self, condition: Callable[[], bool]) -> None:
        """Wait until something is so, time passing at the table."""
        deadline = asyncio.get_running_loop().time() + DEADLINE
        while True:
            if self.link is not None:
                self.link.pump()
            if condition():
                return
            assert self.task is not None
            assert not self.task.done(), self.glass.text()
            assert asyncio.get_running_loop().time() < deadline, self.glass.text()
            await asyncio.sleep(0.005)

    async def until(self, *words: str, without: str = "") -> str:
        """Wait until all these words are on the screen, time passing at the table."""

        def shown() -> bool:
            text = self.glass.text()
            return all(word in text for word in words) and not (without and without in text)

        await self.until_so(shown)
        return self.glass.text()

    async def type(self, keys: str, *words: str, without: str = "") -> None:
        self.keys.send_text(keys)
        if words:
            await self.until(*words, without=without)

    async def ended(self) -> int:
        assert self.task is not None
        deadline = asyncio.get_running_loop().time() + DEADLINE
        while not self.task.done() and asyncio.get_running_loop().time() < deadline:
            if self.link is not None:
                self.link.pump()
            await asyncio.sleep(0.005)
        return await asyncio.wait_for(self.task, 1)


Meet: TypeAlias = Callable[..., "contextlib.AbstractAsyncContextManager[Person]"]


@contextlib.asynccontextmanager
async def someone(
    *, size: tuple[int, int] = (80, 24), doors: Any = None, **settings: Any
) -> AsyncIterator[Person]:
    glass = Glass(*size)
    settings = {"speed_ms": 0, "guard_ms": 0, **settings}
    with create_pipe_input() as keys:
        screen = FullScreen(
            ClientSettings(name="Asha", **settings),
            doors=doors,
            place="10.0.0.1:26052",
            terminal_input=keys,
            terminal_output=Vt100_Output(glass, glass.size, term="xterm"),
        )
        person = Person(keys, glass, screen)
        try:
            yield person
        finally:
            if person.task is not None and not person.task.done():
                person.task.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await person.task


def holds_fewer(person: Person, than: int) -> bool:
    return len(person.screen.model.hand) < than


def table(bots: int = 3, **changes: Any) -> MemoryNetwork:
    """A table at which so many bots sit already."""
    return MemoryNetwork(seed=3, opening=opening(bots=("medium",) * bots, **changes))


def run(work: Any) -> None:
    asyncio.run(work)


async def seated(person: Person) -> None:
    """Begin at a table with three bots and get as far as the first pass."""
    person.begin(person.factory(table()))
    await person.until("Press Enter when you are ready")
    await person.type("\r", "PASS 3 LEFT", "0 of 3")


def test_a_deal_is_played_with_keys() -> None:
    async def work() -> None:
        async with someone() as person:
            await seated(person)
            await person.type("123", "3 of 3 marked")
            await person.type("\r", "Trick 1/13")
            for held in range(13, 0, -1):
                await person.until_so(lambda: any(w in person.glass.text() for w in WAITED))
                if "Deal 1 is over." in person.glass.text():  # somebody has claimed the rest
                    break
                person.keys.send_text("\r")
                await person.until_so(partial(holds_fewer, person, held))
            await person.until("Deal 1 is over.", "Enter: next deal.")
            assert person.glass.bells >= 2
            await person.type("qy")
            assert await person.ended() == 0

    run(work())


def test_leaving_asks_and_says_goodbye(capsys: pytest.CaptureFixture[str]) -> None:
    async def work() -> None:
        async with someone() as person:
            await seated(person)
            await person.type("\x03", "Leave the table in the middle of a deal?")
            await person.type("n", "PASS 3 LEFT")
            await person.type("q", "[ Stay ]")
            await person.type("y")
            assert await person.ended() == 0
            assert person.link is not None
            assert person.link.peer.session.state is LinkState.ENDED
            assert "\x1b[?1049l" in person.glass.raw

    run(work())
    assert capsys.readouterr().out == "You have left the table.\n"


def test_pasted_text_does_nothing_at_the_table() -> None:
    async def work() -> None:
        async with someone() as person:
            await seated(person)
            await person.type("\x1b[200~qqq\ry\x1b[201~", "Pasted text is dropped")
            await person.type("c", "Say:")
            await person.type("\x1b[200~hi\r\nqqq\x1b[201~", "Say: hi qqq")
            await person.type("\r", "You: hi qqq")

    run(work())


def test_an_idle_client_writes_nothing() -> None:
    async def work() -> None:
        async with someone() as person:
            await seated(person)
            await person.until("has passed", without="bot chooses")
            assert person.link is not None
            for _ in range(40):  # whatever was still to come has come
                person.link.pump(200)
                await asyncio.sleep(0.005)
            written = len(person.glass.raw)
            for _ in range(15):
                person.link.pump(1000)
                await asyncio.sleep(0.1)
            assert person.glass.raw[written:] == ""

    run(work())


def test_text_of_uncertain_width_is_written_anew_as_a_whole() -> None:
    async def work() -> None:
        async with someone() as person:
            await seated(person)
            await person.type("cनमस्ते\r", "You: नमस्त")
            written = len(person.glass.raw)
            await person.type("z", "z does nothing here")
            assert "\x1b[2J" in person.glass.raw[written:]

    run(work())


def test_unknown_keys_say_so() -> None:
    async def work() -> None:
        async with someone() as person:
            await seated(person)
            await person.type("z", "z does nothing here; ? lists the keys.")
            await person.type("?", "mark a card to pass")
            await person.type("\r", "PASS 3 LEFT")

    run(work())


def test_a_window_too_small_takes_no_keys_but_those_that_leave() -> None:
    async def work() -> None:
        async with someone() as person:
            await seated(person)
            person.glass.screen.resize(5, 20)
            await person.type(" 1c23\x1b[200~hi\x1b[201~q", "Leave? y leaves")
            assert person.screen.model.marked == ()
            await person.type("\rn", "hearts-net needs")
            person.glass.screen.resize(24, 80)
            await person.type("3", "1 of 3 marked")
            person.glass.screen.resize(5, 20)
            await person.type("q", "Leave? y leaves")
            await person.type("y")
            assert await person.ended() == 0

    run(work())


def test_a_notice_goes_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hearts_client.full.ticking.NOTICE_SECONDS", 0.3)

    async def work() -> None:
        async with someone() as person:
            await seated(person)
            await person.type("z", "z does nothing here")
            await person.until("PASS 3 LEFT", without="z does nothing here")

    run(work())


def test_the_mouse_chooses_a_card_once_it_is_on() -> None:
    async def work() -> None:
        async with someone() as person:
            await seated(person)
            assert "\x1b[?1000h" not in person.glass.raw
            await person.type("m", "Mouse on")
            assert "\x1b[?1000h" in person.glass.raw
            row, line = next(
                (n, line) for n, line in enumerate(person.glass.screen.display) if " > " in line
            )
            column = max(n for n, cell in enumerate(line) if cell in "♣♦♠♥")
            click = f"\x1b[<0;{column + 1};{row + 1}M\x1b[<0;{column + 1};{row + 1}m"
            await person.type(click, "1 of 3 marked")
            await person.type("m", "Mouse off")

    run(work())


def test_settings_change_by_key_and_by_mouse_while_the_game_goes_on() -> None:
    async def work() -> None:
        async with someone(mouse=True) as person:
            await seated(person)
            await person.type(",", "Choosing ahead", "PASS 3 LEFT")
            row = next(n for n, line in enumerate(person.glass.screen.display) if "Deck " in line)
            click = f"\x1b[<0;10;{row + 1}M\x1b[<0;10;{row + 1}m"
            await person.type(click, "← four colours →")
            await person.type(click, "← two colours →")
            assert person.screen.model.settings.colours is Colours.TWO
            await person.type("\x1b[C", "← no colour anywhere →")
            await person.type("q", "Your hand, 13 cards", without="Choosing ahead")

    run(work())


def test_the_tricks_of_a_game_are_fetched_from_its_host() -> None:
    async def work() -> None:
        async with someone() as person:
            await seated(person)
            await person.type("123", "3 of 3 marked")
            await person.type("\r", "Trick 1/13")
            await person.until("YOUR TURN")
            await person.type("\r", "Trick 2/13")
            model = person.screen.model
            forgotten = replace(model.table, past=Past(), log=())
            person.screen.model = replace(model, table=forgotten)
            await person.type("r", "Deal 1, passed to the left", "taken by", without="fetched")
            assert any(
                line.split()[:1] == ["1"] and "*2♣" in line for line in person.glass.screen.display
            )

    run(work())


def test_two_clients_in_one_process() -> None:
    async def work() -> None:
        network = table(bots=2)
        async with someone() as first, someone(ascii=True) as second:
            first.begin(first.factory(network))
            await first.until("HEARTS attic")
            second.begin(second.factory(network, key=network.new_key()))
            await second.until("HEARTS attic", "Asha 2")
            await second.type("chello\r", "You: hello")
            await first.until("Asha 2: hello")
            assert second.glass.text().isascii()
            assert not first.glass.text().isascii()

    run(work())


def test_a_seat_taken_over_elsewhere_is_told_and_ends() -> None:
    async def work() -> None:
        network = table()
        async with someone() as first, someone() as second:
            first.begin(first.factory(network))
            await first.until("HEARTS attic")
            second.begin(second.factory(network))
            await second.until("HEARTS attic")
            await first.until("Your seat is played from another window")
            await first.type("\r")
            assert await first.ended() == 0
            await second.type("c", "Say:")

    run(work())


def test_a_lost_link_is_told_and_counted() -> None:
    async def work() -> None:
        async with someone() as person:
            await seated(person)
            assert person.link is not None
            person.link.peer.network.kill_host()
            await person.until("RECONNECTING to 10.0.0.1:26052")
            person.link.peer.network.start_host()
            await person.until("PASS 3 LEFT", without="RECONNECTING")

    run(work())


def test_a_closed_table_says_why_and_waits_for_a_key() -> None:
    async def work() -> None:
        async with someone() as person:
            await seated(person)
            await person.type("q", "End the table for all, saved")
            await person.type("\x1b[D\r", "The table has ended, and the game is saved")
            await person.type("\r")
            assert await person.ended() == 0

    run(work())


def test_a_link_that_cannot_be_made_is_raised_once_the_screen_is_gone() -> None:
    async def work() -> None:
        async with someone() as person:
            person.begin(person.factory(table()))
            await person.until("HEARTS")
            assert person.link is not None
            person.link.fail(LinkError(LinkCode.HOST_DOWN, address="10.0.0.1:26052"))
            with pytest.raises(HeartsError) as caught:
                await person.ended()
            assert caught.value.code == "host-down"
            assert person.glass.raw.rstrip().endswith("\x1b[?25h")

    run(work())


class StillbornLink(MemoryLink):
    """A link that fails before the screen is there."""

    async def run(self) -> None:
        raise LinkError(LinkCode.HOST_DOWN, address="10.0.0.1:26052")


def test_a_link_that_fails_at_once_ends_the_client_too() -> None:
    async def work() -> None:
        async with someone() as person:
            network = table()

            def make(on_event: Callable[[object], None]) -> MemoryLink:
                return StillbornLink(network.add_peer("Asha", plays=False, live=False), on_event)

            person.begin(make)
            with pytest.raises(HeartsError):
                await person.ended()

    run(work())


def test_a_crash_ends_in_one_sentence_and_a_log(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    async def work() -> None:
        log = tmp_path / "client.log"
        async with someone(log_file=log) as person:
            await seated(person)

            assert person.link is not None
            person.link.broken = ZeroDivisionError("by a test")
            person.keys.send_text("chi\r")
            assert await person.ended() == 1
        assert "ZeroDivisionError: by a test" in log.read_text(encoding="utf-8")
        said = capsys.readouterr().err
        assert said.count("\n") == 1
        assert str(log) in said
        assert "Traceback" not in person.glass.raw

    run(work())


def test_a_failing_screen_ends_the_client(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HEARTS_NET_HOME", str(tmp_path))

    def broken(*_facts: object) -> None:
        raise ZeroDivisionError("by a test")

    async def work() -> None:
        async with someone() as person:
            await seated(person)
            monkeypatch.setattr("hearts_client.full.app.draw", broken)
            person.keys.send_text("?")
            assert await person.ended() == 1
            assert "Traceback" not in person.glass.raw

    run(work())
    said = capsys.readouterr().err
    assert "ZeroDivisionError: by a test" in said
    assert said.count("\n") == 1


KITCHEN = ListedTable("kitchen", "10.0.0.9:26052", verified=True)


class Doors:
    """Doors to tables in memory."""

    def __init__(self, factory: Callable[[], LinkFactory]) -> None:
        self.factory = factory
        self.opened: list[object] = []
        self.own: list[ListedTable] = []
        self.looks = 0

    async def open(self) -> None:
        pass

    async def play(self) -> LinkFactory:
        self.opened.append("play")
        return self.factory()

    async def host(self, wanted: NewTable) -> LinkFactory:
        self.opened.append(wanted)
        return self.factory()

    async def join(self, address: str, *, watch: bool = False) -> LinkFactory:
        if address not in [KITCHEN.address, *(table.address for table in self.own)]:
            raise LinkError(LinkCode.BAD_ADDRESS, text=address)
        self.opened.append((address, watch))
        return self.factory()

    async def resume(self, table: str) -> LinkFactory:
        self.opened.append(table)
        return self.factory()

    async def look(self, heed: Callable[[Sequence[ListedTable]], None]) -> None:
        self.looks += 1
        self.heed = heed
        try:
            heed([KITCHEN])
            await asyncio.Event().wait()
        finally:
            self.looks -= 1

    def rename(self, name: str) -> None:
        self.opened.append(("called", name))

    def favour(self, address: str, *, favourite: bool) -> None:
        self.opened.append(("favour", address, favourite))

    def left_open(self) -> Sequence[ListedTable]:
        return self.own

    def saved(self) -> Sequence[SavedTable]:
        return [SavedTable("t7", "attic", 3, ["Asha", "Bram"])]


def test_the_start_screen_opens_doors_and_comes_back() -> None:
    async def work() -> None:
        holder: list[Person] = []
        doors = Doors(lambda: holder[0].factory(table()))
        async with someone(doors=doors) as person:
            holder.append(person)
            person.begin(None)
            await person.until("Play now", "kitchen", "Resume attic")
            await person.type("\x1b[B\x1b[B\x1b[B\r", "Address or invite:")
            await person.type("nowhere!\r", "“nowhere!” is no address")
            await person.type("\x1b[A\x1b[A\x1b[A\r", "PASS 3 LEFT")  # ready at once
            await person.type("qy", "Play now")
            await person.type("\x1b[B\r", "Name of the table: Asha's table")
            await person.type("\r", "HEARTS attic")
            assert doors.opened == ["play", NewTable("Asha's table")]
            await person.type("qy", "Play now")
            await person.type("q", "Leave hearts-net?")
            await person.type("y")
            assert await person.ended() == 0

    run(work())


def test_a_table_left_open_is_led_back_to_and_another_one_can_be_opened() -> None:
    async def work() -> None:
        holder: list[Person] = []
        doors = Doors(lambda: holder[0].factory(table()))
        doors.own = [ListedTable("den", "localhost:1", verified=True, note="yours")]
        async with someone(doors=doors) as person:
            holder.append(person)
            person.begin(None)
            await person.until("Play now", "den", "kitchen")
            await person.type("\x1b[B\r", "Your table den is still open", "1> den")
            await person.type("\r", "HEARTS attic")
            await person.type("qy", "Play now")
            await person.type("\x1b[B\r", "Your table den is still open", "1> den")
            await person.type("\x1b[A\r", "Name of the table: Asha's table")
            await person.type("\r", "HEARTS attic")
            assert doors.opened == [("localhost:1", False), NewTable("Asha's table")]
            await person.type("qy", "Play now")
            await person.type("qy")
            assert await person.ended() == 0

    run(work())


def test_who_leaves_while_a_door_is_opened_goes_through_none() -> None:
    async def work() -> None:
        doors = Doors(no_table)
        ended: list[str] = []
        opened = asyncio.Event()

        async def play() -> LinkFactory:
            try:
                await opened.wait()
            except asyncio.CancelledError:
                ended.append("given up")
                raise
            return no_table()

        doors.play = play  # type: ignore[method-assign]
        async with someone(doors=doors) as person:
            person.begin(None)
            await person.until("Play now")
            await person.type("\r", "Opening: Play now")
            await person.type("q", "Leave hearts-net?")
            person.screen._exit(0)
            opened.set()  # in the same moment
            assert await person.ended() == 0
            assert ended == ["given up"]

    run(work())


def test_ready_at_once_is_for_the_table_that_was_opened_to_play() -> None:
    async def work() -> None:
        holder: list[Person] = []
        doors = Doors(lambda: holder[0].factory(table()))

        async def no_play() -> LinkFactory:
            raise LinkError(LinkCode.HOME_UNWRITABLE, path="/full")

        doors.play = no_play  # type: ignore[method-assign]
        async with someone(doors=doors) as person:
            holder.append(person)
            person.begin(None)
            await person.until("Play now")
            await person.type("\r", "/full")
            await person.type("\x1b[B\r", "Name of the table:")
            await person.type("\r", "Press Enter when you are ready")

    run(work())


def no_table() -> LinkFactory:
    raise AssertionError("nobody goes through this door")


def test_a_table_that_was_found_is_joined_with_two_keys() -> None:
    async def work() -> None:
        holder: list[Person] = []
        doors = Doors(lambda: holder[0].factory(table()))
        async with someone(doors=doors) as person:
            holder.append(person)
            person.begin(None)
            await person.until("Play now", "kitchen")
            await person.type("1\r", "HEARTS attic")
            assert doors.opened == [("10.0.0.9:26052", False)]
            assert doors.looks == 0, "nobody looks for tables at a table"
            await person.type("qy", "Play now")
            assert doors.looks == 1

    run(work())


def test_the_list_follows_the_network_and_the_choice_follows_the_table() -> None:
    other = replace(KITCHEN, name="attic", address="10.0.0.8:26052", watched=True)
    moved = replace(KITCHEN, address="10.0.0.9:7000", trouble="version-mismatch")

    async def work() -> None:
        holder: list[Person] = []
        doors = Doors(lambda: holder[0].factory(table()))
        async with someone(doors=doors) as person:
            holder.append(person)
            person.begin(None)
            await person.until("Play now", "1  kitchen")
            await person.type("1", "1> kitchen")
            doors.heed([other, KITCHEN])
            await person.until("1  attic", "2> kitchen")
            doors.heed([other, moved])
            await person.until("2> kitchen", "10.0.0.9:7000")
            await person.type("\r", "another version")
            await person.type("f", "2> kitchen")
            await person.type("9", "No table has that number.")
            doors.heed([])
            await person.until(" > Play now")
            assert doors.opened == [("favour", "10.0.0.9:7000", True)]

    run(work())


def test_no_colour_means_none() -> None:
    async def work() -> None:
        async with someone(colours=Colours.NONE) as person:
            await seated(person)
            codes = {c for found in re.findall(r"\x1b\[([\d;]*)m", person.glass.raw)
                     for c in found.split(";") if c}  # fmt: skip
            assert not {c for c in codes if 30 <= int(c) <= 49 or int(c) >= 90}

    run(work())


def test_a_theme_paints_its_background_over_the_whole_screen() -> None:
    async def work() -> None:
        async with someone(theme="felt", background=Background.DARK) as person:
            await seated(person)
            cells = person.glass.screen.buffer
            behind = {cells[row][column].bg for row in range(1, 24) for column in range(80)}
            assert "005f00" in behind
            assert "default" not in behind

    run(work())
