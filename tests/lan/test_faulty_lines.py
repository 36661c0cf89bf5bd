"""A table over a network that fails: cut, lost one way, moved to another address, IPv6 alone."""

from __future__ import annotations

import contextlib
import json
import sys
import threading
import time
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest

from hearts_net.host.folder import table_folders
from hearts_net.host.store import read_journal
from hearts_net.peer.home import find_home
from hearts_net.peer.identity import new_identity
from hearts_net.testing.ledger import Ledger, check_no_bot

from .conftest import Lan, Machine, Process

pytestmark = [pytest.mark.long, pytest.mark.timeout(240)]
PATIENCE = 60.0


class Player:
    """A person on a machine of the network, who plays of their own accord once told to."""

    def __init__(self, machine: Machine, host: str, table: dict[str, Any]) -> None:
        identity = new_identity()
        told = {
            "host": host, "port": table["control"], "key": table["key"], "name": machine.name,
            "public": identity.public, "secret": identity.secret, "seed": 1,
        }  # fmt: skip
        self.ledger = Ledger(identity.public)
        self.deal = 0
        self.seen: list[str] = []
        self.newest = (0, 0)
        self._stirred = threading.Condition()
        self.process: Process = machine.start(
            sys.executable, "-m", "hearts_net.testing.seated", json.dumps(told)
        )
        threading.Thread(target=self._read_to_the_end, daemon=True).start()

    def _read_to_the_end(self) -> None:
        with contextlib.suppress(ValueError):  # the machine is taken down, and its pipes closed
            self._read()

    def _read(self) -> None:
        for line in self.process.out:
            said = json.loads(line)
            with self._stirred:
                if "view" in said:
                    self.newest = (said["view"][0], said["view"][1])
                    self.deal, self.seen = said["deal"], said["seen"]
                    self.ledger.note_cards(said["game"], said["deal"], said["seen"])
                elif said.get("ok"):
                    self.ledger.accepted[said["reply"]] = (said["told"][0], said["told"][1])
                self._stirred.notify_all()

    def told(self) -> Ledger:
        """Give what this player has been told so far."""
        with self._stirred:
            return deepcopy(self.ledger)

    def tell(self, word: str) -> None:
        pipe = self.process.child.stdin
        assert pipe is not None
        pipe.write(f"{word}\n")
        pipe.flush()

    def until(self, true: Callable[[], object], within: float = PATIENCE) -> float:
        """Wait for something to be so; return how many seconds it took."""
        start = time.monotonic()
        with self._stirred:
            while not true():
                left = start + within - time.monotonic()
                assert left > 0, (self.newest, self.deal, self.seen)
                self._stirred.wait(min(left, 0.2))
        return time.monotonic() - start

    @property
    def progress(self) -> tuple[int, int]:
        return self.deal, len(self.seen)

    def plays_on(self, cards: int = 6) -> None:
        """Wait until so many more cards have been played, or the next deal has come."""
        deal, seen = self.progress
        self.until(lambda: self.progress >= (deal, seen + cards))


class Game:
    """A table on one machine, two people beside it and one on each of two others."""

    def __init__(self, lan: Lan, *, v4: bool = True) -> None:
        self.attic, self.laptop, self.tablet = (
            lan.machine(name, v4=v4) for name in ("attic", "laptop", "tablet")
        )
        self.host, self.table = self.attic.host(
            *("--table", "attic", "--grace", "3600", "--set", "target=1000")
        )
        self.players: list[Player] = []
        self._lan = lan

    def address(self) -> str:
        """Give the host's address as the other machines have to write it."""
        addresses = self._lan.addresses(self.attic)
        v4 = [address for address in addresses if ":" not in address]
        return v4[0] if v4 else f"{addresses[0]}%lan0"

    def everybody_plays(self) -> None:
        for machine in (self.attic, self.attic, self.laptop, self.tablet):
            here = machine is self.attic
            address = "127.0.0.1" if here else self.address()
            self.players.append(Player(machine, address, self.table))
            self.players[-1].until(lambda: self.players[-1].newest > (0, 0))
        for player in self.players:
            player.tell("play")
        self.players[0].until(lambda: self.players[0].seen)

    def check(self) -> None:
        """Hold what everybody was told against what is stored."""
        told = [player.told() for player in self.players]  # before the journal, which goes on
        (folder,) = table_folders(find_home({"HEARTS_NET_HOME": str(self.attic.home)}).tables)
        journal = read_journal(folder.store)
        check_no_bot(journal)
        for ledger in told:
            ledger.check(journal)


@pytest.mark.parametrize("seconds", [2, 20])
def test_a_partition_costs_nobody_a_card(lan: Lan, seconds: int) -> None:
    game = Game(lan)
    game.everybody_plays()
    laptop = game.players[2]
    lan.forbid(game.laptop, "state", "0")
    time.sleep(seconds / 2)
    before = laptop.newest
    time.sleep(seconds / 2)
    assert laptop.newest == before
    lan.forbid(game.laptop, "state", "3")
    laptop.until(lambda: laptop.newest > before)
    for player in game.players:
        player.plays_on()
    game.check()


@pytest.mark.parametrize("way", ["to the player", "to the host"])
def test_what_is_lost_one_way_alone_costs_nobody_a_card(lan: Lan, way: str) -> None:
    game = Game(lan)
    game.everybody_plays()
    lan.know_each_other()
    machine = game.laptop if way == "to the player" else game.attic
    # the bridge forgets where the machine is, learns no more, and asks around no more
    lan.forbid(machine, "learning", "off", "flood", "off")
    lan.flush(machine)
    time.sleep(3)
    before = game.players[0].progress
    time.sleep(6)
    # somebody can be told nothing, or say nothing; those who are there may go on to the next deal
    assert game.players[0].progress in (before, (before[0] + 1, 0))
    lan.forbid(machine, "learning", "on", "flood", "on")
    for player in game.players:
        player.plays_on()
    game.check()


def test_a_laptop_that_moves_to_another_address_plays_on(lan: Lan) -> None:
    game = Game(lan)
    game.everybody_plays()
    laptop = game.players[2]
    (old, *_) = lan.addresses(game.laptop)
    game.laptop.ip("addr", "del", f"{old}/24", "dev", "lan0")
    lan.plug(game.laptop, "wifi0", "10.78.0.99/24")
    game.laptop.ip("link", "set", "lan0", "down")
    for player in game.players:
        player.plays_on()
    assert laptop.process.child.poll() is None
    game.check()


def test_a_game_over_ipv6_alone(lan: Lan) -> None:
    game = Game(lan, v4=False)
    game.everybody_plays()
    for player in game.players:
        player.plays_on(cards=52)
    game.check()
