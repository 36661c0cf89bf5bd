"""``hearts-net demo``: four bots, each its own process, play a game over ZeroMQ on loopback."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

from hearts_client.chosen import Chosen
from hearts_client.i18n import _
from hearts_client.plain import PlainManner
from hearts_client.playing import talk
from hearts_client.reaching import Visitor
from hearts_client.tablelink import LinkFactory, TableLink
from hearts_client.tables import level_of, options_of, target_of
from hearts_net.bots.levels import level_names
from hearts_net.host.errors import HostError
from hearts_net.host.folder import Running
from hearts_net.host.process import launch_table, stop_table
from hearts_net.host.settings import HostSettings
from hearts_net.peer.home import HOME_VARIABLE, find_home
from hearts_net.peer.identity import new_identity
from hearts_net.peer.loops import in_a_loop
from hearts_net.protocol.peer_outputs import JoinedTable

NAMES = ("Asha", "Bram", "Chloé", "Dewi")
ENDS_WITHIN = 10.0
"""Seconds for the bots to notice that the table has closed."""


def run(chosen: Chosen) -> int:
    """Open a table in a folder of its own, let the bots play, and tell the game."""
    level, options = level_of(chosen.text("level")), options_of(chosen)
    with tempfile.TemporaryDirectory(prefix="hearts-net-demo-") as folder:
        home = find_home({HOME_VARIABLE: folder})
        host, watcher = new_identity(), new_identity()
        settings = HostSettings(
            tables=home.tables,
            key=host.public,
            secret=host.secret,
            table=_("demo"),
            port=0,
            loopback_only=True,
            options=options,
            levels=level_names(),
            exit_when_done=True,
        )
        print(_("A table on this machine, and four bots that join it over the network."))
        with _table(settings) as running, _bots(running, level, Path(folder)) as start_bots:
            guest = Visitor(home, watcher, "watcher", _("Listener"))
            factory = _when_joined(guest.link_factory([target_of(running)]), start_bots)
            manner = PlainManner(sit=False, by_trick=True)
            return in_a_loop(talk(factory, manner, reads=False))


@contextlib.contextmanager
def _table(settings: HostSettings) -> Iterator[Running]:
    running = launch_table(settings)
    try:
        yield running
    finally:
        with contextlib.suppress(HostError):  # it ends by itself with its game
            stop_table(running)


@contextlib.contextmanager
def _bots(running: Running, level: str, folder: Path) -> Iterator[Callable[[], None]]:
    """Give what starts the bots; they end with the table, and at the latest with the block."""
    started: list[subprocess.Popen[bytes]] = []

    def start() -> None:
        started.extend(_bot(running.invite, name, level, folder) for name in NAMES)

    try:
        yield start
        for bot in started:
            bot.wait(ENDS_WITHIN)
    except subprocess.TimeoutExpired:
        pass
    finally:
        for bot in started:
            bot.kill()
            bot.wait()


def _bot(invite: str, name: str, level: str, folder: Path) -> subprocess.Popen[bytes]:
    command = (
        *(sys.executable, "-m", "hearts_client", "bot", invite),
        *("--name", name, "--level", level),
    )
    return subprocess.Popen(  # noqa: S603 - our own interpreter and module
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        env={**os.environ, HOME_VARIABLE: str(folder)},
    )


def _when_joined(factory: LinkFactory, then: Callable[[], None]) -> LinkFactory:
    def make(on_event: Callable[[object], None]) -> TableLink:
        def heed(event: object) -> None:
            on_event(event)
            if isinstance(event, JoinedTable):
                then()

        return factory(heed)

    return make
