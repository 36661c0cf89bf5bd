"""The authority: what each message brings about, in which order, and when the table ends."""

from __future__ import annotations

import msgspec
import pytest

from hearts_net.host.arrivals import MAX_GUESTS
from hearts_net.host.authority import Authority
from hearts_net.host.effects import (
    Admit,
    BotUnwanted,
    BotWanted,
    DeputyWanted,
    Effect,
    Ending,
    Expel,
    Finished,
    HangUp,
    Publish,
    SendTo,
    Unadmit,
    Write,
    unrolled,
)
from hearts_net.host.manners import TOGETHER
from hearts_net.host.opening import IDLE, Opening, TableSettings
from hearts_net.host.sessions import MAX_SESSIONS
from hearts_net.host.staff import Staff
from hearts_net.protocol.codec import decode_to_peer, encode
from hearts_net.protocol.limits import CONNECTIONS_PER_KEY, PAUSE, RATES, TOPICS, UNREAD, VERSION
from hearts_net.protocol.messages import (
    AddBot,
    Alive,
    Beat,
    Bye,
    Close,
    Closing,
    Command,
    Commit,
    DealsPage,
    Fetch,
    Hello,
    Join,
    Joined,
    LogPage,
    Message,
    Public,
    Ready,
    Refused,
    RemoveBot,
    Reply,
    Reveal,
    Say,
    Sit,
    Snapshot,
    Stand,
    Superseded,
    View,
    Welcome,
)
from hearts_net.protocol.peer_session import HostClosing, LinkState, RefusedBy
from hearts_net.testing.network import (
    HOST_KEY,
    PUBLIC_PORT,
    Faults,
    MemoryNetwork,
    four_players,
    opening,
)

LEVELS = ("easy", "medium")


class Rig:
    """An authority without a network: messages in, effects out."""

    def __init__(self, table: Opening | None = None) -> None:
        self.now, self.keys = 1000, 0
        self.stored: list[bytes] = []
        self.opening = table or Opening("t1", "attic", HOST_KEY, levels=LEVELS)
        self.authority = Authority(
            self.stored, self.opening, entropy=lambda n: bytes(range(n)), new_key=self.new_key
        )
        self.began = self.keep(self.authority.begin(self.clock))
        self.opened = self.keep(
            self.authority.opened(PUBLIC_PORT, "10.0.0.1:26052", self.now, self.clock)
        )

    @property
    def clock(self) -> int:
        return self.now + 1_700_000_000_000

    def new_key(self) -> str:
        self.keys += 1
        return f"k{self.keys}".ljust(40, "k")

    def keep(self, effects: list[Effect]) -> list[Effect]:
        for effect in effects:
            if isinstance(effect, Write):
                assert effect.first == len(self.stored) + 1
                self.stored.extend(effect.entries)
        return effects

    def say(self, route: str, key: str, message: Message) -> list[Effect]:
        body = encode(message)
        return self.keep(
            self.authority.receive(route.encode(), key.ljust(40, "_"), body, self.now, self.clock)
        )

    def join(self, route: str, key: str, role: str = "player") -> list[Effect]:
        self.say(route, key, Hello([VERSION], "test"))
        return self.say(route, key, Join(role, key[:8] or "x"))

    def tick(self, later: int = 0) -> list[Effect]:
        self.now += later
        return self.keep(self.authority.tick(self.now, self.clock))


def sent(effects: list[Effect], route: str | None = None) -> list[object]:
    """Return what was sent on control, to one route or to all."""
    return [
        decode_to_peer(effect.body)
        for effect in effects
        if isinstance(effect, SendTo) and route in (None, effect.route.decode())
    ]


def kinds(effects: list[Effect]) -> list[str]:
    return [
        type(decode_to_peer(e.body) if isinstance(e, SendTo | Publish) else e).__name__
        for e in effects
    ]


def command(request: int, act: object, epoch: int = 1) -> Command:
    return Command(request, epoch, 0, 0, act)  # type: ignore[arg-type]


# ---- starting ------------------------------------------------------------------------------------


def test_beginning_stores_one_synced_entry_before_anything_else() -> None:
    rig = Rig()
    (store,) = rig.began
    assert isinstance(store, Write)
    assert (store.first, len(store.entries), store.sync) == (1, 1, True)


def test_opening_asks_for_the_tables_bots() -> None:
    rig = Rig(Opening("t1", "attic", HOST_KEY, bots=("easy", "medium"), levels=LEVELS))
    wanted = [effect for effect in rig.opened if isinstance(effect, BotWanted)]
    assert [(bot.seat, bot.level) for bot in wanted] == [(1, "easy"), (2, "medium")]
    seats = rig.authority.table.seats
    assert [bot.key for bot in wanted] == [seats[1].key, seats[2].key]


def test_hello_is_answered_with_what_is_here() -> None:
    rig = Rig()
    rig.join("r0", HOST_KEY)
    (welcome,) = sent(rig.say("r1", HOST_KEY, Hello([VERSION], "t")))
    there = Welcome(VERSION, 1, "attic", "hearts-net", PUBLIC_PORT, 0, "t1", here=True)
    assert welcome == there, "the same player, from another window"
    for _ in range(20):  # not heard of any more
        rig.tick(1000)
    (welcome,) = sent(rig.say("r3", HOST_KEY, Hello([VERSION], "t")))
    assert welcome == msgspec.structs.replace(there, here=False), "the seat is held"
    (welcome,) = sent(rig.say("r2", "other", Hello([VERSION, 99], "t")))
    assert welcome == Welcome(VERSION, 1, "attic", "hearts-net", PUBLIC_PORT, None, "t1")


def test_joining_is_stored_then_admitted_then_told() -> None:
    rig = Rig()
    rig.say("r1", "a", Hello([VERSION], "t"))
    effects = rig.say("r1", "a", Join("player", "Asha"))
    assert kinds(effects) == ["Write", "Admit", "Joined", "View", "Public"]
    joined, view = sent(effects)
    assert joined == Joined("player", 0, "Asha")
    assert isinstance(view, View)
    assert view.own is not None
    assert view.own.seat == 0
    assert view.public.address == "10.0.0.1:26052"


def test_a_command_is_stored_then_answered_then_told_the_sender_first() -> None:
    rig = Rig()
    rig.join("r1", "a")
    rig.join("r2", "b")
    effects = rig.say("r2", "b", command(1, Say("hello")))
    assert kinds(effects) == ["Write", "Reply", "View", "View", "Public"]
    routes = [effect.route for effect in effects if isinstance(effect, SendTo)]
    assert routes == [b"r2", b"r2", b"r1"]


def test_a_body_that_is_no_message_is_refused_and_nothing_else_happens() -> None:
    rig = Rig()
    rig.join("r1", "a")
    before = rig.authority.table
    for body in (b"", b"\x00", b"\x80", b"\x93\x01\x02\x03", b"x" * 20_000):
        effects = rig.authority.receive(b"r1", "a".ljust(40, "_"), body, rig.now, rig.clock)
        (refused,) = sent(effects)
        assert isinstance(refused, Refused)
    assert rig.authority.table is before


def test_before_joining_nothing_is_served() -> None:
    rig = Rig()
    for message in (command(1, Say("x")), Snapshot(), Fetch("log", 0), Alive(0, 0)):
        (refused,) = sent(rig.say("r1", "a", message))
        assert refused == Refused("hello-first", {})
    rig.say("r1", "a", Hello([VERSION], "t"))
    for message in (command(1, Say("x")), Snapshot(), Fetch("log", 0), Alive(0, 0)):
        (refused,) = sent(rig.say("r1", "a", message))
        assert refused == Refused("not-joined", {})


# ---- watchers, pages, signs of life --------------------------------------------------------------


def test_a_watcher_gets_one_view_and_then_the_public_feed_alone() -> None:
    rig = Rig()
    rig.join("r1", "a")
    joined, view = sent(rig.join("w1", "w", "watcher"), "w1")
    assert joined == Joined("watcher", None, "w")
    assert isinstance(view, View)
    assert (view.own, view.role, view.may, view.public.watchers) == (None, "watcher", [], 1)
    effects = rig.say("r1", "a", command(1, Say("hello")))
    assert sent(effects, "w1") == []
    (public,) = [decode_to_peer(e.body) for e in effects if isinstance(e, Publish)]
    (snapshot,) = sent(rig.say("w1", "w", Snapshot()))
    assert isinstance(public, Public)
    assert isinstance(snapshot, View)
    assert (snapshot.seq, snapshot.public) == (public.seq, public.public)
    assert snapshot.events == public.events


def test_the_log_comes_in_pages_of_fifty() -> None:
    rig = Rig()
    rig.join("r1", "a")
    for number in range(119):
        rig.now += RATES["say"].every
        rig.say("r1", "a", command(number, Say(f"word {number}")))
    after, numbers, pages = 0, [], 0
    more = True
    while more:
        (page,) = sent(rig.say("r1", "a", Fetch("log", after)))
        assert isinstance(page, LogPage)
        assert len(page.events) <= 50
        numbers += [event.n for event in page.events]
        after, more, pages = numbers[-1], page.more, pages + 1
    assert numbers == list(range(1, 121))
    assert pages == 3
    (page,) = sent(rig.say("r1", "a", Fetch("log", 2**53)))
    assert page == LogPage([], False)


def test_an_unknown_page_is_refused() -> None:
    rig = Rig()
    rig.join("r1", "a")
    assert sent(rig.say("r1", "a", Fetch("deals", 0))) == [DealsPage([], False)]
    assert sent(rig.say("r1", "a", Fetch("hands", 0))) == [Refused("bad-field", {"field": "what"})]


def test_alive_is_answered_with_the_newest_state() -> None:
    rig = Rig()
    rig.join("r1", "a")
    seq = rig.authority.table.seq
    assert sent(rig.say("r1", "a", Alive(0, 0))) == [Alive(1, seq)]


def test_a_beat_comes_once_a_second_while_anybody_is_connected() -> None:
    rig = Rig()
    assert not any(isinstance(effect, Publish) for effect in rig.tick(5000))
    rig.join("r1", "a")
    beats = []
    for _ in range(20):
        rig.say("r1", "a", Alive(1, 0))
        beats += [e for e in rig.tick(250) if isinstance(e, Publish)]
    assert 4 <= len(beats) <= 6
    assert decode_to_peer(beats[-1].body) == Beat(1, rig.authority.table.seq)


def test_the_deadline_is_never_in_the_past_after_a_tick() -> None:
    rig = Rig()
    rig.join("r1", "a")
    for _ in range(40):
        due = rig.authority.deadline()
        assert due is not None
        assert due > rig.now
        rig.tick(due - rig.now)


def test_silent_deputies_and_watchers_cost_no_ticks() -> None:
    rig = Rig(Opening("t1", "attic", HOST_KEY, bots=("easy",) * 3, levels=LEVELS))
    rig.join("r1", HOST_KEY)
    rig.join("w1", "w", "watcher")
    rig.say("r1", HOST_KEY, command(1, Ready()))
    effects = rig.say("r1", HOST_KEY, Bye())
    (wanted,) = [effect for effect in effects if isinstance(effect, DeputyWanted)]
    assert wanted.seat == 0
    joined, view = sent(rig.join("d1", wanted.key, "deputy"))
    assert joined == Joined("deputy", 0, HOST_KEY[:8])
    assert isinstance(view, View)
    assert view.own is not None
    assert (view.role, len(view.own.hand)) == ("deputy", 13)
    ticks, start = 0, rig.now
    while rig.now < start + 30_000:
        due = rig.authority.deadline()
        assert due is not None
        assert due > rig.now
        rig.tick(due - rig.now)
        ticks += 1
    assert ticks < 40


def test_a_tables_name_is_one_that_can_be_shown() -> None:
    for name, shown in (
        ("\x1bthe\nattic\u202e", "the attic"),
        ("", "hearts"),
        ("x" * 99, "x" * 40),
    ):
        rig = Rig(Opening("t1", name, HOST_KEY))
        (welcome,) = sent(rig.say("r1", "a", Hello([VERSION], "t")))
        assert isinstance(welcome, Welcome)
        assert welcome.table == shown


# ---- the same command again ----------------------------------------------------------------------


def test_the_same_command_has_the_same_answer_and_is_done_once() -> None:
    rig = Rig()
    rig.join("r1", "a")
    first = [body.body for body in rig.say("r1", "a", command(5, Say("x"))) if is_reply(body)]  # type: ignore[union-attr]
    count = len(rig.stored)
    rig.say("r1", "a", command(6, Say("y")))
    rig.join("r2", "a")
    again = rig.say("r2", "a", command(5, Say("x")))
    assert [body.body for body in again if is_reply(body)] == first  # type: ignore[union-attr]
    assert len(again) == 1
    assert len(rig.stored) == count + 1


def is_reply(effect: Effect) -> bool:
    return isinstance(effect, SendTo) and isinstance(decode_to_peer(effect.body), Reply)


def test_a_refused_command_is_refused_again_though_it_would_be_accepted_now() -> None:
    rig = Rig()
    rig.join("r1", "a")
    rig.join("r2", "b")
    first = rig.say("r1", "a", command(5, Sit(1)))
    (reply,) = sent(first)
    assert isinstance(reply, Reply)
    assert reply.code == "seat-taken"
    rig.say("r2", "b", Bye())
    assert rig.say("r1", "a", command(5, Sit(1))) == first
    assert rig.authority.table.seats[1].key == ""
    (reply, *_) = sent(rig.say("r1", "a", command(6, Sit(1))), "r1")
    assert isinstance(reply, Reply)
    assert reply.ok


def test_nobody_can_flood_the_table_with_talk() -> None:
    rig = Rig()
    rig.join("r1", "a")
    rig.join("r2", "b")
    stored = len(rig.stored)
    codes = []
    say = RATES["say"]
    for number in range(30):
        (reply, *_) = sent(rig.say("r1", "a", command(number, Say("x"))))
        assert isinstance(reply, Reply)
        codes.append(reply.code)
    assert codes == [""] * say.at_once + ["too-fast"] * (30 - say.at_once)
    assert len(rig.stored) == stored + say.at_once
    (other, *_) = sent(rig.say("r2", "b", command(1, Say("I may"))))
    assert isinstance(other, Reply)
    assert other.ok
    for later, expected in ((say.every - 1, "too-fast"), (1, ""), (0, "too-fast")):
        rig.now += later
        number += 1
        (reply, *_) = sent(rig.say("r1", "a", command(number, Say("again"))))
        assert isinstance(reply, Reply)
        assert reply.code == expected


def test_an_accepted_request_has_its_answer_whatever_is_sent_under_its_number() -> None:
    rig = Rig()
    rig.join("r1", "a")
    (first, *_) = sent(rig.say("r1", "a", command(5, Say("x"))), "r1")
    for again in (Command(5, 1, 0, 0, Say("x"), 3), command(5, Say("x"), epoch=9)):
        assert sent(rig.say("r1", "a", again)) == [first]


def test_only_the_newest_refusals_are_remembered() -> None:
    rig = Rig()
    rig.join("r1", "a")
    rig.join("r2", "b")
    for number in range(200):
        rig.now += RATES["command"].every
        rig.say("r1", "a", command(number, Sit(1)))
        rig.say("r2", "b", Alive(1, 1))
    rig.say("r2", "b", Bye())
    (reply, *_) = sent(rig.say("r1", "a", command(0, Sit(1))), "r1")
    assert isinstance(reply, Reply)
    assert reply.ok


def test_only_a_deputy_may_name_another_seat() -> None:
    rig = Rig()
    rig.join("r1", "a")
    rig.join("r2", "b")
    (reply,) = sent(rig.say("r1", "a", Command(1, 1, 0, 0, Ready(), 1)))
    assert isinstance(reply, Reply)
    assert reply.code == "not-allowed"
    (reply, *_) = sent(rig.say("r1", "a", Command(2, 1, 0, 0, Ready(), 0)), "r1")
    assert isinstance(reply, Reply)
    assert reply.ok


# ---- one key, two connections --------------------------------------------------------------------


def test_the_older_connection_of_a_key_is_told_and_served_no_more() -> None:
    rig = Rig()
    rig.join("r1", "a")
    effects = rig.join("r2", "a")
    assert sent(effects, "r1") == [Superseded()]
    assert sent(effects, "r2")[0] == Joined("player", 0, "a")
    for message in (command(1, Say("x")), Snapshot(), Join("player", "a"), Hello([VERSION], "t")):
        assert sent(rig.say("r1", "a", message)) == [Refused("superseded", {})]
    effects = rig.say("r2", "a", command(1, Say("x")))
    assert sent(effects, "r1") == []
    before = rig.authority.table
    rig.authority.dropped(b"r1", rig.now, rig.clock, gone=True)
    assert rig.authority.table is before


def test_bye_of_an_older_connection_does_not_free_the_seat() -> None:
    rig = Rig()
    rig.join("r1", "a")
    rig.join("r2", "a")
    assert sent(rig.say("r1", "a", Bye())) == [Bye()]
    assert rig.authority.table.seat_of("a".ljust(40, "_")) == 0


def test_hello_alone_takes_nobodys_place() -> None:
    rig = Rig()
    rig.join("r1", "a")
    rig.say("r2", "a", Hello([VERSION], "t"))
    assert sent(rig.say("r1", "a", Alive(0, 0))) == [Alive(1, rig.authority.table.seq)]


def test_a_route_that_comes_back_with_another_key_is_another_connection() -> None:
    rig = Rig()
    rig.join("r1", "a")
    assert sent(rig.say("r1", "b", Snapshot())) == [Refused("hello-first", {})]


# ---- what cannot be sent -------------------------------------------------------------------------


def test_a_peer_that_takes_nothing_gets_one_fresh_view_when_it_does() -> None:
    rig = Rig()
    rig.join("r1", "a")
    rig.join("r2", "b")
    rig.authority.dropped(b"r1", rig.now, rig.clock, gone=False)
    for number in range(4):
        assert sent(rig.say("r2", "b", command(number, Say("x"))), "r1") == []
    assert sent(rig.tick(100), "r1") == []
    (view,) = [each for each in sent(rig.tick(200), "r1") if isinstance(each, View)]
    assert view.seq == rig.authority.table.seq
    assert len(sent(rig.say("r2", "b", command(9, Say("x"))), "r1")) == 1


def test_a_sign_of_life_of_a_peer_that_took_nothing_brings_the_view_at_once() -> None:
    rig = Rig()
    rig.join("r1", "a")
    rig.authority.dropped(b"r1", rig.now, rig.clock, gone=False)
    alive, view = sent(rig.say("r1", "a", Alive(1, 0)))
    assert isinstance(alive, Alive)
    assert isinstance(view, View)


def test_a_connection_that_is_gone_leaves_the_seat_held() -> None:
    rig = Rig()
    rig.join("r1", "a")
    rig.join("r2", "b")
    effects = rig.keep(rig.authority.dropped(b"r1", rig.now, rig.clock, gone=True))
    (view,) = sent(effects, "r2")
    assert isinstance(view, View)
    assert view.public.seats[0].presence == "away"
    assert rig.authority.dropped(b"r1", rig.now, rig.clock, gone=True) == []
    assert rig.authority.dropped(b"never", rig.now, rig.clock, gone=False) == []


def test_silence_is_slow_after_three_seconds_and_away_after_six() -> None:
    rig = Rig()
    rig.join("r1", "a")
    rig.join("r2", "b")
    shown = []
    for _ in range(14):
        rig.say("r2", "b", Alive(1, 0))
        rig.tick(500)
        (view,) = sent(rig.say("r2", "b", Snapshot()))
        assert isinstance(view, View)
        shown.append(view.public.seats[0].presence)
    assert shown == ["present"] * 5 + ["slow"] * 6 + ["away"] * 3
    effects = rig.say("r1", "a", Alive(1, 0))
    (view,) = [each for each in sent(effects, "r2") if isinstance(each, View)]
    assert view.public.seats[0].presence == "present"


def test_a_command_after_a_silence_brings_its_sender_back_and_is_done() -> None:
    rig = Rig()
    rig.join("r1", "a")
    rig.join("r2", "b")
    rig.tick(4000)
    rig.tick(4000)
    assert rig.authority.table.seats[0].presence.value == "away"
    effects = rig.say("r1", "a", command(1, Say("back")))
    assert kinds(effects)[:2] == ["Write", "Reply"]
    assert sum(isinstance(effect, Write) for effect in effects) == 1
    assert rig.authority.table.seats[0].presence.value == "present"


# ---- the store -----------------------------------------------------------------------------------


def failing(effects: list[Effect], rig: Rig) -> list[Effect]:
    assert isinstance(effects[0], Write)
    rig.stored = rig.stored[: effects[0].first - 1]
    return rig.authority.store_failed(rig.now, rig.clock)


def say_unstored(rig: Rig, route: str, key: str, message: Message) -> list[Effect]:
    effects = rig.authority.receive(
        route.encode(), key.ljust(40, "_"), encode(message), rig.now, rig.clock
    )
    return failing(effects, rig)


def test_what_cannot_be_stored_is_told_to_nobody_and_the_table_stands_still() -> None:
    rig = Rig()
    rig.join("r1", "a")
    rig.join("r2", "b")
    newest = rig.authority.table.log.newest
    effects = say_unstored(rig, "r1", "a", command(1, Say("lost")))
    replies = [each for each in sent(effects) if isinstance(each, Reply)]
    assert [(reply.id, reply.ok, reply.code) for reply in replies] == [(1, False, "store-failed")]
    views = [each for each in sent(effects) if isinstance(each, View)]
    assert len(views) == 2
    assert {view.public.paused for view in views} == {"store"}
    assert {view.public.newest_event for view in views} == {newest}
    assert not any(view.events for view in views)


def test_while_nothing_can_be_stored_commands_are_refused_without_trying() -> None:
    rig = Rig()
    rig.join("r1", "a")
    say_unstored(rig, "r1", "a", command(1, Say("lost")))
    (reply,) = sent(rig.say("r1", "a", command(2, Say("again"))))
    assert isinstance(reply, Reply)
    assert reply.code == "store-failed"


def test_the_store_is_tried_every_second_and_the_game_goes_on_when_it_works() -> None:
    rig = Rig()
    rig.join("r1", "a")
    say_unstored(rig, "r1", "a", command(1, Say("lost")))
    count = len(rig.stored)
    effects = rig.authority.tick(rig.now + 999, rig.clock + 999)
    assert not any(isinstance(effect, Write) for effect in effects)
    rig.now += 1000
    effects = rig.authority.tick(rig.now, rig.clock)
    assert not [each for each in failing(effects, rig) if isinstance(each, SendTo | Publish)]
    rig.say("r1", "a", Alive(1, 0))
    effects = rig.tick(1000)
    assert isinstance(effects[0], Write)
    (view,) = [each for each in sent(effects, "r1") if isinstance(each, View)]
    assert view.public.paused == ""
    assert len(rig.stored) == count + 1
    (reply, *_) = sent(rig.say("r1", "a", command(1, Say("lost"))), "r1")
    assert isinstance(reply, Reply)
    assert reply.ok


@pytest.mark.parametrize("durable", [False, True])
def test_a_durable_table_has_everything_on_the_disk_before_it_is_told(durable: bool) -> None:
    rig = Rig(
        Opening("t1", "attic", HOST_KEY, settings=TableSettings(durable=durable), levels=LEVELS)
    )
    rig.join("r1", "a")
    stores = [each for each in rig.say("r1", "a", command(1, Say("hi"))) if isinstance(each, Write)]
    assert [store.sync for store in stores] == [durable]


def test_who_joins_while_nothing_can_be_stored_watches_and_is_seated_later() -> None:
    rig = Rig()
    rig.join("r1", "a")
    rig.say("r2", "b", Hello([VERSION], "t"))
    effects = say_unstored(rig, "r2", "b", Join("player", "Bram"))
    joined = [each for each in sent(effects, "r2") if isinstance(each, Joined)]
    assert joined == [Joined("player", None, "Bram")]
    assert Admit("b".ljust(40, "_")) in effects
    rig.tick(1000)
    assert rig.authority.table.seat_of("b".ljust(40, "_")) == 1
    assert not any(guest.unplaced for guest in rig.authority.table.guests.values())


def test_who_joins_while_nothing_can_be_stored_is_told_of_no_state_from_before() -> None:
    rig = Rig()
    rig.join("r1", "a")
    rig.say("r2", "b", Hello([VERSION], "t"))
    effects = say_unstored(rig, "r2", "b", Join("player", "Bram"))
    joined, *views = sent(effects, "r2")
    assert isinstance(joined, Joined)
    assert [view.seq for view in views if isinstance(view, View)] == [rig.authority.table.seq]


def test_who_comes_back_while_nothing_can_be_stored_has_the_seat_again_afterwards() -> None:
    rig = Rig()
    rig.join("r1", "a")
    rig.join("r2", "b")
    rig.keep(rig.authority.dropped(b"r1", rig.now, rig.clock, gone=True))
    rig.say("r3", "a", Hello([VERSION], "t"))
    effects = say_unstored(rig, "r3", "a", Join("player", "a"))
    assert Joined("player", 0, "a") in sent(effects, "r3")
    rig.tick(1000)
    assert rig.authority.table.seats[0].presence.value == "present"


def test_a_takeover_that_cannot_be_stored_leaves_no_two_connections() -> None:
    rig = Rig()
    rig.join("r1", "a")
    rig.keep(rig.authority.tick(rig.now + 7000, rig.clock + 7000))
    rig.now += 7000
    rig.say("r2", "a", Hello([VERSION], "t"))
    effects = say_unstored(rig, "r2", "a", Join("player", "a"))
    assert sent(effects, "r1")[-1] == Superseded()
    assert sent(rig.say("r1", "a", Snapshot())) == [Refused("superseded", {})]


def test_what_is_promised_a_deals_end_and_an_epoch_are_synced_and_nothing_else() -> None:
    network = MemoryNetwork(3, opening(rules={"target": 1000}))
    peers = four_players(network)
    network.run_until(lambda: peers[0].public.deal == 4)
    assert network.store.synced == 1 + 4 + 3


# ---- who may be here -----------------------------------------------------------------------------


def test_there_are_so_many_watchers_and_no_more() -> None:
    rig = Rig()
    for number in range(MAX_GUESTS):
        rig.now += RATES["stranger"].every
        rig.join(f"w{number}", f"watcher{number}", "watcher")
    (refused,) = sent(rig.join("w", "one more", "watcher"))
    assert refused == Refused("table-full", {})
    assert Joined("watcher", None, "watcher0 2"[:8]) in sent(rig.join("w0b", "watcher0", "watcher"))


def test_connections_that_say_nothing_make_room() -> None:
    rig = Rig()
    rig.join("r1", "a")
    for number in range(MAX_SESSIONS + 50):
        (welcome,) = sent(rig.say(f"s{number}", f"key{number}", Hello([VERSION], "t")))
        assert isinstance(welcome, Welcome)
    assert sent(rig.say("r1", "a", Alive(0, 0))) == [Alive(1, rig.authority.table.seq)]


def test_nobody_is_a_deputy_who_was_not_asked() -> None:
    rig = Rig()
    rig.say("r1", "a", Hello([VERSION], "t"))
    (refused,) = sent(rig.say("r1", "a", Join("deputy", "a")))
    assert refused == Refused("bad-role", {"role": "deputy"})


def test_a_bot_of_the_table_has_its_seat_by_its_key() -> None:
    rig = Rig(Opening("t1", "attic", HOST_KEY, bots=("easy",), levels=LEVELS))
    (wanted,) = [effect for effect in rig.opened if isinstance(effect, BotWanted)]
    joined = sent(rig.join("b", wanted.key, "bot"))[0]
    assert joined == Joined("bot", 1, wanted.name)


def test_bots_are_asked_for_and_sent_away() -> None:
    rig = Rig()
    rig.join("r1", HOST_KEY)
    effects = rig.say("r1", HOST_KEY, command(1, AddBot(2, "medium")))
    (wanted,) = [effect for effect in effects if isinstance(effect, BotWanted)]
    assert (wanted.seat, wanted.level) == (2, "medium")
    rig.join("b", wanted.key, "bot")
    effects = rig.say("r1", HOST_KEY, command(2, RemoveBot(2)))
    assert BotUnwanted(2, wanted.key) in effects
    assert Unadmit(wanted.key) in effects
    assert sent(effects, "b") == [Bye()]
    assert wanted.key not in rig.authority.table.guests


def test_a_bot_sent_away_before_it_has_joined_gets_no_seat() -> None:
    rig = Rig()
    rig.join("r1", HOST_KEY)
    effects = rig.say("r1", HOST_KEY, command(1, AddBot(2, "medium")))
    (wanted,) = [effect for effect in effects if isinstance(effect, BotWanted)]
    rig.say("b", wanted.key, Hello([VERSION], "t"))
    rig.say("r1", HOST_KEY, command(2, RemoveBot(2)))
    rig.authority.dismissed(wanted.key)  # as whoever carries the effects out reports
    assert sent(rig.say("b", wanted.key, Join("bot", wanted.name))) == [Bye()]
    assert not rig.authority.table.seats[2].taken
    assert wanted.key not in rig.authority.table.guests


def test_who_leaves_is_no_longer_admitted() -> None:
    rig = Rig()
    rig.join("r1", "a")
    effects = rig.say("r1", "a", Bye())
    assert Unadmit("a".ljust(40, "_")) in effects
    assert sent(effects, "r1") == [Bye()]


# ---- the end -------------------------------------------------------------------------------------


def test_the_hosts_player_closes_the_table_saved() -> None:
    rig = Rig()
    rig.join("r1", HOST_KEY)
    rig.join("r2", "b")
    effects = rig.say("r1", HOST_KEY, command(1, Close()))
    assert kinds(effects)[:2] == ["Write", "Reply"]
    assert effects[-1] == Finished(Ending.SAVED)
    assert Closing("saved") in sent(effects, "r1")
    assert Closing("saved") in sent(effects, "r2")
    assert sent(rig.say("r2", "b", Snapshot())) == [Refused("closing", {})]
    assert rig.authority.tick(rig.now + 5000, rig.clock) == []
    assert rig.authority.deadline() is None


def test_closing_from_outside_tells_everybody() -> None:
    rig = Rig()
    rig.join("r2", "b")
    effects = rig.authority.close(Ending.SAVED, rig.now, rig.clock)
    assert sent(effects) == [Closing("saved")]
    assert effects[-1] == Finished(Ending.SAVED)
    assert rig.authority.close(Ending.SAVED, rig.now, rig.clock) == []


def test_a_table_without_any_person_is_saved_after_a_quarter_of_an_hour() -> None:
    rig = Rig()
    rig.join("r1", "a")
    rig.tick(1)
    rig.keep(rig.authority.dropped(b"r1", rig.now, rig.clock, gone=True))
    left = rig.now
    while not any(isinstance(effect, Finished) for effect in rig.tick(1000)):
        assert rig.now < left + IDLE + 2000
    assert rig.now >= left + IDLE


def test_a_watching_person_keeps_the_table_open_and_a_bot_does_not() -> None:
    for role, stays in (("watcher", True), ("bot", False)):
        rig = Rig()
        rig.join("r1", "a", role)
        ended = False
        for _ in range(IDLE // 1000 + 5):
            rig.say("r1", "a", Alive(1, 0))
            ended = ended or any(isinstance(effect, Finished) for effect in rig.tick(1000))
        assert ended is not stays


def test_a_table_with_an_idle_limit_of_nothing_never_ends() -> None:
    rig = Rig(Opening("t1", "attic", HOST_KEY, settings=TableSettings(idle=0)))
    assert not any(isinstance(effect, Finished) for effect in rig.tick(100 * IDLE))


def test_four_bots_over_the_network_play_on_without_any_person() -> None:
    table = opening(rules={"target": 1000}, settings=TableSettings(idle=2000))
    network = MemoryNetwork(5, table, Faults(delay=10))
    for number in range(4):
        network.add_peer(f"B{number}", role="bot", live=False)
    network.run_for(10_000)
    assert network.finished is None
    assert network.authority.table.deal_number > 3


def test_with_exit_when_done_a_silent_peer_is_waited_for_five_seconds() -> None:
    settings = TableSettings(exit_when_done=True)
    network = MemoryNetwork(6, opening(rules={"target": 1}, settings=settings))
    peers = four_players(network)
    network.run_until(lambda: peers[0].public.deal == 1)
    watcher = network.add_peer("W", role="watcher")
    network.run_until(lambda: network.authority.table.stage.value == "game-over")
    network.cut_off(watcher)
    over = network.clock.now
    network.run_until(lambda: network.finished is not None, 10_000)
    assert 2000 < network.clock.now - over <= 5100
    network.run_for(100)
    for peer in peers:
        assert isinstance(peer.events[-1], HostClosing)
        assert peer.session.state is LinkState.ENDED


def test_refused_at_the_door_ends_the_peers_session() -> None:
    network = MemoryNetwork(7)
    peer = network.add_peer("\u202e", live=False)
    network.run_for(1000)
    assert peer.events[-1] == RefusedBy("bad-name", {}, final=True)


def test_a_deputys_key_is_for_nothing_else() -> None:
    rig = Rig(Opening("t1", "attic", HOST_KEY, bots=("easy",) * 3, levels=LEVELS))
    rig.join("r1", HOST_KEY)
    rig.say("r1", HOST_KEY, command(1, Ready()))
    effects = rig.say("r1", HOST_KEY, Bye())
    (wanted,) = [effect for effect in effects if isinstance(effect, DeputyWanted)]
    for role in ("player", "bot", "watcher"):
        assert sent(rig.join("d", wanted.key, role)) == [Refused("bad-role", {"role": role})]


# ---- manners -------------------------------------------------------------------------------------


A = "a".ljust(40, "_")


def flood(rig: Rig, route: str, key: str, message: Message, until: str) -> int:
    """Send the same again and again; return how many it took until the host used this code."""
    for count in range(1, 2_000):
        answers = sent(rig.say(route, key, message), route)
        if any(isinstance(each, Refused) and each.code == until for each in answers):
            return count
    raise AssertionError(f"never {until}")


def test_every_message_that_comes_too_often_sets_its_sender_aside() -> None:
    for message, name in (
        (Hello([VERSION], "flood"), "arrive"),
        (Join("player", "Flood"), "arrive"),
        (Snapshot(), "look"),
        (Fetch("log", 0), "look"),
        (Fetch("deals", 0), "look"),
        (Fetch("proof", 0), "look"),
        (Commit("g", 1, "0" * 64), "look"),
        (Reveal("g", 1, "0" * 64, "0" * 64), "look"),
        (Alive(1, 1), "alive"),
        (command(7, Ready()), "command"),
        (command(7, Sit(0)), "command"),
    ):
        rig = Rig()
        rig.join("r1", "a")
        rig.join("r2", "b")
        said = 2 if name == "arrive" else 0
        count = flood(rig, "r1", "a", message, "set-aside")
        assert count == RATES[name].at_once + RATES["strike"].at_once + 1 - said
        assert rig.say("r1", "a", Snapshot()) == []  # not even read
        view, *_ = sent(rig.say("r2", "b", Snapshot()))
        assert isinstance(view, View)
        rig.now += PAUSE
        view, *_ = sent(rig.say("r1", "a", Snapshot()), "r1")
        assert isinstance(view, View)


def test_what_is_too_fast_is_refused_and_changes_nothing() -> None:
    rig = Rig()
    rig.join("r1", "a")
    for number in range(RATES["command"].at_once):
        rig.say("r1", "a", command(number, Ready(number % 2 == 0)))
    table, stored = rig.authority.table, list(rig.stored)
    (reply,) = sent(rig.say("r1", "a", command(999, Ready())))
    assert isinstance(reply, Reply)
    assert (reply.id, reply.ok, reply.code) == (999, False, "too-fast")
    assert rig.authority.table is table
    assert rig.stored == stored
    known = sent(rig.say("r1", "a", command(3, Ready())))  # what was done has its answer still
    assert isinstance(known[0], Reply)
    assert known[0].ok


def test_a_key_shut_out_is_told_closed_and_not_read_and_its_seat_is_held() -> None:
    rig = Rig()
    rig.join("r1", "a")
    rig.join("r2", "b")
    flood(rig, "r1", "a", Snapshot(), "set-aside")
    for _ in range(UNREAD):
        assert rig.say("r1", "a", Snapshot()) == []
    effects = rig.say("r1", "a", Snapshot())
    told, *_ = sent(effects, "r1")
    assert told == Refused("shut-out", {})
    assert [each for each in effects if isinstance(each, Expel | Unadmit)] == [Expel(A)]
    views = [each for each in sent(effects, "r2") if isinstance(each, View)]
    assert views[-1].public.seats[0].presence == "away"
    assert rig.authority.table.seats[0].key == A
    for route in ("r1", "r9"):
        assert rig.say(route, "a", Hello([VERSION], "again")) == []
    assert isinstance(sent(rig.say("r2", "b", Snapshot()))[0], View)


def test_a_key_is_shut_out_also_while_nothing_can_be_stored() -> None:
    rig = Rig()
    rig.join("r1", "a")
    rig.join("r2", "b")
    plan = rig.authority.ran_away(A, rig.now, rig.clock)
    effects = failing(list(unrolled(plan)), rig)
    assert Expel(A) in effects
    assert Refused("shut-out", {}) in sent(effects, "r1")
    assert rig.say("r1", "a", Snapshot()) == []


def test_a_fault_in_serving_a_message_leaves_everything_as_it_was(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rig = Rig()
    rig.join("r1", "a")
    rig.join("r2", "b")
    before = rig.authority.table
    monkeypatch.setattr(Staff, "deputise", _fail)
    body = encode(command(1, Stand()))
    with pytest.raises(ZeroDivisionError):
        rig.authority.plan(b"r1", A, body, rig.now, rig.clock)
    monkeypatch.undo()
    assert rig.authority.table == before
    (reply, *_) = sent(rig.say("r1", "a", command(2, Stand())), "r1")  # and the game goes on
    assert isinstance(reply, Reply)
    assert reply.ok


def _fail(*_: object) -> None:
    raise ZeroDivisionError


def test_who_was_shut_out_is_in_again_once_the_game_is_over() -> None:
    network = MemoryNetwork(4, opening(rules={"target": 1}))
    host, *_ = four_players(network)
    vandal = network.add_peer("Vera", role="watcher")
    network.run_until(lambda: host.public.phase == "playing")
    now, clock = network.clock.now, network.clock.utc
    network.carry_out(list(unrolled(network.authority.ran_away(vandal.key, now, clock))))
    network.run_until(lambda: vandal.session.state is LinkState.ENDED)
    network.run_until(lambda: vandal.key not in network.authority.table.guests)
    again = network.add_peer("Vera", role="watcher", key=vandal.key, live=False)
    network.run_until(lambda: host.public.phase == "game-over")
    assert again.session.view is None
    network.run_until(lambda: again.session.view is not None)
    assert host.public.game == again.public.game


def test_the_hosts_player_and_the_tables_bots_have_no_strikes() -> None:
    rig = Rig()
    rig.join("r1", HOST_KEY)
    for _ in range(500):
        rig.say("r1", HOST_KEY, Snapshot())
    rig.now += RATES["look"].every
    assert isinstance(sent(rig.say("r1", HOST_KEY, Snapshot()))[0], View)


def test_garbage_and_the_wrong_order_are_strikes() -> None:
    for body in (b"", b"\xc1", encode(Snapshot())):
        rig = Rig()
        answers = []
        for _ in range(RATES["strike"].at_once + 2):
            effects = rig.keep(rig.authority.receive(b"r1", A, body, rig.now, rig.clock))
            answers += [each.code for each in sent(effects) if isinstance(each, Refused)]
        assert len(answers) == RATES["strike"].at_once + 1
        assert answers[-1] == "set-aside"
        assert set(answers[:-1]) <= {"bad-frame", "hello-first"}


def test_odd_subscriptions_end_in_being_shut_out() -> None:
    rig = Rig()
    rig.join("r1", "a")
    for _ in range(TOPICS):
        assert list(unrolled(rig.authority.subscribed(A, rig.now, rig.clock, usual=False))) == []
    effects = list(unrolled(rig.authority.subscribed(A, rig.now, rig.clock, usual=False)))
    assert Expel(A) in effects
    assert sent(effects, "r1")[0] == Refused("shut-out", {})


def test_a_key_has_only_so_many_connections() -> None:
    rig = Rig()
    rig.join("r0", "a")
    hung_up: list[bytes] = []
    for number in range(1, CONNECTIONS_PER_KEY + 4):
        rig.now += 1_000
        effects = rig.say(f"r{number}", "a", Hello([VERSION], "again"))
        hung_up += [each.route for each in effects if isinstance(each, HangUp)]
    assert hung_up == [b"r1", b"r2", b"r3", b"r4"]  # the one that is served stays
    assert isinstance(sent(rig.say("r0", "a", Snapshot()))[0], View)


def test_strangers_with_many_keys_do_only_so_much_together() -> None:
    rig = Rig()
    for number, key in enumerate("abcd"):
        rig.join(f"seat {number}", key)
    rig.now += 60_000
    joined = []
    for number in range(2 * RATES["stranger"].at_once):
        answers = sent(rig.join(f"r{number}", f"key{number}", "watcher"), f"r{number}")
        joined.append(isinstance(answers[0], Joined))
        if not joined[-1]:
            assert answers == [Refused("too-fast", {})]
        rig.say(f"r{number}", f"key{number}", Bye())
    assert joined == [number < RATES["stranger"].at_once for number in range(len(joined))]
    (reply, *_) = sent(rig.say("seat 0", "a", command(1, Say("I sit here"))), "seat 0")
    assert isinstance(reply, Reply)
    assert reply.ok
    rig.now += RATES["stranger"].every
    assert isinstance(sent(rig.join("last", "last", "watcher"), "last")[0], Joined)


def test_whose_connection_had_to_be_cut_is_shut_out() -> None:
    rig = Rig()
    rig.join("r1", "a")
    effects = list(unrolled(rig.authority.ran_away(A, rig.now, rig.clock)))
    assert Expel(A) in effects
    assert sent(effects, "r1")[0] == Refused("shut-out", {})
    assert rig.say("r1", "a", Snapshot()) == []


def test_many_who_are_gone_at_once_are_told_of_once() -> None:
    rig = Rig()
    rig.join("seat", "a")
    for number in range(30):
        rig.join(f"r{number}", f"key{number}", "watcher")
    routes = [f"r{number}".encode() for number in range(30)]
    effects = rig.authority.lost([*routes, b"unknown"], rig.now, rig.clock)
    views = [each for each in sent(effects, "seat") if isinstance(each, View)]
    assert len(views) == 1
    assert views[0].public.watchers == 0
    assert not [each for each in effects if isinstance(each, SendTo) and each.route in routes]
    assert rig.authority.lost(routes, rig.now, rig.clock) == []


def test_what_follows_when_a_guest_is_lost_is_written_before_anything_else() -> None:
    rig = Rig()
    rig.join("r1", HOST_KEY)
    rig.join("r2", "b")
    rig.join("w", "watcher", "watcher")
    routes = [b"r2", b"w"]
    effects = failing(rig.authority.lost(routes, rig.now, rig.clock), rig)
    assert Unadmit("watcher".ljust(40, "_")) in effects  # though nothing could be stored
    assert "b".ljust(40, "_") not in rig.authority.table.guests


def table_of_four() -> Rig:
    rig = Rig()
    for number, key in enumerate("abcd"):
        rig.join(f"seat {number}", key)
    rig.now += 60_000
    return rig


def test_strangers_with_many_keys_look_only_so_often_together() -> None:
    rig = table_of_four()
    for number in range(30):
        rig.join(f"r{number}", f"key{number}", "watcher")
    rate = RATES["stranger-look"]
    for number in range(rate.at_once):
        look = Snapshot() if number % 2 else Fetch("log", 0)
        assert not isinstance(
            sent(rig.say(f"r{number % 30}", f"key{number % 30}", look))[0], Refused
        )
    for number in range(RATES["strike"].at_once + 5):  # it is no strike: others may have looked
        assert sent(rig.say("r0", "key0", Snapshot())) == [Refused("too-fast", {})], number
    assert isinstance(sent(rig.say("seat 0", "a", Snapshot()))[0], View)
    rig.now += rate.every
    assert isinstance(sent(rig.say("r0", "key0", Snapshot()))[0], View)


def test_guests_who_are_shut_out_are_told_of_together() -> None:
    rig = table_of_four()
    keys = [f"key{number}" for number in range(5)]
    for key in keys:
        rig.join(key, key)
    for key in keys:
        effects = list(unrolled(rig.authority.ran_away(key.ljust(40, "_"), rig.now, rig.clock)))
        assert not [each for each in sent(effects) if isinstance(each, View)]
    due = rig.authority.deadline()
    assert due is not None
    assert due <= rig.now + TOGETHER
    effects = rig.tick(TOGETHER)
    views = [each for each in sent(effects, "seat 0") if isinstance(each, View)]
    assert len(views) == 1
    assert not [guest for guest in rig.authority.table.guests if guest.startswith("key")]


def test_those_with_a_seat_are_told_before_a_crowd_without() -> None:
    rig = table_of_four()
    for number in range(10):
        rig.join(f"r{number}", f"key{number}")
    said = encode(command(1, Say("hello")))
    effects = list(
        unrolled(rig.authority.plan(b"r3", "key3".ljust(40, "_"), said, rig.now, rig.clock))
    )
    told = [each.route.decode() for each in effects if isinstance(each, SendTo)]
    assert told[:2] == ["r3", "r3"]  # the answer and the view of whoever said it
    assert sorted(told[2:6]) == [f"seat {number}" for number in range(4)]
    assert sorted(told[6:]) == [f"r{number}" for number in range(10) if number != 3]
