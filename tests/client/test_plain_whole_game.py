"""Whole games in plain words over a network in memory, by a driver that knows only the lines."""

from __future__ import annotations

import io
import random
import re

from hearts_client.plain import PlainClient, PlainManner
from hearts_client.plain_output import LineWriter
from hearts_net.testing.network import Faults, MemoryNetwork, MemoryPeer, opening


class Driver:
    """Reads what is told, line by line, and answers each prompt as a program would."""

    def __init__(self, network: MemoryNetwork, peer: MemoryPeer, manner: PlainManner) -> None:
        self.out = io.StringIO()
        self.peer = peer
        self.lines: list[str] = []
        self.client = PlainClient(
            LineWriter(self.out, terminal=False), manner, lambda: network.clock.now
        )
        self.client.attach(peer)  # type: ignore[arg-type]  # it is never run
        self._heard = 0
        self._read = 0
        self._rng = random.Random(5)
        self._hand: list[str] = []
        self._legal: list[str] = []

    def catch_up(self) -> bool:
        """Hand over the session's events, and answer what is asked; always false."""
        while self._heard < len(self.peer.events):
            event = self.peer.events[self._heard]
            self._heard += 1
            self.client.on_event(event)
        while self._read < len(self.out.getvalue()):
            text = self.out.getvalue()[self._read :]
            self._read += len(text)
            for line in text.splitlines():
                self.lines.append(line)
                self._answer(line)
        return False

    def _answer(self, line: str) -> None:
        if found := re.fullmatch(r"Your hand: (.*)\.", line):
            self._hand = [
                f"{rank} of {group.split()[0]}"
                for group in found[1].split("; ")
                for rank in group.split()[1:]
            ]
        elif found := re.search(r"You may play: (.*)\.", line):
            self._legal = [
                f"{rank} of {group.rsplit(' of ', 1)[1]}"
                for group in found[1].split("; ")
                for rank in re.split(", | or ", group.rsplit(" of ", 1)[0])
            ]
        if line.endswith(">") and line != "again>":
            self.client.type_line(self._word_for(line))

    def _word_for(self, prompt: str) -> str:
        match prompt:
            case "pass>":
                return ", ".join(self._rng.sample(self._hand, 3))
            case "play>":
                return self._rng.choice(self._legal)
            case "moon>":
                return "moon others"
            case _:
                return prompt.removesuffix(">")


def play_a_game(faults: Faults | None = None) -> tuple[MemoryNetwork, Driver]:
    table = opening(bots=("medium", "medium", "medium"))
    network = MemoryNetwork(7, table, faults)
    peer = network.add_peer("Me", key=table.host_key, plays=False)
    driver = Driver(network, peer, PlainManner())
    network.run_until(lambda: driver.catch_up() or peer.public.phase == "game-over", within=10**8)
    network.run_until(lambda: driver.catch_up() or driver.lines[-1] == "again>", within=60_000)
    return network, driver


def told_once(lines: list[str], pattern: str) -> list[str]:
    return [line for line in lines if re.search(pattern, line)]


def test_a_whole_game_is_played_through_prompts_alone() -> None:
    network, driver = play_a_game()
    lines, public = driver.lines, driver.peer.public
    assert public.last_deal is not None
    deals = public.last_deal.deal
    assert len(told_once(lines, r"^Deal \d+ is over\.")) == deals
    assert len(told_once(lines, r"^The game is over")) == 1
    leads = [int(line.split()[1][:-1]) for line in told_once(lines, r"^Trick \d+\. .* leads? ")]
    taken = told_once(lines, r"takes? trick \d+:")
    assert len(taken) == len(leads)
    assert leads[:13] == list(range(1, 14))
    assert "play>" in lines
    for refused in ("It is not your turn", "That was meant", "You hold the suit"):
        assert not told_once(lines, refused)
    totals = [seat.total for seat in public.seats]
    assert told_once(lines, r"^The game is over")[0].endswith(
        f"{public.seats[3].name} {totals[3]}."
    )
    assert network.finished is None


def test_over_a_bad_network_every_event_is_still_told_once_and_in_order() -> None:
    _network, driver = play_a_game(Faults(drop=0.15, duplicate=0.1, jitter=30))
    lines = driver.lines
    leads = [int(line.split()[1][:-1]) for line in told_once(lines, r"^Trick \d+\. .* leads? ")]
    ends = told_once(lines, r"^Deal \d+ is over\.")
    assert len(ends) == len(set(ends))
    assert [int(line.split()[1]) for line in ends] == list(range(1, len(ends) + 1))
    assert len(told_once(lines, r"takes? trick \d+:")) == len(leads)
    assert len(told_once(lines, r"^The game is over")) == 1


def test_the_end_of_the_input_leaves_the_table() -> None:
    table = opening(bots=("medium", "medium", "medium"))
    network = MemoryNetwork(3, table)
    peer = network.add_peer("Me", key=table.host_key, plays=False)
    driver = Driver(network, peer, PlainManner(ready=True))
    driver.client.end_input()
    network.run_until(
        lambda: driver.catch_up() or driver.lines[-1].startswith("You have left the table"),
        within=5000,
    )
