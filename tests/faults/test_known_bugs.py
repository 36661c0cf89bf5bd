"""Faults that programs of this kind are known for, each as it would show here."""

from __future__ import annotations

from random import Random

from hearts_net.host.effects import Effect, SendTo
from hearts_net.protocol.codec import decode_to_peer
from hearts_net.protocol.messages import Hello, Pass, Play, Played, Ready, Refused, Say, View
from hearts_net.protocol.peer_session import LinkState, NewView
from hearts_net.testing.agreement import check_agreement, check_applied_once
from hearts_net.testing.network import Faults, MemoryNetwork, MemoryPeer, four_players, opening
from hearts_net.testing.players import eager

LONG = {"target": 1000}


def dealt(
    seed: int = 1, rules: dict[str, bool | int | str] | None = None
) -> tuple[MemoryNetwork, list[MemoryPeer]]:
    """Four people who do nothing by themselves, in the first deal."""
    network = MemoryNetwork(seed, opening(rules=rules or LONG), Faults(delay=10))
    peers = four_players(network, plays=False)
    for peer in peers:
        assert peer.ask(Ready()).ok
    network.run_for(100)
    assert peers[0].public.deal == 1
    return network, peers


def play_on(peers: list[MemoryPeer]) -> None:
    for peer in peers:
        peer.play_by(eager(Random(peer.key)))


def test_who_rejoins_is_the_old_player_and_not_a_fresh_one() -> None:
    network, peers = dealt()
    play_on(peers)
    network.run_until(lambda: peers[0].public.deal == 2 and len(peers[0].public.seen) > 8)
    bram = peers[1]
    network.run_for(50)
    total, key = bram.public.seats[1].total, bram.key
    network.stop_peer(bram)
    network.run_for(2000)
    back = network.add_peer("Bram", key=key, plays=False)
    table = network.authority.table
    assert back.seat == 1
    assert back.public.seats[1].total == total
    assert table.deal is not None
    assert len(back.own.hand) == table.deal.hands[1].bit_count()
    assert back.public.seats[1].name == "Bram"


def test_one_passes_another_leaves_and_the_game_is_not_stuck_after_the_rejoin() -> None:
    network, peers = dealt(2)
    asha, bram = peers[0], peers[1]
    assert asha.ask(Pass(asha.own.hand[:3])).ok
    network.stop_peer(bram)
    network.run_for(1000)
    for peer in peers[2:]:
        assert peer.ask(Pass(peer.own.hand[:3])).ok
    assert asha.public.phase == "passing"
    back = network.add_peer("Bram", key=bram.key, plays=False)
    assert back.ask(Pass(back.own.hand[:3])).ok
    network.run_for(100)
    assert asha.public.phase == "playing"
    play_on([*peers, back])
    network.run_until(lambda: asha.public.deal == 2)


def test_one_passes_another_leaves_for_good_and_the_game_goes_on() -> None:
    network, peers = dealt(3)
    peers[1].leave()
    play_on([peers[0], *peers[2:]])
    network.run_until(lambda: peers[0].public.deal == 2, 100_000)


def test_rejoining_at_any_moment_of_a_deals_start() -> None:
    for wait in range(0, 60, 5):
        network = MemoryNetwork(wait, opening(rules=LONG), Faults(delay=10))
        peers = four_players(network, plays=False)
        for peer in peers[:3]:
            peer.ask(Ready())
        peers[3].do(Ready())
        network.run_for(wait)
        network.break_connection(peers[2])
        play_on(peers)
        network.run_until(lambda peers=peers: len(peers[0].public.seen) > 12, 60_000)  # type: ignore[misc]
        network.run_for(200)
        play_by_nobody(peers)
        network.run_for(2000)
        check_agreement(network)


def play_by_nobody(peers: list[MemoryPeer]) -> None:
    for peer in peers:
        peer.play_by(None)


def test_after_ones_own_reconnect_one_knows_whether_the_others_are_there() -> None:
    network, peers = dealt(4)
    asha, bram, chloe = peers[:3]
    network.cut_off(asha)
    network.run_for(3000)
    network.stop_peer(bram)
    chloe.leave()
    network.run_for(5000)
    network.cut_off(asha, healed=True)
    network.run_until(lambda: asha.session.state is LinkState.LIVE)
    network.run_for(100)
    shown = [seat.presence for seat in asha.public.seats]
    assert shown == ["present", "away", "left", "present"]
    assert asha.public.seats[2].deputy


def test_an_update_lost_between_snapshot_and_subscription_is_not_lost() -> None:
    network, peers = dealt(5)
    network.run_for(100)
    watcher = network.add_peer("W", role="watcher", live=False)
    network.run_until(lambda: watcher.view is not None)
    wanted, watcher.subscription = watcher.subscription, None
    assert peers[0].ask(Say("in between")).ok
    watcher.subscription = wanted
    network.run_for(3000)
    check_agreement(network)


def test_a_subscriber_recovers_after_a_black_hole_of_thirty_seconds() -> None:
    network, peers = dealt(6)
    watcher = network.add_peer("W", role="watcher")
    network.cut_off(watcher)
    network.faults = Faults(delay=200)
    play_on(peers)
    network.run_for(30_000)
    network.cut_off(watcher, healed=True)
    network.run_for(5000)
    play_by_nobody(peers)
    network.run_for(3000)
    assert watcher.session.state is LinkState.LIVE
    check_agreement(network)


def test_a_name_takes_nobodys_seat() -> None:
    network, peers = dealt(7)
    network.stop_peer(peers[1])
    thief = network.add_peer("Bram", plays=False)
    assert thief.seat is None
    assert thief.session.joined is not None
    assert thief.session.joined.name == "Bram 2"
    assert thief.view is not None
    assert thief.view.own is None


def test_a_double_click_plays_once() -> None:
    network, peers = dealt(8, {"target": 1000, "passing": "none"})
    turn = peers[0].public.turn
    assert turn is not None
    player = peers[turn]
    requests = [player.do(Play("2C")), player.do(Play("2C"))]
    network.run_for(500)
    replies = [player.reply(request) for request in requests]
    assert [reply.ok for reply in replies if reply] == [True, False]
    assert peers[0].public.seen == ["2C"]
    check_applied_once(network)


def test_a_double_pass_passes_once() -> None:
    network, peers = dealt(9)
    asha = peers[0]
    hand = asha.own.hand
    requests = [asha.do(Pass(hand[:3])), asha.do(Pass(hand[3:6]))]
    network.run_for(500)
    codes = [reply.code for request in requests if (reply := asha.reply(request))]
    assert codes == ["", "already-passed"]
    assert asha.own.passed == hand[:3]


def test_the_winner_of_a_trick_leads_though_it_has_just_reconnected() -> None:
    network, peers = dealt(10, {"target": 1000, "passing": "none"})
    for _ in range(6):
        for _ in range(4):
            turn = peers[0].public.turn
            assert turn is not None
            player = peers[turn]
            assert player.ask(Play(player.own.legal[0])).ok
            network.run_for(50)
        last = peers[0].public.last_trick
        assert last is not None
        winner = peers[last.winner]
        network.break_connection(winner)
        network.run_until(lambda winner=winner: winner.session.state is LinkState.LIVE)  # type: ignore[misc]
        network.run_for(100)
        assert peers[0].public.turn == last.winner
        assert winner.own.legal


def test_the_loss_of_the_host_is_not_silent() -> None:
    network, peers = dealt(11)
    host = network.host
    network.host = None  # the machine is gone: nothing is sent, no connection is closed
    network.run_for(2500)
    assert [peer.session.state for peer in peers] == [LinkState.LOST] * 4
    network.host = host
    network.run_for(1500)
    assert [peer.session.state for peer in peers] == [LinkState.LIVE] * 4


def test_versions_that_do_not_fit_are_told_with_what_would() -> None:
    network, peers = dealt(12)
    peer = network.add_peer("Newer", live=False)
    network.run_for(50)
    answers = network.say_raw(peer, Hello([99, 98], "from the future"))
    assert answers == [Refused("version-mismatch", {"host_speaks": "1"})]
    assert peers[0].public.deal == 1


def test_control_codes_reach_nobodys_terminal() -> None:
    network, peers = dealt(13)
    network.add_peer("\x1b]0;owned\x07Eve\u202e", plays=False)
    assert peers[0].ask(Say("\x1b[2J\x9b31mred\u202etext")).ok
    network.run_for(100)
    for _, body in network.told:
        text = repr(decode_to_peer(body))
        assert "\\x1b" not in text
        assert "\\x9b" not in text
        assert "\\u202e" not in text


def test_a_stopped_peer_costs_the_others_nothing_and_gets_one_view_afterwards() -> None:
    network, peers = dealt(14)
    watcher = network.add_peer("W", plays=False)  # a player without a seat: gets views on control
    assert watcher.connection is not None
    network.blocked.add(watcher.connection)
    play_on(peers)
    network.run_until(lambda: peers[0].public.deal == 2)
    play_by_nobody(peers)
    before = sum(isinstance(event, NewView) for event in watcher.events)
    network.blocked.clear()
    network.run_for(1000)
    after = sum(isinstance(event, NewView) for event in watcher.events)
    assert after - before <= 3
    check_agreement(network)


def test_a_host_killed_while_it_tells_everybody_has_told_nothing_that_is_not_so() -> None:
    network, peers = dealt(15)
    play_on(peers)
    for count in (1, 2, 3, 4, 5):
        left = [count]

        def at_a_send(effect: Effect, left: list[int] = left) -> bool:
            left[0] -= isinstance(effect, SendTo)
            return left[0] < 0

        network.run_for(200)
        network.kill_at = at_a_send
        network.run_until(lambda: network.host is None)
        heard = {peer.key: heard_plays(peer) for peer in peers}
        network.start_host()
        network.run_until(lambda: all(p.session.state is LinkState.LIVE for p in peers))
        network.run_for(50)
        deal = network.authority.table.deal
        assert deal is not None
        log = [event for page in all_pages(network) for event in page]
        plays = [(e.n, e.seat, e.card) for e in log if isinstance(e, Played)]
        for told in heard.values():
            assert set(told) <= set(plays)


def heard_plays(peer: MemoryPeer) -> list[tuple[int, int, str]]:
    views: list[View] = [event.view for event in peer.events if isinstance(event, NewView)]
    events = [event for view in views for event in view.events]
    return [(e.n, e.seat, e.card) for e in events if isinstance(e, Played)]


def all_pages(network: MemoryNetwork) -> list[list[object]]:
    pages: list[list[object]] = []
    after, more = 0, True
    while more:
        events, more = network.authority.table.log.after(after)
        pages.append([*events])
        after = events[-1].n if events else after
    return pages
