"""The host is killed, at every point where it stores something, and started again."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from hearts_net.host.effects import Effect, Write
from hearts_net.host.facts import Dealt, Laid
from hearts_net.protocol.messages import Command, Ready, Reply, Say
from hearts_net.protocol.peer_session import LinkState
from hearts_net.testing.agreement import check_agreement, check_applied_once, entries_of
from hearts_net.testing.network import Faults, MemoryNetwork, four_players, opening


def is_play(effect: Effect) -> bool:
    return isinstance(effect, Write) and b'"fact":"epoch"' not in effect.entries[0]


def before_each_store() -> Callable[[Effect], bool]:
    """Kill before something is stored: every second time, so that the game gets on."""
    stores = 0

    def kill(effect: Effect) -> bool:
        nonlocal stores
        if not is_play(effect):
            return False
        stores += 1
        return stores % 2 == 1

    return kill


def after_each_store() -> Callable[[Effect], bool]:
    """Kill after something is stored and before anybody is told."""
    stored = False

    def kill(effect: Effect) -> bool:
        nonlocal stored
        now, stored = stored, is_play(effect)
        if now:
            stored = False
        return now

    return kill


def is_past(network: MemoryNetwork, deal: int) -> bool:
    table = network.authority.table
    return table.deal_number > deal or table.stage.value == "game-over"


def all_live(network: MemoryNetwork) -> bool:
    return all(peer.session.state is LinkState.LIVE for peer in network.peers)


@pytest.mark.parametrize("killing", [before_each_store, after_each_store])
def test_killed_at_every_store_boundary_of_a_deal(
    killing: Callable[[], Callable[[Effect], bool]],
) -> None:
    network = MemoryNetwork(7, opening())
    four_players(network)
    kill, kills = killing(), 0
    while network.host is None or network.authority.table.deal_number < 2:
        if network.host is None:
            kills += 1
            network.run_for(150)
            network.start_host()
            network.run_until(lambda: network.host is None or all_live(network))
            continue
        network.kill_at = kill
        network.run_until(
            lambda: network.host is None or network.authority.table.deal_number == 2, 120_000
        )
    network.kill_at = None
    network.run_for(5000)
    assert kills > 50
    check_agreement(network)
    check_applied_once(network)
    facts = [fact for entry in entries_of(network) for fact in entry.facts]
    deals = [place for place, fact in enumerate(facts) if isinstance(fact, Dealt)]
    first = facts[deals[0] : deals[1]]
    cards = [fact.card for fact in first if isinstance(fact, Laid)]
    assert len(cards) == len(set(cards)) == 52


def test_a_deal_that_was_stored_is_the_same_after_the_restart() -> None:
    network = MemoryNetwork(8, opening())
    peers = four_players(network, plays=False)
    for peer in peers:
        peer.do(Ready())
    network.run_until(lambda: peers[0].public.deal == 1)
    network.run_for(100)
    hands = [peer.own.hand for peer in peers]
    network.kill_host()
    network.run_for(1000)
    network.start_host()
    network.run_for(3000)
    assert [peer.own.hand for peer in peers] == hands
    assert peers[0].public.deal == 1
    assert [peer.view.epoch for peer in peers if peer.view] == [2, 2, 2, 2]


def test_an_answer_is_the_same_after_the_restart() -> None:
    network = MemoryNetwork(9, opening())
    asha = network.add_peer("Asha", key=network.opening.host_key, plays=False)
    stored = []

    def after_store(effect: Effect) -> bool:
        stored.append(effect)
        return len(stored) > 1 and isinstance(stored[-2], Write)

    network.kill_at = after_store
    request = asha.do(Say("hear, hear"))
    network.run_until(lambda: network.host is None)
    network.start_host()
    network.run_until(lambda: asha.reply(request) is not None)
    reply = asha.reply(request)
    assert reply is not None
    assert reply.ok
    assert reply.epoch == 1
    said = [e for entry in entries_of(network) for e in entry.facts if "hear, hear" in str(e)]
    assert len(said) == 1
    check_applied_once(network)


def test_a_command_for_another_epoch_is_stale() -> None:
    network = MemoryNetwork(10, opening())
    asha = network.add_peer("Asha", key=network.opening.host_key, plays=False)
    network.kill_host()
    network.start_host()
    network.run_until(lambda: asha.view is not None and asha.view.epoch == 2)
    (reply,) = network.say_raw(asha, Command(500, 1, 0, 0, Say("late")))
    assert isinstance(reply, Reply)
    assert (reply.ok, reply.code, reply.epoch) == (False, "stale-epoch", 2)


def test_totals_and_results_survive_many_restarts() -> None:
    network = MemoryNetwork(11, opening(rules={"target": 30}))
    four_players(network)
    for _ in range(6):
        deal = network.authority.table.deal_number
        network.run_until(partial(is_past, network, deal))
        before = network.authority.table.game
        network.kill_host()
        network.run_for(500)
        network.start_host()
        assert network.authority.table.game == before
        if network.authority.table.stage.value == "game-over":
            break
        network.run_until(lambda: all_live(network))
    network.run_for(3000)
    check_agreement(network)


def test_a_deputy_is_wanted_again_after_the_restart() -> None:
    network = MemoryNetwork(12, opening(rules={"target": 1000}), Faults(delay=10))
    peers = four_players(network)
    network.run_until(lambda: len(peers[0].public.seen) > 4)
    peers[1].leave()
    network.run_for(200)
    before = network.authority.deputies
    network.kill_host()
    network.run_for(300)
    network.start_host()
    network.run_until(lambda: peers[0].session.state is LinkState.LIVE)
    after = network.authority.deputies
    assert list(before) == list(after) == [1]
    assert before[1] != after[1]
    deal = peers[0].public.deal
    network.run_until(lambda: peers[0].public.deal > deal, 60_000)
    back = network.add_peer("Bram", key=peers[1].key)
    assert back.seat == 1
    network.run_for(200)
    assert network.authority.deputies == {}


def test_the_tables_bots_come_back_with_new_keys_and_play_on() -> None:
    network = MemoryNetwork(13, opening(rules={"target": 1000}, bots=("medium",) * 3))
    asha = network.add_peer("Asha", key=network.opening.host_key)
    network.run_until(lambda: asha.public.deal == 1 and len(asha.public.seen) > 10)
    keys = [seat.key for seat in asha.public.seats]
    network.kill_host()
    network.run_for(300)
    network.start_host()
    network.run_until(lambda: asha.public.deal == 2)
    assert asha.public.seats[0].key == keys[0]
    assert not {seat.key for seat in asha.public.seats[1:]} & set(keys[1:])
    check_applied_once(network)


@pytest.mark.parametrize("wait", range(0, 120, 8))
def test_the_player_comes_back_at_any_moment_of_its_deputys_turn(wait: int) -> None:
    network = MemoryNetwork(wait, opening(rules={"target": 1000}), Faults(delay=10))
    peers = four_players(network)
    network.run_until(lambda: len(peers[0].public.seen) > 4)
    key = peers[2].key
    peers[2].leave()
    network.run_until(lambda: peers[0].public.turn == 2 and peers[0].public.seats[2].deputy)
    network.run_for(wait)
    back = network.add_peer("Chloé", key=key)
    assert back.seat == 2
    network.run_until(lambda: peers[0].public.deal == 2)
    deal = [e for entry in entries_of(network) for e in entry.facts if isinstance(e, Laid)][:52]
    assert len({fact.card for fact in deal}) == 52
    check_applied_once(network)
