"""A local network within this machine: hosts as network namespaces, joined by a bridge in another.

Each machine has its own interfaces, routes, name and home folder. What a network forbids is
forbidden at the ports of the bridge, where an access point would do it.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import pytest

COMMAND = (sys.executable, "-m", "hearts_client")
WITHIN = 90.0
TUN = """
import fcntl, struct, subprocess, sys, time
tun = open("/dev/net/tun", "rb+", buffering=0)
fcntl.ioctl(tun, 0x400454CA, struct.pack("16sH", b"tun0", 0x1001))
for words in (["addr", "add", "10.99.0.1/24", "dev", "tun0"], ["link", "set", "tun0", "up"],
              ["route", "replace", "default", "dev", "tun0"]):
    subprocess.run(["ip", *words], check=True)
print("ready", flush=True)
time.sleep(600)
"""
"""A VPN whose other end is not there: it takes every packet that has no better way."""


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


class Process:
    """A program on a machine; its output is read line by line."""

    def __init__(self, command: list[str], environment: dict[str, str], errors: Path) -> None:
        self.errors = errors
        with errors.open("ab") as log:
            self.child = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env=environment,
                text=True,
                encoding="utf-8",
            )

    @property
    def out(self) -> IO[str]:
        assert self.child.stdout is not None
        return self.child.stdout

    def line(self) -> str:
        line = self.out.readline()
        assert line, self.errors.read_text()
        return line

    def json(self) -> dict[str, Any]:
        value = json.loads(self.line())
        assert isinstance(value, dict)
        return value

    def until(self, wanted: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
        """Read JSON lines until one is wanted; a test's own time limit is the deadline."""
        while True:
            value = self.json()
            if wanted(value):
                return value

    def kill(self, number: signal.Signals = signal.SIGKILL) -> None:
        self.child.send_signal(number)
        self.child.communicate(timeout=WITHIN)

    def close(self) -> None:
        if self.child.poll() is None:
            self.child.kill()
        self.child.communicate(timeout=WITHIN)


class Machine:
    """One machine of a network."""

    def __init__(self, name: str, namespace: str, folder: Path) -> None:
        self.name = name
        self.namespace = namespace
        self.folder = folder
        self.home = folder / name
        self._running: list[Process] = []
        ip("netns", "add", namespace)
        self.write("/proc/sys/net/ipv6/conf/default/accept_dad", "0")
        self.ip("link", "set", "lo", "up")

    def ip(self, *words: str) -> None:
        ip("-n", self.namespace, *words)

    def write(self, path: str, text: str) -> None:
        """Set one of the kernel's switches on this machine."""
        script = f"echo {text} > {path}"
        subprocess.run(["ip", "netns", "exec", self.namespace, "sh", "-c", script], check=True)

    def environment(self, **more: str) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith("HEARTS")}
        return {
            **kept,
            "HEARTS_NET_HOME": str(self.home),
            "HEARTS_NET_NAME": self.name.capitalize(),
            "LANG": "C.UTF-8",
            "PYTHONUNBUFFERED": "1",
            **more,
        }

    def command(self, *words: str) -> list[str]:
        """Give what runs a command here, under this machine's name."""
        called = f'hostname {self.name}; exec "$@"'
        inside = ["ip", "netns", "exec", self.namespace, "unshare", "-u"]
        return [*inside, "sh", "-c", called, "sh", *words]

    def start(self, *words: str, **more: str) -> Process:
        """Start a program; it ends with the test at the latest."""
        process = Process(self.command(*words), self.environment(**more), self.home_file("errors"))
        self._running.append(process)
        return process

    def hearts(self, *words: str, **more: str) -> Process:
        """Start ``hearts-net`` with these words."""
        return self.start(*COMMAND, *words, **more)

    def host(self, *words: str, **more: str) -> tuple[Process, dict[str, Any]]:
        """Start a table in the foreground, and read where it is."""
        process = self.hearts("host", "--foreground", "--json", *words, **more)
        return process, process.json()

    def run(self, *words: str, within: float = WITHIN) -> subprocess.CompletedProcess[str]:
        """Run ``hearts-net`` with these words to its end."""
        return subprocess.run(
            self.command(*COMMAND, *words),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            encoding="utf-8",
            env=self.environment(),
            timeout=within,
            check=False,
        )

    def listed(self) -> list[dict[str, Any]]:
        """List the tables that answer."""
        done = self.run("list", "--json")
        assert done.returncode == 0, done.stderr
        return [table for table in json.loads(done.stdout) if table["state"] != "saved"]

    def home_file(self, name: str) -> Path:
        self.home.mkdir(parents=True, exist_ok=True)
        return self.home / name

    def add_dead_tunnel(self) -> None:
        """Add a VPN that leads nowhere and has the default route."""
        assert self.start(sys.executable, "-c", TUN).line() == "ready\n"

    def close(self) -> None:
        for process in self._running:
            process.close()


class Lan:
    """A bridge and the machines on it."""

    def __init__(self, prefix: str, folder: Path) -> None:
        self._prefix = prefix
        self._folder = folder
        self.bridge = f"{prefix}b"
        self.machines: list[Machine] = []
        ip("netns", "add", self.bridge)
        words = ("type", "bridge", "mcast_snooping", "0", "forward_delay", "0")
        ip("-n", self.bridge, "link", "add", "bridge", *words)
        ip("-n", self.bridge, "link", "set", "bridge", "up")

    def machine(self, name: str, *, v4: bool = True, plugged: bool = True) -> Machine:
        """Add a machine with 10.78.0.N, N from 1; without ``v4`` it has link-local IPv6 alone."""
        made = Machine(name, f"{self._prefix}{len(self.machines)}", self._folder)
        self.machines.append(made)
        if plugged:
            self.plug(made, "lan0", f"10.78.0.{len(self.machines)}/24" if v4 else "")
        return made

    def plug(self, machine: Machine, interface: str, address: str) -> None:
        """Give a machine an interface on this network."""
        port = self.port(machine, interface)
        ip(
            "-n", self.bridge, "link", "add", port, "type", "veth",
            "peer", "name", interface, "netns", machine.namespace,
        )  # fmt: skip
        ip("-n", self.bridge, "link", "set", port, "master", "bridge", "up")
        machine.ip("link", "set", interface, "up")
        if address:
            machine.ip("addr", "add", address, "dev", interface)

    def port(self, machine: Machine, interface: str = "lan0") -> str:
        return f"{machine.name[:8]}{interface}"

    def forbid(self, machine: Machine, *words: str) -> None:
        """Set what the bridge's port to a machine lets through, such as ``mcast_flood off``."""
        command = ["bridge", "-n", self.bridge, "link", "set", "dev", self.port(machine), *words]
        subprocess.run(command, check=True, capture_output=True)

    def flush(self, machine: Machine) -> None:
        """Have the bridge forget where a machine is."""
        ip(
            "-n",
            self.bridge,
            "link",
            "set",
            self.port(machine),
            "type",
            "bridge_slave",
            "fdb_flush",
        )

    def know_each_other(self) -> None:
        """Have every machine know every other's hardware address, so that none has to ask."""
        for one in self.machines:
            for other in self.machines:
                if one is not other:
                    for address in self.addresses(other):
                        one.ip("neigh", "replace", address, "lladdr", self.hardware(other),
                               "nud", "permanent", "dev", "lan0")  # fmt: skip

    def addresses(self, machine: Machine) -> list[str]:
        facts = self._facts(machine)
        return [each["local"] for each in facts["addr_info"]]

    def hardware(self, machine: Machine) -> str:
        return str(self._facts(machine)["address"])

    def _facts(self, machine: Machine) -> dict[str, Any]:
        words = ("ip", "-j", "-n", machine.namespace, "addr", "show", "dev", "lan0")
        done = subprocess.run(words, check=True, capture_output=True)
        (facts,) = json.loads(done.stdout)
        assert isinstance(facts, dict)
        return facts

    def close(self) -> None:
        for machine in self.machines:
            machine.close()
        for namespace in (*(machine.namespace for machine in self.machines), self.bridge):
            with contextlib.suppress(subprocess.CalledProcessError):
                ip("netns", "del", namespace)


def can_make_networks() -> bool:
    needed = ("ip", "bridge", "unshare", "hostname")
    return (
        sys.platform == "linux"
        and os.geteuid() == 0
        and all(shutil.which(name) for name in needed)
        and subprocess.run(["unshare", "-n", "true"], check=False).returncode == 0
    )


@pytest.fixture
def lan(tmp_path: Path) -> Iterator[Lan]:
    """Give an empty network; needs root and network namespaces."""
    if not can_make_networks():
        pytest.skip("needs root, iproute2 and network namespaces")
    made = Lan(f"hl{os.getpid() % 100_000}-{time.monotonic_ns() % 1000}", tmp_path)
    try:
        yield made
    finally:
        made.close()
