"""The example client, which knows the document alone, plays whole games against the real host."""

from __future__ import annotations

import ast
import asyncio
import json
import os
import re
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from hearts_net.peer.endpoint import Target
from hearts_net.peer.home import find_home
from hearts_net.peer.identity import read_identity
from hearts_net.protocol.messages import Admit, DeskView, Kick
from hearts_net.testing.seated import SeatedPlayer

CLIENT: Final = Path(__file__).parents[2] / "examples" / "minimal_client.py"
HOST: Final = ("host", "--port", "0", "--bots", "3", "--exit-when-done")
PATIENCE: Final = 30
"""Seconds for a process to end that has nothing more to do."""


def home_of(folder: Path) -> dict[str, str]:
    return {"HEARTS_NET_HOME": str(folder)}


@contextmanager
def hosting(home: Path, *command: str) -> Iterator[tuple[subprocess.Popen[str], dict[str, Any]]]:
    """Run a host in the foreground; give its process and what its ready line says."""
    log = home / "host.log"
    with (
        log.open("a") as errors,
        subprocess.Popen(
            [sys.executable, "-m", "hearts_client", *command, "--foreground", "--json"],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env=os.environ | home_of(home),
        ) as process,
    ):
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line, log.read_text()
            yield process, json.loads(line)
        finally:
            if process.poll() is None:
                process.terminate()


def play(*arguments: str, timeout: int) -> str:
    result = subprocess.run(
        [sys.executable, str(CLIENT), *arguments],
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    assert not result.stderr
    return result.stdout


def assert_whole_game(printed: str, target: int) -> None:
    lines = printed.splitlines()
    assert re.fullmatch(r"Minimal has joined; seat: [0-3]", lines[0])
    deals = [line for line in lines if line.startswith("Deal ")]
    assert [line.split(":")[0] for line in deals] == [f"Deal {n + 1}" for n in range(len(deals))]
    totals = json.loads(deals[-1].split(":")[1])
    assert max(totals) >= target
    assert totals.count(min(totals)) == 1
    assert lines[-1].endswith(f" has won with {min(totals)} points.")


def test_it_knows_nothing_of_the_program() -> None:
    tree = ast.parse(CLIENT.read_text("utf-8"))
    imported = {
        name.split(".")[0]
        for node in ast.walk(tree)
        for name in (
            [alias.name for alias in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        )
    }  # fmt: skip
    assert imported - set(sys.stdlib_module_names) == {"zmq", "msgpack"}


def test_it_is_short_enough_to_read() -> None:
    assert len(CLIENT.read_text("utf-8").splitlines()) < 215


def test_it_plays_a_whole_game_by_invite(tmp_path: Path) -> None:
    with hosting(tmp_path, *HOST, "--set", "target=30") as (host, ready):
        printed = play(ready["invite"], "--role", "bot", timeout=45)
        assert host.wait(PATIENCE) == 0
    assert_whole_game(printed, 30)


def test_it_plays_by_address_and_key_under_every_rule(tmp_path: Path) -> None:
    rules = ("--rules", "omnibus", "--set", "moon=shooter-chooses", "--set", "finish_early=true")
    with hosting(tmp_path, *HOST, *rules, "--set", "target=20") as (host, ready):
        address = f"127.0.0.1:{ready['control']}"
        printed = play(address, ready["key"], "--role", "bot", timeout=45)
        assert host.wait(PATIENCE) == 0
    assert_whole_game(printed, 20)


def test_it_waits_to_be_let_in_and_ends_when_it_is_sent_away(tmp_path: Path) -> None:
    async def test(client: subprocess.Popen[str], ready: dict[str, Any]) -> None:
        target = Target("127.0.0.1", ready["control"], ready["key"])
        owner = SeatedPlayer(
            [target], read_identity(find_home(home_of(tmp_path))), "Ada", plays=False
        )
        await owner.until(lambda: owner.is_live and desk(owner).asking)
        (asking,) = desk(owner).asking
        assert asking.name == "Minimal"
        await asyncio.sleep(3)  # longer than it bears a host that says nothing
        assert desk(owner).asking == [asking]
        assert client.poll() is None
        owner.do(Admit(asking.key))
        assert client.stdout is not None
        joined = await asyncio.to_thread(client.stdout.readline)
        assert re.fullmatch(r"Minimal has joined; seat: [0-3]\n", joined)
        owner.do(Kick(asking.key))
        _, errors = await asyncio.to_thread(client.communicate, timeout=PATIENCE)
        assert errors == "The host's player has sent this client away: kicked\n"
        assert client.returncode == 1
        await owner.leave()

    with (
        hosting(tmp_path, "host", "--port", "0", "--admit", "ask") as (_, ready),
        subprocess.Popen(
            [sys.executable, "-u", str(CLIENT), ready["invite"]],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as client,
    ):
        try:
            asyncio.run(test(client, ready))
        finally:
            client.kill()


def desk(player: SeatedPlayer) -> DeskView:
    assert player.view.desk is not None
    return player.view.desk


@pytest.mark.parametrize(
    ("refused", "seconds"),
    [
        ({"code": "too-fast", "detail": {}}, 1),
        ({"code": "set-aside", "detail": {"wait": 10_000}}, 10),
    ],
)
def test_it_waits_where_it_was_too_fast(
    monkeypatch: pytest.MonkeyPatch, refused: dict[str, Any], seconds: int
) -> None:
    example: Any = {}
    exec(compile(CLIENT.read_text("utf-8"), str(CLIENT), "exec"), example)
    client = example["Client"](["127.0.0.1:1"], b"", "Minimal", "bot")
    said: list[str] = []
    slept: list[float] = []

    def send(type_: str, **_fields: object) -> bool:
        said.append(type_)
        return True

    monkeypatch.setattr(client, "send", send)
    monkeypatch.setattr(time, "sleep", slept.append)
    client.heard = time.monotonic()
    client.tick(time.monotonic())
    client.take({"type": "welcome"})
    client.tick(time.monotonic())
    client.take({"type": "refused", **refused})
    client.tick(time.monotonic())
    assert slept == [seconds]
    assert said == ["hello", "join", "hello"]
    client.socket.close()
    client.context.term()


@pytest.mark.long
@pytest.mark.timeout(400)
def test_it_plays_as_a_person_to_the_end_though_the_host_is_killed(tmp_path: Path) -> None:
    command = [sys.executable, "-u", str(CLIENT)]
    with hosting(tmp_path, *HOST, "--set", "target=1") as (host, ready):
        client = subprocess.Popen([*command, ready["invite"]], stdout=subprocess.PIPE, text=True)
        assert client.stdout is not None
        joined = client.stdout.readline()
        wait_for_cards(tmp_path, client)
        host.kill()
    with hosting(tmp_path, "resume", "--exit-when-done", "--pause", "0") as (host, again):
        assert again["control"] == ready["control"]
        assert client.stdout.readline() == joined
        printed, _ = client.communicate(timeout=300)
        assert client.returncode == 0
        assert host.wait(PATIENCE) == 0
    assert_whole_game(joined + printed, 1)


def wait_for_cards(home: Path, client: subprocess.Popen[str]) -> None:
    """Wait until the game is well under way: the table's store has grown with its plays."""
    end = time.monotonic() + 60
    while client.poll() is None and time.monotonic() < end:
        stores = list(home.glob("state/tables/*/table.sqlite3"))
        if stores and entries(stores[0]) > 15:
            return
        time.sleep(0.1)
    raise AssertionError("no game was under way after a minute")


def entries(store: Path) -> int:
    with closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as opened:
        (count,) = opened.execute("SELECT count(*) FROM entries").fetchone()
    return int(count)


def test_a_changed_invite_is_refused_in_a_sentence(tmp_path: Path) -> None:
    invite = "hearts://127.0.0.1/26052/" + "A" * 43 + "/AAAAAA"
    result = subprocess.run(
        [sys.executable, str(CLIENT), invite],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        cwd=tmp_path,
    )
    assert result.returncode == 1
    assert result.stderr == "This invite has been changed or cut; copy it again.\n"
