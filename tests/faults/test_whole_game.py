from __future__ import annotations

from hearts_net.host.changes import restored
from hearts_net.host.effects import Ending, Finished
from hearts_net.host.opening import TableSettings
from hearts_net.protocol.messages import Rematch
from hearts_net.protocol.peer_session import HostClosing, LeftTable
from hearts_net.testing.network import MemoryNetwork, four_players, opening


def play_to_the_end(network: MemoryNetwork) -> None:
    network.run_until(lambda: network.authority.table.stage.value == "game-over", 24 * 3_600_000)
    network.run_for(2000)


def test_four_people_play_a_whole_game() -> None:
    network = MemoryNetwork(1, opening())
    peers = four_players(network)
    play_to_the_end(network)
    for seat, peer in enumerate(peers):
        assert peer.own.seat == seat
        assert peer.public == peers[0].public
        assert peer.public.phase == "game-over"
    last, winner = peers[0].public.last_deal, peers[0].public.winner
    assert last is not None
    assert winner is not None
    assert last.totals[winner] == min(last.totals)
    assert restored(network.store.entries) == network.authority.table.durable()


def test_the_table_ends_when_everybody_has_left_a_finished_game() -> None:
    network = MemoryNetwork(2, opening())
    peers = four_players(network)
    play_to_the_end(network)
    for peer in peers[:3]:
        peer.leave()
    network.run_for(2000)
    assert network.finished is None
    peers[3].leave()
    network.run_for(2000)
    assert network.finished == Finished(Ending.DONE)
    assert all(isinstance(peer.events[-1], LeftTable) for peer in peers)


def test_a_finished_game_that_is_taken_up_again_is_there_to_be_looked_at() -> None:
    network = MemoryNetwork(2, opening())
    peers = four_players(network)
    play_to_the_end(network)
    for peer in peers:
        peer.leave()
    network.run_until(lambda: network.finished is not None)
    network.finished = None
    network.kill_host()
    network.start_host()
    network.carry_out(network.authority.tick(network.clock.now, network.clock.utc))
    network.run_for(30_000)
    assert network.finished is None
    back = network.add_peer("Asha", key=network.opening.host_key)
    assert (back.seat, back.public.phase) == (0, "game-over")
    assert back.ask(Rematch()).ok
    network.run_until(lambda: back.public.phase != "game-over")


def test_a_finished_game_that_is_taken_up_again_ends_when_everybody_has_left_again() -> None:
    network = MemoryNetwork(2, opening(settings=TableSettings(exit_when_done=True)))
    four_players(network)
    network.run_until(lambda: network.finished is not None, 24 * 3_600_000)
    network.finished = None
    network.kill_host()
    network.peers.clear()
    network.start_host()
    network.run_for(30_000)
    assert network.finished is None
    back = network.add_peer("Asha", key=network.opening.host_key)
    network.run_for(30_000)
    assert network.finished is None, "there is time for a rematch"
    assert back.public.phase == "game-over"
    back.leave()
    network.run_until(lambda: network.finished is not None, 10_000)
    assert network.finished == Finished(Ending.DONE)


def test_four_bots_over_the_network_start_by_themselves_and_end_when_done() -> None:
    settings = TableSettings(exit_when_done=True)
    network = MemoryNetwork(3, opening(settings=settings))
    bots = [network.add_peer(f"B{n}", role="bot", level="medium", live=False) for n in range(4)]
    network.run_until(lambda: network.finished is not None, 24 * 3_600_000)
    network.run_for(1000)
    assert network.finished == Finished(Ending.DONE)
    for bot in bots:
        assert bot.public.phase == "game-over"
        assert isinstance(bot.events[-1], HostClosing)


def test_a_table_of_its_own_bots_plays_with_nobody_connected() -> None:
    network = MemoryNetwork(4, opening(bots=("medium",) * 4))
    network.run_until(lambda: network.finished is not None, 24 * 3_600_000)
    assert network.finished == Finished(Ending.DONE)
    assert network.authority.table.stage.value == "game-over"


def test_one_person_and_three_bots_play_on_after_a_rematch() -> None:
    network = MemoryNetwork(5, opening(bots=("medium",) * 3))
    person = network.add_peer("Asha", key=network.opening.host_key)
    play_to_the_end(network)
    first = person.public.game
    assert person.ask(Rematch()).ok
    network.run_until(lambda: person.public.game not in ("", first))
    play_to_the_end(network)
    assert restored(network.store.entries) == network.authority.table.durable()


def test_the_same_seed_gives_the_same_run() -> None:
    runs = []
    for _ in range(2):
        network = MemoryNetwork(6, opening(rules={"target": 20}))
        four_players(network)
        play_to_the_end(network)
        runs.append(network.store.entries)
    assert runs[0] == runs[1]
