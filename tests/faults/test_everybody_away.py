"""Everybody away at once, in any phase: the table is as it was when they are back, in any order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import permutations
from random import Random

import pytest
from msgspec.structs import replace

from hearts_net.host.opening import TableSettings
from hearts_net.host.table import Table
from hearts_net.protocol.messages import ChooseMoon, Pass, Ready
from hearts_net.protocol.peer_session import LinkState
from hearts_net.testing.agreement import check_agreement
from hearts_net.testing.network import MemoryNetwork, MemoryPeer, four_players, opening
from hearts_net.testing.players import eager
from hearts_net.testing.simulation import dealt_always
from hearts_net.testing.steady import Steady

GRACE = 60_000
MOON = Steady(134, bold=2)
"""Whose third seat shoots the moon in the first deal."""

Peers = list[MemoryPeer]


def ready(peers: Peers) -> None:
    for peer in peers:
        assert peer.ask(Ready()).ok
    peers[0].network.run_for(50)


def in_the_lobby(peers: Peers) -> None:
    assert peers[1].ask(Ready()).ok


def before_anybody_has_passed(peers: Peers) -> None:
    ready(peers)


def when_some_have_passed(peers: Peers) -> None:
    ready(peers)
    for peer in peers[1:3]:
        assert peer.ask(Pass(peer.own.hand[4:7])).ok


def in_the_middle_of_a_trick(peers: Peers) -> None:
    ready(peers)
    play_until(peers, lambda: len(peers[0].public.seen) == 6)


def when_the_moon_is_to_be_chosen(peers: Peers) -> None:
    ready(peers)
    for peer in peers:
        peer.play_by(lambda view: None if "choose-moon" in shown(view) else MOON(view))
    peers[0].network.run_until(lambda: peers[0].public.phase == "moon")
    stop(peers)


def between_two_deals(peers: Peers) -> None:
    ready(peers)
    play_until(peers, lambda: peers[0].public.phase == "deal-over")


def when_the_game_is_over(peers: Peers) -> None:
    ready(peers)
    for peer in peers:
        peer.play_by(eager(Random(1)))
    peers[0].network.run_until(lambda: peers[0].public.phase == "game-over", 10**9)
    stop(peers)


def shown(view: object) -> list[str]:
    own = getattr(view, "own", None)
    return own.may if own is not None else []


def play_until(peers: Peers, reached: Callable[[], bool]) -> None:
    for peer in peers:
        peer.play_by(eager(Random(1), says_ready=False))
    peers[0].network.run_until(reached)
    stop(peers)


def stop(peers: Peers) -> None:
    """Let nobody play by themselves, and what is under way arrive."""
    for peer in peers:
        peer.play_by(None)
    peers[0].network.run_for(300)


PHASES: dict[Callable[[Peers], None], dict[str, bool | int | str]] = {
    in_the_lobby: {},
    before_anybody_has_passed: {},
    when_some_have_passed: {},
    in_the_middle_of_a_trick: {},
    when_the_moon_is_to_be_chosen: {"moon": "shooter-chooses"},
    between_two_deals: {},
    when_the_game_is_over: {"target": 1},
}
ORDERS = [*permutations(range(4))][:: 24 // 4]


def lasting(table: Table) -> tuple[object, ...]:
    """Return what is to be the same: all but who is here since when, and what was said of it."""
    seats = [replace(seat, presence="present", since=0, deputy=False) for seat in table.seats]
    return table.game, table.stage, table.options, seats, table.paused, table.game_id


def at(phase: Callable[[Peers], None]) -> tuple[MemoryNetwork, Peers]:
    settings = TableSettings(grace=GRACE, turn_limit=30_000, next_deal=600_000, idle=0)
    network = MemoryNetwork(3, opening(rules={"target": 1000, **PHASES[phase]}, settings=settings))
    peers = four_players(network, plays=False)
    phase(peers)
    return network, peers


@pytest.fixture(autouse=True)
def _the_deal_of_the_moon() -> Iterator[None]:
    with dealt_always(MOON.hands()):
        yield


def all_live(network: MemoryNetwork, peers: Peers) -> None:
    network.run_until(lambda: all(peer.session.state is LinkState.LIVE for peer in peers), 30_000)
    network.run_for(2500)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("phase", PHASES, ids=[phase.__name__ for phase in PHASES])
def test_silent_for_long_and_back_in_any_order(
    phase: Callable[[Peers], None], order: tuple[int, ...]
) -> None:
    network, peers = at(phase)
    before = lasting(network.authority.table)
    for peer in peers:
        network.cut_off(peer)
    network.run_for(3 * GRACE)
    assert [seat.presence.value for seat in network.authority.table.seats] == ["away"] * 4
    assert lasting(network.authority.table) == before
    for number in order:
        network.cut_off(peers[number], healed=True)
        network.run_for(700)
    all_live(network, peers)
    assert lasting(network.authority.table) == before
    assert [seat.presence for seat in peers[0].public.seats] == ["present"] * 4
    assert peers[0].public.paused == ""
    check_agreement(network)


@pytest.mark.parametrize("order", ORDERS[:2])
@pytest.mark.parametrize("phase", PHASES, ids=[phase.__name__ for phase in PHASES])
def test_all_programs_and_the_host_killed_and_started_again(
    phase: Callable[[Peers], None], order: tuple[int, ...]
) -> None:
    network, peers = at(phase)
    before = lasting(network.authority.table)
    hands = [peer.own.hand for peer in peers]
    for peer in peers:
        network.stop_peer(peer)
    network.kill_host()
    network.peers.clear()
    network.run_for(10_000)
    network.start_host()
    network.run_for(2 * GRACE)
    assert lasting(network.authority.table) == before
    back: dict[int, MemoryPeer] = {}
    for number in order:
        old = peers[number]
        back[number] = network.add_peer(old.join.name, key=old.key, plays=False)
    network.run_for(1000)
    assert lasting(network.authority.table) == before
    assert [back[number].seat for number in range(4)] == [0, 1, 2, 3]
    assert [back[number].own.hand for number in range(4)] == hands
    assert [seat.presence for seat in back[0].public.seats] == ["present"] * 4
    check_agreement(network)


def test_the_moon_can_be_chosen_after_it() -> None:
    network, peers = at(when_the_moon_is_to_be_chosen)
    shooter = next(peer for peer in peers if peer.seat == peer.public.turn)
    for peer in peers:
        network.break_connection(peer)
    all_live(network, peers)
    assert shooter.ask(ChooseMoon("shooter-loses")).ok
    network.run_for(50)
    last = peers[0].public.last_deal
    assert last is not None
    assert last.moon == shooter.seat
    assert last.points[shooter.seat or 0] == -26


def test_who_comes_back_to_the_lobby_after_the_grace_has_a_seat_again() -> None:
    network, peers = at(in_the_lobby)
    network.cut_off(peers[2])
    network.run_for(2 * GRACE)
    assert peers[0].public.seats[2].kind == "empty"
    network.cut_off(peers[2], healed=True)
    all_live(network, peers)
    assert peers[2].own.seat == 2
    assert peers[0].public.seats[2].name == peers[2].public.seats[2].name != ""
    check_agreement(network)


def test_who_comes_back_to_a_full_lobby_after_the_grace_stands() -> None:
    network, peers = at(in_the_lobby)
    network.cut_off(peers[2])
    network.run_for(2 * GRACE)
    network.add_peer("Emil")
    network.run_for(300)
    assert peers[0].public.seats[2].name == "Emil"
    network.cut_off(peers[2], healed=True)
    all_live(network, peers)
    view = peers[2].view
    assert view is not None
    assert view.own is None
    assert peers[0].public.seats[2].name == "Emil"
    check_agreement(network)
