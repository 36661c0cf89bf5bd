"""Tables as processes: started, found, stopped, killed, resumed, and with a full disk."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import io
import json
import logging
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import textwrap
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ParamSpec

import pytest
import zmq

from hearts_net.host import process
from hearts_net.host.archive import StoredGame, read_games, stored_games, stored_tables
from hearts_net.host.changes import restored
from hearts_net.host.errors import HostCode, HostError, StoreCode, StoreError
from hearts_net.host.folder import TableFolder, table_folders
from hearts_net.host.opening import TableSettings
from hearts_net.host.process import (
    Running,
    _told_whole,
    find_running,
    launch_table,
    stop_table,
)
from hearts_net.host.run import run_table
from hearts_net.host.settings import HostSettings, settings_from_json
from hearts_net.host.store import SCHEMA_VERSION, read_journal
from hearts_net.peer.identity import Identity, new_identity
from hearts_net.peer.link import Link, request_ids
from hearts_net.peer.target import Target
from hearts_net.protocol.messages import AnyAct, GoUnsaved, Pass, Play, Ready, Say, View
from hearts_net.protocol.peer_session import Event, HostClosing, PeerSession, Replied
from hearts_net.rules.check import check_file
from hearts_net.rules.errors import HeartsError
from hearts_net.rules.options import Options
from hearts_net.testing.leftovers import stop_leftovers

WITHIN = 10.0
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX's")


P = ParamSpec("P")


def in_a_loop(test: Callable[P, Coroutine[None, None, None]]) -> Callable[P, None]:
    """Run an asynchronous test."""

    @functools.wraps(test)
    def run(*args: P.args, **kwargs: P.kwargs) -> None:
        asyncio.run(test(*args, **kwargs))

    return run


@pytest.fixture
def owner() -> Identity:
    return new_identity()


@pytest.fixture
def settings(tmp_path: Path, owner: Identity) -> Iterator[HostSettings]:
    tables = tmp_path / "tables"
    yield HostSettings(
        tables=tables,
        key=owner.public,
        secret=owner.secret,
        table="attic",
        port=0,
        loopback_only=True,
        next_deal=0,
    )
    stop_leftovers(tables)
    for folder in table_folders(tables):
        if folder.log.exists():
            assert "Traceback" not in folder.log.read_text(), folder.log.read_text()


@dataclass
class Guest:
    """A person at the table, through the link that the clients use."""

    link: Link
    task: asyncio.Task[None]
    events: list[Event]
    heard: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def view(self) -> View:
        assert self.link.view is not None
        return self.link.view

    async def until(self, happened: Callable[[], bool], within: float = WITHIN) -> None:
        async with asyncio.timeout(within):
            while not happened():
                self.heard.clear()
                await self.heard.wait()

    async def sees(self, what: Callable[[View], bool], within: float = WITHIN) -> View:
        await self.until(lambda: self.link.view is not None and what(self.view), within)
        return self.view

    async def do(self, act: AnyAct) -> Replied:
        request = self.link.do(act)
        found: list[Replied] = []

        def replied() -> bool:
            found.extend(
                event
                for event in self.events
                if isinstance(event, Replied) and event.reply.id == request
            )
            return bool(found)

        await self.until(replied)
        return found[0]

    async def play_one(self) -> None:
        """Do what the game waits for from this seat, once it does."""
        view = await self.sees(lambda view: bool(moves(view)))
        before = view.seq
        reply = await self.do(moves(view)[0])
        assert reply.reply.ok, reply
        await self.sees(lambda view: view.seq > before)


def moves(view: View) -> list[AnyAct]:
    own = view.own
    if own is None:
        return []
    if view.public.phase == "passing" and not own.passed:
        return [Pass(own.hand[:3])]
    return [Play(card) for card in own.legal]


@contextlib.asynccontextmanager
async def guest(table: Running, identity: Identity, name: str) -> AsyncIterator[Guest]:
    events: list[Event] = []
    made: list[Guest] = []

    def on_event(event: Event) -> None:
        events.append(event)
        made[0].heard.set()

    session = PeerSession("player", name, request_ids=request_ids())
    target = Target("127.0.0.1", table.control, table.key)
    link = Link(target, identity, session, on_event=on_event)
    running = asyncio.create_task(link.run())
    made.append(Guest(link, running, events))
    running.add_done_callback(lambda _: made[0].heard.set())  # the end is heard too
    running.add_done_callback(lambda _: made[0].heard.set())
    try:
        await made[0].sees(lambda _: True)
        yield made[0]
    finally:
        link.leave()
        await asyncio.wait_for(running, WITHIN)


def in_time(what: Callable[[], bool], within: float = WITHIN) -> None:
    deadline = time.monotonic() + within
    while not what():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def check(game: StoredGame) -> None:
    """Replay a stored game's record on the rules."""
    body = "".join(f"{line}\n" for line in game.lines(legal=True)).encode()
    [checked] = check_file(io.BytesIO(body))
    assert checked.header == game.header
    assert (checked.deals, checked.winner) == (len(game.states), game.winner)


# ---- started, found, stopped ---------------------------------------------------------------------


def test_a_table_is_started_found_and_stopped(settings: HostSettings) -> None:
    running = launch_table(settings)
    assert running.table == "attic"
    assert running.key == settings.key
    assert find_running(settings.tables) == [running]
    [stored] = stored_tables(settings.tables)
    assert (stored.name, stored.is_running, stored.can_resume) == ("attic", True, False)
    assert os.getsid(running.pid) == running.pid  # a session of its own: no terminal ends it
    start = time.monotonic()
    stop_table(running)
    assert time.monotonic() - start < 1.0
    assert find_running(settings.tables) == []
    assert not TableFolder(running.folder).running.exists()
    [stored] = stored_tables(settings.tables)
    assert stored.can_resume
    with pytest.raises(HostError) as caught:
        stop_table(running)
    assert caught.value.code == HostCode.NOT_RUNNING


def test_only_this_user_can_read_the_tables_files(settings: HostSettings) -> None:
    running = launch_table(settings)
    for path in (running.folder, *running.folder.iterdir()):
        assert path.stat().st_mode & 0o077 == 0, path
    assert settings.secret not in (running.folder / "settings.json").read_text()


class Interrupted:
    """Starts tables while Ctrl-C is pressed at a chosen moment; keeps which processes began."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.children: list[subprocess.Popen[bytes]] = []
        self._monkeypatch = monkeypatch
        self._spawn = process._spawn

    def at_once(self) -> None:
        def spawn(folder: Path, log: int) -> subprocess.Popen[bytes]:
            self.children.append(self._spawn(folder, log))
            signal.raise_signal(signal.SIGINT)
            return self.children[-1]

        self._monkeypatch.setattr(process, "_spawn", spawn)

    def while_it_starts(self) -> None:
        def first_line(child: subprocess.Popen[bytes], within: float) -> bytes:
            assert within > 0
            self.children.append(child)
            raise KeyboardInterrupt

        self._monkeypatch.setattr(process, "_first_line", first_line)

    def once_it_runs(self, running: Running) -> None:
        assert TableFolder(running.folder).is_running()
        raise KeyboardInterrupt


@pytest.mark.parametrize("moment", ["at once", "while it starts", "once it runs"])
def test_a_start_that_is_interrupted_leaves_nothing_behind(
    settings: HostSettings,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
    moment: str,
) -> None:
    interrupted = Interrupted(monkeypatch)
    if moment == "at once":
        # what a shell starts in the background ignores Ctrl-C, and so do the tests then
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
        interrupted.at_once()
    elif moment == "while it starts":
        interrupted.while_it_starts()
    with pytest.raises(KeyboardInterrupt):
        launch_table(
            settings, started=interrupted.once_it_runs if moment == "once it runs" else None
        )
    assert table_folders(settings.tables) == []
    assert all(child.poll() is not None for child in interrupted.children)
    assert len(interrupted.children) == (0 if moment == "once it runs" else 1)


def test_a_taken_port_is_a_typed_error_and_leaves_nothing_behind(settings: HostSettings) -> None:
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = int(other.getsockname()[1])
        with pytest.raises(HostError) as caught:
            launch_table(replace(settings, port=port))
    assert caught.value.code == HostCode.PORT_IN_USE
    assert caught.value.detail["port"] == port
    assert table_folders(settings.tables) == []


def test_a_table_that_does_not_get_ready_in_time_is_not_left_running(
    settings: HostSettings,
) -> None:
    with pytest.raises(HostError) as caught:
        launch_table(settings, within=0.001)
    assert caught.value.code == HostCode.NOT_STARTED
    log = Path(str(caught.value.detail["log"]))
    assert log.exists()
    assert find_running(settings.tables) == []


@pytest.mark.parametrize(
    "changes",
    [
        {"table": ""},
        {"port": 70_000},
        {"bots": 5},
        {"level": "genius"},
        {"admit": "nobody"},
        {"grace": -1},
        {"turn_limit": -1},
        {"kept": ("port",)},
    ],
)
def test_bad_settings_are_named(settings: HostSettings, changes: dict[str, object]) -> None:
    with pytest.raises(HostError) as caught:
        launch_table(replace(settings, **changes))  # type: ignore[arg-type]
    assert caught.value.code == HostCode.BAD_SETTINGS
    assert caught.value.detail["setting"] in changes


def test_settings_come_back_from_the_folder(settings: HostSettings) -> None:
    odd = replace(settings, options=Options(target=50), bots=3, level="easy", kept=("grace",))
    body = odd.to_json()
    assert settings_from_json(body, odd.tables, odd.key, odd.secret) == odd
    for bad in (b"", b"[]", b'{"port": "x"}', b'{"options": {"target": 0}}', b"\xff"):
        with pytest.raises(HostError) as caught:
            settings_from_json(bad, odd.tables, odd.key, odd.secret)
        assert caught.value.code == HostCode.BAD_SETTINGS


@pytest.mark.parametrize("words", [[], ["--help"], ["-h"], ["one", "two"]])
def test_the_process_takes_one_folder_and_no_options(tmp_path: Path, words: list[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "hearts_net.host", *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=WITHIN,
    )
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("usage: ")
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_in_the_foreground_the_first_line_says_how_to_get_there(settings: HostSettings) -> None:
    code = """
        import sys
        from pathlib import Path
        from hearts_net.host.run import run_table
        from hearts_net.host.settings import HostSettings
        tables, key, secret = sys.argv[1:]
        sys.exit(run_table(HostSettings(
            tables=Path(tables), key=key, secret=secret, table="attic", port=0,
            loopback_only=True, json=True)))
        """
    arguments = (str(settings.tables), settings.key, settings.secret)
    for number, status in ((signal.SIGTERM, 0), (signal.SIGINT, 130), (signal.SIGHUP, 0)):
        table = subprocess.Popen(
            [sys.executable, "-c", textwrap.dedent(code), *arguments],
            stdout=subprocess.PIPE,
        )
        assert table.stdout is not None
        ready = json.loads(table.stdout.readline())
        assert ready["table"] == "attic"
        assert ready["invite"].startswith("hearts://127.0.0.1/")
        socket.create_connection(("127.0.0.1", ready["control"])).close()
        socket.create_connection(("127.0.0.1", ready["public"])).close()
        table.send_signal(number)
        assert table.wait(2) == status
        assert table.stdout.read() == b""
        table.stdout.close()


def test_a_table_that_ends_in_its_first_moment_leaves_nothing_to_do(
    settings: HostSettings, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(_running: Running) -> None:
        raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        run_table(settings, fail)
    assert [record for record in caplog.records if record.levelno >= logging.WARNING] == []


@in_a_loop
async def test_peers_are_told_that_the_table_closes(settings: HostSettings) -> None:
    running = launch_table(settings)
    async with guest(running, new_identity(), "Asha") as asha:
        await asyncio.to_thread(stop_table, running)
        await asha.until(asha.task.done)
        assert HostClosing("saved") in asha.events


def test_a_peer_that_is_slow_to_read_hears_that_the_table_closes(settings: HostSettings) -> None:
    """It is stopped while the table ends, and goes on while the last words are still said."""
    running = launch_table(settings)
    code = """
        import asyncio, sys
        from hearts_net.peer.identity import new_identity
        from hearts_net.peer.link import Link, request_ids
        from hearts_net.peer.target import Target
        from hearts_net.protocol.peer_session import HostClosing, NewView, PeerSession

        def heed(event):
            if isinstance(event, NewView | HostClosing):
                print(type(event).__name__, flush=True)

        target = Target("127.0.0.1", int(sys.argv[1]), sys.argv[2])
        session = PeerSession("player", "Slow", request_ids=request_ids())
        asyncio.run(Link(target, new_identity(), session, on_event=heed).run())
        """
    slow = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), str(running.control), running.key],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert slow.stdout is not None
    with slow.stdout:
        try:
            assert slow.stdout.readline() == "NewView\n"
            slow.send_signal(signal.SIGSTOP)
            os.kill(running.pid, signal.SIGTERM)
            in_time(lambda: not TableFolder(running.folder).running.exists())  # it has ended
            slow.send_signal(signal.SIGCONT)
            assert "HostClosing" in slow.stdout.read()
            assert slow.wait(WITHIN) == 0
        finally:
            slow.kill()
            slow.wait()
    in_time(lambda: not TableFolder(running.folder).is_running())


def test_a_stopped_peer_does_not_hold_the_table_up(settings: HostSettings) -> None:
    running = launch_table(settings)
    public, secret = zmq.curve_keypair()
    code = """
        import sys, zmq
        from hearts_net.protocol.codec import encode
        from hearts_net.protocol.messages import Hello, Join
        port, server, public, secret = sys.argv[1:]
        peer = zmq.Context().socket(zmq.DEALER)
        peer.curve_serverkey, peer.curve_publickey, peer.curve_secretkey = (
            each.encode() for each in (server, public, secret))
        peer.connect(f"tcp://127.0.0.1:{port}")
        peer.send(encode(Hello([1], "test")))
        peer.recv()
        peer.send(encode(Join("player", "Sleeper")))
        peer.recv()
        print("joined", flush=True)
        sys.stdin.read()
        """
    arguments = (str(running.control), running.key, public.decode(), secret.decode())
    sleeper = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(code), *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert sleeper.stdout is not None
    assert sleeper.stdin is not None
    assert sleeper.stdout.readline() == b"joined\n"
    sleeper.send_signal(signal.SIGSTOP)
    start = time.monotonic()
    stop_table(running)
    assert time.monotonic() - start < 1.0
    sleeper.kill()
    sleeper.wait()
    sleeper.stdout.close()
    sleeper.stdin.close()


def test_a_table_without_people_is_saved_and_ends(settings: HostSettings) -> None:
    running = launch_table(replace(settings, idle=300))
    in_time(lambda: not TableFolder(running.folder).is_running())
    [stored] = stored_tables(settings.tables)
    assert stored.can_resume


# ---- bots ----------------------------------------------------------------------------------------


def test_four_bots_play_a_whole_game_and_the_table_ends(settings: HostSettings) -> None:
    short = replace(settings, bots=4, exit_when_done=True, options=Options(target=20))
    running = launch_table(short)
    in_time(lambda: not TableFolder(running.folder).is_running(), within=30)
    [game] = stored_games(settings.tables).games
    assert game.winner is not None
    assert game.table == "attic"
    check(game)
    assert all(player.type == "bot" for player in game.header.players)


def children(pid: int) -> list[int]:
    found = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(each) for each in found.split()]


@pytest.mark.skipif(sys.platform != "linux", reason="looks for child processes in /proc")
@in_a_loop
async def test_bots_that_die_come_back_and_end_with_the_host(settings: HostSettings) -> None:
    running = launch_table(replace(settings, bots=3))
    async with guest(running, new_identity(), "Asha") as asha:
        assert (await asha.do(Ready())).reply.ok
        await asha.play_one()
        [bots] = children(running.pid)
        os.kill(bots, signal.SIGKILL)
        await asha.play_one()
        await asha.play_one()
        [again] = children(running.pid)
        assert again != bots
    os.kill(running.pid, signal.SIGKILL)
    await asyncio.to_thread(in_time, lambda: not is_alive(again))


@pytest.mark.skipif(sys.platform != "linux", reason="looks for child processes in /proc")
@in_a_loop
async def test_bots_that_hang_are_started_again(settings: HostSettings) -> None:
    running = launch_table(replace(settings, bots=3))
    async with guest(running, new_identity(), "Asha") as asha:
        assert (await asha.do(Ready())).reply.ok
        for _ in range(2):  # the bots have passed, so they are at the table
            await asha.play_one()
        [bots] = children(running.pid)
        os.kill(bots, signal.SIGSTOP)
        for _ in range(2):
            await asha.sees(lambda view: bool(moves(view)), within=20)
            await asha.play_one()
        [again] = children(running.pid)
        assert again != bots
    await asyncio.to_thread(stop_table, running)


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


# ---- killed and resumed --------------------------------------------------------------------------


@in_a_loop
async def test_a_killed_table_comes_back_with_the_same_cards(
    settings: HostSettings, owner: Identity
) -> None:
    running = launch_table(replace(settings, bots=3))
    async with guest(running, owner, "Asha") as asha:
        assert (await asha.do(Ready())).reply.ok
        await asha.play_one()
        await asha.play_one()
        before = asha.view
        assert before.own is not None
        os.kill(running.pid, signal.SIGKILL)
        in_time(lambda: not TableFolder(running.folder).is_running())
        again = await asyncio.to_thread(launch_table, settings.resumed(running.table_id))
        assert (again.control, again.public, again.key, again.table) == (
            running.control,
            running.public,
            running.key,
            running.table,
        )
        after = await asha.sees(lambda view: view.epoch == 2)
        assert after.own is not None
        assert after.own.seat == before.own.seat
        assert set(after.own.hand) <= set(before.own.hand)
        assert after.public.seen[: len(before.public.seen)] == before.public.seen
        assert after.public.deal == before.public.deal
        await asha.play_one()


def has_entries(folder: TableFolder, count: int) -> bool:
    return len(read_journal(folder.store)) >= count


def test_what_was_told_is_stored_whenever_the_table_is_killed(settings: HostSettings) -> None:
    settings = replace(settings, bots=4)
    running = launch_table(settings)
    folder = TableFolder(running.folder)
    seen: list[bytes] = []
    for goal in (30, 70, 110):
        in_time(functools.partial(has_entries, folder, goal))
        os.kill(running.pid, signal.SIGKILL)
        in_time(lambda: not folder.is_running())
        found = read_journal(folder.store)
        assert found[: len(seen)] == seen
        seen = found
        running = launch_table(settings.resumed(running.table_id))
    stop_table(running)
    [stored] = stored_tables(settings.tables)
    assert stored.trouble == ""
    for game in read_games(folder):
        check(game)


def test_a_resumed_table_keeps_what_nobody_chose(settings: HostSettings) -> None:
    running = launch_table(replace(settings, grace=7000, turn_limit=8000, exit_when_done=True))
    stop_table(running)
    kept = ("grace", "exit_when_done", "idle", "next_deal")
    stop_table(launch_table(replace(settings.resumed(running.table_id), turn_limit=9, kept=kept)))
    table = restored(read_journal(TableFolder(running.folder).store))
    assert (table.epoch, table.settings) == (2, TableSettings(7000, 9, 0, exit_when_done=True))


def test_a_resumed_table_takes_other_ports_where_its_own_are_taken(
    settings: HostSettings,
) -> None:
    running = launch_table(settings)
    stop_table(running)
    with socket.create_server(("127.0.0.1", running.control)):
        again = launch_table(replace(settings.resumed(running.table_id), port=26052))
        assert again.control != running.control
        assert again.public == running.public
        stop_table(again)


def test_one_table_runs_once(settings: HostSettings) -> None:
    running = launch_table(settings)
    with pytest.raises(StoreError) as caught:
        launch_table(settings.resumed(running.table_id))
    assert caught.value.code == StoreCode.LOCKED
    assert find_running(settings.tables) == [running]


def test_there_must_be_something_to_resume(settings: HostSettings) -> None:
    with pytest.raises(StoreError) as caught:
        launch_table(settings.resumed("0123456789ab"))
    assert caught.value.code == StoreCode.MISSING


def make_newer(store: Path) -> None:
    with contextlib.closing(sqlite3.connect(store)) as link:
        link.execute(f"PRAGMA user_version = {SCHEMA_VERSION + 1}")
        link.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def make_bad(store: Path) -> None:
    store.write_bytes(b"\0" * 10_000)


def make_empty(store: Path) -> None:
    store.write_bytes(b"")


def spoil_an_entry(store: Path) -> None:
    with contextlib.closing(sqlite3.connect(store, isolation_level=None)) as link:
        link.execute("UPDATE entries SET body = 'not an entry' WHERE n = 1")
        link.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


@pytest.mark.parametrize(
    ("harm", "code"),
    [
        (make_newer, StoreCode.NEWER),
        (make_bad, StoreCode.DAMAGED),
        (make_empty, StoreCode.DAMAGED),
        (spoil_an_entry, StoreCode.DAMAGED),
    ],
)
def test_a_store_that_cannot_be_taken_up_is_said_and_kept(
    settings: HostSettings, harm: Callable[[Path], None], code: StoreCode
) -> None:
    running = launch_table(settings)
    stop_table(running)
    folder = TableFolder(running.folder)
    harm(folder.store)
    body = folder.store.read_bytes()
    [stored] = stored_tables(settings.tables)
    assert stored.trouble == code
    assert not stored.can_resume
    assert folder.store.read_bytes() == body  # looking moved nothing
    assert stored_games(settings.tables).games == []
    with pytest.raises(HeartsError) as caught:
        launch_table(settings.resumed(running.table_id))
    assert caught.value.code == code
    kept = [path for path in folder.path.iterdir() if path.read_bytes() == body]
    assert kept
    folder.log.unlink()


# ---- a full disk ---------------------------------------------------------------------------------


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "disk"
    place.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(place)]
    if sys.platform != "linux" or subprocess.run(mount, capture_output=True).returncode:
        pytest.skip("a small disk can be mounted by root on Linux only")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


@in_a_loop
async def test_a_full_disk_pauses_the_game_until_there_is_room(
    small_disk: Path, settings: HostSettings
) -> None:
    running = launch_table(replace(settings, tables=small_disk / "tables"))
    async with guest(running, new_identity(), "Asha") as asha:
        ballast = small_disk / "ballast"
        with ballast.open("wb", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(b"\0" * 4096)
        replies = []
        for number in range(2000):
            replies.append((await asha.do(Ready(number % 2 == 0))).reply)
            if not replies[-1].ok:
                break
        assert replies[-1].code == "store-failed"
        view = await asha.sees(lambda view: view.public.paused == "store")
        assert view.public.saving == "full"
        ballast.unlink()
        await asha.sees(lambda view: view.public.paused != "store")
        assert (await asha.do(Say("room again"))).reply.ok
    await asyncio.to_thread(stop_table, running)
    told = sum(reply.ok for reply in replies)
    bodies = read_journal(TableFolder(running.folder).store)
    assert sum(b'"ready"' in body for body in bodies) == told
    assert sum(b'"spoke"' in body for body in bodies) == 1


@pytest.mark.parametrize("waits", [pytest.param(True, marks=pytest.mark.long), False])
@in_a_loop
async def test_the_hosts_player_goes_on_while_the_disk_is_full_and_then_all_is_saved(
    small_disk: Path, settings: HostSettings, owner: Identity, waits: bool
) -> None:
    running = launch_table(replace(settings, tables=small_disk / "tables"))
    async with guest(running, owner, "Asha") as asha:
        ballast = small_disk / "ballast"
        with ballast.open("wb", buffering=0) as file, contextlib.suppress(OSError):
            while True:
                file.write(b"\0" * 4096)
        said = 0
        while (await asha.do(Say("word " * 60))).reply.ok:
            said += 1
            await asyncio.sleep(0)
        await asha.sees(lambda view: "go-unsaved" in view.may)
        assert (await asha.do(GoUnsaved())).reply.ok
        view = await asha.sees(lambda view: view.public.saving == "off")
        assert view.public.paused == ""
        assert (await asha.do(Ready())).reply.ok
        ballast.unlink()
        if waits:
            await asha.sees(lambda view: view.public.saving == "")
        else:  # it ends before it has tried again: it does so at its end
            await asyncio.to_thread(stop_table, running)
    if waits:
        await asyncio.to_thread(stop_table, running)
    bodies = read_journal(TableFolder(running.folder).store)
    assert sum(b'"spoke"' in body for body in bodies) == said
    assert sum(b'"ready"' in body for body in bodies) == 1


@in_a_loop
async def test_a_store_that_is_damaged_in_a_game_is_kept_aside_and_nothing_is_lost(
    settings: HostSettings, owner: Identity
) -> None:
    running = launch_table(replace(settings, bots=3))
    folder = TableFolder(running.folder)
    async with guest(running, owner, "Asha") as asha:
        assert (await asha.do(Ready())).reply.ok
        await asha.play_one()
        folder.store.write_bytes(b"nothing of the kind" * 999)
        await asha.sees(lambda view: view.public.saving == "damaged")
        await asha.sees(lambda view: view.public.paused == "")
        await asha.play_one()
        seen = asha.view.public.seen
    await asyncio.to_thread(stop_table, running)
    table = restored(read_journal(folder.store))
    assert table.deal is not None
    assert len(seen) <= table.deal.played.bit_count()
    (kept,) = folder.path.glob("table.sqlite3.damaged-*[0-9a-f]")
    assert kept.read_bytes().startswith(b"nothing of the kind")
    folder.log.unlink()  # it says what was wrong


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_waits_until_the_child_is_known(number: signal.Signals) -> None:
    def end(_number: int, _frame: object) -> None:
        raise SystemExit

    known: list[signal.Signals] = []

    def start() -> None:
        with _told_whole():
            signal.raise_signal(number)
            known.append(number)

    before = signal.signal(number, end)
    try:
        with pytest.raises(SystemExit):
            start()
        assert signal.getsignal(number) is end
    finally:
        signal.signal(number, before)
    assert known == [number]
