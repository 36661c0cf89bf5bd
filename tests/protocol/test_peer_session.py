"""The peer's session, step by step: what it sends, tells and waits for, with a clock passed in."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import TypeVar

import msgspec
import pytest

from hearts_net.protocol import limits
from hearts_net.protocol import messages as m
from hearts_net.protocol.codec import BEATS, EVERYTHING, ToHost, decode_to_host, encode
from hearts_net.protocol.codes import ErrorCode, ProtocolError
from hearts_net.protocol.peer_session import (
    TRANSITIONS,
    BadMessage,
    Cause,
    DealsArrived,
    HostClosing,
    HostSilent,
    JoinedTable,
    LeftTable,
    LinkChanged,
    LinkState,
    LogArrived,
    NewView,
    OtherTable,
    Output,
    PeerSession,
    RefusedBy,
    Replied,
    Send,
    Subscribe,
    SupersededBy,
    Unsubscribe,
    Welcomed,
)

MakeView = Callable[..., m.View]
T = TypeVar("T")

HELLO = m.Hello([1], "hearts-net")
WELCOME = m.Welcome(1, 1, "Kitchen", "host/1", 26053, None)
JOINED = m.Joined("player", 2, "Ada")


def session_of(role: str = "player") -> PeerSession:
    return PeerSession(role, "Ada", request_ids=itertools.count(100).__next__)


def sent(outputs: Sequence[Output]) -> list[ToHost]:
    return [decode_to_host(output.body) for output in outputs if isinstance(output, Send)]


def told(outputs: Sequence[Output]) -> list[Output]:
    return [output for output in outputs if not isinstance(output, Send)]


def only(outputs: Sequence[Output], kind: type[T]) -> T:
    (found,) = [output for output in outputs if isinstance(output, kind)]
    return found


def joining(session: PeerSession, now: int = 0, welcome: m.Welcome = WELCOME) -> None:
    session.connected(now)
    session.receive_control(encode(welcome), now)
    assert session.state is LinkState.JOINING


def go_live(
    session: PeerSession,
    view: m.View,
    now: int = 0,
    welcome: m.Welcome = WELCOME,
    joined: m.Joined = JOINED,
) -> list[Output]:
    joining(session, now, welcome)
    outputs = session.receive_control(encode(joined), now)
    outputs += session.receive_control(encode(view), now)
    assert session.state is LinkState.LIVE
    return outputs


@pytest.fixture
def live(make_view: MakeView) -> PeerSession:
    """Join as a player, at time 0, without a public socket."""
    session = session_of()
    go_live(session, make_view(), welcome=msgspec.structs.replace(WELCOME, public_port=0))
    return session


def run_to(session: PeerSession, until: int, alive: bytes | None = None) -> list[Output]:
    """Tick at each deadline; the host answers every second when ``alive`` is given."""
    outputs: list[Output] = []
    beats = itertools.count(0, limits.ALIVE_EVERY)
    beat = next(beats)
    while True:
        due = session.deadline()
        due = until + 1 if due is None else due
        if alive is not None and beat <= min(due, until):
            outputs += session.receive_control(alive, beat)
            beat = next(beats)
            continue
        if due > until:
            return outputs
        outputs += session.tick(due)


# ---- the table


def test_the_table_speaks_of_every_state_and_cause() -> None:
    assert set(TRANSITIONS) == set(LinkState)
    assert {cause for row in TRANSITIONS.values() for cause in row} == set(Cause)
    assert TRANSITIONS[LinkState.ENDED] == {}


def test_every_state_can_be_reached_and_left() -> None:
    reached = {target for row in TRANSITIONS.values() for target in row.values()}
    assert reached | {LinkState.CONNECTING} == set(LinkState)
    for state, row in TRANSITIONS.items():
        if state is not LinkState.ENDED:
            assert LinkState.ENDED in row.values() or LinkState.GREETING in row.values()


# ---- joining


def test_a_start_is_hello_welcome_join_joined_view_subscribe_snapshot(make_view: MakeView) -> None:
    session = session_of()
    assert session.deadline() is None
    outputs = session.connected(10)
    assert sent(outputs) == [HELLO]
    assert told(outputs) == [LinkChanged(LinkState.GREETING, 10)]
    outputs = session.receive_control(encode(WELCOME), 11)
    assert sent(outputs) == [m.Join("player", "Ada")]
    assert told(outputs) == [Welcomed(WELCOME), LinkChanged(LinkState.JOINING, 11)]
    outputs = session.receive_control(encode(JOINED), 12)
    assert outputs == [JoinedTable(JOINED), Subscribe(26053, BEATS)]
    outputs = session.receive_control(encode(make_view()), 12)
    assert outputs == [NewView(make_view(), gap=False), LinkChanged(LinkState.LIVE, 12)]
    assert sent(session.public_connected(13)) == [m.Snapshot()]
    assert session.view == make_view()


def test_hello_is_repeated_and_its_silence_told_once() -> None:
    session = session_of()
    session.connected(0)
    outputs = run_to(session, 3 * limits.HELLO_WITHIN)
    assert [type(event) for event in told(outputs)] == [HostSilent]
    assert sent(outputs) == [HELLO] * (3 * limits.HELLO_WITHIN // limits.REPLY_WITHIN)
    assert session.wants_dial
    assert session.state is LinkState.GREETING


def test_join_is_repeated_until_there_is_a_view() -> None:
    session = session_of()
    joining(session)
    assert sent(run_to(session, limits.REPLY_WITHIN)) == [m.Join("player", "Ada")]
    session.receive_control(encode(JOINED), limits.REPLY_WITHIN)
    assert sent(run_to(session, 2 * limits.REPLY_WITHIN)) == [m.Join("player", "Ada")]


def test_another_version_in_welcome_ends_it() -> None:
    session = session_of()
    session.connected(0)
    outputs = session.receive_control(encode(msgspec.structs.replace(WELCOME, version=2)), 1)
    assert outputs == [
        LinkChanged(LinkState.ENDED, 1),
        RefusedBy(ErrorCode.VERSION, {"host_speaks": "2"}, final=True),
    ]
    assert session.connected(5) == []


@pytest.mark.parametrize("code", ["version-mismatch", "table-full", "not-admitted", "bad-name"])
def test_a_refusal_while_joining_ends_it(code: str) -> None:
    for step in (PeerSession.connected, joining):
        session = session_of()
        step(session, 0)
        outputs = session.receive_control(encode(m.Refused(code, {"limit": 8})), 1)
        assert outputs[-1] == RefusedBy(code, {"limit": 8}, final=True)
        assert session.state is LinkState.ENDED
        assert session.deadline() is None


def test_a_view_before_joined_is_not_taken(make_view: MakeView) -> None:
    session = session_of()
    joining(session)
    assert session.receive_control(encode(make_view()), 1) == []
    assert session.view is None


def test_without_a_public_port_there_is_no_subscription(live: PeerSession) -> None:
    assert sent(live.public_connected(1)) == [m.Snapshot()]
    outputs = run_to(live, 20_000, encode(m.Alive(1, 1)))
    assert not any(isinstance(output, Subscribe) for output in outputs)


# ---- views: the newest, whatever the socket


def test_older_views_are_dropped_and_a_higher_epoch_wins(
    live: PeerSession, make_view: MakeView
) -> None:
    def seen(epoch: int, seq: int) -> bool:
        return bool(live.receive_control(encode(make_view(epoch, seq)), 1))

    assert seen(1, 5)
    assert not seen(1, 4)
    assert not seen(1, 5)
    assert seen(2, 1)
    assert not seen(1, 9)
    assert live.view is not None
    assert (live.view.epoch, live.view.seq) == (2, 1)


def test_the_same_state_is_told_again_only_when_it_shows_something_else(
    live: PeerSession, make_view: MakeView
) -> None:
    later = msgspec.structs.replace(make_view(), time=9, events=[])
    assert live.receive_control(encode(later), 1) == []
    own = msgspec.structs.replace(make_view(), may=["say", "close"])
    assert live.receive_control(encode(own), 1) == [NewView(own, gap=False)]


def test_a_gap_in_the_events_is_told(live: PeerSession, make_view: MakeView) -> None:
    def next_view(seq: int, newest: int, *numbers: int) -> m.View:
        said: list[m.AnyEvent] = [m.Settled(n, 0) for n in numbers]
        return msgspec.structs.replace(make_view(1, seq, newest_event=newest), events=said)

    follows = next_view(2, 42, 41, 42)
    assert live.receive_control(encode(follows), 1) == [NewView(follows, gap=False)]
    jumps = next_view(9, 50, 49, 50)
    assert live.receive_control(encode(jumps), 1) == [NewView(jumps, gap=True)]


def test_a_public_state_whose_own_view_does_not_come_is_asked_for(
    live: PeerSession, make_view: MakeView
) -> None:
    view = make_view(1, 2)
    public = m.Public(1, 2, 0, view.public, view.events)
    assert live.receive_public(encode(public), 500) == []
    assert m.Snapshot() not in sent(live.tick(500 + limits.OWN_VIEW_WITHIN - 1))
    assert sent(live.tick(500 + limits.OWN_VIEW_WITHIN)) == [m.Snapshot()]
    assert live.view == make_view(1, 1)
    later = 500 + limits.OWN_VIEW_WITHIN + limits.REPLY_WITHIN
    assert m.Snapshot() in sent(live.tick(later))
    assert NewView(view, gap=False) in live.receive_control(encode(view), later)
    assert m.Snapshot() not in sent(run_to(live, 20_000, encode(m.Alive(1, 2))))


def test_an_own_view_in_time_needs_no_snapshot(live: PeerSession, make_view: MakeView) -> None:
    view = make_view(1, 2)
    live.receive_public(encode(m.Public(1, 2, 0, view.public, [])), 500)
    live.receive_control(encode(view), 600)
    assert m.Snapshot() not in sent(run_to(live, 10_000, encode(m.Alive(1, 2))))


@pytest.mark.parametrize("word", [m.Beat(1, 7), m.Alive(1, 7), m.Reply(5, True, "", {}, 1, 7)])
def test_a_lost_tail_is_noticed(live: PeerSession, word: m.Message) -> None:
    live.tick(0)
    if isinstance(word, m.Reply):
        number, _ = live.command(m.Play("QD"), 100)
        word = msgspec.structs.replace(word, id=number)
    receive = live.receive_public if isinstance(word, m.Beat) else live.receive_control
    receive(encode(word), 100)
    assert live.deadline() == 100 + limits.OWN_VIEW_WITHIN
    assert sent(live.tick(100 + limits.OWN_VIEW_WITHIN)) == [m.Snapshot()]


def watching(make_view: MakeView) -> PeerSession:
    session = session_of("watcher")
    view = msgspec.structs.replace(make_view(own=None), role="watcher")
    go_live(session, view, joined=m.Joined("watcher", None, "Ada"))
    return session


def test_a_watcher_sees_the_public_state(make_view: MakeView) -> None:
    session = watching(make_view)
    view = make_view(1, 2)
    message = m.Public(1, 2, 77, view.public, view.events)
    shown = only(session.receive_public(encode(message), 1), NewView).view
    assert (shown.seq, shown.time, shown.own, shown.role) == (2, 77, None, "watcher")
    assert session.receive_public(encode(message), 2) == []
    assert session.receive_public(encode(m.Public(1, 1, 0, view.public, [])), 3) == []


def test_a_subscription_that_has_gone_quiet_is_made_anew(make_view: MakeView) -> None:
    session = watching(make_view)
    outputs = run_to(session, limits.AWAY_AFTER, encode(m.Alive(1, 1)))
    anew = [output for output in outputs if isinstance(output, Subscribe)]
    assert anew == [Subscribe(26053, EVERYTHING)]
    session.receive_public(encode(m.Beat(1, 1)), limits.AWAY_AFTER + 1)
    outputs = session.tick(2 * limits.AWAY_AFTER)
    assert not any(isinstance(output, Subscribe) for output in outputs)


# ---- signs of life


def test_alive_is_said_each_second_with_the_newest_state(
    live: PeerSession, make_view: MakeView
) -> None:
    outputs = run_to(live, 4500, encode(m.Alive(1, 1)))
    assert sent(outputs) == [m.Alive(1, 1)] * 5
    live.receive_control(encode(make_view(3, 8)), 4600)
    assert sent(live.tick(5000)) == [m.Alive(3, 8)]


def test_silence_is_lost_and_wants_a_dial_until_something_is_heard(live: PeerSession) -> None:
    outputs = run_to(live, limits.DIAL_AFTER - 1)
    assert not live.wants_dial
    assert told(outputs) == []
    outputs = live.tick(limits.DIAL_AFTER)
    assert live.wants_dial
    assert told(outputs) == [LinkChanged(LinkState.LOST, limits.DIAL_AFTER)]
    assert m.Alive(1, 1) in sent(run_to(live, 9000))
    assert live.wants_dial
    outputs = live.receive_control(encode(m.Alive(1, 1)), 9001)
    assert outputs == [LinkChanged(LinkState.LIVE, 9001)]
    assert not live.wants_dial


def test_public_traffic_does_not_hide_the_silence_of_control(live: PeerSession) -> None:
    for now in range(0, limits.DIAL_AFTER + 1, 500):
        live.receive_public(encode(m.Beat(1, 1)), now)
        live.tick(now)
    assert live.wants_dial


def test_a_dial_beside_the_old_connection_starts_over_and_keeps_the_view(
    live: PeerSession, make_view: MakeView
) -> None:
    live.tick(limits.DIAL_AFTER)
    outputs = live.connected(2100)
    assert sent(outputs) == [HELLO]
    assert not live.wants_dial
    assert live.view == make_view()
    live.receive_control(encode(WELCOME), 2101)
    live.receive_control(encode(JOINED), 2102)
    outputs = live.receive_control(encode(make_view(1, 4)), 2103)
    assert LinkChanged(LinkState.LIVE, 2103) in outputs


def test_a_host_that_has_forgotten_the_connection_is_greeted_again(live: PeerSession) -> None:
    for code in (ErrorCode.HELLO_FIRST, ErrorCode.NOT_JOINED):
        outputs = live.receive_control(encode(m.Refused(code, {})), 50)
        assert sent(outputs) == [HELLO]
        assert live.receive_control(encode(m.Refused(code, {})), 51) == []
        live.receive_control(encode(WELCOME), 52)
        live.receive_control(encode(JOINED), 53)


# ---- commands


def test_a_command_names_the_moment_of_the_newest_view(live: PeerSession) -> None:
    number, outputs = live.command(m.Play("QD"), 5)
    assert sent(outputs) == [m.Command(number, 1, 2, 5, m.Play("QD"))]
    reply = m.Reply(number, True, "", {}, 1, 2)
    assert live.receive_control(encode(reply), 6) == [Replied(number, reply, m.Play("QD"))]
    assert live.receive_control(encode(reply), 7) == []


def test_a_command_is_repeated_with_the_same_id_until_replied(live: PeerSession) -> None:
    number, outputs = live.command(m.Say("hi"), 0)
    (first,) = sent(outputs)
    again = [x for x in sent(run_to(live, 6000, encode(m.Alive(1, 1)))) if x == first]
    assert len(again) == 6000 // limits.REPLY_WITHIN
    reply = m.Reply(number, False, "not-now", {}, 1, 1)
    assert only(live.receive_control(encode(reply), 6001), Replied).reply == reply
    assert first not in sent(run_to(live, 20_000, encode(m.Alive(1, 1))))


def test_unanswered_commands_are_sent_again_in_order_on_the_next_connection(
    live: PeerSession, make_view: MakeView
) -> None:
    _, one = live.command(m.Say("one"), 1)
    assert live.disconnected(2) == [LinkChanged(LinkState.LOST, 2)]
    _, none = live.command(m.Say("two"), 3)
    assert sent(none) == []
    assert sent(live.fetch("log", 4, 3)) == []
    outputs = go_live(live, make_view(1, 3), 4)
    first, second, page = sent(outputs)
    assert [first] == sent(one)
    assert isinstance(second, m.Command)
    assert second.do == m.Say("two")
    assert page == m.Fetch("log", 4)


def test_a_command_needs_a_view_and_a_session_that_goes_on(live: PeerSession) -> None:
    for session in (session_of(), live):
        session.leave(0)
        with pytest.raises(ProtocolError) as raised:
            session.command(m.Play("QD"), 1)
        assert raised.value.code == ErrorCode.NOT_JOINED


@pytest.mark.parametrize("act", [m.Play("XX"), m.Say(""), m.Sit(9), m.Pass(["QS"])])
def test_an_act_that_could_not_be_sent_is_refused_here(live: PeerSession, act: m.AnyAct) -> None:
    with pytest.raises(ProtocolError) as raised:
        live.command(act, 1)
    assert raised.value.code == ErrorCode.BAD_FIELD
    assert not any(isinstance(x, m.Command) for x in sent(run_to(live, 5000)))


def test_a_deputy_names_the_seat(live: PeerSession) -> None:
    _, outputs = live.command(m.Play("QD"), 1, seat=3)
    (command,) = sent(outputs)
    assert isinstance(command, m.Command)
    assert command.seat == 3


# ---- the host's restart


def restarted(
    session: PeerSession, view: m.View, act: m.AnyAct
) -> tuple[int, list[Output], list[Output]]:
    """Send a command to epoch 1, find the host in epoch 2, and be told that it is stale."""
    number, _ = session.command(act, 1)
    session.disconnected(2)
    outputs = go_live(session, view, 3, msgspec.structs.replace(WELCOME, epoch=2))
    (again,) = sent(outputs)
    assert isinstance(again, m.Command)
    assert (again.id, again.epoch) == (number, 1)
    stale = m.Reply(number, False, ErrorCode.STALE_EPOCH, {}, 2, view.seq)
    return number, outputs, session.receive_control(encode(stale), 4)


@pytest.mark.parametrize(
    ("act", "before"),
    [
        (m.Play("QD"), {}),
        (m.Pass(["2C", "3C", "4C"]), {"phase": "passing", "trick_number": 0, "turn": None}),
        (m.ChooseMoon("others-gain"), {"phase": "moon", "turn": 2}),
    ],
)
def test_a_choice_still_asked_for_is_made_again_as_a_new_command(
    make_view: MakeView, act: m.AnyAct, before: dict[str, object]
) -> None:
    session = session_of()
    go_live(session, make_view(1, 9, **before))
    number, _, outputs = restarted(session, make_view(2, 1, **before), act)
    (anew,) = sent(outputs)
    assert isinstance(anew, m.Command)
    assert anew.id != number
    assert (anew.epoch, anew.do) == (2, act)
    assert told(outputs) == []
    reply = m.Reply(anew.id, True, "", {}, 2, 2)
    assert session.receive_control(encode(reply), 5) == [Replied(number, reply, act)]


@pytest.mark.parametrize(
    "after",
    [{"turn": 3}, {"trick_number": 6}, {"deal": 3}, {"phase": "passing"}, {"game": "g2"}],
)
def test_a_choice_for_another_moment_is_told_as_stale(
    make_view: MakeView, after: dict[str, object]
) -> None:
    session = session_of()
    go_live(session, make_view(1, 9))
    number, _, outputs = restarted(session, make_view(2, 1, **after), m.Play("QD"))
    reply = only(outputs, Replied)
    assert (reply.id, reply.reply.code) == (number, ErrorCode.STALE_EPOCH)
    assert sent(outputs) == []


def test_other_acts_are_never_made_again_by_themselves(make_view: MakeView) -> None:
    for act in (m.Claim(), m.Say("hi"), m.Ready(), m.Close()):
        session = session_of()
        go_live(session, make_view(1, 9))
        _, _, outputs = restarted(session, make_view(2, 1), act)
        assert sent(outputs) == []


def test_stale_in_the_epoch_of_the_view_is_told(live: PeerSession) -> None:
    number, _ = live.command(m.Play("QD"), 1)
    stale = m.Reply(number, False, ErrorCode.STALE_EPOCH, {}, 1, 1)
    assert sent(live.receive_control(encode(stale), 2)) == []


def test_an_answer_out_of_the_store_is_the_answer(make_view: MakeView) -> None:
    session = session_of()
    go_live(session, make_view(1, 9))
    number, _ = session.command(m.Play("QD"), 1)
    session.disconnected(2)
    go_live(session, make_view(2, 1), 3, msgspec.structs.replace(WELCOME, epoch=2))
    reply = m.Reply(number, True, "", {}, 1, 10)
    assert session.receive_control(encode(reply), 4) == [Replied(number, reply, m.Play("QD"))]


def test_it_sits_down_at_no_other_table_of_the_same_host(make_view: MakeView) -> None:
    session = session_of()
    own = msgspec.structs.replace(WELCOME, epoch=2, table_id="a1")
    go_live(session, make_view(2, 9), welcome=own)
    number, _ = session.command(m.Say("hello"), 1)
    session.disconnected(2)
    session.connected(3)
    other = msgspec.structs.replace(WELCOME, table="Attic", table_id="b2")
    outputs = session.receive_control(encode(other), 4)
    assert sent(outputs) == [m.Bye()]
    assert told(outputs) == [LinkChanged(LinkState.CONNECTING, 4), OtherTable("Attic")]
    assert session.deadline() is None
    assert session.view is not None
    back = msgspec.structs.replace(own, epoch=3)
    outputs = go_live(session, make_view(3, 1), 5, back)  # nothing was forgotten
    (again,) = (each for each in sent(outputs) if isinstance(each, m.Command))
    assert again.id == number


@pytest.mark.parametrize(("before", "after"), [("", "b2"), ("a1", ""), ("a1", "a1")])
def test_a_host_that_does_not_say_which_table_it_is_is_believed(
    make_view: MakeView, before: str, after: str
) -> None:
    session = session_of()
    go_live(session, make_view(1, 9), welcome=msgspec.structs.replace(WELCOME, table_id=before))
    go_live(session, make_view(2, 1), welcome=msgspec.structs.replace(WELCOME, table_id=after))


def test_a_lower_epoch_is_another_table_and_nothing_is_kept(make_view: MakeView) -> None:
    session = session_of()
    go_live(session, make_view(5, 9), welcome=msgspec.structs.replace(WELCOME, epoch=5))
    number, _ = session.command(m.Play("QD"), 1)
    session.disconnected(2)
    session.connected(3)
    outputs = session.receive_control(encode(WELCOME), 4)
    assert only(outputs, Replied).reply.code == ErrorCode.STALE_EPOCH
    assert only(outputs, Replied).id == number
    assert session.view is None
    session.receive_control(encode(JOINED), 5)
    outputs = session.receive_control(encode(make_view(1, 1)), 6)
    assert only(outputs, NewView).view == make_view(1, 1)
    assert sent(outputs) == []


# ---- pages


def test_a_page_is_asked_for_a_few_times(live: PeerSession) -> None:
    fetch = m.Fetch("deals", 3)
    assert sent(live.fetch("deals", 3, 0)) == [fetch]
    asked = [x for x in sent(run_to(live, 30_000, encode(m.Alive(1, 1)))) if x == fetch]
    assert len(asked) == limits.FETCH_TRIES - 1


def test_pages_arrive_and_are_asked_for_no_more(live: PeerSession) -> None:
    live.fetch("log", 0, 0)
    live.fetch("deals", 0, 0)
    log, deals = m.LogPage([m.Settled(1, 0)], True), m.DealsPage([], False)
    assert live.receive_control(encode(log), 1) == [LogArrived(log)]
    assert live.receive_control(encode(deals), 1) == [DealsArrived(deals)]
    outputs = run_to(live, 30_000, encode(m.Alive(1, 1)))
    assert not any(isinstance(message, m.Fetch) for message in sent(outputs))


def test_a_page_of_something_else_cannot_be_asked_for(live: PeerSession) -> None:
    with pytest.raises(ProtocolError):
        live.fetch("hands", 0, 0)


# ---- ends


def test_leaving_is_bye_and_the_hosts_bye(make_view: MakeView) -> None:
    session = session_of()
    go_live(session, make_view())
    outputs = session.leave(10)
    assert outputs == [Send(encode(m.Bye())), LinkChanged(LinkState.LEAVING, 10)]
    assert session.leave(11) == []
    assert session.receive_control(encode(make_view(1, 2)), 11) == []
    assert session.receive_control(encode(m.Bye()), 12) == [
        LinkChanged(LinkState.ENDED, 12),
        Unsubscribe(),
        LeftTable(),
    ]


def test_leaving_does_not_wait_for_a_dead_host(live: PeerSession) -> None:
    live.leave(10)
    assert live.deadline() == 10 + limits.LEAVE_WITHIN
    assert live.tick(10 + limits.LEAVE_WITHIN - 1) == []
    assert live.tick(10 + limits.LEAVE_WITHIN)[-1] == LeftTable()
    assert live.deadline() is None


def test_leaving_before_there_is_a_connection_is_at_once() -> None:
    session = session_of()
    assert session.leave(1) == [LinkChanged(LinkState.ENDED, 1), LeftTable()]


def test_a_connection_lost_while_leaving_ends_it_and_a_new_one_says_bye(live: PeerSession) -> None:
    live.leave(1)
    assert sent(live.connected(2)) == [m.Bye()]
    assert live.disconnected(3)[-1] == LeftTable()


@pytest.mark.parametrize(
    ("word", "end"),
    [
        (m.Superseded(), SupersededBy()),
        (m.Refused("superseded", {}), SupersededBy()),
        (m.Closing("saved"), HostClosing("saved")),
        (m.Bye(), LeftTable()),
    ],
)
def test_the_host_can_end_it(live: PeerSession, word: m.Message, end: Output) -> None:
    live.command(m.Play("QD"), 1)
    assert live.receive_control(encode(word), 2) == [LinkChanged(LinkState.ENDED, 2), end]
    assert live.receive_control(encode(m.Alive(9, 9)), 3) == []
    assert live.receive_public(encode(m.Beat(9, 9)), 3) == []
    assert live.tick(99_999) == []
    assert live.disconnected(99_999) == []
    assert live.public_connected(99_999) == []
    assert not live.wants_dial


def test_a_refusal_while_live_ends_nothing(live: PeerSession) -> None:
    outputs = live.receive_control(encode(m.Refused("not-now", {})), 1)
    assert outputs == [RefusedBy("not-now", {}, final=False)]
    assert live.state is LinkState.LIVE


# ---- what is no message


def test_what_is_no_message_is_told_and_changes_nothing(live: PeerSession) -> None:
    view, state, due = live.view, live.state, live.deadline()
    for body in (b"", b"\xc1", encode(HELLO)):
        (bad,) = live.receive_control(body, 50)
        assert isinstance(bad, BadMessage)
        (bad,) = live.receive_public(body, 50)
        assert isinstance(bad, BadMessage)
    assert (live.view, live.state, live.deadline()) == (view, state, due)


def test_a_message_of_the_other_socket_changes_nothing(
    live: PeerSession, make_view: MakeView
) -> None:
    newer = make_view(1, 8)
    public = m.Public(1, 8, 0, newer.public, [])
    assert live.receive_control(encode(public), 1) == [BadMessage("unknown-message", {})]
    assert live.receive_public(encode(newer), 1) == [BadMessage("unknown-message", {})]
    assert live.view == make_view()


@pytest.mark.parametrize("code", [ErrorCode.TOO_FAST, ErrorCode.SET_ASIDE])
def test_a_refusal_that_passes_ends_nothing_and_hello_is_sent_again(code: ErrorCode) -> None:
    session = session_of()
    session.connected(0)
    outputs = session.receive_control(encode(m.Refused(code, {"wait": 10_000})), 1)
    assert told(outputs) == [RefusedBy(code, {"wait": 10_000}, final=False)]
    assert session.state is LinkState.GREETING
    assert isinstance(only_sent(session.tick(limits.REPLY_WITHIN)), m.Hello)


def test_the_answer_to_a_new_question_is_waited_for_before_a_dial() -> None:
    """A host that puts one off is asked again just when it would be called silent."""
    session, later = session_of(), encode(m.Refused(ErrorCode.TOO_FAST, {}))
    session.connected(0)
    session.receive_control(later, 1)
    for asked in (2000, 4000):
        assert isinstance(only_sent(session.tick(asked)), m.Hello)
        session.tick(asked + limits.DIAL_AFTER - 1)
        assert not session.wants_dial
        session.receive_control(later, asked + limits.DIAL_AFTER - 1)
    assert isinstance(only_sent(session.tick(6000)), m.Hello)
    assert told(session.tick(6000 + limits.DIAL_AFTER)) == []
    assert session.wants_dial


def only_sent(outputs: Sequence[Output]) -> ToHost:
    (message,) = sent(outputs)
    return message


def test_being_shut_out_is_the_end_at_any_time(live: PeerSession) -> None:
    outputs = live.receive_control(encode(m.Refused("shut-out", {})), 1)
    assert RefusedBy("shut-out", {}, final=True) in outputs
    assert live.state is LinkState.ENDED
