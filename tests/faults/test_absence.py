"""Players who are away, come back, leave on purpose, or play twice."""

from __future__ import annotations

from random import Random

import pytest

from hearts_net.host.opening import TableSettings
from hearts_net.host.vigil import START, Vigil
from hearts_net.protocol.limits import AWAY_AFTER
from hearts_net.protocol.messages import (
    GiveSeat,
    GoOn,
    Pause,
    Play,
    Played,
    PresenceChanged,
    Ready,
)
from hearts_net.protocol.peer_session import LinkState, NewView, SupersededBy
from hearts_net.testing.agreement import check_agreement
from hearts_net.testing.network import Faults, MemoryNetwork, MemoryPeer, four_players, opening
from hearts_net.testing.players import eager

GRACE = 60_000
DELAY = 50
"""One way: a card takes a tenth of a second, as if somebody thought about it."""


def test_a_bot_that_hangs_is_started_again() -> None:
    network = MemoryNetwork(1, opening(bots=("medium",) * 3))
    person = network.add_peer("Asha", key=network.opening.host_key)
    network.run_until(lambda: len(person.public.seen) >= 6)
    hung = list(network.staff.values())
    for bot in hung:
        network.cut_off(bot)
    deal = person.public.deal
    network.run_until(lambda: person.public.deal > deal, 60_000)
    assert not set(network.staff.values()) & set(hung)


def test_a_deputy_that_hangs_is_started_again() -> None:
    network, peers = started()
    peers[2].leave()
    network.run_until(lambda: len(network.staff) == 1)
    (hung,) = network.staff.values()
    network.cut_off(hung)
    deal = network.authority.table.deal_number
    network.run_until(lambda: network.authority.table.deal_number > deal, 60_000)
    assert network.authority.table.seats[2].deputy


def test_bots_are_given_time_to_start_and_none_is_accused_while_the_host_was_stopped() -> None:
    vigil = Vigil()
    assert not vigil.is_stuck({"a": 0}, 1000, None)
    assert not vigil.is_stuck({"a": 0}, 1000 + START + AWAY_AFTER - 1, vigil.deadline())
    assert vigil.is_stuck({"a": 0}, 1000 + START + AWAY_AFTER, vigil.deadline())
    now = 50_000  # it has come, and is heard
    assert not vigil.is_stuck({"a": now}, now, None)
    later = now + 3_600_000
    assert not vigil.is_stuck({"a": now}, later, vigil.deadline())
    assert vigil.deadline() == later + AWAY_AFTER
    assert vigil.is_stuck({"a": now}, later + AWAY_AFTER, vigil.deadline())
    assert not vigil.is_stuck({"a": now}, later + AWAY_AFTER, vigil.deadline()), "not at once again"
    assert not vigil.is_stuck({}, later + 2 * AWAY_AFTER, None)
    assert vigil.deadline() is None


def test_a_bot_that_has_lost_its_connection_has_time_to_come_back() -> None:
    vigil = Vigil()
    assert not vigil.is_stuck({"a": 0}, 1000, None)
    assert not vigil.is_stuck({"a": 60_000}, 60_000, None)
    assert not vigil.is_stuck({"a": 0}, 60_001, None)
    assert vigil.deadline() == 60_000 + AWAY_AFTER


def test_a_bot_that_hangs_soon_after_it_came_is_noticed_as_soon() -> None:
    vigil = Vigil()
    assert not vigil.is_stuck({"a": 0}, 1000, None)
    assert not vigil.is_stuck({"a": 1500}, 2000, None)
    assert vigil.is_stuck({"a": 1500}, 1500 + AWAY_AFTER, None)


def started(
    seed: int = 1, *, grace: int = GRACE, turn_limit: int = 0
) -> tuple[MemoryNetwork, list[MemoryPeer]]:
    """Start a game of four people who play by themselves; stop in the middle of the first deal."""
    settings = TableSettings(grace=grace, turn_limit=turn_limit)
    network = MemoryNetwork(
        seed, opening(rules={"target": 1000}, settings=settings), Faults(delay=DELAY)
    )
    peers = four_players(network)
    network.run_until(lambda: len(peers[0].public.seen) >= 10)
    return network, peers


def quiet(peers: list[MemoryPeer]) -> None:
    for peer in peers:
        peer.play_by(None)


def play_without_ready(peers: list[MemoryPeer]) -> None:
    for peer in peers:
        peer.play_by(eager(Random(1), says_ready=False))


def events_of(peer: MemoryPeer) -> list[object]:
    return [event for new in peer.events if isinstance(new, NewView) for event in new.view.events]


def stuck_at(network: MemoryNetwork, peer: MemoryPeer) -> None:
    """Let the game go on until it waits for this peer, whose connection is gone."""
    seat = peer.seat
    other = next(each for each in network.peers if each is not peer)
    network.run_until(lambda: other.public.turn == seat, 10_000)


def test_an_away_seat_is_held_then_a_deputy_plays_until_its_player_is_back() -> None:
    network, peers = started()
    asha, bram = peers[0], peers[1]
    network.cut_off(bram)
    network.run_for(3500)
    assert asha.public.seats[1].presence == "slow"
    network.run_for(3500)
    state = asha.public.seats[1]
    assert (state.presence, state.deputy) == ("away", False)
    assert state.held_until == pytest.approx(network.clock.utc + GRACE, abs=2000)
    stuck_at(network, bram)
    seen = len(asha.public.seen)
    network.run_for(GRACE // 2)
    assert len(asha.public.seen) == seen
    network.run_for(GRACE)
    assert asha.public.deal > 1
    assert any(isinstance(e, Played) and e.by_bot and e.seat == 1 for e in events_of(asha))
    network.cut_off(bram, healed=True)
    network.run_until(lambda: bram.session.state is LinkState.LIVE)
    network.run_for(1000)
    state = asha.public.seats[1]
    assert (state.presence, state.deputy, state.held_until) == ("present", False, 0)
    assert network.authority.deputies == {}
    check_agreement(network)


def test_the_deputy_hands_over_in_the_middle_of_a_trick() -> None:
    network, peers = started(seed=3, grace=1000)
    quiet(peers)
    network.run_for(500)
    public = peers[0].public
    turn = public.turn
    assert turn is not None
    absent, next_seat = peers[turn], (turn + 1) % 4
    network.bots_play = False  # a deputy is wanted, but it has not played yet
    network.stop_peer(absent)
    other = peers[next_seat]
    network.run_until(lambda: other.public.seats[turn].deputy)
    back = network.add_peer("Back", key=absent.key, plays=False)
    assert back.seat == turn
    assert not back.public.seats[turn].deputy
    assert back.own.legal
    reply = back.ask(Play(back.own.legal[0]))
    assert reply.ok
    network.run_for(100)
    last = [e for e in events_of(back) if isinstance(e, Played)][-1]
    assert (last.seat, last.by_bot) == (turn, False)


def test_who_says_bye_in_a_game_is_played_for_at_once_and_keeps_the_seat() -> None:
    network, peers = started()
    asha, bram = peers[0], peers[1]
    key = bram.key
    bram.leave()
    network.run_for(4 * DELAY)
    assert asha.public.seats[1].presence == "left"
    assert asha.public.seats[1].deputy
    assert asha.public.seats[1].key == key
    deal = asha.public.deal
    network.run_until(lambda: asha.public.deal > deal, 60_000)
    back = network.add_peer("Other name", key=key)
    assert back.seat == 1
    assert back.public.seats[1].name == "Bram"
    assert back.public.seats[1].presence == "present"


def test_everybody_away_and_back() -> None:
    network, peers = started()
    for peer in peers:
        network.cut_off(peer)
    network.run_for(10_000)
    table = network.authority.table
    assert table.pause == "away"
    assert [seat.presence.value for seat in table.seats] == ["away"] * 4
    network.run_for(3 * GRACE)
    assert not any(seat.deputy for seat in network.authority.table.seats)
    for peer in peers:
        network.cut_off(peer, healed=True)
    network.run_until(lambda: all(p.session.state is LinkState.LIVE for p in peers))
    network.run_until(lambda: peers[0].public.deal == 2)
    network.run_for(10)
    assert peers[0].public.paused == ""


def test_clocks_stand_still_while_nobody_is_here_and_go_on_from_where_they_were() -> None:
    network, peers = started(seed=5)
    quiet(peers)
    network.run_for(2000)
    turn = peers[0].public.turn
    assert turn is not None
    network.stop_peer(peers[turn])
    rest = [peer for peer in peers if peer is not peers[turn]]
    network.run_for(GRACE // 2)
    for peer in rest:
        network.cut_off(peer)
    network.run_for(10 * GRACE)
    assert not network.authority.table.seats[turn].deputy
    for peer in rest:
        network.cut_off(peer, healed=True)
    network.run_until(lambda: all(p.session.state is LinkState.LIVE for p in rest))
    network.run_for(GRACE // 4)
    assert not network.authority.table.seats[turn].deputy
    network.run_for(GRACE // 4)
    assert network.authority.table.seats[turn].deputy


def test_a_pause_stops_the_game_and_its_clocks() -> None:
    network, peers = started(seed=6)
    asha, bram = peers[0], peers[1]
    assert asha.ask(Pause()).ok
    network.run_for(100)
    seen = len(asha.public.seen)
    network.cut_off(bram)
    network.run_for(3 * GRACE)
    assert asha.public.paused == "player"
    assert len(asha.public.seen) == seen
    assert not asha.public.seats[1].deputy
    assert asha.public.seats[1].held_until == 0
    assert asha.ask(GoOn()).ok
    network.run_for(GRACE + 5000)
    assert network.authority.table.deal_number > 1


def test_a_turn_limit_plays_one_turn_and_hands_back() -> None:
    network, peers = started(seed=7, turn_limit=5000)
    quiet(peers)
    asha = peers[0]
    network.run_for(4 * DELAY)
    turn, seen = asha.public.turn, len(asha.public.seen)
    assert turn is not None
    assert asha.public.turn_until == pytest.approx(network.clock.utc + 5000, abs=6 * DELAY)
    network.run_for(5000 - 6 * DELAY)
    assert len(asha.public.seen) == seen
    network.run_for(20 * DELAY)
    assert len(asha.public.seen) == seen + 1
    state = asha.public.seats[turn]
    assert (state.presence, state.deputy) == ("present", False)


def test_a_flapping_connection_does_not_start_the_turn_limit_anew() -> None:
    network, peers = started(seed=8, turn_limit=10_000)
    quiet(peers)
    asha = peers[0]
    network.run_for(4 * DELAY)
    turn, until = asha.public.turn, asha.public.turn_until
    assert turn is not None
    slow = peers[turn]
    for _ in range(4):
        network.break_connection(slow)
        network.run_for(2000)
        assert asha.public.turn_until == until


def test_join_and_leave_spam_does_not_hold_up_the_next_deal() -> None:
    network, peers = started(seed=9)
    asha = peers[0]
    play_without_ready(peers)
    network.run_until(lambda: asha.public.phase == "deal-over")
    network.run_for(100)
    next_at = asha.public.next_at
    assert next_at
    for _ in range(5):
        guest = network.add_peer("Guest", plays=False)
        network.run_for(1000)
        guest.leave()
        network.run_for(1000)
        assert asha.public.next_at == next_at
    network.run_for(15_000)
    assert asha.public.deal == 2


def test_the_newer_of_two_connections_with_one_key_has_the_seat() -> None:
    network, peers = started(seed=10)
    bram = peers[1]
    network.run_for(5)
    second = network.add_peer("Bram", key=bram.key)
    assert second.seat == 1
    network.run_for(100)
    assert any(isinstance(event, SupersededBy) for event in bram.events)
    network.run_until(lambda: second.public.deal == 2)
    assert second.public.seats[1].presence == "present"
    assert bram.session.state is LinkState.ENDED


def test_a_seat_can_be_given_away_only_between_deals() -> None:
    network, peers = started(seed=11)
    asha, bram = peers[0], peers[1]
    bram.leave()
    network.run_for(50)
    reply = asha.ask(GiveSeat(1))
    assert (reply.ok, reply.code) == (False, "not-now")
    play_without_ready([asha])
    network.run_until(lambda: asha.public.phase == "deal-over", 60_000)
    reply = asha.ask(GiveSeat(2))
    assert (reply.ok, reply.code) == (False, "not-allowed")
    assert asha.ask(GiveSeat(1)).ok
    network.run_for(60_000)
    assert asha.public.phase == "deal-over"
    assert asha.public.seats[1].kind == "empty"
    total = asha.public.seats[1].total
    newcomer = network.add_peer("Newcomer")
    assert newcomer.seat == 1
    assert newcomer.public.seats[1].total == total
    asha.do(Ready())
    network.run_until(lambda: asha.public.deal == 2, 30_000)


def test_the_log_says_who_went_and_who_came() -> None:
    network, peers = started(seed=12, grace=2000)
    network.cut_off(peers[2])
    network.run_for(9000)
    network.cut_off(peers[2], healed=True)
    network.run_for(5000)
    changes = [
        (e.presence, e.deputy)
        for e in events_of(peers[0])
        if isinstance(e, PresenceChanged) and e.seat == 2
    ]
    assert changes[:3] == [("away", False), ("away", True), ("present", False)]
