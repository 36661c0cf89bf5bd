"""The disk is full, or gone, in the middle of a game."""

from __future__ import annotations

import random

import pytest

from hearts_net.host.authority import SAVE_EVERY
from hearts_net.host.effects import Effect, Write
from hearts_net.host.facts import decode_entry
from hearts_net.protocol.messages import Command, GoUnsaved, Play, Reply, Said, Say
from hearts_net.protocol.peer_session import LinkState, NewView
from hearts_net.testing.agreement import check_agreement, check_applied_once
from hearts_net.testing.network import Faults, MemoryNetwork, four_players, opening

LONG = {"target": 1000}


def test_the_game_stands_still_while_nothing_can_be_stored_and_then_goes_on() -> None:
    network = MemoryNetwork(1, opening(rules=LONG), Faults(delay=20))
    peers = four_players(network)
    network.run_until(lambda: len(peers[0].public.seen) > 10)
    network.store.failing = True
    network.run_for(3000)
    stored = len(network.store.entries)
    seen = peers[0].public.seen
    network.run_for(10_000)
    assert [peer.public.paused for peer in peers] == ["store"] * 4
    assert [peer.public.seen for peer in peers] == [seen] * 4
    assert len(network.store.entries) == stored
    network.store.failing = False
    network.run_for(2000)
    assert peers[0].public.paused == ""
    network.run_until(lambda: peers[0].public.deal == 2)
    for peer in peers:
        peer.play_by(None)
    network.run_for(3000)
    check_agreement(network)
    check_applied_once(network)


@pytest.mark.parametrize("seed", range(6))
def test_nothing_is_ever_told_that_is_not_stored(seed: int) -> None:
    network = MemoryNetwork(seed, opening(rules=LONG), Faults(delay=20))
    peers = four_players(network)
    chance = random.Random(seed)

    def flicker() -> None:
        network.store.failing = chance.random() < 0.3
        network.later(chance.randint(50, 1500), flicker)

    flicker()
    network.run_for(20_000)
    for peer in peers:
        peer.play_by(None)
    network.store.failing = False
    stored = network.authority.table.log.newest
    for peer in peers:
        told = [
            event for new in peer.events if isinstance(new, NewView) for event in new.view.events
        ]
        assert told
        assert max(event.n for event in told) <= stored
    check_applied_once(network)


def test_what_was_refused_for_the_store_is_done_when_asked_again() -> None:
    network = MemoryNetwork(2, opening(), Faults(delay=20))
    asha = network.add_peer("Asha", key=network.opening.host_key, plays=False)
    network.store.failing = True
    reply = asha.ask(Say("lost"))
    assert (reply.ok, reply.code) == (False, "store-failed")
    network.store.failing = False
    network.run_for(2000)
    assert asha.ask(Say("kept")).ok
    said = [e.text for e in network.authority.table.log.after(0)[0] if isinstance(e, Said)]
    assert said == ["kept"]


def test_who_arrives_while_nothing_can_be_stored_is_let_in_and_has_the_seat_later() -> None:
    network = MemoryNetwork(3, opening(rules=LONG), Faults(delay=20))
    peers = four_players(network)
    network.run_until(lambda: len(peers[0].public.seen) > 10)
    network.store.failing = True
    network.run_for(500)
    bram = peers[1]
    network.break_connection(bram)
    network.run_until(lambda: bram.session.state is LinkState.LIVE)
    assert bram.seat == 1
    network.store.failing = False
    network.run_until(lambda: peers[0].public.deal == 2)
    assert peers[0].public.seats[1].presence == "present"


def test_killed_while_nothing_can_be_stored_the_host_comes_back_as_it_was_stored() -> None:
    network = MemoryNetwork(4, opening(rules=LONG), Faults(delay=20))
    peers = four_players(network)
    network.run_until(lambda: len(peers[0].public.seen) > 10)
    network.store.failing = True
    network.run_for(3000)
    game = network.authority.table.game
    network.kill_host()
    network.store.failing = False
    network.run_for(500)
    network.start_host()
    assert network.authority.table.game == game
    network.run_until(lambda: peers[0].public.deal == 2)


def test_entries_are_written_in_order_without_a_gap_whatever_fails() -> None:
    network = MemoryNetwork(5, opening(rules={"target": 1}), Faults(delay=20))
    written: list[int] = []

    def watch(effect: Effect) -> bool:
        if isinstance(effect, Write):
            network.store.failing = len(written) % 7 == 3
            written.append(effect.first)
        return False

    network.kill_at = watch
    four_players(network)
    network.run_until(lambda: network.authority.table.stage.value == "game-over", 3_600_000)
    for number, body in enumerate(network.store.entries, start=1):
        assert decode_entry(body, number).number == number


def test_the_hosts_player_may_go_on_unsaved_and_all_is_saved_when_that_works_again() -> None:
    network = MemoryNetwork(6, opening(rules=LONG), Faults(delay=20))
    peers = four_players(network)
    asha, bram = peers[:2]
    network.run_until(lambda: len(asha.public.seen) > 10)
    network.store.failing = True
    network.run_until(lambda: all(peer.public.paused == "store" for peer in peers))
    assert [peer.public.saving for peer in peers] == ["failed"] * 4
    stored = list(network.store.entries)
    assert bram.ask(GoUnsaved()).code == "not-allowed"
    assert asha.ask(GoUnsaved()).ok
    network.run_until(lambda: asha.public.deal == 3)
    assert [peer.public.saving for peer in peers] == ["off"] * 4
    assert network.store.entries == stored
    network.store.failing = False
    network.run_until(lambda: asha.public.saving == "", within=2 * SAVE_EVERY)
    network.run_until(lambda: asha.public.deal == 4)
    for peer in peers:
        peer.play_by(None)
    network.run_for(3000)
    assert network.store.entries[: len(stored)] == stored
    check_agreement(network)
    check_applied_once(network)


def test_killed_while_it_goes_on_unsaved_the_table_comes_back_as_it_was_stored() -> None:
    network = MemoryNetwork(7, opening(rules=LONG), Faults(delay=20))
    peers = four_players(network)
    network.run_until(lambda: len(peers[0].public.seen) > 10)
    network.store.failing = True
    network.run_until(lambda: peers[0].public.paused == "store")
    game = network.authority.table.game
    assert peers[0].ask(GoUnsaved()).ok
    network.run_until(lambda: peers[0].public.deal == 2)
    network.kill_host()
    network.store.failing = False
    network.run_for(500)
    network.start_host()
    assert network.authority.table.game == game
    network.run_until(lambda: [peer.public.deal for peer in peers] == [1] * 4)
    network.run_until(lambda: peers[0].public.deal == 2)
    assert peers[0].public.saving == ""


def test_what_the_store_is_said_to_suffer_from_is_what_it_suffers_from_now() -> None:
    network = MemoryNetwork(8, opening(rules=LONG), Faults(delay=20))
    (asha, *_) = four_players(network)
    network.store.failing = True
    for reason in ("full", "damaged", "unwritable"):
        network.store.reason = reason
        network.run_until(lambda: asha.public.saving == reason, within=3000)  # noqa: B023 - called before the next round
        assert asha.public.paused == "store"
    network.store.failing = False
    network.run_until(lambda: asha.public.paused == "")


def test_a_store_that_was_lost_between_two_cards_pauses_the_game_too() -> None:
    network = MemoryNetwork(9, opening(rules=LONG), Faults(delay=20))
    (asha, *_) = four_players(network, plays=False)
    times = network.clock.now, network.clock.utc
    network.carry_out(network.authority.store_lost(*times, "damaged"))
    network.run_for(100)
    assert (asha.public.paused, asha.public.saving) == ("store", "damaged")
    assert network.authority.store_lost(*times, "damaged") == []
    network.run_until(lambda: asha.public.paused == "")


def test_an_answer_stays_the_same_over_a_restart() -> None:
    network = MemoryNetwork(10, opening(rules=LONG), Faults(delay=20))
    (asha, *_) = four_players(network, plays=False)
    view = asha.view
    assert view is not None
    accepted = Command(1001, view.epoch, 0, 0, Say("once"))
    refused = Command(1002, view.epoch, 0, 0, Play("2C"))
    first = [network.say_raw(asha, each)[0] for each in (accepted, refused)]
    network.kill_host()
    network.start_host()
    network.run_until(lambda: asha.session.state is LinkState.LIVE)
    again = [network.say_raw(asha, each)[0] for each in (accepted, refused)]
    assert again[0] == first[0]
    # what was refused is refused again for ever, since it was meant for an earlier epoch
    assert isinstance(again[1], Reply)
    assert (again[1].ok, again[1].code) == (False, "stale-epoch")
    said = [e.text for e in network.authority.table.log.after(0)[0] if isinstance(e, Said)]
    assert said == ["once"]
