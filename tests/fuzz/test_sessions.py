"""The two session machines and the authority: nothing breaks, what is refused changes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hearts_net.host.authority import Authority
from hearts_net.host.changes import restored
from hearts_net.host.effects import Effect, SendTo, Write
from hearts_net.host.opening import Opening
from hearts_net.protocol.codec import decode_to_host, decode_to_peer, encode
from hearts_net.protocol.codes import ProtocolError
from hearts_net.protocol.host_session import HelloRequest, HostSession, JoinRequest, Rejected
from hearts_net.protocol.limits import VERSION
from hearts_net.protocol.messages import (
    Alive,
    AnyAct,
    Command,
    Hello,
    Join,
    Message,
    Pass,
    Play,
    Ready,
    Refused,
    Reply,
    Say,
)
from hearts_net.protocol.peer_session import BadMessage, LinkState, PeerSession, Send
from hearts_net.rules.cards import CARD_TEXTS, cards_in, hand_texts
from tests.fuzz.feed import EACH, SEEDS, Kept, bent, bodies, parts

pytestmark = pytest.mark.timeout(600)
fuzz = settings(max_examples=EACH, database=None, deadline=None)
few = settings(max_examples=max(20, EACH // 20), database=None, deadline=None)


# ---- the host's side of a connection -------------------------------------------------------------


def slots(session: HostSession) -> dict[str, Any]:
    return {name: getattr(session, name) for name in HostSession.__slots__}


@pytest.mark.parametrize("_part", parts(0.1))
def test_what_the_hosts_session_refuses_changes_nothing(_part: int, kept: Kept) -> None:
    @fuzz
    @given(st.lists(bodies("to-host") | st.sampled_from(SEEDS["to-host"]), max_size=8))
    def test(said: list[bytes]) -> None:
        session = HostSession(b"r", "k" * 40, 0)
        for now, body in enumerate(said):
            before = slots(session)
            with kept("to-host", "host-session", body):
                request = session.receive(body, now)
                if isinstance(request, Rejected):
                    assert slots(session) == before
                    decode_to_peer(encode(request.refused))
                elif isinstance(request, HelloRequest):
                    session.welcomed()
                elif isinstance(request, JoinRequest):
                    session.joined("player")

    test()


# ---- the peer's side -----------------------------------------------------------------------------


def numbers() -> Any:
    found = iter(range(1, 10**9))
    return lambda: next(found)


def said_by(outputs: Sequence[Any]) -> None:
    """Whatever a session sends, a host can read."""
    for each in outputs:
        if isinstance(each, Send):
            decode_to_host(each.body)


def is_message(body: bytes) -> bool:
    try:
        decode_to_peer(body)
    except ProtocolError:
        return False
    return True


Step = tuple[str, Any]
steps = st.one_of(
    st.tuples(st.just("control"), bodies("to-peer") | st.sampled_from(SEEDS["to-peer"])),
    st.tuples(st.just("public"), bodies("to-peer")),
    st.tuples(st.sampled_from(["connected", "disconnected", "public up", "leave"]), st.none()),
    st.tuples(st.just("later"), st.integers(0, 5_000)),
    st.tuples(st.just("do"), st.sampled_from([Ready(), Play("QS"), Say("x" * 500), Say("hello")])),
    st.tuples(st.just("fetch"), st.sampled_from(["log", "deals", "cards"])),
)


def take(session: PeerSession, step: Step, now: int) -> Sequence[Any]:
    what, value = step
    match what:
        case "control":
            before = dict(vars(session))
            outputs = session.receive_control(value, now)
            if session.state is not LinkState.ENDED and not is_message(value):
                assert [type(each) for each in outputs] == [BadMessage]
                assert vars(session) == before
            return outputs
        case "public":
            return session.receive_public(value, now)
        case "connected":
            return session.connected(now)
        case "disconnected":
            return session.disconnected(now)
        case "public up":
            return session.public_connected(now)
        case "leave":
            return session.leave(now)
        case "later":
            return session.tick(now)
        case "do":
            return session.command(value, now)[1]
        case _:
            return session.fetch(value, 0, now)


@pytest.mark.parametrize("_part", parts(0.1))
def test_nothing_that_a_host_says_breaks_a_peer(_part: int, kept: Kept) -> None:
    @fuzz
    @given(st.lists(steps, max_size=10), st.sampled_from(["player", "watcher"]))
    def test(course: list[Step], role: str) -> None:
        session = PeerSession(role, "Asha", request_ids=numbers())
        now = 0
        said_by(session.connected(now))
        for step in course:
            now += step[1] if step[0] == "later" else 1
            body = step[1] if isinstance(step[1], bytes) else b""
            with kept("to-peer", "peer-session", body):
                try:
                    said_by(take(session, step, now))
                except ProtocolError:
                    assert step[0] in ("do", "fetch")
                deadline = session.deadline()
                assert deadline is None or isinstance(deadline, int)

    test()


# ---- the authority, with a game in progress ------------------------------------------------------

HOST = "H" * 40
KEYS = (HOST, "b" * 40, "c" * 40, "d" * 40)
STRANGER = "s" * 40


class House:
    """An authority, what it has stored, and the time."""

    def __init__(self, stored: list[bytes]) -> None:
        self.now = 1_000
        self.stored = stored
        self.keys = 0
        opening = Opening("t1", "attic", HOST, levels=("easy", "medium"))
        chance = Random(1)
        self.authority = Authority(stored, opening, entropy=chance.randbytes, new_key=self._new_key)
        self.keep(self.authority.begin(self.now))
        self.keep(self.authority.opened(26053, "", self.now, self.now))
        for key in KEYS:
            self.say(key, Hello([VERSION], "test"))
            self.say(key, Join("player", key[:1]))

    def _new_key(self) -> str:
        self.keys += 1
        return f"bot{self.keys}".ljust(40, "x")

    def keep(self, effects: list[Effect]) -> list[Effect]:
        for effect in effects:
            if isinstance(effect, Write):
                assert effect.first == len(self.stored) + 1
                self.stored.extend(effect.entries)
        return effects

    def hear(self, key: str, body: bytes) -> list[Effect]:
        self.now += 50
        return self.keep(self.authority.receive(key.encode(), key, body, self.now, self.now))

    def say(self, key: str, message: Message) -> list[Effect]:
        return self.hear(key, encode(message))

    def do(self, key: str, act: AnyAct, request: int) -> list[Effect]:
        table = self.authority.table
        return self.say(
            key, Command(request, table.epoch, table.deal_number, table.trick_number, act)
        )

    def next_act(self) -> tuple[str, AnyAct]:
        """Return what the game waits for."""
        table = self.authority.table
        deal = table.deal
        assert deal is not None
        seat = table.to_move()[0]
        if deal.passing:
            return table.seats[seat].key, Pass(hand_texts(deal.hands[seat])[:3])
        return table.seats[seat].key, Play(CARD_TEXTS[cards_in(deal.legal_for(seat))[0]])


@cache
def in_progress() -> tuple[bytes, ...]:
    """Return what is stored of a table in the third trick."""
    house = House([])
    for number, key in enumerate(KEYS):
        house.do(key, Ready(), 100 + number)
    for number in range(4 + 9):
        key, act = house.next_act()
        house.do(key, act, 200 + number)
    assert house.authority.table.trick_number == 3
    return tuple(house.stored)


def check(house: House, key: str, body: bytes) -> None:
    """Say something to the table; what it refuses has changed nothing that is kept."""
    before = house.authority.table
    effects = house.hear(key, body)
    answers = [
        decode_to_peer(each.body)
        for each in effects
        if isinstance(each, SendTo) and each.route == key.encode()
    ]
    stores = [each for each in effects if isinstance(each, Write)]
    refused = any(
        isinstance(each, Refused) or (isinstance(each, Reply) and not each.ok) for each in answers
    )
    if refused or not stores:
        assert not stores or all(not isinstance(each, Reply) for each in answers)
        assert house.authority.table.durable() == before.durable() or stores
    for each in effects:
        if isinstance(each, SendTo):
            decode_to_peer(each.body)


said = st.lists(
    st.tuples(
        st.sampled_from((*KEYS, STRANGER)),
        bodies("to-host") | st.builds(bent, st.just(b""), st.integers(0, 2**64)),
    ),
    max_size=12,
)


@pytest.mark.parametrize("_part", parts(0.05 * EACH / max(20, EACH // 20) if EACH > 60 else 0))
def test_a_game_in_progress_bears_whatever_is_said(_part: int, kept: Kept) -> None:
    @few
    @given(said)
    def test(course: list[tuple[str, bytes]]) -> None:
        house = House(list(in_progress()))
        for number, (key, body) in enumerate(course):
            with kept("to-host", "authority", body):
                check(house, key, body)
            if number % 3 == 0 and house.authority.table.to_move():
                mover, act = house.next_act()
                house.do(mover, act, 10_000 + number)
                house.say(mover, Alive(1, 1))
        house.keep(house.authority.tick(house.now, house.now))
        assert restored(house.stored) == house.authority.table.durable()

    test()
