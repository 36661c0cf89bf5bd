"""The command as its user has it: processes, pipes, signals, exit codes."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import pytest

from hearts_net.host.folder import table_folders
from hearts_net.peer.identity import new_identity
from hearts_net.peer.invite import Invite, parse_invite
from hearts_net.protocol.limits import CONTROL_PORT
from hearts_net.testing.ports import free_port

pytestmark = [pytest.mark.long, pytest.mark.timeout(120)]

COMMAND = (sys.executable, "-m", "hearts_client")
WITHIN = 60


def run(*words: str, typed: str = "", within: float = WITHIN) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *words], input=typed, capture_output=True, text=True, timeout=within
    )


def start(*words: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, *words],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        bufsize=1,
    )


def read_until(stream: IO[str] | None, wanted: str) -> list[str]:
    """Read lines up to one that contains ``wanted``; the test's timeout bounds the wait."""
    assert stream is not None
    lines: list[str] = []
    for line in stream:
        lines.append(line.rstrip("\n"))
        if wanted in line:
            return lines
    raise AssertionError(f"no line with {wanted!r} in {lines}")


def type_line(process: subprocess.Popen[str], line: str) -> None:
    assert process.stdin is not None
    process.stdin.write(line + "\n")
    process.stdin.flush()


@contextlib.contextmanager
def closing(process: subprocess.Popen[str]) -> Iterator[subprocess.Popen[str]]:
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


@pytest.fixture
def table() -> Iterator[dict[str, object]]:
    """A table in the foreground, with two bots, told of as a program would be."""
    with closing(
        start("host", "--foreground", "--json", "--port", "0", "--bots", "2", "--table", "attic")
    ) as host:
        assert host.stdout is not None
        yield {**json.loads(host.stdout.readline()), "process": host}
        host.send_signal(signal.SIGTERM)
        host.wait(WITHIN)


def of_this_machine() -> list[dict[str, Any]]:
    """List the tables that run or are saved here, whatever else answers on the network."""
    listed = json.loads(run("list", "--json").stdout)
    return [table for table in listed if table["state"] != "answers"]


def play_a_card(then: str = "") -> subprocess.CompletedProcess[str]:
    """Leave a practice table at which a card lies: one's own, or that of who leads."""
    typed = f"wait\n2c\n{then}quit\n"
    done = run("play", "--set", "passing=none", typed=typed)
    assert done.returncode == 0, done.stderr
    return done


def test_play_leaves_politely_when_its_input_ends() -> None:
    done = run("play")
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert done.stdout.startswith("Table practice.")
    assert done.stdout.endswith("You have left the table. No card had been played yet.\n")
    assert of_this_machine() == [], "nothing was played, nothing is kept"


def test_play_with_no_input_at_all() -> None:
    line = f"{sys.executable} -m hearts_client play <&-"
    done = subprocess.run(line, shell=True, capture_output=True, text=True, timeout=WITHIN)
    assert (done.returncode, done.stderr) == (0, "")


def test_a_practice_table_can_be_taken_up_again() -> None:
    first = play_a_card("hand\n")
    hand = [line for line in first.stdout.splitlines() if line.startswith("Your hand:")]
    assert hand
    again = run("resume", typed="hand\nquit\n")
    assert again.returncode == 0, again.stderr
    assert hand[-1] in again.stdout.splitlines(), "the same cards are there"
    assert again.stdout.endswith("It is saved: hearts-net resume takes it up again.\n")
    listed = of_this_machine()
    assert [entry["state"] for entry in listed] == ["saved"], "it ended with its player again"
    assert run("resume", typed="quit\n").returncode == 0


def test_export_of_a_table_without_a_finished_deal_says_so() -> None:
    play_a_card()
    done = run("export", "practice")
    assert done.returncode == 1
    assert "No deal at table practice is finished yet" in done.stderr


def test_a_table_that_runs_already_is_joined_by_resume() -> None:
    assert run("host", "--port", "0", "--table", "attic", typed="quit\n").returncode == 0
    try:
        again = run("resume", "attic", typed="quit\n")
        assert (again.returncode, again.stderr) == (0, "")
        assert "Table attic." in again.stdout
        refused = run("resume", "attic", "--foreground")
        assert refused.returncode != 0, "it cannot be the table twice"
    finally:
        assert run("stop", "attic").returncode == 0


def test_somebody_joins_by_invite_chats_and_leaves(table: dict[str, object]) -> None:
    done = run("join", str(table["invite"]), "--name", "Bram", typed="say hi\nseats\n")
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert "You say: hi" in lines
    assert any(": Bram, you" in line and line.endswith("not ready yet.") for line in lines)


def test_two_people_play_until_the_first_card(table: dict[str, object]) -> None:
    invite = str(table["invite"])
    with closing(start("join", invite, "--name", "Asha")) as asha:
        read_until(asha.stdout, "ready>")
        with closing(start("join", invite, "--name", "Bram")) as bram:
            read_until(bram.stdout, "ready>")
            for player in (asha, bram):
                type_line(player, "ready")
            for player in (asha, bram):
                said = read_until(player.stdout, "pass>")
                hand = next(line for line in reversed(said) if line.startswith("Your hand: "))
                groups = hand.removeprefix("Your hand: ").rstrip(".").split("; ")
                cards = [f"{rank} of {g.split()[0]}" for g in groups for rank in g.split()[1:]]
                type_line(player, ", ".join(cards[:3]))
            for player in (asha, bram):
                # the first card is told, or asked of whoever holds the two of clubs
                read_until(player.stdout, "Everybody has their cards.")


def test_a_second_program_is_another_player_and_says_so(table: dict[str, object]) -> None:
    invite = str(table["invite"])
    with closing(start("join", invite)) as one:
        read_until(one.stdout, "You sit")
        with closing(start("join", invite)) as two:
            told = read_until(two.stdout, "--profile default")
            assert "of the profile player-2;" in told[-1]
            assert any("You sit" in line for line in told), "both have a seat"


def test_the_profile_in_use_may_be_named_and_the_newer_has_the_seat(
    table: dict[str, object],
) -> None:
    invite = str(table["invite"])
    with closing(start("join", invite)) as one:
        read_until(one.stdout, "You sit")
        with closing(start("join", invite, "--profile", "default")) as two:
            read_until(two.stdout, "You sit")
            read_until(one.stdout, "Your seat is played from another window now")
            assert one.wait(WITHIN) != 0
            with closing(start("join", invite)) as three:  # it takes nobody's seat
                read_until(three.stdout, "of the profile player-2;")
            assert two.poll() is None


def test_a_signal_leaves_politely_with_its_code(table: dict[str, object]) -> None:
    signals = {"SIGTERM": 143, "SIGINT": 130, "SIGHUP": 143, "SIGQUIT": 143}
    for number, code in ((signal.Signals[name], code) for name, code in signals.items()):
        with closing(start("watch", str(table["invite"]))) as watcher:
            read_until(watcher.stdout, "Seat 4")
            watcher.send_signal(number)
            assert read_until(watcher.stdout, "You have left the table.")
            assert watcher.wait(WITHIN) == code


def test_a_flood_of_lines_does_not_drown_a_signal(tmp_path: Path) -> None:
    flood = tmp_path / "lines"
    flood.write_bytes(b"is this a card?\n" * 100_000)
    with (
        flood.open("rb") as typed,
        closing(
            subprocess.Popen(
                [*COMMAND, "play", "--plain"],
                stdin=typed,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
        ) as player,
    ):
        read_until(player.stdout, "is no command and no card")
        player.send_signal(signal.SIGTERM)
        said, complaints = player.communicate(timeout=WITHIN)
        assert (player.returncode, complaints) == (143, "")
        assert said.splitlines()[-1].startswith("You have left the table.")
        assert said.count("no command") < 50_000


def test_a_watcher_hears_the_table_close(table: dict[str, object]) -> None:
    with closing(start("watch", str(table["invite"]))) as watcher:
        read_until(watcher.stdout, "Seat 4")
        assert run("stop", "attic").returncode == 0
        read_until(watcher.stdout, "The table has ended; the game is saved")
        assert watcher.wait(WITHIN) == 0


def test_another_key_is_refused_with_4(table: dict[str, object]) -> None:
    invite = parse_invite(str(table["invite"]))
    wrong = Invite(("127.0.0.1",), invite.port, new_identity().public).text()
    done = run("join", wrong)
    assert done.returncode == 4, done.stderr
    assert done.stderr.count("\n") == 1


def test_a_port_in_use_is_said(table: dict[str, object]) -> None:
    done = run("host", "--port", str(table["control"]))
    assert done.returncode == 1
    still_open, failed = done.stderr.splitlines()
    assert still_open.startswith("Your table attic is still open too: hearts-net resume ")
    assert failed.startswith(f"Port {table['control']} is in use")


@contextlib.contextmanager
def usual_port_in_use() -> Iterator[None]:
    """Have the usual port taken, by whatever may have it already or by this test."""
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):
            stack.enter_context(socket.create_server(("", CONTROL_PORT)))
        yield


def test_where_nobody_named_a_port_another_one_will_do_and_is_said() -> None:
    with usual_port_in_use(), closing(start("host", "--foreground", "--json")) as host:
        assert host.stdout is not None
        assert host.stderr is not None
        where = json.loads(host.stdout.readline())
        assert where["control"] != CONTROL_PORT
        said = f"Port {CONTROL_PORT} is in use, so this table has port {where['control']}."
        assert said in read_until(host.stderr, "so this table")[-1]
        done = run("host", "--plain", "--table", "second", typed="quit\n")
        assert f"Port {CONTROL_PORT} is in use, so this table has port" in done.stdout
        assert run("stop", "second").returncode == 0


@pytest.mark.parametrize("command", ["watch", "join", "bot", "stop", "forget", "doctor"])
def test_an_empty_argument_means_nothing(command: str) -> None:
    done = run(command, " ")
    assert (done.returncode, done.stdout) == (2, "")
    assert "must not be empty" in done.stderr


@contextlib.contextmanager
def listener(*, answers: bool) -> Iterator[str]:
    """Give an invite to what is no table: an HTTP server's first words, or silence."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        program = (
            "import socket, sys\n"
            "server = socket.socket(fileno=int(sys.argv[1]))\n"
            "kept = []\n"
            "while True:\n"
            "    kept.append(server.accept()[0])\n"
            "    if sys.argv[2] == 'True':\n"
            "        kept[-1].sendall(b'HTTP/1.1 400 Bad Request\\r\\n\\r\\n' * 9)\n"
            "        kept[-1].close()\n"
        )
        words = [sys.executable, "-c", program, str(server.fileno()), str(answers)]
        with subprocess.Popen(words, pass_fds=[server.fileno()]) as other:
            try:
                yield Invite(("127.0.0.1",), port, "x" * 40).text()
            finally:
                other.kill()


@pytest.mark.parametrize("answers", [True, False], ids=["http", "silence"])
def test_something_else_there_ends_with_3(answers: bool) -> None:
    with listener(answers=answers) as invite:
        done = run("join", invite, within=20)
    assert done.returncode == 3, done.stderr
    assert done.stderr.count("\n") == 1


def test_nobody_there_ends_with_3_within_some_seconds() -> None:
    port = free_port()
    for where in (f"127.0.0.1:{port}", Invite(("127.0.0.1",), port, "x" * 40).text()):
        done = run("join", where, within=20)
        assert done.returncode == 3, done.stderr
        assert f"127.0.0.1, port {port}" in done.stderr


@pytest.mark.parametrize(
    ("content", "says"),
    [(b"no store at all " * 100, "damaged"), (None, "later version")],
    ids=["damaged", "newer"],
)
def test_a_store_that_cannot_be_read_is_said_and_kept(
    content: bytes | None, says: str, tmp_path: Path
) -> None:
    play_a_card()
    (folder,) = table_folders(tmp_path / "home" / "state" / "tables")
    body = bytearray(content if content is not None else folder.store.read_bytes())
    if content is None:
        body[60:64] = (99).to_bytes(4, "big")
    folder.store.write_bytes(body)
    done = run("resume", folder.table_id)
    assert done.returncode == 1
    assert says in done.stderr
    assert done.stderr.count("\n") == 1
    kept = [path for path in folder.path.iterdir() if path.name.startswith("table.sqlite3")]
    assert any(path.read_bytes() == bytes(body) for path in kept), "nothing was lost"
    assert says.split()[0] in run("list").stdout or "cannot be resumed" in run("list").stdout


def test_a_game_of_bots_over_the_network_is_exported_and_checked(tmp_path: Path) -> None:
    rules = ("--set", "target=10", "--set", "passing=none")
    with closing(
        start("host", "--foreground", "--json", "--port", "0", "--exit-when-done", *rules)
    ) as host:
        assert host.stdout is not None
        invite = json.loads(host.stdout.readline())["invite"]
        with contextlib.ExitStack() as stack:
            bots = [stack.enter_context(closing(start("bot", invite))) for _ in range(4)]
            for bot in bots:
                assert bot.wait(WITHIN) == 0
        assert host.wait(WITHIN) == 0
    out = tmp_path / "last.hearts.jsonl"
    assert run("export", "--last", "--out", str(out)).returncode == 0
    assert run("export", "--last").stdout == out.read_text(encoding="utf-8")
    done = run("check", str(out))
    assert done.returncode == 0, done.stdout


def test_the_demonstration_ends_by_itself() -> None:
    environ = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(
        [*COMMAND, "demo", "--set", "target=20"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=environ,
        timeout=100,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == b""
    text = done.stdout.decode("ascii")
    assert "Trick 1: " in text
    assert "wins. Final score: " in text
