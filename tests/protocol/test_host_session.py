"""The host's side of a connection: its order, its signs of life; refusals change nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hearts_net.protocol import limits
from hearts_net.protocol import messages as m
from hearts_net.protocol.codec import TO_HOST, encode
from hearts_net.protocol.codes import ErrorCode
from hearts_net.protocol.host_session import (
    TRANSITIONS,
    AliveRequest,
    ByeRequest,
    CommandRequest,
    CommitRequest,
    FetchRequest,
    HelloRequest,
    HostSession,
    HostState,
    JoinRequest,
    ProveRequest,
    Rejected,
    Request,
    RevealRequest,
    SnapshotRequest,
)
from hearts_net.protocol.tablecode import Exchange

Draw = Callable[[type], st.SearchStrategy[Any]]

SAMPLES: dict[str, m.Message] = {
    "hello": m.Hello([1], "test"),
    "join": m.Join("player", "Ada"),
    "prove-code": m.ProveCode("00" * 32, "11" * 32),
    "command": m.Command(1, 1, 0, 0, m.Ready()),
    "commit": m.Commit("g1", 1, "0" * 64),
    "reveal": m.Reveal("g1", 1, "1" * 64, "2" * 64),
    "snapshot": m.Snapshot(),
    "fetch": m.Fetch("log", 0),
    "alive": m.Alive(1, 5),
    "bye": m.Bye(),
}


JOIN = m.Join("player", "Ada")


def exchange() -> Exchange:
    return Exchange("123456", is_host=True, entropy=lambda size: bytes(range(size)))


def opened(now: int = 0) -> HostSession:
    return HostSession(b"route", "k" * 40, now)


def grant(session: HostSession, request: Request) -> None:
    """Do what a host does that says yes to everything."""
    match request:
        case HelloRequest():
            session.welcomed()
        case JoinRequest(join):
            session.joined(join.role)
        case ProveRequest(_, join, _):
            session.joined(join.role)
        case ByeRequest():
            session.left()
        case _:
            pass


def session_in(state: HostState) -> HostSession:
    session = opened()
    steps = {
        HostState.OPENED: [],
        HostState.GREETED: ["hello"],
        HostState.JOINED: ["hello", "join"],
        HostState.LEFT: ["hello", "join", "bye"],
        HostState.SUPERSEDED: ["hello", "join"],
    }[state]
    for step in steps:
        grant(session, session.receive(encode(SAMPLES[step]), 0))
    if state is HostState.SUPERSEDED:
        session.superseded()
    assert session.state is state
    return session


def everything_in(session: HostSession) -> list[object]:
    return [getattr(session, name) for name in HostSession.__slots__]


def test_the_table_speaks_of_every_state_and_message() -> None:
    assert set(TRANSITIONS) == set(HostState)
    assert all(set(row) == set(TO_HOST) == set(SAMPLES) for row in TRANSITIONS.values())


@pytest.mark.parametrize("state", HostState)
@pytest.mark.parametrize("tag", sorted(SAMPLES))
def test_the_session_follows_the_table(state: HostState, tag: str) -> None:
    session = session_in(state)
    if tag == "prove-code":
        session.code_wanted(JOIN, exchange())
    before = everything_in(session)
    outcome = TRANSITIONS[state][tag]
    request = session.receive(encode(SAMPLES[tag]), 700)
    if isinstance(outcome, ErrorCode):
        assert request == Rejected(m.Refused(outcome, {}))
        assert everything_in(session) == before
        return
    assert not isinstance(request, Rejected)
    assert session.last_heard == 700
    grant(session, request)
    assert session.state is outcome


def test_each_message_comes_out_as_its_request() -> None:
    session = session_in(HostState.JOINED)
    requests = {tag: session.receive(encode(message), 1) for tag, message in SAMPLES.items()}
    assert requests == {
        "hello": HelloRequest(m.Hello([1], "test"), 1),
        "join": JoinRequest(m.Join("player", "Ada")),
        "prove-code": Rejected(m.Refused(ErrorCode.NOT_NOW, {})),
        "command": CommandRequest(m.Command(1, 1, 0, 0, m.Ready())),
        "snapshot": SnapshotRequest(),
        "commit": CommitRequest(m.Commit("g1", 1, "0" * 64)),
        "reveal": RevealRequest(m.Reveal("g1", 1, "1" * 64, "2" * 64)),
        "fetch": FetchRequest(m.Fetch("log", 0)),
        "alive": AliveRequest(1, 5),
        "bye": ByeRequest(),
    }
    assert session.known == (1, 5)


def test_a_proof_comes_out_with_what_it_answers_once() -> None:
    session = session_in(HostState.GREETED)
    begun = exchange()
    session.code_wanted(JOIN, begun)
    proof = SAMPLES["prove-code"]
    assert session.receive(encode(proof), 1) == ProveRequest(proof, JOIN, begun)  # type: ignore[arg-type]
    again = session.receive(encode(proof), 2)
    assert again == Rejected(m.Refused(ErrorCode.NOT_JOINED, {}))
    assert session.state is HostState.GREETED


def test_a_hello_that_the_host_does_not_grant_moves_nothing() -> None:
    session = opened()
    assert isinstance(session.receive(encode(SAMPLES["hello"]), 5), HelloRequest)
    assert session.state is HostState.OPENED
    assert session.receive(encode(SAMPLES["join"]), 6) == Rejected(
        m.Refused(ErrorCode.HELLO_FIRST, {})
    )


def test_the_newest_common_version_is_chosen() -> None:
    request = opened().receive(encode(m.Hello([99, 1, 7], "test")), 0)
    assert isinstance(request, HelloRequest)
    assert request.version == 1


def test_no_common_version_is_refused_with_what_the_host_speaks() -> None:
    session = opened()
    request = session.receive(encode(m.Hello([2, 3], "later")), 5)
    assert request == Rejected(m.Refused(ErrorCode.VERSION, {"host_speaks": "1"}))
    assert session.state is HostState.OPENED
    assert session.last_heard == 0


def test_what_is_no_message_is_rejected_with_its_code() -> None:
    session = session_in(HostState.JOINED)
    before = everything_in(session)
    assert session.receive(b"\xc1", 9) == Rejected(
        m.Refused(ErrorCode.BAD_FRAME, {"reason": "msgpack"})
    )
    assert everything_in(session) == before


def test_the_role_is_the_one_granted() -> None:
    session = session_in(HostState.GREETED)
    session.joined("watcher")
    assert (session.state, session.role) == (HostState.JOINED, "watcher")


def test_joined_without_hello_is_not_possible() -> None:
    session = opened()
    session.joined("player")
    assert session.state is HostState.OPENED


def test_an_update_owed_is_forgotten_with_the_session() -> None:
    for end in (HostSession.left, HostSession.superseded):
        session = session_in(HostState.JOINED)
        session.dirty = True
        end(session)
        assert not session.dirty


@pytest.mark.parametrize(
    ("silent", "presence"),
    [
        (0, "present"),
        (limits.SLOW_AFTER - 1, "present"),
        (limits.SLOW_AFTER, "slow"),
        (limits.AWAY_AFTER - 1, "slow"),
        (limits.AWAY_AFTER, "away"),
        (10**9, "away"),
    ],
)
def test_presence_is_judged_by_the_last_sign_of_life(silent: int, presence: str) -> None:
    session = opened(1000)
    assert session.presence(1000 + silent) == presence


def test_the_deadline_is_when_presence_changes_next() -> None:
    session = opened(1000)
    assert session.deadline() == 1000 + limits.SLOW_AFTER
    assert session.presence(1000 + limits.SLOW_AFTER) == "slow"
    assert session.deadline() == 1000 + limits.AWAY_AFTER
    assert session.presence(1000 + limits.AWAY_AFTER) == "away"
    assert session.deadline() is None
    session.receive(encode(SAMPLES["hello"]), 9000)
    assert session.presence(9000) == "present"
    assert session.deadline() == 9000 + limits.SLOW_AFTER


def test_a_late_message_does_not_set_the_clock_back() -> None:
    session = opened(5000)
    session.receive(encode(SAMPLES["hello"]), 4000)
    assert session.last_heard == 5000


@settings(max_examples=100)
@given(data=st.data())
def test_any_sequence_keeps_the_table_and_refusals_change_nothing(
    drawn: Draw, data: st.DataObject
) -> None:
    session = opened()
    for now in range(data.draw(st.integers(1, 12))):
        before, state = everything_in(session), session.state
        if data.draw(st.booleans()):
            kind = data.draw(st.sampled_from(sorted(TO_HOST)))
            body = encode(data.draw(drawn(TO_HOST[kind])))
        else:
            kind, body = "", data.draw(st.binary(max_size=40))
        request = session.receive(body, now)
        if isinstance(request, Rejected):
            assert everything_in(session) == before
            continue
        grant(session, request)
        if kind:
            assert session.state is TRANSITIONS[state][kind]
