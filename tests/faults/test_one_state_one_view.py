"""One state number stands for one state, whoever asks for it and when."""

from __future__ import annotations

from hearts_net.host.opening import TableSettings
from hearts_net.protocol.messages import Alive, Pause, Ready, Say, Snapshot, View
from hearts_net.protocol.peer_session import LinkState, SupersededBy
from hearts_net.testing.agreement import check_agreement
from hearts_net.testing.network import MemoryNetwork, MemoryPeer, four_players, opening

LONG = {"target": 1000}


def dealt(seed: int = 1, **settings: int) -> tuple[MemoryNetwork, list[MemoryPeer]]:
    """Four people who do nothing by themselves, in the first deal."""
    made = TableSettings(**settings)  # type: ignore[arg-type]
    network = MemoryNetwork(seed, opening(rules=LONG, settings=made))
    peers = four_players(network, plays=False)
    for peer in peers:
        assert peer.ask(Ready()).ok
    network.run_for(100)
    return network, peers


def the_view(answers: list[object]) -> View:
    (view,) = [each for each in answers if isinstance(each, View)]
    return view


def test_a_command_that_changes_nothing_leaves_the_news_of_the_state() -> None:
    network, peers = dealt()
    asha, bram = peers[0], peers[1]
    assert asha.ask(Pause()).ok
    network.run_for(50)
    before = the_view([*network.say_raw(bram, Snapshot())])
    assert before.events
    assert asha.ask(Pause()).ok, "once more, which is nothing new"
    after = the_view([*network.say_raw(bram, Snapshot())])
    assert (after.epoch, after.seq) == (before.epoch, before.seq)
    assert after.events == before.events


def test_a_snapshot_for_somebody_who_was_away_is_of_the_state_in_which_they_are_back() -> None:
    network, peers = dealt()
    asha, bram = peers[0], peers[1]
    network.cut_off(bram)
    network.run_for(7000)
    assert asha.public.seats[1].presence == "away"
    old = network.authority.table
    network.cut_off(bram, healed=True)
    view = the_view([*network.say_raw(bram, Snapshot())])
    assert view.public.seats[1].presence == "present"
    assert view.seq == old.seq + 1
    network.run_for(2000)
    check_agreement(network)


def test_that_somebody_slow_is_heard_again_is_told_whatever_they_say() -> None:
    for said in (Alive(0, 0), Snapshot()):
        network, peers = dealt()
        asha, bram = peers[0], peers[1]
        network.cut_off(bram)
        network.run_for(4000)
        assert asha.public.seats[1].presence == "slow"
        network.cut_off(bram, healed=True)
        network.say_raw(bram, said)
        network.run_for(5)
        assert asha.public.seats[1].presence == "present"
        check_agreement(network)


def test_who_is_gone_while_the_store_fails_is_away_once_it_works_again() -> None:
    network, peers = dealt()
    asha, bram = peers[0], peers[1]
    network.store.failing = True
    network.stop_peer(bram)
    network.run_for(100)
    assert asha.public.paused == "store"
    network.store.failing = False
    network.run_for(3000)
    assert asha.public.paused == ""
    assert asha.public.seats[1].presence == "away"
    assert asha.public.seats[1].held_until
    check_agreement(network)


def test_the_older_of_two_programs_that_comes_back_late_has_no_seat_any_more() -> None:
    network, peers = dealt(grace=60_000)
    older = peers[1]
    network.cut_off(older)
    network.run_for(3000)
    newer = network.add_peer("Bram", key=older.key, plays=False)
    assert newer.seat == 1
    network.run_for(3000)
    assert older.session.state is LinkState.LOST
    network.cut_off(older, healed=True)
    network.run_until(lambda: older.session.state is LinkState.ENDED, 10_000)
    assert any(isinstance(event, SupersededBy) for event in older.events)
    network.run_for(3000)
    assert newer.session.state is LinkState.LIVE
    assert newer.ask(Say("here")).ok


def test_the_newer_of_two_programs_has_the_seat_after_a_restart_whoever_is_first() -> None:
    for seed in range(6):
        network, peers = dealt(seed)
        older = peers[1]
        network.cut_off(older)
        network.run_for(3000)
        newer = network.add_peer("Bram", key=older.key, plays=False)
        network.run_for(100)
        network.kill_host()
        network.cut_off(older, healed=True)
        network.cut_off(newer, healed=seed % 2 == 0)
        network.run_for(500)
        network.start_host()
        network.run_for(1500)
        network.cut_off(newer, healed=True)
        network.run_until(lambda newer=newer: newer.session.state is LinkState.LIVE)  # type: ignore[misc]
        network.run_until(lambda older=older: older.session.state is LinkState.ENDED)  # type: ignore[misc]
        network.run_for(2000)
        assert newer.session.state is LinkState.LIVE
        assert newer.seat == 1


def test_join_sent_again_does_not_make_a_program_newer_than_it_is() -> None:
    network, peers = dealt()
    bram = peers[1]
    network.say_raw(bram, bram.join)
    for _ in range(3):
        network.break_connection(bram)
        network.run_until(lambda: bram.session.state is LinkState.LIVE)
    assert bram.seat == 1
