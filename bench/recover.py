"""How long it takes until everybody plays again: after a cut, and after the host's restart.

    python -m bench.recover [--rounds N] [--cuts SECONDS …] [--json]

Two machines made of network namespaces (which need root and Linux), joined by a bridge that
swallows every packet while it is cut, so that neither side notices anything but silence. On one
there is a table's process, and beside it an echo behind a bare ROUTER; on the other four people,
through the link that every client uses, and a bare DEALER with the same options, which sends a ping
every 50 ms. Elsewhere, or with --proxy, all are on this machine, and a proxy cuts the lines.

A player is back when the link is live, the newest view decoded, the host counts the player as
present, and something done by the player after the cut is answered; the DEALER is back when it has
an answer. The clocks start when the cut heals, and when the new process is started: its
interpreter's start is in the figure, also in the DEALER's. Last, how long a clean exit takes, with
the other side there, stopped, and killed.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Final, Protocol

import zmq

from hearts_net.peer.connection import OPTIONS
from hearts_net.peer.endpoint import Target
from hearts_net.peer.identity import new_identity
from hearts_net.protocol.messages import Ready
from hearts_net.testing.proxy import FaultProxy
from hearts_net.testing.seated import SeatedPlayer

PLAYERS: Final = 4
PING_EVERY: Final = 0.05
PATIENCE: Final = 60.0
TARGETS: Final = {"cut": 1000, "restart": 2000, "exit": 1000}
"""Milliseconds that are wanted at most."""
SUBNET: Final = "10.79.0"
ECHO: Final = """
import sys, zmq
socket = zmq.Context().socket(zmq.ROUTER)
socket.linger = 0
for option, value in {options}:
    socket.setsockopt(option, value)
socket.bind("tcp://0.0.0.0:%s" % sys.argv[1])
print(socket.last_endpoint.decode().rpartition(":")[2], flush=True)
while True:
    socket.send_multipart(socket.recv_multipart())
""".replace(
    "{options}",
    repr([(int(zmq.HEARTBEAT_IVL), 2000), (int(zmq.HEARTBEAT_TIMEOUT), 6000)]),
)


# ---- the line between the two machines -----------------------------------------------------------


class Line(Protocol):
    """What the host and the players are joined by."""

    name: str
    address: str
    """Where the players reach the host's machine."""

    def there(self, *command: str) -> list[str]:
        """Give what runs a command on the host's machine."""

    async def port(self, port: int) -> int:
        """Give the port by which the players reach one of the host's."""

    def cut(self) -> None:
        """Swallow everything from now on."""

    def heal(self) -> None:
        """Swallow nothing more."""


def ip(*words: str) -> None:
    """Run ``ip``."""
    subprocess.run(["ip", *words], check=True, capture_output=True)


class Namespaces:
    """Two namespaces and a bridge in a third; this process is in the players' one already."""

    name = "network namespaces"
    address = f"{SUBNET}.1"

    def __init__(self, prefix: str) -> None:
        self.host, self.players, self._bridge = (f"{prefix}{each}" for each in "hpb")

    def make(self) -> None:
        """Set everything up, from outside."""
        for namespace in (self.host, self.players, self._bridge):
            ip("netns", "add", namespace)
        at_bridge = ("-n", self._bridge, "link")
        ip(*at_bridge, "add", "bridge", "type", "bridge", "mcast_snooping", "0")
        ip(*at_bridge, "set", "bridge", "up")
        for number, namespace in enumerate((self.host, self.players), start=1):
            port = f"port{number}"
            ip(*at_bridge, "add", port, "type", "veth", "peer", "name", "lan", "netns", namespace)
            ip(*at_bridge, "set", port, "master", "bridge", "up")
            ip("-n", namespace, "addr", "add", f"{SUBNET}.{number}/24", "dev", "lan")
            for interface in ("lan", "lo"):
                ip("-n", namespace, "link", "set", interface, "up")

    def remove(self) -> None:
        """Take everything away again."""
        for namespace in (self.host, self.players, self._bridge):
            with contextlib.suppress(subprocess.CalledProcessError):
                ip("netns", "del", namespace)

    def there(self, *command: str) -> list[str]:
        """Give what runs a command on the host's machine."""
        return ["ip", "netns", "exec", self.host, *command]

    async def port(self, port: int) -> int:
        """Give the same port: nothing is in between."""
        return port

    def cut(self) -> None:
        """Swallow everything from now on."""
        self._set_port("disabled")

    def heal(self) -> None:
        """Swallow nothing more."""
        self._set_port("forwarding")

    def _set_port(self, state: str) -> None:
        number = {"disabled": "0", "forwarding": "3"}[state]
        command = ["bridge", "-n", self._bridge, "link", "set", "dev", "port1", "state", number]
        subprocess.run(command, check=True, capture_output=True)


class Proxies:
    """One machine, and a proxy before each port."""

    name = "a proxy on one machine"
    address = "127.0.0.1"

    def __init__(self) -> None:
        self._proxies: dict[int, FaultProxy] = {}

    def there(self, *command: str) -> list[str]:
        """Give the command as it is."""
        return list(command)

    async def port(self, port: int) -> int:
        """Put a proxy before a port."""
        if port not in self._proxies:
            self._proxies[port] = FaultProxy(port)
            await self._proxies[port].listen()
        return self._proxies[port].port

    def cut(self) -> None:
        """Swallow everything from now on."""
        for proxy in self._proxies.values():
            proxy.black_hole()

    def heal(self) -> None:
        """Swallow nothing more."""
        for proxy in self._proxies.values():
            proxy.heal()


# ---- both sides ----------------------------------------------------------------------------------


class Process:
    """A program on the host's machine that says where it is in its first line."""

    def __init__(self, line: Line, home: Path, command: list[str]) -> None:
        self._line = line
        self._command = command
        self._environment = {**os.environ, "HEARTS_NET_HOME": str(home)}
        self._log = home / "bench.log"
        self.child: subprocess.Popen[str] | None = None

    def start(self, *more: str) -> None:
        """Start it, without waiting."""
        with self._log.open("a") as log:
            self.child = subprocess.Popen(
                self._line.there(*self._command, *more),
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env=self._environment,
            )

    def first_line(self) -> str:
        """Wait for its first line."""
        assert self.child is not None
        assert self.child.stdout is not None
        line = self.child.stdout.readline()
        assert line, self._log.read_text()
        return line

    def end(self, number: int = signal.SIGKILL) -> float:
        """End it, and return how many milliseconds that took."""
        if self.child is None:
            return 0.0
        start = time.monotonic()
        self.child.send_signal(number)
        self.child.wait(PATIENCE)
        if self.child.stdout is not None:
            self.child.stdout.close()
        return 1000 * (time.monotonic() - start)


class Dealer:
    """The floor: a bare DEALER that asks again and again whether anybody answers."""

    def __init__(self, address: str, port: int) -> None:
        self._context: zmq.Context[zmq.Socket[bytes]] = zmq.Context()
        self._socket = self._context.socket(zmq.DEALER)
        for option, value in OPTIONS:
            self._socket.setsockopt(option, value)
        self._socket.connect(f"tcp://{address}:{port}")
        self._round = 0

    async def answered(self) -> float:
        """Wait for the answer to a ping that is sent from now on; return when it came."""
        self._round += 1
        wanted = b"%d" % self._round
        due = 0.0
        while True:
            if time.monotonic() >= due:
                due = time.monotonic() + PING_EVERY
                with contextlib.suppress(zmq.Again):
                    self._socket.send(wanted, zmq.NOBLOCK)
            with contextlib.suppress(zmq.Again):
                while True:
                    if self._socket.recv(zmq.NOBLOCK) == wanted:
                        return time.monotonic()
            await asyncio.sleep(0.001)

    def close(self) -> None:
        """Ask no more."""
        self._socket.close(0)
        self._context.term()


@dataclass
class Bench:
    """The table, the four players, and the floor beside them."""

    line: Line
    host: Process
    echo: Process
    dealer: Dealer
    players: list[SeatedPlayer]
    invite: str
    echo_port: int

    async def all_back(self, epoch: int) -> list[float]:
        """Wait until each player is back; return when each was."""
        return await asyncio.gather(*(self._back(player, epoch) for player in self.players))

    async def _back(self, player: SeatedPlayer, epoch: int) -> float:
        def is_back() -> bool:
            if not player.is_live or player.view.epoch != epoch or player.view.own is None:
                return False
            seat = player.view.public.seats[player.view.own.seat]
            return seat.presence == "present" and bool(player.view.own.may)

        request = player.do(Ready(False))  # changes nothing, but is answered
        await player.until(lambda: is_back() and player.has_reply(request), PATIENCE)
        return time.monotonic()

    async def after_a_cut(self, seconds: float, epoch: int) -> tuple[list[float], float]:
        """Cut for so long; return the milliseconds of each player and of the DEALER."""
        self.line.cut()
        await asyncio.sleep(seconds)
        start = time.monotonic()
        self.line.heal()
        answered = asyncio.ensure_future(self.dealer.answered())
        backs = await self.all_back(epoch)
        floor = await answered
        return [1000 * (back - start) for back in backs], 1000 * (floor - start)

    async def after_a_restart(self, epoch: int) -> tuple[float, float, float]:
        """Kill the host and the echo and start both again.

        Returns the milliseconds until the last player is back, those from the host's first line on,
        and those of the DEALER.
        """
        self.host.end()
        self.echo.end()
        await asyncio.sleep(1)
        start = time.monotonic()
        self.host.start("resume", "--foreground", "--json")
        ready = asyncio.to_thread(self._host_is_ready)
        listening, backs = await asyncio.gather(ready, self.all_back(epoch))
        begun = time.monotonic()
        self.echo.start(str(self.echo_port))
        floor = await self.dealer.answered()
        last = max(backs)
        return 1000 * (last - start), 1000 * (last - listening), 1000 * (floor - begun)

    def _host_is_ready(self) -> float:
        self.host.first_line()
        return time.monotonic()


@contextlib.asynccontextmanager
async def made(line: Line, home: Path) -> AsyncIterator[Bench]:
    """Start the table and the echo, and have everybody at the table."""
    host = Process(line, home, [sys.executable, "-m", "hearts_client"])
    echo = Process(line, home, [sys.executable, "-c", ECHO])
    players: list[SeatedPlayer] = []
    dealer = None
    try:
        host.start("host", "--foreground", "--json", "--port", "0", "--grace", "3600")
        ready = json.loads(host.first_line())
        echo.start("0")
        echo_port = int(echo.first_line())
        port = await line.port(ready["control"])
        dealer = Dealer(line.address, await line.port(echo_port))
        for number in range(PLAYERS):
            target = Target(line.address, port, ready["key"])
            name = f"Player {number + 1}"
            players.append(SeatedPlayer([target], new_identity(), name, plays=False))
            await players[-1].until(lambda: players[-1].is_live and players[-1].view.own)
        await dealer.answered()
        yield Bench(line, host, echo, dealer, players, ready["invite"], echo_port)
    finally:
        for player in players:
            await player.leave()
        host.end()
        echo.end()
        if dealer is not None:
            dealer.close()


# ---- exits ---------------------------------------------------------------------------------------


def client_exit(bench: Bench, home: Path, other: str) -> float:
    """Have a plain client say goodbye; return the milliseconds until its process has ended."""
    client = subprocess.Popen(
        [sys.executable, "-m", "hearts_client", "join", bench.invite, "--plain"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "HEARTS_NET_HOME": str(home / "client")},
    )
    assert client.stdin is not None
    assert client.stdout is not None
    client.stdout.readline()
    assert bench.host.child is not None
    if other == "killed":
        bench.host.end()
    elif other == "stopped":
        bench.host.child.send_signal(signal.SIGSTOP)
    time.sleep(0.2)
    start = time.monotonic()
    client.stdin.write("quit\n")
    client.stdin.flush()
    client.wait(PATIENCE)
    took = 1000 * (time.monotonic() - start)
    client.stdin.close()
    client.stdout.close()
    if other == "stopped":
        bench.host.child.send_signal(signal.SIGCONT)
    return took


# ---- the run -------------------------------------------------------------------------------------


async def measure(line: Line, rounds: int, cuts: list[float]) -> dict[str, object]:
    """Run everything once; times are medians in milliseconds."""
    found: dict[str, object] = {"line": line.name, "cores": os.cpu_count(), "rounds": rounds}
    with tempfile.TemporaryDirectory(prefix="hearts-net-recover-") as folder:
        home = Path(folder)
        async with made(line, home) as bench:
            epoch = 1
            for seconds in cuts:
                times, floors = [], []
                for _ in range(rounds):
                    of_players, floor = await bench.after_a_cut(seconds, epoch)
                    times += of_players
                    floors.append(floor)
                    await asyncio.sleep(1)
                found[f"cut of {seconds:g} s"] = of(times, floors, "cut")
            times, served, floors = [], [], []
            for _ in range(rounds):
                epoch += 1
                last, since_ready, floor = await bench.after_a_restart(epoch)
                times.append(last)
                served.append(since_ready)
                floors.append(floor)
            found["restart"] = of(times, floors, "restart") | {"since it listens": rounded(served)}
            exits = {}
            for other in ("there", "stopped", "killed"):
                taken = await asyncio.to_thread(client_exit, bench, home, other)
                exits[f"client, host {other}"] = round(taken)
            bench.host.start("resume", "--foreground", "--json")
            await asyncio.to_thread(bench.host.first_line)
            await bench.all_back(epoch + 1)
            exits["host, players there"] = round(
                await asyncio.to_thread(bench.host.end, signal.SIGTERM)
            )
            found["exits"] = exits | {"wanted": TARGETS["exit"]}
    return found


def of(times: list[float], floors: list[float], kind: str) -> dict[str, object]:
    """Give what is printed of some times and the floor's."""
    return {
        "median": rounded(times),
        "worst": round(max(times)),
        "bare DEALER": rounded(floors),
        "wanted": TARGETS[kind],
    }


def rounded(times: list[float]) -> int:
    """Give the median in whole milliseconds."""
    return round(median(times))


def show(found: dict[str, object]) -> None:
    """Print a table."""
    print(f"{found['line']}, {found['cores']} cores, {found['rounds']} rounds; milliseconds")
    for name, facts in found.items():
        if isinstance(facts, dict):
            print(f"{name:>14}: " + ", ".join(f"{key} {value}" for key, value in facts.items()))


@contextlib.contextmanager
def in_namespaces() -> Iterator[Callable[[list[str]], int]]:
    """Make the two machines; give what runs this program again on the players' one."""
    net = Namespaces(f"hr{os.getpid() % 100_000}")
    try:
        net.make()
        yield (
            lambda words: (
                subprocess.run(
                    [
                        "ip",
                        "netns",
                        "exec",
                        net.players,
                        sys.executable,
                        "-m",
                        "bench.recover",
                        *words,
                    ],
                    check=False,
                    env={**os.environ, "HEARTS_NET_BENCH_LINE": f"hr{os.getpid() % 100_000}"},
                ).returncode
            )
        )
    finally:
        net.remove()


def can_make_namespaces() -> bool:
    """Tell whether this is Linux, root, and iproute2 is there."""
    tools = shutil.which("ip") and shutil.which("bridge")
    return sys.platform == "linux" and os.geteuid() == 0 and bool(tools)


def main(words: list[str]) -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="bench.recover", description="see the module")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--cuts", type=float, nargs="*", default=[2.0, 20.0])
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--proxy", action="store_true", help="cut by a proxy, not a bridge")
    asked = parser.parse_args(words)
    prefix = os.environ.get("HEARTS_NET_BENCH_LINE", "")
    if not prefix and not asked.proxy and can_make_namespaces():
        with in_namespaces() as run_there:
            return run_there(words)
    line: Line = Namespaces(prefix) if prefix else Proxies()
    found = asyncio.run(measure(line, asked.rounds, asked.cuts))
    if asked.json:
        print(json.dumps(found))
    else:
        show(found)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
