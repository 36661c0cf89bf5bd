"""What an attack costs the others: a game in progress, a vandal, and how long the cards take.

    python -m bench.attack [--moves N] [--only TEXT] [--json FILE]

For each attack a table of its own, with its store on the disk and four players in processes of
their own, as in ``bench.move``. First some cards are played undisturbed, then some while the vandal
is at work, in a process and from an address of its own; the vandal yields the processor to the
others (``nice 19``), since it would not be on the host's machine. The undisturbed cards of all
tables of the run together give the 99th percentile that each attack's is held against. The memory
is the resident set of the host's process, looked at all the while.

A verdict is ``held`` where the game went on, the ratio is at most 3, and the memory grew by at most
64 MiB.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import sys
import threading
import time
from collections.abc import AsyncIterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from bench.driven import Game, Move, Player, one_move
from bench.move import percentile
from bench.tables import opened_table
from hearts_net.host.process import Running
from hearts_net.peer.target import Target
from hearts_net.testing.vandals import VANDALS, Victim

SOURCE: Final = "127.0.0.66"
MOST_RATIO: Final = 3.0
MOST_GROWTH: Final = 64 * 1024 * 1024
PAUSE: Final = 0.015
_WARM_UP: Final = 10
_ATTACK_FIRST: Final = 1.0
"""Seconds that the vandal has to get going before a card counts."""
_ATTACK_AT_LEAST: Final = 6.0
"""Seconds of attack, so that what grows slowly is seen too."""
_BETWEEN_LOOKS: Final = 0.02
_SEATED_WITHIN: Final = 20.0


# ---- a player ------------------------------------------------------------------------------------


async def be_player(port: int, key: str, name: str) -> None:
    """Be one player, told what to do on standard input, until its end."""
    player = Player(Target("127.0.0.1", port, key), name)
    running = asyncio.create_task(player.link.run())
    lines = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(lines), sys.stdin
    )
    while line := await lines.readline():
        answer = player.answer(line)
        if answer is not None:
            print(json.dumps(answer), flush=True)
    player.link.leave()
    await running


async def seated(game: Game) -> None:
    """Wait until all four see the table."""
    deadline = time.monotonic() + _SEATED_WITHIN
    while not all("phase" in each for each in await game.tell()):
        if time.monotonic() > deadline:
            raise SystemExit("bench: not everybody is at the table")
        await asyncio.sleep(0.05)


async def start(*arguments: str) -> asyncio.subprocess.Process:
    """Start this module again, in another role."""
    return await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "bench.attack",
        *arguments,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        limit=1 << 20,
    )


# ---- the vandal ----------------------------------------------------------------------------------


def vandalise(name: str, victim: Victim) -> None:
    """Be one vandal until standard input ends, and say what was sent."""
    with contextlib.suppress(AttributeError, OSError):
        os.nice(19)
    stop = threading.Event()

    def wait() -> None:
        sys.stdin.read()
        stop.set()

    threading.Thread(target=wait, daemon=True).start()
    print(json.dumps(VANDALS[name](victim, lambda: not stop.is_set())), flush=True)


@contextlib.asynccontextmanager
async def attacked(name: str, running: Running, sent: list[str]) -> AsyncIterator[None]:
    """Have a vandal at work meanwhile; what it says it has sent is added to ``sent``."""
    ports = str(running.control), str(running.public)
    process = await start("be", name, "127.0.0.1", *ports, running.key, SOURCE)
    try:
        await asyncio.sleep(_ATTACK_FIRST)
        yield
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.close()
        async with asyncio.timeout(30):
            line = await process.stdout.readline()
        sent.append(json.loads(line) if line else "the vandal has failed")
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        await process.wait()


# ---- memory --------------------------------------------------------------------------------------


def resident(pid: int) -> int:
    """Return the bytes of a process that are in memory, 0 where there is no such process."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except (OSError, IndexError):
        return 0
    return pages * os.sysconf("SC_PAGESIZE")


class Scales:
    """Notes the most that a process has weighed."""

    def __init__(self, pid: int) -> None:
        self.before = self.most = resident(pid)
        self._task = asyncio.create_task(self._look(pid))

    async def _look(self, pid: int) -> None:
        while True:
            self.most = max(self.most, resident(pid))
            await asyncio.sleep(_BETWEEN_LOOKS)

    def stop(self) -> None:
        """Look no more."""
        self._task.cancel()


# ---- one attack ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Result:
    """What came of one attack; times in nanoseconds, memory in bytes."""

    name: str
    sent: str
    quiet: list[int]
    disturbed: list[int]
    before: int
    most: int
    trouble: str = ""

    def ratio(self, floor: int) -> float:
        """Return the 99th percentile under attack in the undisturbed one's."""
        return percentile(self.disturbed, 0.99) / floor if self.disturbed else float("inf")

    def verdict(self, floor: int) -> str:
        """Say whether the table has held."""
        if self.trouble:
            return self.trouble
        if self.ratio(floor) > MOST_RATIO:
            return "slow"
        return "grew" if self.most - self.before > MOST_GROWTH else "held"


async def play(game: Game, moves: int, at_least: float = 0) -> list[int]:
    """Play cards and return how long each took until all four had seen it."""
    loop = asyncio.get_running_loop()
    found: list[int] = []
    end = loop.time() + at_least
    while len(found) < moves or loop.time() < end:
        made: Move | None = await one_move(game)
        if made is not None and not made.ends_deal:
            found.append(made.all)
    return found


async def attack(name: str, moves: int, running: Running) -> Result:
    """Play undisturbed, then attacked."""
    players = [
        await start("play", str(running.control), running.key, f"Player {number}")
        for number in range(4)
    ]
    sent: list[str] = []
    quiet: list[int] = []
    disturbed: list[int] = []
    trouble = ""
    scales: Scales | None = None
    try:
        game = Game(players, PAUSE)
        await seated(game)
        await play(game, _WARM_UP)
        quiet = await play(game, moves)
        scales = Scales(running.pid)
        async with attacked(name, running, sent):
            disturbed = await play(game, moves, _ATTACK_AT_LEAST)
        await play(game, 5)  # and it goes on
    except (SystemExit, TimeoutError) as error:
        trouble = f"stopped: {error}"
    finally:
        for player in players:
            player.kill()
            await player.wait()
        if scales is not None:
            scales.stop()
    if not resident(running.pid):
        trouble = "the host has died"
        print((running.folder / "log").read_text()[-4000:], file=sys.stderr)
    before, most = (scales.before, scales.most) if scales is not None else (0, 0)
    return Result(name, sent[0] if sent else "", quiet, disturbed, before, most, trouble)


async def one(name: str, moves: int) -> Result:
    """Open a table, attack it, and close it."""
    with opened_table(may_die=True) as running:
        return await attack(name, moves, running)


# ---- all of them ---------------------------------------------------------------------------------


def mebibytes(size: int) -> str:
    """Return a size as it is printed."""
    return f"{size / 1024 / 1024:.0f}"


def row(result: Result, floor: int) -> str:
    """Return one attack's row of the table."""
    memory = f"{mebibytes(result.before)}, {mebibytes(result.most)}"
    return (
        f"| {result.name} | {result.sent} | {memory} | "
        f"{result.ratio(floor):.2f} | {result.verdict(floor)} |"
    )


def report(results: list[Result]) -> str:
    """Return the table, as SECURITY.md has it."""
    floor = floor_of(results)
    lines = [
        "| attack | sent | host's memory before and at most, MiB | p99 of the others' cards, "
        "in the undisturbed | verdict |",
        "| --- | --- | --- | --- | --- |",
    ]
    lines += [row(each, floor) for each in results]
    cards = sum(len(each.quiet) for each in results)
    lines.append("")
    lines.append(
        f"{os.cpu_count()} cores, {cards} undisturbed cards: p99 {floor / 1e6:.1f} ms, "
        f"median {percentile(all_quiet(results), 0.5) / 1e6:.1f} ms."
    )
    return "\n".join(lines)


def all_quiet(results: list[Result]) -> list[int]:
    """Return the times of all undisturbed cards."""
    return [took for each in results for took in each.quiet]


def floor_of(results: list[Result]) -> int:
    """Return the undisturbed 99th percentile of the run."""
    quiet = all_quiet(results)
    return percentile(quiet, 0.99) if quiet else 1


def as_json(results: list[Result]) -> str:
    """Return everything, for a program."""
    floor = floor_of(results)
    return json.dumps(
        {
            "cores": os.cpu_count(),
            "undisturbed_p99_ns": floor,
            "attacks": [
                {**asdict(each), "ratio": each.ratio(floor), "verdict": each.verdict(floor)}
                for each in results
            ],
        }
    )


async def run(names: list[str], moves: int) -> list[Result]:
    """Attack once in each way, and say how it goes."""
    results = []
    for name in names:
        results.append(await one(name, moves))
        floor = floor_of(results)
        print(row(results[-1], floor), file=sys.stderr, flush=True)
    return results


def main(arguments: list[str]) -> int:
    """Run the attacks; 1 where the table has not held against all of them."""
    match arguments:
        case ["be", name, host, control, public, key, source]:
            vandalise(name, Victim(host, int(control), int(public), key, source))
            return 0
        case ["play", port, key, name]:
            asyncio.run(be_player(int(port), key, name))
            return 0
    parser = argparse.ArgumentParser(prog="bench.attack", description=__doc__.split("\n")[0])
    parser.add_argument("--moves", type=int, default=100, help="cards, each time (100)")
    parser.add_argument("--only", default="", help="attacks whose name contains this")
    parser.add_argument("--json", type=Path, help="a file for everything, as JSON")
    chosen = parser.parse_args(arguments)
    names = [name for name in VANDALS if chosen.only in name]
    results = asyncio.run(run(names, chosen.moves))
    if chosen.json is not None:
        chosen.json.write_text(as_json(results), encoding="utf-8")
    print(report(results))
    floor = floor_of(results)
    return int(any(each.verdict(floor) != "held" for each in results))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
