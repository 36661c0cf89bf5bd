"""Who is let in: open tables, codes, questions to the host's player, and who is sent away."""

from __future__ import annotations

import pytest

from hearts_net.host import arrivals
from hearts_net.host.door import MOST_KNOWN, Door
from hearts_net.host.facts import AdmissionSet, Banned, CodeMissed, LetIn, SentAway, Unbanned
from hearts_net.protocol import messages as wire
from hearts_net.protocol.codec import encode
from hearts_net.protocol.codes import ErrorCode
from hearts_net.protocol.limits import CODE_TRIES, MOST_ASKING, MOST_BANNED
from hearts_net.protocol.messages import (
    Admit,
    Alive,
    Ban,
    CodeProved,
    CodeWanted,
    Command,
    DeskView,
    Fetch,
    Hello,
    Join,
    Joined,
    Kick,
    Message,
    ProveCode,
    Refused,
    Removed,
    Reply,
    Say,
    SetAdmission,
    Snapshot,
    Somebody,
    Unban,
    Waiting,
)
from hearts_net.protocol.peer_session import (
    AskedAbout,
    CodeAsked,
    JoinedTable,
    LinkState,
    NewView,
    RefusedBy,
    RemovedBy,
)
from hearts_net.testing.network import HOST_KEY, MemoryNetwork, MemoryPeer, four_players, opening


def at(admission: str, seed: int = 0) -> tuple[MemoryNetwork, MemoryPeer]:
    """Return a table that lets newcomers in in this way, and its host's player."""
    network = MemoryNetwork(seed, opening(admission=admission))
    return network, network.add_peer("Asha", key=HOST_KEY, plays=False)


def desk(host: MemoryPeer) -> DeskView:
    assert host.view is not None
    assert host.view.desk is not None
    return host.view.desk


def comes(
    network: MemoryNetwork, name: str = "Bram", role: str = "player", key: str = ""
) -> MemoryPeer:
    """Let somebody come as far as the door."""
    peer = network.add_peer(name, role=role, key=key, plays=False, live=False)
    network.run_until(lambda: any(isinstance(e, CodeAsked | AskedAbout) for e in peer.events))
    return peer


def is_live(peer: MemoryPeer) -> bool:
    return peer.session.state is LinkState.LIVE


def refusal(peer: MemoryPeer) -> str:
    """Return why a peer was refused for good."""
    assert peer.session.state is LinkState.ENDED
    (why,) = [event.code for event in peer.events if isinstance(event, RefusedBy) and event.final]
    return why


def wrong(code: str) -> str:
    return f"{(int(code) + 1) % 1_000_000:06}"


def miss(network: MemoryNetwork, peer: MemoryPeer, times: int) -> None:
    """Type wrong codes, each when it is asked for."""
    code = network.authority.table.door.code
    for _ in range(times):
        asked = sum(isinstance(event, CodeAsked | AskedAbout) for event in peer.events)
        peer.give_code(wrong(code))
        network.run_until(
            lambda: sum(isinstance(e, CodeAsked | AskedAbout) for e in peer.events) > asked  # noqa: B023 - called before the next round
        )


# ---- what the facts make of the door -------------------------------------------------------------


def test_the_door_is_what_its_facts_say() -> None:
    door = Door().after(AdmissionSet("code", "123456"))
    assert (door.way, door.code, door.wrong_codes) == ("code", "123456", 0)
    for _ in range(CODE_TRIES):
        assert door.way == "code"
        door = door.after(CodeMissed())
    assert door.way == "ask"
    assert door.after(AdmissionSet("code", "654321")).way == "code"
    door = door.after(LetIn("a")).after(LetIn("b")).after(LetIn("a"))
    assert door.known == ("b", "a")
    assert not door.after(SentAway("a")).knows("a")
    assert door.after(SentAway("a")).knows("b")


def test_what_the_door_remembers_is_bounded() -> None:
    door = Door()
    for number in range(MOST_KNOWN + 1):
        door = door.after(LetIn(f"k{number}"))
    assert len(door.known) == MOST_KNOWN
    assert not door.knows("k0")
    for number in range(MOST_BANNED + 1):
        door = door.after(Banned(f"k{number}", "x"))
    assert len(door.banned) == MOST_BANNED
    assert "k0" not in door.banned
    again = door.after(Banned("k1", "y"))
    assert list(again.banned)[-1] == "k1"
    assert "k1" not in again.after(Unbanned("k1")).banned


def test_the_code_is_in_no_repr() -> None:
    network, _ = at("code")
    table = network.authority.table
    assert table.door.code not in repr(table)


# ---- open ----------------------------------------------------------------------------------------


def test_an_open_table_lets_everybody_in_and_has_no_code() -> None:
    network, host = at("open")
    guest = network.add_peer("Bram", plays=False)
    assert is_live(guest)
    assert desk(host) == DeskView("open", "", 0, [], [], [])


# ---- code ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("role", ["player", "bot", "watcher"])
def test_who_knows_the_code_is_let_in(role: str) -> None:
    network, host = at("code")
    code = desk(host).code
    assert len(code) == 6
    guest = comes(network, role=role)
    network.run_for(20_000)  # it takes a while to find the paper with the code
    assert guest.session.state is LinkState.JOINING
    guest.give_code(f"{code[:3]} {code[3:]}")
    network.run_until(lambda: is_live(guest))
    assert guest.view is not None
    assert guest.view.desk is None
    assert desk(host).wrong_codes == 0


def test_no_more_come_in_by_the_code_than_there_is_room_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(arrivals, "MAX_GUESTS", 1)
    network, host = at("code")
    one, other = (comes(network, name, "watcher") for name in ("Bram", "Cleo"))
    one.give_code(desk(host).code)
    network.run_until(lambda: is_live(one))
    other.give_code(desk(host).code)
    network.run_until(lambda: other.session.state is LinkState.ENDED)
    assert refusal(other) == "table-full"
    assert desk(host).wrong_codes == 0


def test_a_code_given_before_it_is_asked_for_is_used() -> None:
    network, host = at("code")
    guest = network.add_peer("Bram", plays=False, live=False)
    guest.give_code(desk(host).code)
    network.run_until(lambda: is_live(guest))
    assert not any(isinstance(event, CodeAsked) for event in guest.events)


def test_a_wrong_code_can_be_tried_again() -> None:
    network, host = at("code")
    guest = comes(network)
    miss(network, guest, 1)
    assert RefusedBy("wrong-code", {"left": CODE_TRIES - 1}, final=False) in guest.events
    assert desk(host).wrong_codes == 1
    guest.give_code(desk(host).code)
    network.run_until(lambda: is_live(guest))


def test_who_was_let_in_by_the_code_needs_it_no_more() -> None:
    network, host = at("code")
    guest = comes(network, role="watcher")
    guest.give_code(desk(host).code)
    network.run_until(lambda: is_live(guest))
    network.break_connection(guest)
    network.run_until(lambda: is_live(guest))
    guest.leave()
    network.run_until(lambda: guest.session.state is LinkState.ENDED)
    network.kill_host()
    network.start_host()
    again = network.add_peer("Bram", key=guest.key, plays=False)
    assert is_live(again)
    assert not any(isinstance(event, CodeAsked) for event in again.events)


def test_after_ten_wrong_codes_of_any_keys_newcomers_are_asked_about() -> None:
    network, host = at("code")
    code = desk(host).code
    for number in range(CODE_TRIES):
        stranger = comes(network, f"Stranger {number}")
        miss(network, stranger, 1)
        network.stop_peer(stranger)
    network.run_for(1000)
    assert (desk(host).wrong_codes, desk(host).code) == (CODE_TRIES, "")
    friend = network.add_peer("Bram", plays=False, live=False)
    friend.give_code(code)
    network.run_until(lambda: AskedAbout() in friend.events)
    assert friend.session.state is LinkState.JOINING
    network.run_until(lambda: [each.name for each in desk(host).asking][-1:] == ["Bram"])


def test_the_count_of_wrong_codes_outlives_the_host() -> None:
    network, host = at("code")
    code = desk(host).code
    stranger = comes(network)
    miss(network, stranger, CODE_TRIES - 1)
    network.kill_host()
    network.start_host()
    network.run_until(lambda: is_live(host))
    assert (desk(host).wrong_codes, desk(host).code) == (CODE_TRIES - 1, code)
    network.run_until(lambda: sum(isinstance(e, CodeAsked) for e in stranger.events) > CODE_TRIES)
    miss(network, stranger, 1)
    network.run_until(lambda: bool(desk(host).asking))


def test_a_new_code_starts_the_count_anew_and_ends_what_was_begun_with_the_old_one() -> None:
    network, host = at("code")
    old = desk(host).code
    guest = comes(network)
    assert host.ask(SetAdmission("code")).ok
    network.run_until(lambda: desk(host).code != old)
    new = desk(host).code
    guest.give_code(old)
    network.run_until(lambda: desk(host).wrong_codes == 1 or is_live(guest))
    assert not is_live(guest)
    network.run_until(lambda: sum(isinstance(e, CodeAsked) for e in guest.events) > 1)
    guest.give_code(new)
    network.run_until(lambda: is_live(guest))


def test_a_share_is_good_for_one_answer() -> None:
    network, _ = at("code")
    guest = comes(network)
    answers = [_prove(network, guest) for _ in range(3)]
    assert [kind(each) for each in answers] == ["wrong-code", "not-joined", "not-joined"]
    assert network.authority.table.door.wrong_codes == 1


def _prove(network: MemoryNetwork, peer: MemoryPeer) -> list[object]:
    return list(network.say_raw(peer, ProveCode("00" * 32, "11" * 32)))


def kind(answers: list[object]) -> str:
    (refused,) = [each for each in answers if isinstance(each, Refused)]
    return refused.code


def test_the_same_share_is_offered_until_it_is_answered() -> None:
    network, _ = at("code")
    guest = comes(network)
    wanted = [body for key, body in network.told if key == guest.key]
    network.run_for(5000)
    later = [body for key, body in network.told if key == guest.key]
    assert len(later) > len(wanted)
    assert later[-1] == wanted[-1]


def test_no_code_can_be_tried_while_nothing_can_be_stored() -> None:
    network, _ = at("code")
    guest = comes(network)
    network.store.failing = True
    answers = _prove(network, guest)
    assert kind(answers) in ("store-failed", "not-joined")
    assert network.authority.table.door.wrong_codes == 0
    network.store.failing = False
    network.run_for(5000)


def test_a_host_that_does_not_know_the_code_is_refused() -> None:
    network, host = at("code")
    guest = comes(network)
    guest.session.between(guest.key, "e" * 40)  # somebody in between with a key of their own
    guest.give_code(desk(host).code)
    network.run_until(lambda: desk(host).wrong_codes == 1)
    assert not is_live(guest)


@pytest.mark.parametrize(
    "claim",
    [
        [CodeProved("22" * 32), Joined("player", 1, "Bram")],
        [Joined("player", 1, "Bram")],
    ],
    ids=["with a false proof", "without a proof"],
)
def test_a_host_that_lets_in_without_the_right_proof_is_left(claim: list[Message]) -> None:
    network, host = at("code")
    guest = comes(network)
    outputs = guest.session.give_code(desk(host).code, network.clock.now)  # never arrives
    assert outputs
    for message in claim:
        guest.take(guest.session.receive_control(encode(message), network.clock.now))
    assert refusal(guest) == ErrorCode.HOST_UNPROVED
    assert not any(isinstance(event, JoinedTable) for event in guest.events)


# ---- ask -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("role", ["player", "bot", "watcher"])
def test_the_hosts_player_lets_somebody_in(role: str) -> None:
    network, host = at("ask")
    guest = comes(network, role=role)
    network.run_for(30_000)
    assert desk(host).asking == [Somebody(guest.key, "Bram", role)]
    assert sum(isinstance(event, AskedAbout) for event in guest.events) == 1
    assert host.ask(Admit(guest.key)).ok
    network.run_until(lambda: is_live(guest))
    assert desk(host).asking == []
    assert guest.seat == (None if role == "watcher" else 1)
    network.break_connection(guest)
    network.run_until(lambda: is_live(guest))


def test_the_hosts_player_turns_somebody_away() -> None:
    network, host = at("ask")
    guest = comes(network)
    assert host.ask(Admit(guest.key, admit=False)).ok
    network.run_until(lambda: guest.session.state is LinkState.ENDED)
    assert refusal(guest) == ErrorCode.NOT_ADMITTED
    network.run_until(lambda: not desk(host).asking)


def test_only_the_hosts_player_hears_who_asks() -> None:
    network, host = at("open")
    other = network.add_peer("Bram", plays=False)
    assert host.ask(SetAdmission("ask")).ok
    comes(network, "Chloé")
    network.run_for(2000)
    assert other.view is not None
    assert other.view.desk is None
    assert all("Chloé".encode() not in body for key, body in network.told if key == other.key)
    assert all("Chloé".encode() not in body for body in network.published)


@pytest.mark.parametrize("how", ["leaves", "is gone", "is cut off"])
def test_who_does_not_wait_is_not_asked_about(how: str) -> None:
    network, host = at("ask")
    guest = comes(network)
    network.run_until(lambda: bool(desk(host).asking))
    if how == "leaves":
        guest.leave()
    elif how == "is gone":
        network.stop_peer(guest)
    else:
        network.cut_off(guest)
    network.run_until(lambda: not desk(host).asking, within=10_000)
    assert host.ask(Admit(guest.key)).code == ErrorCode.NOT_HERE


def test_so_many_ask_and_no_more() -> None:
    network, host = at("ask")
    for number in range(MOST_ASKING):
        comes(network, f"Guest {number}")
    late = network.add_peer("Late", plays=False, live=False)
    network.run_until(lambda: late.session.state is LinkState.ENDED)
    assert refusal(late) == ErrorCode.TABLE_FULL
    network.run_until(lambda: len(desk(host).asking) == MOST_ASKING)


@pytest.mark.parametrize("admission", ["code", "ask"])
def test_many_who_wait_are_not_too_fast_together(admission: str) -> None:
    network, _ = at(admission)
    guests = [comes(network, f"Guest {number}") for number in range(MOST_ASKING)]
    network.run_for(60_000)
    for guest in guests:
        assert guest.session.state is LinkState.JOINING
        assert not any(isinstance(event, RefusedBy) for event in guest.events)


def test_an_unknown_key_is_not_here() -> None:
    _, host = at("ask")
    for act in (Admit("x" * 40), Kick("x" * 40), Ban("x" * 40), Unban("x" * 40)):
        assert host.ask(act).code == ErrorCode.NOT_HERE


def test_who_asks_has_no_other_rights() -> None:
    network, _ = at("ask")
    guest = comes(network)
    for message in (Snapshot(), Fetch("log", 0), Command(1, 1, 0, 0, Say("hello"))):
        (answer,) = network.say_raw(guest, message)
        assert isinstance(answer, Refused)
        assert answer.code == ErrorCode.NOT_JOINED
    assert guest.key not in network.admitted


# ---- sent away -----------------------------------------------------------------------------------


def sent_away(peer: MemoryPeer) -> list[wire.SentAway]:
    """What a peer has been told of those who were sent away."""
    views = [event.view for event in peer.events if isinstance(event, NewView)]
    return [event for view in views for event in view.events if isinstance(event, wire.SentAway)]


def test_who_is_kicked_out_of_the_lobby_is_gone_and_may_come_again() -> None:
    network, host = at("open")
    guest = network.add_peer("Bram", plays=False)
    assert host.ask(Kick(guest.key)).ok
    network.run_until(lambda: guest.session.state is LinkState.ENDED)
    assert guest.events[-1] == RemovedBy("kicked")
    network.run_until(lambda: host.public.seats[1].kind == "empty")
    assert [(event.name, event.reason) for event in sent_away(host)] == [("Bram", "kicked")]
    assert guest.key not in network.admitted
    again = network.add_peer("Bram", key=guest.key, plays=False)
    assert is_live(again)


def test_who_is_kicked_needs_the_code_again() -> None:
    network, host = at("code")
    guest = comes(network)
    guest.give_code(desk(host).code)
    network.run_until(lambda: is_live(guest))
    assert host.ask(Kick(guest.key)).ok
    again = comes(network, key=guest.key)
    assert CodeAsked() in again.events


def test_who_is_banned_in_a_game_is_served_no_more_and_a_bot_plays_on() -> None:
    network = MemoryNetwork(3, opening())
    host, guest, *_ = four_players(network)
    network.run_until(lambda: host.public.trick_number >= 2)
    told = len(network.told)
    assert host.ask(Ban(guest.key)).ok
    network.run_until(lambda: guest.session.state is LinkState.ENDED)
    assert guest.events[-1] == RemovedBy("banned")
    network.run_until(lambda: host.public.seats[1].presence == "left")
    assert [event.reason for event in sent_away(host)] == ["banned"]
    assert host.public.seats[1].deputy
    last = [body for key, body in network.told[told:] if key == guest.key]
    at = last.index(encode(Removed("banned")))
    late = {encode(Refused(code, {})) for code in (ErrorCode.BANNED, ErrorCode.HELLO_FIRST)}
    assert {*last[at + 1 :]} <= late  # the answer to what was on its way
    network.run_for(5000)
    assert [body for key, body in network.told[told:] if key == guest.key] == last
    network.run_until(lambda: host.public.phase == "game-over")


def test_a_banned_key_that_goes_on_talking_is_told_nothing_but_that() -> None:
    network, host = at("open")
    guest = network.add_peer("Bram", plays=False)
    assert host.ask(Ban(guest.key)).ok
    assert guest.key in network.barred
    for message in (Snapshot(), Hello([1], "x"), Join("watcher", "Bram"), Alive(1, 1)):
        for answer in network.say_raw(guest, message):
            assert isinstance(answer, Refused)
            assert answer.code in (ErrorCode.BANNED, ErrorCode.HELLO_FIRST)
    assert guest.key not in network.authority.table.guests


def test_a_ban_outlives_the_host_until_it_is_taken_back() -> None:
    network, host = at("open")
    guest = network.add_peer("Bram", plays=False)
    assert host.ask(Ban(guest.key)).ok
    network.kill_host()
    network.start_host()
    assert network.barred == {guest.key}
    network.run_until(lambda: is_live(host))
    assert desk(host).banned == [Somebody(guest.key, "Bram", "")]
    reply = host.ask(Unban(guest.key))
    assert isinstance(reply, Reply)
    assert reply.ok
    assert network.barred == set()
    assert is_live(network.add_peer("Bram", key=guest.key, plays=False))


def test_somebody_who_asks_can_be_banned() -> None:
    network, host = at("ask")
    guest = comes(network)
    network.run_until(lambda: bool(desk(host).asking))
    assert host.ask(Ban(guest.key)).ok
    network.run_until(lambda: guest.session.state is LinkState.ENDED)
    network.run_until(lambda: bool(desk(host).banned))
    assert desk(host).asking == []
    assert desk(host).banned == [Somebody(guest.key, "Bram", "")]


@pytest.mark.parametrize("act", [Kick, Ban])
def test_the_hosts_player_and_the_tables_own_bots_are_not_sent_away(
    act: type[Kick] | type[Ban],
) -> None:
    network = MemoryNetwork(0, opening(bots=("easy",)))
    host = network.add_peer("Asha", key=HOST_KEY, plays=False)
    network.run_for(1000)
    for key in (HOST_KEY, host.public.seats[1].key):
        assert host.ask(act(key)).code == ErrorCode.NOT_ALLOWED


def test_those_without_a_seat_are_on_the_desk() -> None:
    network, host = at("open")
    watcher = network.add_peer("Wanda", role="watcher", plays=False)
    network.run_until(lambda: bool(desk(host).standing))
    assert desk(host).standing == [Somebody(watcher.key, "Wanda", "watcher")]
    assert host.ask(Kick(watcher.key)).ok
    network.run_until(lambda: not desk(host).standing)
    assert host.public.watchers == 0


def test_nothing_of_it_can_be_done_while_nothing_can_be_stored() -> None:
    network, host = at("open")
    guest = network.add_peer("Bram", plays=False)
    network.store.failing = True
    assert host.ask(Ban(guest.key)).code == ErrorCode.STORE_FAILED
    assert is_live(guest)
    assert network.barred == set()
    assert guest.key in network.admitted
    network.store.failing = False
    network.run_for(3000)
    network.break_connection(guest)
    network.run_until(lambda: is_live(guest))


def test_messages_at_the_door_mean_nothing_to_who_is_inside() -> None:
    network, _ = at("open")
    guest = network.add_peer("Bram", plays=False)
    for message in (CodeWanted("00" * 32), CodeProved("00" * 32), Waiting()):
        before = len(guest.events)
        guest.take(guest.session.receive_control(encode(message), network.clock.now))
        assert len(guest.events) == before
    assert is_live(guest)
