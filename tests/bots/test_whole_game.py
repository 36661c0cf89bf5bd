"""Bots play whole games over a network in memory: real sessions, a real table, and faults."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from hearts_net.bots.from_deal import view_of
from hearts_net.bots.levels import make_player
from hearts_net.bots.mind import NO_PAUSE, PAUSE, Deed, Mind, Question, answer
from hearts_net.bots.player import Player
from hearts_net.bots.sight import read_sight
from hearts_net.host.opening import Opening
from hearts_net.protocol.messages import Ready, Reply
from hearts_net.protocol.peer_session import LinkState, NewView, Replied
from hearts_net.testing.agreement import check_applied_once
from hearts_net.testing.network import Faults, MemoryNetwork, MemoryPeer, opening


@dataclass
class Bot:
    """A peer with a mind; what a runner does in an event loop is done here step by step."""

    peer: MemoryPeer
    mind: Mind
    player: Player
    read: int = 0
    woken: int = -1

    def go_on(self, network: MemoryNetwork) -> list[Reply]:
        """Take what is new, do what is due; return the refusals other than stale ones."""
        refused = []
        for event in self.peer.events[self.read :]:
            match event:
                case NewView(view):
                    self.mind.saw(view, network.clock.now)
                case Replied(request, reply, _):
                    self.mind.heard(request, reply, network.clock.now)
                    if not reply.ok and not reply.code.startswith("stale-"):
                        refused.append(reply)
        self.read = len(self.peer.events)
        if self.peer.session.state in (LinkState.LEAVING, LinkState.ENDED):
            return refused
        wish = self.mind.due(network.clock.now)
        if isinstance(wish, Question):
            wish = self.mind.deed(answer(wish, self.player), wish.view)
        if isinstance(wish, Deed):
            self.mind.sent(self.peer.do(wish.act, wish.seat))
        elif self.mind.leaves:
            self.peer.leave()
        self._wake(network)
        return refused

    def _wake(self, network: MemoryNetwork) -> None:
        due = self.mind.deadline()
        if due is not None and due > network.clock.now and due != self.woken:
            self.woken = due
            network.later(due - network.clock.now, lambda: None)


class BotNetwork(MemoryNetwork):
    """A table whose bots and deputies are the real ones."""

    def __init__(
        self,
        seed: int,
        opening: Opening,
        faults: Faults | None = None,
        pause: tuple[int, int] = NO_PAUSE,
    ) -> None:
        self.pause = pause
        self.bots: list[Bot] = []
        self.refused: list[Reply] = []
        super().__init__(seed, opening, faults)

    def _hire(self, key: str, role: str, name: str, level: str) -> None:
        peer = self._make_peer(key, role, name, level, None)
        self.staff[key] = peer
        mind = Mind(f"{self.rng.random()}", self.pause, deputy=role == "deputy")
        self.bots.append(Bot(peer, mind, make_player(level)))

    def add_bot(self, level: str = "medium", role: str = "bot", key: str = "") -> Bot:
        peer = self.add_peer(role=role, level=level, key=key, plays=False, live=False)
        guest = role == "bot"
        bot = Bot(peer, Mind(f"{peer.key}", self.pause, guest=guest), make_player(level))
        self.bots.append(bot)
        return bot

    def go_on(self) -> None:
        for bot in list(self.bots):
            if bot.peer.stopped:
                self.bots.remove(bot)
            else:
                self.refused.extend(bot.go_on(self))

    def played_out(self) -> bool:
        self.go_on()
        return self.phase() == "game-over"

    def phase(self) -> str:
        return "" if self.host is None else self.host.table.stage.value


def short_game(**changes: object) -> Opening:
    return opening(levels=("medium", "easy"), rules={"target": 30}, **changes)


def test_four_bots_play_a_game_and_leave() -> None:
    network = BotNetwork(1, short_game())
    for level in ("medium", "easy", "medium", "easy"):
        network.add_bot(level)
    network.run_until(network.played_out)
    table = network.authority.table
    assert table.game is not None
    assert table.game.winner is not None
    assert network.refused == []
    check_applied_once(network)

    def everybody_gone() -> bool:
        network.go_on()
        return network.finished is not None

    network.run_until(everybody_gone)
    assert network.finished is not None
    assert network.finished.reason == "done"
    ended = {LinkState.LEAVING, LinkState.ENDED}
    assert all(bot.peer.session.state in ended for bot in network.bots)


@pytest.mark.parametrize("seed", range(4))
def test_a_game_survives_a_bad_network_a_killed_host_and_killed_bots(seed: int) -> None:
    faults = Faults(drop=0.03, duplicate=0.05, delay=1, jitter=30)
    network = BotNetwork(seed, short_game(), faults)
    bots = [network.add_bot() for _ in range(4)]
    cards, killed = 0, set()

    def wreck() -> bool:
        nonlocal cards
        network.go_on()
        if network.host is None:
            network.start_host()
        deal = network.authority.table.deal
        if deal is None or network.authority.table.deal_number != 1:
            return network.phase() == "game-over"
        cards = sum(1 for _ in deal.plays)
        if cards == 9 and "host" not in killed:
            killed.add("host")
            network.kill_host()
            network.start_host()
        elif cards == 17 and "bot" not in killed:
            killed.add("bot")
            victim = bots[seed % 4]
            network.stop_peer(victim.peer)
            network.add_bot(key=victim.peer.key)
        elif cards == 25 and "line" not in killed:
            killed.add("line")
            network.break_connection(bots[(seed + 1) % 4].peer)
        return False

    network.run_until(wreck, within=3_600_000)
    assert killed == {"host", "bot", "line"}
    assert network.refused == []
    check_applied_once(network)


def test_bots_take_their_time_while_a_person_is_at_the_table() -> None:
    network = BotNetwork(3, short_game(bots=("medium", "easy", "medium")), pause=PAUSE)
    network.add_bot(role="player", key=network.opening.host_key)

    def cards() -> int:
        network.go_on()
        deal = network.authority.table.deal
        return 0 if deal is None else len(deal.plays)

    network.run_until(lambda: cards() >= 1)
    for count in range(2, 9):
        began = network.clock.now
        network.run_until(lambda count=count: cards() >= count)  # type: ignore[misc]
        assert PAUSE[0] <= network.clock.now - began <= PAUSE[1] + 100
    assert network.refused == []


def test_a_deputy_plays_the_cards_of_a_person_who_has_gone() -> None:
    network = BotNetwork(5, short_game(bots=("medium", "easy")))
    stays = network.add_bot(role="player", key=network.opening.host_key)
    goes = network.add_bot(role="player")

    def playing() -> bool:
        network.go_on()
        deal = network.authority.table.deal
        return deal is not None and len(deal.tricks) >= 2

    network.run_until(playing)
    goes.peer.leave()
    network.bots.remove(goes)

    def over() -> bool:
        network.go_on()
        return network.phase() in ("deal-over", "game-over")

    network.run_until(over)
    deal = network.authority.table.deal
    assert deal is not None
    seat = goes.peer.seat
    by_bot = {who for who, _, bot in deal.plays if bot}
    assert by_bot == {seat}
    assert stays.peer.seat != seat
    assert network.refused == []


def test_people_who_want_another_game_get_one_from_the_bots() -> None:
    network = BotNetwork(8, short_game(bots=("easy", "easy", "easy")))
    person = network.add_bot("easy", role="player", key=network.opening.host_key)
    network.run_until(network.played_out)
    first = network.authority.table.game_id

    def another() -> bool:
        network.go_on()
        return network.authority.table.game_id != first and network.phase() == "playing"

    network.run_until(another)
    assert Ready() in [act for _, act in person.peer.sent]
    assert network.refused == []


def test_a_view_made_of_a_deal_is_what_a_host_shows() -> None:
    network = BotNetwork(11, short_game())
    bots = [network.add_bot() for _ in range(4)]
    compared = 0

    def compare() -> bool:
        nonlocal compared
        over = network.played_out()
        table = network.authority.table
        for bot in bots:
            view = bot.peer.view
            if table.deal is None or table.game is None or view is None or view.own is None:
                continue
            if (view.epoch, view.seq) != (table.epoch, table.seq) or over or table.deal.over:
                continue
            made = view_of(
                table.deal, view.own.seat, number=table.game.number, totals=table.game.totals
            )
            assert read_sight(made) == read_sight(view)
            assert made.own is not None
            acts = [act for act in view.own.may if act != "claim"]
            assert (made.own.hand, made.own.may) == (view.own.hand, acts)
            assert made.public.rules == view.public.rules
            compared += 1
        return over

    network.run_until(compare)
    assert compared > 4 * 50
    assert network.refused == []
