"""Fair deals: honest hosts in whatever goes wrong, and hosts that are not honest."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from msgspec.structs import replace as replace_struct

from hearts_net.host import changes as host_changes
from hearts_net.host.changes import after_fact
from hearts_net.host.effects import Effect, SendTo
from hearts_net.host.facts import Dealt, SharesListed, ShuffleBegan
from hearts_net.host.gathering import Gathering
from hearts_net.host.projection import project_proof
from hearts_net.host.table import Stage, Table
from hearts_net.protocol import messages as m
from hearts_net.protocol.codec import decode_to_host, decode_to_peer
from hearts_net.protocol.limits import SHARE_WITHIN
from hearts_net.protocol.peer_session import DealChecked
from hearts_net.rules.cards import Hands, mask_of_texts
from hearts_net.rules.check import check_file
from hearts_net.rules.errors import FairCode, RecordError
from hearts_net.rules.fair import (
    HOST,
    Origin,
    SeatShare,
    Share,
    Shuffle,
    commitment_to,
    read_shuffle,
)
from hearts_net.rules.game import Game
from hearts_net.rules.record import Header, Player, PlayerType, record_lines
from hearts_net.rules.shuffle import deal_hands
from hearts_net.testing.agreement import entries_of
from hearts_net.testing.network import Faults, MemoryNetwork, MemoryPeer, four_players, opening
from hearts_net.testing.players import eager

LONG: dict[str, bool | int | str] = {"target": 1000}


def verdicts(peer: MemoryPeer) -> list[DealChecked]:
    return [each for each in peer.events if isinstance(each, DealChecked)]


def findings(peer: MemoryPeer) -> list[tuple[int, str]]:
    """What a peer has found about each deal so far."""
    return [(each.deal, each.code) for each in verdicts(peer)]


def checked(network: MemoryNetwork, peers: list[MemoryPeer], deals: int) -> None:
    """Let time pass until each of some peers has checked so many deals."""
    network.run_until(lambda: all(len(findings(peer)) >= deals for peer in peers))


def shuffles(network: MemoryNetwork) -> list[Shuffle]:
    """How each deal was shuffled, as it is stored."""
    facts = [fact for entry in entries_of(network) for fact in entry.facts]
    return [read_shuffle(fact.shuffle) for fact in facts if isinstance(fact, Dealt)]


def origins(network: MemoryNetwork) -> list[list[str]]:
    return [[each.origin.value for each in shuffle.seats] for shuffle in shuffles(network)]


def record_of(network: MemoryNetwork) -> bytes:
    """The record of the game as far as it has been played."""
    table = Table()
    states: list[Game] = []
    for entry in entries_of(network):
        for fact in entry.facts:
            table = after_fact(table, fact, entry.time)
            if table.game is not None and len(table.game.results) > len(states):
                states.append(table.game)
    host = table.host_key
    people = [Player(seat.name, PlayerType.HUMAN, is_host=seat.key == host) for seat in table.seats]
    first, second, third, fourth = people
    header = Header(
        table.game_id, "2026-01-01T00:00:00Z", table.options, (first, second, third, fourth)
    )
    return "".join(f"{line}\n" for line in record_lines(header, states)).encode()


def fault_in_record(network: MemoryNetwork) -> tuple[str, dict[str, str | int]]:
    """What ``check --deals`` finds in the record, which is right but for the shuffle."""
    record = record_of(network)
    list(check_file(io.BytesIO(record)))
    with pytest.raises(RecordError) as refused:
        list(check_file(io.BytesIO(record), deals=True))
    return refused.value.code, refused.value.detail


# ---- honest hosts --------------------------------------------------------------------------------


def test_every_deal_of_a_game_is_verified_by_everybody() -> None:
    network = MemoryNetwork(3, opening(rules={"target": 40, "moon": "shooter-chooses"}))
    watcher = network.add_peer("Wanda", role="watcher")
    peers = [*four_players(network), watcher]
    network.run_until(lambda: peers[0].public.phase == "game-over")
    deals = network.authority.table.deal_number
    checked(network, peers, deals)
    right = [(number, "") for number in range(1, deals + 1)]
    assert [findings(peer) for peer in peers] == [right] * 5
    assert origins(network) == [["player"] * 4] * deals
    (game,) = check_file(io.BytesIO(record_of(network)), deals=True)
    assert (game.deals, game.drawn_by_host) == (deals, 0)


def test_a_deal_takes_two_round_trips_more() -> None:
    network = MemoryNetwork(1, opening(rules=LONG), Faults(delay=20))
    peers = four_players(network, plays=False)
    for peer in peers[:3]:
        peer.ask(m.Ready())
    began = network.clock.now
    peers[3].do(m.Ready())
    network.run_until(lambda: all(peer.public.phase == "passing" for peer in peers))
    assert network.clock.now - began == 20 * 6  # ready and view, and twice there and back between


def test_who_puts_nothing_in_is_not_waited_for() -> None:
    network = MemoryNetwork(1, opening(rules=LONG), Faults(delay=20))
    keys = (network.opening.host_key, "", "", "")
    peers = [network.add_peer(key=key, shares=False, plays=False) for key in keys]
    for peer in peers[:3]:
        peer.ask(m.Ready())
    began = network.clock.now
    peers[3].do(m.Ready())
    network.run_until(lambda: all(peer.public.phase == "passing" for peer in peers))
    assert network.clock.now - began == 20 * 2
    assert origins(network) == [["host"] * 4]


def test_the_host_draws_for_its_own_bots_and_says_so() -> None:
    network = MemoryNetwork(1, opening(rules=LONG, bots=("medium",) * 3))
    person = network.add_peer(key=network.opening.host_key)
    checked(network, [person], 2)
    assert findings(person) == [(1, ""), (2, "")]
    assert origins(network)[:2] == [["player", "host", "host", "host"]] * 2


def says(effect: Effect, peer: MemoryPeer, kind: type[m.Message]) -> bool:
    if not isinstance(effect, SendTo) or effect.route != peer.connection:
        return False
    return isinstance(decode_to_peer(effect.body), kind)


def silent_when(network: MemoryNetwork, peer: MemoryPeer, kind: type[m.Message]) -> None:
    """Cut a peer off just before the host sends it something of a kind for the first time."""

    def look(effect: Effect) -> bool:
        if says(effect, peer, kind):
            network.cut_off(peer)
            network.kill_at = None
        return False

    network.kill_at = look


@pytest.mark.parametrize(
    ("at", "origin", "found"),
    [
        (m.Shuffling, Origin.HOST, FairCode.NOT_WITNESSED),
        # it cannot know whether its line was slow or the host has left it out, so it says so
        (m.Commitments, Origin.LATE, FairCode.SHARE_LEFT_OUT),
    ],
)
def test_who_does_not_answer_is_waited_for_a_second_and_no_longer(
    at: type[m.Message], origin: Origin, found: FairCode
) -> None:
    network = MemoryNetwork(1, opening(rules=LONG))
    peers = four_players(network, plays=False)
    silent_when(network, peers[2], at)
    for peer in peers:
        peer.do(m.Ready())
    network.run_until(lambda: peers[0].public.phase == "dealing")
    began = network.clock.now
    network.run_until(lambda: peers[0].public.phase == "passing")
    assert SHARE_WITHIN <= network.clock.now - began < SHARE_WITHIN + 50
    network.cut_off(peers[2], healed=True)
    all_play(network, peers)
    checked(network, peers, 1)
    assert [findings(peer)[0] for peer in peers] == [
        (1, found if peer is peers[2] else "") for peer in peers
    ]
    assert origins(network)[0] == ["player", "player", origin.value, "player"]
    (game,) = check_file(io.BytesIO(record_of(network)), deals=True)
    assert game.drawn_by_host == 1


def all_play(network: MemoryNetwork, peers: list[MemoryPeer]) -> None:
    for peer in peers:
        peer.play_by(eager(network.rng))


@pytest.mark.parametrize("at", [m.Shuffling, m.Commitments])
def test_who_comes_back_in_the_middle_of_a_shuffle_still_has_a_share(at: type[m.Message]) -> None:
    network = MemoryNetwork(1, opening(rules=LONG))
    peers = four_players(network, plays=False)
    broken: list[int] = []

    def break_once(effect: Effect) -> bool:
        if not broken and says(effect, peers[2], at):
            broken.append(1)
            network.later(0, lambda: network.break_connection(peers[2]))
        return False

    network.kill_at = break_once
    for peer in peers:
        peer.do(m.Ready())
    network.run_until(lambda: peers[0].public.phase == "passing")
    all_play(network, peers)
    checked(network, peers, 1)
    assert broken
    assert [findings(peer)[0] for peer in peers] == [(1, "")] * 4
    assert origins(network)[0] == ["player"] * 4


def kill_after(network: MemoryNetwork, effects: int) -> None:
    """Kill the host before one effect of those that follow the start of the game."""
    left = iter(range(effects, -1, -1))
    network.kill_at = lambda _: network.authority.table.stage is not Stage.LOBBY and not next(left)


def shuffle_facts(network: MemoryNetwork) -> list[object]:
    facts = [fact for entry in entries_of(network) for fact in entry.facts]
    return [fact for fact in facts if isinstance(fact, ShuffleBegan | SharesListed | Dealt)]


@pytest.mark.timeout(300)
@pytest.mark.parametrize("step", [11, pytest.param(1, marks=pytest.mark.long)])
def test_a_host_killed_anywhere_in_a_shuffle_goes_on_with_the_same_one(step: int) -> None:
    effects = 0
    while killed_in_the_shuffle(effects):
        effects += step
    assert effects > 20


def killed_in_the_shuffle(effects: int) -> bool:
    """Kill the host and look whether all ends well; False where it had dealt before that."""
    network = MemoryNetwork(1, opening(rules=LONG))
    peers = four_players(network, plays=False)
    kill_after(network, effects)
    for peer in peers:
        peer.do(m.Ready())
    network.run_until(lambda: network.host is None or peers[3].public.phase == "passing")
    if network.host is not None:
        return False
    before = shuffle_facts(network)
    network.run_for(50)
    network.start_host()
    all_play(network, peers)  # a ready that was not stored has to be said again
    network.run_until(lambda: all(peer.public.deal == 1 for peer in peers))
    after = shuffle_facts(network)
    assert after[: len(before)] == before
    assert [type(fact) for fact in after] == [ShuffleBegan, SharesListed, Dealt]
    checked(network, peers, 1)
    assert [findings(peer)[0] for peer in peers] == [(1, "")] * 4, effects
    assert origins(network)[0] == ["player"] * 4
    return True


# ---- hosts that are not honest -------------------------------------------------------------------


def stacked(hands: Hands) -> Hands:
    """Give seat 0 the highest card of seat 1 for its lowest."""
    first, second, third, fourth = hands
    low, high = first & -first, 1 << second.bit_length() - 1
    return first ^ low | high, second ^ high | low, third, fourth


def with_seat(shuffle: Shuffle, seat: int, share: SeatShare) -> Shuffle:
    first, second, third, fourth = (
        share if number == seat else each for number, each in enumerate(shuffle.seats)
    )
    return replace(shuffle, seats=(first, second, third, fourth))


def dealing(
    monkeypatch: pytest.MonkeyPatch, change: Callable[[Gathering, Shuffle], tuple[Shuffle, bytes]]
) -> None:
    """Have the host deal otherwise than it promised: another shuffle shown, another key used."""
    honest = Gathering.dealt

    def dealt(self: Gathering) -> Dealt:
        shuffle, key = change(self, read_shuffle(honest(self).shuffle))
        return Dealt(key.hex(), shuffle.text())

    monkeypatch.setattr(Gathering, "dealt", dealt)


def found_by_all(network: MemoryNetwork) -> list[str]:
    """Play one deal; what each of the four players has found."""
    peers = four_players(network)
    checked(network, peers, 1)
    return [findings(peer)[0][1] for peer in peers]


@pytest.fixture
def table() -> MemoryNetwork:
    """Give a table of a host that is about to be altered."""
    return MemoryNetwork(1, opening(rules=LONG))


OTHER = Share(bytes(32), bytes(32))


def test_a_host_that_stacks_one_card_is_caught(
    monkeypatch: pytest.MonkeyPatch, table: MemoryNetwork
) -> None:
    monkeypatch.setattr(host_changes, "deal_hands", lambda key: stacked(deal_hands(key)))
    assert found_by_all(table) == [FairCode.DECK_STACKED] * 4
    details = [each.detail for each in verdicts(table.peers[0])]
    assert details[0] == {"cards": 2}
    assert fault_in_record(table) == (FairCode.DECK_STACKED, {"line": 2, "cards": 2})


def test_a_host_that_changes_its_mind_after_seeing_the_shares_is_caught(
    monkeypatch: pytest.MonkeyPatch, table: MemoryNetwork
) -> None:
    def change(gathering: Gathering, shuffle: Shuffle) -> tuple[Shuffle, bytes]:
        changed = replace(shuffle, host=OTHER)  # the one of many that deals the best hands
        return changed, changed.key(gathering.game, gathering.deal)

    dealing(monkeypatch, change)
    assert found_by_all(table) == [FairCode.HOST_SHARE_CHANGED] * 4
    assert fault_in_record(table) == (FairCode.HOST_SHARE_CHANGED, {"line": 2})


def test_it_is_caught_too_if_it_changes_its_commitment_as_well(
    monkeypatch: pytest.MonkeyPatch, table: MemoryNetwork
) -> None:
    def change(gathering: Gathering, shuffle: Shuffle) -> tuple[Shuffle, bytes]:
        promise = commitment_to(gathering.game, gathering.deal, HOST, OTHER)
        changed = replace(shuffle, host=OTHER, commitment=promise)
        return changed, changed.key(gathering.game, gathering.deal)

    dealing(monkeypatch, change)
    assert found_by_all(table) == [FairCode.COMMITMENTS_CHANGED] * 4


def test_a_host_that_drops_a_players_share_from_the_deck_is_caught(
    monkeypatch: pytest.MonkeyPatch, table: MemoryNetwork
) -> None:
    dealing(monkeypatch, lambda each, shuffle: (shuffle, shuffle.key(each.game, each.deal, (2,))))
    assert found_by_all(table) == [FairCode.SHARE_LEFT_OUT] * 4
    details = [each.detail for each in verdicts(table.peers[0])]
    assert details[0] == {"seat": 2}
    assert fault_in_record(table) == (FairCode.SHARE_LEFT_OUT, {"line": 2, "seat": 2})


def test_a_host_that_chooses_between_two_decks_by_its_own_players_share_is_caught(
    monkeypatch: pytest.MonkeyPatch, table: MemoryNetwork
) -> None:
    """It has everybody's opened shares before its player's has to count."""

    def change(gathering: Gathering, shuffle: Shuffle) -> tuple[Shuffle, bytes]:
        held_back = with_seat(shuffle, 0, replace(shuffle.seats[0], origin=Origin.LATE, share=None))
        better = min((shuffle, held_back), key=lambda each: queens(each, gathering))
        return better, better.key(gathering.game, gathering.deal)

    def queens(shuffle: Shuffle, gathering: Gathering) -> int:
        hand = shuffle.hands(gathering.game, gathering.deal)[0]
        return (hand & mask_of_texts(["QS", "QH", "QC"])).bit_count()

    dealing(monkeypatch, change)
    peers = four_players(table)
    checked(table, peers, 6)
    chosen = [number for number, each in enumerate(origins(table)[:6], 1) if each[0] == "late"]
    assert 0 < len(chosen) < 6
    for peer in peers[1:]:
        assert [number for number, code in findings(peer)[:6] if code] == chosen
        assert {code for _, code in findings(peer)[:6]} == {"", FairCode.SHARE_WITHHELD}
    code, detail = fault_in_record(table)
    assert code == FairCode.SHARE_WITHHELD
    assert detail["seat"] == 0


@pytest.mark.parametrize(("what", "origin"), [("committed", "host"), ("opened", "late")])
def test_a_host_that_does_not_hear_a_players_share_is_caught_by_that_player(
    monkeypatch: pytest.MonkeyPatch, table: MemoryNetwork, what: str, origin: str
) -> None:
    honest = getattr(Gathering, what)

    def deaf(self: Gathering, seat: int, value: object) -> Gathering:
        heard: Gathering = self if seat == 2 else honest(self, seat, value)
        return heard

    monkeypatch.setattr(Gathering, what, deaf)
    found = found_by_all(table)
    assert found == ["", "", FairCode.SHARE_LEFT_OUT, ""]
    # the others are told whose was late, and the record says openly that the host drew for somebody
    late = (2,) if origin == Origin.LATE else ()
    assert [each.late for each in verdicts(table.peers[0])][:1] == [late]
    assert origins(table)[0][2] == origin
    (game,) = check_file(io.BytesIO(record_of(table)), deals=True)
    assert game.drawn_by_host >= 1
    assert game.late[:1] == (((1, 2),) if late else ())


def test_a_host_that_puts_its_own_share_in_the_place_of_a_players_learns_nothing(
    monkeypatch: pytest.MonkeyPatch, table: MemoryNetwork
) -> None:
    honest = Gathering.closed

    def closed(self: Gathering, commitments: Sequence[str]) -> Gathering:
        changed = list(commitments)
        changed[2] = commitment_to(self.game, self.deal, 2, OTHER)
        return replace_struct(honest(self, changed), shares=(None, None, OTHER, None))

    monkeypatch.setattr(Gathering, "closed", closed)
    opened: list[bytes] = []
    to_host = MemoryNetwork.to_host

    def listen(self: MemoryNetwork, peer: MemoryPeer, body: bytes) -> None:
        if peer.seat == 2 and isinstance(decode_to_host(body), m.Reveal):
            opened.append(body)
        to_host(self, peer, body)

    monkeypatch.setattr(MemoryNetwork, "to_host", listen)
    assert found_by_all(table) == ["", "", FairCode.SHARE_REPLACED, ""]
    assert opened == []


def test_a_host_that_shows_another_share_for_a_player_is_caught(
    monkeypatch: pytest.MonkeyPatch, table: MemoryNetwork
) -> None:
    def change(gathering: Gathering, shuffle: Shuffle) -> tuple[Shuffle, bytes]:
        changed = with_seat(shuffle, 2, replace(shuffle.seats[2], share=OTHER))
        return changed, changed.key(gathering.game, gathering.deal)

    dealing(monkeypatch, change)
    assert found_by_all(table) == [FairCode.SHARE_CHANGED] * 4
    assert fault_in_record(table) == (FairCode.SHARE_CHANGED, {"line": 2, "seat": 2})


def test_a_host_that_gives_a_player_another_hand_than_it_proves_is_caught(
    monkeypatch: pytest.MonkeyPatch, table: MemoryNetwork
) -> None:
    honest = project_proof

    def proof(of: Table, after: int) -> m.Proof | None:
        """Show the deal as if seats 0 and 1 had had each other's cards."""
        shown = honest(of, after)
        assert shown is not None
        one, other, *rest = shown.hands
        return replace_struct(shown, hands=[other, one, *rest])

    monkeypatch.setattr("hearts_net.host.telling.project_proof", proof)
    assert found_by_all(table) == [FairCode.DECK_STACKED] * 4


def test_a_host_that_shows_no_proof_is_reported(
    monkeypatch: pytest.MonkeyPatch, table: MemoryNetwork
) -> None:
    monkeypatch.setattr("hearts_net.host.telling.project_proof", lambda *_: None)
    assert found_by_all(table) == [FairCode.NO_PROOF] * 4


def test_nothing_of_a_running_deal_is_proved(table: MemoryNetwork) -> None:
    peers = four_players(table)
    table.run_until(lambda: peers[0].public.deal == 2 and peers[0].public.phase == "playing")
    for after, there in ((0, True), (1, False), (2, False), (2**53, False)):
        (answer,) = table.say_raw(peers[1], m.Fetch("proof", after))
        assert isinstance(answer, m.Proof) == there
        if not there:
            assert answer == m.Refused("not-now", {"phase": "playing"})


# ---- what peers send that nobody asked for -------------------------------------------------------


def test_a_share_is_taken_only_from_the_seat_the_deal_and_the_moment_it_is_for() -> None:
    network = MemoryNetwork(1, opening(rules=LONG))
    peers = four_players(network, plays=False)
    watcher = network.add_peer("Wanda", role="watcher")
    for peer in peers:
        peer.do(m.Ready())
    silent_when(network, peers[3], m.Shuffling)
    network.run_until(lambda: peers[0].public.phase == "dealing")
    network.run_for(20)
    table = network.authority.table
    assert table.gathering is not None
    assert [bool(each) for each in table.gathering.commitments] == [True, True, True, False]
    game, promise = table.game_id, "0" * 64
    wrong: list[tuple[MemoryPeer, m.Message]] = [
        (watcher, m.Commit(game, 1, promise)),
        (peers[3], m.Commit(game, 2, promise)),
        (peers[3], m.Commit("another", 1, promise)),
        (peers[3], m.Reveal(game, 1, promise, promise)),
        (peers[2], m.Reveal(game, 1, promise, promise)),
    ]
    for peer, message in wrong:
        assert network.say_raw(peer, message) == []
        assert network.authority.table == table
    network.run_until(lambda: peers[0].public.phase == "passing")
    dealt = network.authority.table
    for late in (m.Commit(game, 1, promise), m.Reveal(game, 1, promise, promise)):
        assert network.say_raw(peers[2], late) == []
        assert network.authority.table == dealt
