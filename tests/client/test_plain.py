from __future__ import annotations

import asyncio
import io

import msgspec
import pytest

from hearts_client.exits import Exit
from hearts_client.plain import PlainClient, PlainManner
from hearts_client.plain_output import LineWriter
from hearts_client.tablelink import Reached
from hearts_net.bots.from_deal import view_of
from hearts_net.protocol import messages as m
from hearts_net.protocol import peer_session
from hearts_net.protocol.peer_outputs import (
    DealChecked,
    HostClosing,
    LeftTable,
    LinkChanged,
    LogArrived,
    NewView,
    Replied,
    SupersededBy,
)
from hearts_net.protocol.peer_states import LinkState
from hearts_net.protocol.tablecode import read_code
from hearts_net.rules.deal import new_deal
from hearts_net.rules.errors import FairCode
from hearts_net.rules.options import Options
from hearts_net.rules.shuffle import deal_hands

NAMES = ("Me", "Bram", "Asha", "Chloé")


class FakeLink:
    """Keeps what the client asks for."""

    def __init__(self) -> None:
        self.acts: list[m.AnyAct] = []
        self.fetched: list[tuple[str, int]] = []
        self.codes: list[str] = []
        self.left = False

    async def run(self) -> None:
        raise AssertionError("not run here")

    def do(self, act: m.AnyAct) -> int:
        self.acts.append(act)
        return len(self.acts)

    def give_code(self, text: str) -> None:
        self.codes.append(read_code(text))

    def fetch(self, what: str, after: int) -> None:
        self.fetched.append((what, after))

    def leave(self) -> None:
        self.left = True


class Talk:
    """A client at a table whose views the test makes; what is told is in ``told()``."""

    def __init__(self, manner: PlainManner | None = None, *, terminal: bool = False) -> None:
        self.out = io.StringIO()
        writer = LineWriter(self.out, terminal=terminal)
        self.client = PlainClient(writer, manner or PlainManner(terminal=terminal), lambda: 0)
        self.link = FakeLink()
        self.client.attach(self.link)
        self.seen = 0

    def told(self) -> list[str]:
        """Give the lines told since the last call."""
        lines = self.out.getvalue()[self.seen :].split("\n")
        self.seen = len(self.out.getvalue())
        return lines[:-1] if lines[-1] == "" else lines

    def show(self, view: m.View, *, gap: bool = False) -> list[str]:
        first = self.client._link_state is not LinkState.LIVE
        self.client.on_event(NewView(view, gap))
        if first:
            self.client.on_event(LinkChanged(LinkState.LIVE, 0))
        return self.told()

    def last_act(self) -> m.AnyAct:
        return self.link.acts[-1]

    def type(self, *lines: str) -> list[str]:
        for line in lines:
            self.client.type_line(line)
        return self.told()

    def answer(self, code: str = "", *, seq: int = 0) -> list[str]:
        reply = m.Reply(len(self.link.acts), not code, code, {}, 1, seq)
        self.client.on_event(Replied(reply.id, reply, self.link.acts[-1]))
        return self.told()


def seat(place: int, **changes: object) -> m.SeatView:
    view = m.SeatView(
        kind="person" if place == 0 else "bot", name=NAMES[place], key="", level="",
        presence="present", since=0, held_until=0, deputy=False, ready=place != 0, host=place == 0,
        cards=13, passed=False, points=0, total=0, tricks=0,
    )  # fmt: skip
    return msgspec.structs.replace(view, **changes)


def public(**changes: object) -> m.PublicView:
    view = m.PublicView(
        table="attic", game="", phase="lobby", paused="", rules=Options().to_dict(),
        seats=[seat(place) for place in range(4)], watchers=0, deal=0, direction="",
        trick_number=0, leader=None, turn=None, turn_until=0, next_at=0, trick=[], last_trick=None,
        hearts_broken=False, queen_taken_by=None, points_out=26, seen=[], shown_voids=[],
        last_deal=None, winner=None, newest_event=0, address="10.0.0.5:26052",
    )  # fmt: skip
    return msgspec.structs.replace(view, **changes)


def view(
    seq: int,
    table: m.PublicView,
    *,
    events: tuple[m.AnyEvent, ...] = (),
    hand: str = "",
    legal: str = "",
    passed: str = "",
    received: str = "",
    may: tuple[str, ...] = (),
    can_claim: bool = False,
    watcher: bool = False,
) -> m.View:
    own = m.OwnView(
        0, hand.split(), legal.split(), passed.split(), received.split(), list(may), can_claim
    )
    newest = events[-1].n if events else table.newest_event
    return m.View(
        epoch=1, seq=seq, time=1_000_000,
        public=msgspec.structs.replace(table, newest_event=newest),
        own=None if watcher else own, events=list(events), role="watcher" if watcher else "player",
        may=[],
    )  # fmt: skip


HAND = "5C 8C 2S 7S QS 9D TD 5H 9H AH JC 3H 4H"
PASSING = public(game="g", phase="passing", deal=3, direction="across")
TRICK = [m.TrickCard(1, "7H"), m.TrickCard(2, "2S"), m.TrickCard(3, "3H")]
PLAYING = public(
    game="g", phase="playing", deal=3, direction="across", trick_number=7, leader=1, turn=0,
    trick=TRICK, hearts_broken=True, queen_taken_by=1, points_out=9,
)  # fmt: skip
MY_TURN = view(
    20, PLAYING, hand="5C 8C TD JD 5H 9H AH", legal="5H 9H AH", may=("play", "say")
)  # fmt: skip


def at_my_turn(*, terminal: bool = False) -> Talk:
    talk = Talk(terminal=terminal)
    talk.show(MY_TURN)
    return talk


def test_a_deal_from_the_lobby_to_the_end_of_a_trick() -> None:
    talk = Talk()
    lobby = view(1, public(newest_event=4), may=("ready", "say"))
    assert talk.show(lobby) == [
        "Table attic. Standard rules, to 100 points.",
        "Others join with: 10.0.0.5:26052",
        "You sit south. Left, west: Bram. Across, north: Asha. Right, east: Chloé.",
        "Type ready when you want to begin; help lists what else there is.",
        "ready>",
    ]
    assert talk.type("ready") == []
    assert talk.link.acts == [m.Ready()]
    assert talk.answer(seq=2) == ["You are ready."]
    started = (m.GameStarted(5, 0, "g"), m.DealStarted(6, 0, 3, "across"))
    assert talk.show(view(2, PASSING, events=started, hand=HAND, may=("pass",))) == [
        "The game begins.",
        "Deal 3.",
        "Pass three cards across, to Asha.",
        "Your hand: clubs 5 8 jack; diamonds 9 10; spades 2 7 queen; hearts 3 4 5 9 ace.",
        "pass>",
    ]
    assert talk.type("qs 7s 2s") == []
    assert talk.last_act() == m.Pass(["QS", "7S", "2S"])
    assert talk.answer(seq=3) == []
    mine = (m.Passed(7, 0, 0, False),)
    assert talk.show(view(3, PASSING, events=mine, hand=HAND, passed="QS 7S 2S")) == [
        "You have passed queen of spades, 7 of spades, 2 of spades."
    ]
    play = msgspec.structs.replace(
        PLAYING, trick_number=1, leader=1, turn=1, trick=[], hearts_broken=False
    )
    others = (m.Passed(8, 0, 2, False), m.PlayStarted(9, 0, 1))
    assert talk.show(view(4, play, events=others, hand=HAND, received="9H TD JD")) == [
        "Asha has passed.",
        "You received 9 of hearts, 10 of diamonds, jack of diamonds.",
        "Everybody has their cards. Bram leads.",
    ]
    cards = tuple(
        m.Played(10 + place, 0, one.seat, one.card, False) for place, one in enumerate(TRICK)
    )
    told = talk.show(
        view(5, msgspec.structs.replace(PLAYING, trick_number=1), events=cards, hand=HAND,
             legal="5H 9H AH", may=("play",))
    )  # fmt: skip
    assert told == [
        "Trick 1. Bram leads 7 of hearts.",
        "Asha plays 2 of spades.",
        "Chloé plays 3 of hearts.",
        "Your turn. Follow hearts. You may play: 5, 9 or ace of hearts.",
        "play>",
    ]
    assert talk.type("9h") == []
    assert talk.last_act() == m.Play("9H")
    trick = m.TrickView(1, [*TRICK, m.TrickCard(0, "9H")], 0, 3)
    after = msgspec.structs.replace(
        PLAYING, trick=[], trick_number=2, last_trick=trick, leader=0,
        seats=[seat(0, points=3), seat(1, points=13), seat(2), seat(3, points=1)],
    )  # fmt: skip
    played = (m.Played(13, 0, 0, "9H", False), m.TrickTaken(14, 0, trick))
    talk.answer(seq=6)
    assert talk.show(
        view(6, after, events=played, hand="5C 8C", legal="5C 8C", may=("play",), can_claim=True)
    ) == [
        "You play 9 of hearts.",
        "You take trick 1: 3 points. This deal: you 3, Bram 13, Asha 0, Chloé 1.",
        "Your turn. You lead. You may play: 5 or 8 of clubs.",
        "The rest is yours: type claim to take it, or play on.",
        "play>",
    ]


ANSWERS: list[tuple[str, list[str]]] = [
    ("hand", ["Your hand: clubs 5 8; diamonds 10 jack; hearts 5 9 ace."]),
    ("legal", ["You may play: 5, 9 or ace of hearts."]),
    (
        "trick",
        [
            "Trick 7. On the table: Bram 7 of hearts, Asha 2 of spades, Chloé 3 of hearts.",
            "So far Bram would take it with 7 of hearts; 2 points.",
        ],
    ),
    ("last", ["No trick of this deal is finished yet."]),
    (
        "score",
        [
            "Deal 3, trick 7 of 13.",
            "This deal: you 0, Bram 0, Asha 0, Chloé 0.",
            "Totals: you 0, Bram 0, Asha 0, Chloé 0.",
            "Hearts are broken. Bram took the queen of spades. 9 points are still out.",
        ],
    ),
    (
        "seats",
        [
            "Seat 1, south: Me, you, the host's player.",
            "Seat 2, west: Bram, a computer player.",
            "Seat 3, north: Asha, a computer player.",
            "Seat 4, east: Chloé, a computer player.",
        ],
    ),
    ("rules", ["Standard rules, to 100 points."]),
    ("", ["Your turn. Follow hearts. You may play: 5, 9 or ace of hearts."]),
    ("again", ["Your turn. Follow hearts. You may play: 5, 9 or ace of hearts."]),
    ("deals", ["No deal is finished yet.", "Totals: you 0, Bram 0, Asha 0, Chloé 0."][:1]),
    ("ha", ["Your hand: clubs 5 8; diamonds 10 jack; hearts 5 9 ace."]),
    ("q", ["“q” is no command and no card: type help for the list."]),
    ("se", ["“se” could be seats, set, settings: type more of it."]),
    ("dance", ["“dance” is no command and no card: type help for the list."]),
    ("ks ah", ["Name one card to play, such as: qs."]),
    ("say", ["There is nothing to say: write a text after the command."]),
    ("sit 7", ["Name a seat by its number, from 1 to 4."]),
    ("moon", ["Type moon others, or moon me."]),
    ("set target=0", ["The option “target” does not take the value “0”: "
                      "`hearts-net rules --options` lists its values."]),
]  # fmt: skip


def test_whether_a_deal_was_fair_is_said_in_a_sentence() -> None:
    talk = at_my_turn()
    talk.client.on_event(DealChecked("g", 2, "", {}))
    assert talk.told() == ["Deal 2 verified."]
    talk.client.on_event(DealChecked("g", 3, FairCode.DECK_STACKED, {"cards": 2}))
    assert talk.told() == [
        "Deal 3 NOT verified. Cards are not where the shuffle put them: the host has stacked the "
        "deck. Play elsewhere."
    ]
    talk.client.on_event(DealChecked("g", 4, FairCode.SHARE_LEFT_OUT, {"seat": 0}))
    assert talk.told()[0].startswith("Deal 4 NOT verified. Your share is not in the shuffle: your")
    talk.client.on_event(DealChecked("g", 4, FairCode.SHARE_LEFT_OUT, {"seat": 1}))
    assert "The share of Bram is not in the shuffle" in talk.told()[0]
    talk.client.on_event(DealChecked("g", 5, FairCode.NOT_WITNESSED, {}))
    assert talk.told()[0].startswith("Deal 5 not witnessed. Your program came after")
    talk.client.on_event(DealChecked("g", 5, "", {}, (1,)))
    assert talk.told() == [
        "Deal 5 verified. The share of Bram came too late: a slow connection, or the host and Bram "
        "chose between two decks."
    ]
    talk.client.on_event(DealChecked("g", 5, FairCode.NOT_WITNESSED, {}, (1, 2)))
    assert "The shares of Bram and Asha came too late: slow" in talk.told()[0]
    talk.client.on_event(DealChecked("g", 5, FairCode.SHARE_WITHHELD, {"seat": 1}, (1,)))
    assert talk.told()[0].startswith("Deal 5 NOT verified. The host's own player promised a share")
    talk.client.on_event(DealChecked("g", 6, "some-later-code", {}))
    assert talk.told()[0].startswith("Deal 6 NOT verified. ")


@pytest.mark.parametrize(
    ("typed", "answer"), ANSWERS, ids=[typed or "enter" for typed, _ in ANSWERS]
)
def test_questions_are_answered_and_prompted_again(typed: str, answer: list[str]) -> None:
    talk = at_my_turn()
    assert talk.type(typed) == [*answer, "play>"]
    assert talk.type(typed) == [*answer, "play>"], "every question can be asked again"
    assert talk.link.acts == []


def test_levels_of_bots_and_those_who_look_on_are_said() -> None:
    talk = Talk()
    table = public(watchers=2)
    table.seats[1] = msgspec.structs.replace(table.seats[1], level="hard\x1b")
    talk.show(view(1, table))
    lines = talk.type("seats")
    assert "Seat 2, west: Bram, a computer player, hard." in lines
    assert lines[-1] == "2 people look on without a seat."
    talk.show(view(2, public(watchers=1)))
    assert talk.type("seats")[-1] == "1 person looks on without a seat."


def test_the_invite_is_said_whenever_it_is_asked_for() -> None:
    talk = at_my_turn()
    assert talk.type("invite")[0] == "Nobody on another machine can join this table."
    talk.client.on_event(Reached("hearts://x/1/2/3"))
    assert talk.type("invite")[0] == "hearts://x/1/2/3"


ACTS: list[tuple[str, m.AnyAct]] = [
    ("9h", m.Play("9H")),
    ("play ace of hearts", m.Play("AH")),
    ("9", m.Play("9H")),
    ("5c", m.Play("5C")),  # not legal: the table says why
    ("claim", m.Claim()),
    ("say hello  there\x07", m.Say("hello there")),
    ("pause", m.Pause()),
    ("go", m.GoOn()),
    ("unsaved", m.GoUnsaved()),
    ("sit 3", m.Sit(2)),
    ("stand", m.Stand()),
    ("bot 2 easy", m.AddBot(1, "easy")),
    ("remove 2", m.RemoveBot(1)),
    ("give 4", m.GiveSeat(3)),
    ("start", m.Start()),
    ("next", m.Ready()),
    ("lobby", m.Rematch()),
    ("moon others", m.ChooseMoon("others-gain")),
    ("moon me", m.ChooseMoon("shooter-loses")),
    ("close", m.Close()),
    ("set target=50", m.SetRules(Options(target=50).to_dict())),
    ("preset omnibus", m.SetRules({**Options().to_dict(), "first_trick_points": False,
                                   "jack_of_diamonds": True})),
]  # fmt: skip


@pytest.mark.parametrize(("typed", "act"), ACTS, ids=[typed for typed, _ in ACTS])
def test_what_is_typed_is_done(typed: str, act: m.AnyAct) -> None:
    talk = at_my_turn()
    assert talk.type(typed) == []
    assert talk.link.acts == [act]


def test_bots_take_every_free_seat() -> None:
    talk = Talk()
    free = [seat(place, kind="empty", name="") for place in (1, 3)]
    talk.show(view(1, public(seats=[seat(0), free[0], seat(2), free[1]]), may=("ready",)))
    talk.type("bots easy")
    assert talk.link.acts == [m.AddBot(1, "easy"), m.AddBot(3, "easy")]
    assert at_my_turn().type("bots") == ["No seat is free.", "play>"]


def test_a_refused_act_says_why_and_asks_again() -> None:
    talk = at_my_turn()
    talk.type("5c")
    assert talk.answer("must-follow") == [
        "You hold the suit led: play a card of that suit.",
        "Your turn. Follow hearts. You may play: 5, 9 or ace of hearts.",
        "play>",
    ]


@pytest.mark.parametrize(
    ("typed", "when"),
    [
        ("set target=50", "in the lobby, before a game"),
        ("start", "in the lobby, before a game"),
        ("stand", "in the lobby, before a game"),
        ("bot 2", "in the lobby or between deals"),
        ("claim", "wait for the next part of the game"),
    ],
)
def test_what_is_done_at_the_wrong_time_is_told_when_its_time_is(typed: str, when: str) -> None:
    talk = at_my_turn()
    talk.type(typed)
    assert when in talk.answer("not-now")[0]


def test_a_card_out_of_turn_is_not_sent() -> None:
    talk = Talk()
    talk.show(view(20, msgspec.structs.replace(PLAYING, turn=1, trick=[]), hand="5C 8C"))
    assert talk.type("5c") == [
        "It is not your turn: wait until you are asked.",
        "Waiting for Bram.",
    ]
    assert talk.link.acts == []


def test_a_line_waits_for_what_the_one_before_it_leads_to() -> None:
    talk = at_my_turn()
    assert talk.type("9h", "hand") == []
    assert talk.answer(seq=21) == [], "the view of the answer is not there yet"
    after = msgspec.structs.replace(PLAYING, turn=1, trick=[], trick_number=8)
    played = (m.Played(1, 0, 0, "9H", False),)
    assert talk.show(view(21, after, events=played, hand="5C")) == [
        "You play 9 of hearts.",
        "Your hand: clubs 5.",
    ]


def test_wait_reads_on_when_it_is_ones_turn() -> None:
    talk = Talk()
    away = msgspec.structs.replace(PLAYING, turn=1, trick=[])
    talk.show(view(19, away, hand="5C"))
    assert talk.type("wait", "legal") == []
    assert talk.show(MY_TURN) == [
        "Your turn. Follow hearts. You may play: 5, 9 or ace of hearts.",
        "play>",
        "You may play: 5, 9 or ace of hearts.",
        "play>",
    ]


def test_the_end_of_the_input_leaves_once_everything_is_answered() -> None:
    talk = at_my_turn()
    talk.type("9h", "hand")
    talk.client.end_input()
    assert not talk.link.left
    talk.answer(seq=21)
    assert not talk.link.left
    talk.show(view(21, msgspec.structs.replace(PLAYING, turn=1), hand="5C"))
    assert talk.link.left


def test_the_end_of_the_input_before_the_first_view_waits_for_it() -> None:
    talk = Talk()
    talk.client.end_input()
    assert not talk.link.left
    talk.show(MY_TURN)
    assert talk.link.left
    talk.client.on_event(LeftTable())
    assert talk.told() == [
        "You have left the table. It is saved: hearts-net resume takes it up again."
    ]
    assert talk.client.exit is Exit.DONE


def test_a_lost_connection_is_told_and_nothing_is_sent_meanwhile() -> None:
    talk = Talk(PlainManner(place="10.0.0.5"))
    talk.show(MY_TURN)
    talk.client.on_event(LinkChanged(LinkState.LOST, 0))
    assert talk.told() == [
        "The connection to 10.0.0.5 is lost. Trying to get it back. Your seat is kept."
    ]
    assert talk.type("9h")[0] == "There is no connection at the moment: try again when it is back."
    assert talk.type("hand")[0].startswith("Your hand:")
    assert talk.link.acts == []
    talk.client.on_event(LinkChanged(LinkState.LIVE, 0))
    assert talk.told() == [
        "The connection is back.",
        "Your turn. Follow hearts. You may play: 5, 9 or ace of hearts.",
        "play>",
    ]
    talk.type("quit")
    assert talk.link.left


def _passed_by_a_deputy() -> m.View:
    seats = [seat(0, passed=True), seat(1), seat(2, passed=True), seat(3, passed=True)]
    return view(30, msgspec.structs.replace(PASSING, seats=seats), hand=HAND, may=("say",))


def test_who_comes_back_while_others_are_awaited_hears_their_hand_and_for_whom() -> None:
    told = Talk().show(_passed_by_a_deputy())
    assert told[-2].startswith("Your hand: clubs 5 8")
    assert told[-1] == "Waiting for Bram."


def test_a_connection_that_is_back_says_the_hand_and_who_is_awaited() -> None:
    talk = Talk()
    talk.show(_passed_by_a_deputy())
    talk.client.on_event(LinkChanged(LinkState.LOST, 0))
    talk.told()
    talk.client.on_event(LinkChanged(LinkState.LIVE, 0))
    back, hand, waiting = talk.told()
    assert back == "The connection is back."
    assert hand.startswith("Your hand: clubs 5 8")
    assert waiting == "Waiting for Bram."


def test_quit_works_while_an_answer_is_awaited_over_a_lost_connection() -> None:
    talk = at_my_turn()
    talk.type("9h")
    talk.client.on_event(LinkChanged(LinkState.LOST, 0))
    talk.type("quit")
    assert talk.link.left


def test_events_of_a_gap_are_fetched_and_told_once() -> None:
    talk = Talk(PlainManner(sit=False))
    table = public(game="g", phase="playing", deal=1, trick_number=1, newest_event=4)
    talk.show(view(1, table, watcher=True))
    late = m.HeartsBroken(7, 0, 2)
    assert talk.show(view(5, table, events=(late,), watcher=True), gap=True) == []
    assert talk.link.fetched == [("log", 4)]
    page = m.LogPage([m.Said(5, 0, "Bram", 1, "one"), m.Said(6, 0, "Bram", 1, "two"), late], False)
    talk.client.on_event(LogArrived(page))
    assert talk.told() == ["Bram says: one", "Bram says: two", "Hearts are broken."]
    assert talk.show(view(6, table, events=(m.Said(8, 0, "Bram", 1, "three"),), watcher=True)) == [
        "Bram says: three"
    ]


def test_ready_at_once() -> None:
    talk = Talk(PlainManner(ready=True))
    assert talk.show(view(1, public(), may=("ready",)))[-1].startswith("You sit south.")
    assert talk.link.acts == [m.Ready()]


def test_a_free_seat_is_taken_at_once() -> None:
    talk = Talk()
    empty = seat(2, kind="empty", name="")
    table = public(seats=[seat(0), seat(1), empty, seat(3)])
    standing = msgspec.structs.replace(
        view(1, table, watcher=True), role="player", may=["sit", "say"]
    )
    talk.show(standing)
    assert talk.link.acts == [m.Sit(2)]


def _standing(seq: int) -> m.View:
    table = public(seats=[seat(0, kind="empty", name=""), seat(1), seat(2), seat(3)])
    return msgspec.structs.replace(
        view(seq, table, watcher=True), role="player", may=["sit", "say"]
    )


def test_the_seat_is_taken_once_though_the_view_is_still_old_after_the_reply() -> None:
    talk = Talk()
    talk.show(_standing(1))
    talk.answer(seq=2)
    talk.show(_standing(1))
    assert talk.link.acts == [m.Sit(0)]


def test_who_stands_up_is_not_set_down_again() -> None:
    talk = Talk()
    talk.show(_standing(1))
    talk.answer(seq=2)
    talk.show(view(2, public(seats=[seat(0), seat(1), seat(2), seat(3)]), may=("ready", "stand")))
    talk.type("stand")
    talk.answer(seq=3)
    assert "sit>" in talk.show(_standing(3))
    assert talk.link.acts == [m.Sit(0), m.Stand()]


def test_set_alone_lists_the_rules_and_changes_nothing() -> None:
    talk = Talk()
    talk.show(view(1, public(), may=("ready", "stand")))
    told = talk.type("set")
    assert told[0] == "Type a rule and its value, such as set target=50. The rules are:"
    assert told[1].startswith("target, the score that ends the game, any whole number")
    assert talk.link.acts == []


def test_sitting_down_where_one_sits_says_so() -> None:
    talk = Talk()
    talk.show(view(1, public(), may=("ready", "stand")))
    assert talk.type("sit 1")[0] == "You sit there already."
    assert talk.link.acts == []


def test_no_more_lines_are_asked_for_while_many_wait() -> None:
    talk = at_my_turn()
    asked: list[str] = []
    talk.client.type_lines(["5h"], lambda: asked.append("one waits for its answer"))
    assert len(asked) == 1
    talk.client.type_lines(["hand"] * 500, lambda: asked.append("room again"))
    assert len(asked) == 1
    talk.answer("must-follow")
    assert asked[1:] == ["room again"]


ENDS: list[tuple[object, str, Exit]] = [
    (HostClosing("saved"), "The table has ended; the game is saved", Exit.DONE),
    (HostClosing("done"), "The table has ended. Good game!", Exit.DONE),
    (SupersededBy(), "Your seat is played from another window", Exit.FAILED),
]


@pytest.mark.parametrize(("event", "says", "code"), ENDS)
def test_the_end_is_told(event: object, says: str, code: Exit) -> None:
    talk = at_my_turn()
    talk.client.on_event(event)
    assert talk.told()[0].startswith(says)
    assert talk.client.exit is code


def test_who_only_watches_is_promised_no_seat_and_no_resuming() -> None:
    talk = Talk(PlainManner(sit=False))
    talk.show(view(20, PLAYING, watcher=True))
    talk.client.on_event(LinkChanged(LinkState.LOST, 0))
    assert talk.told() == ["The connection to the table is lost. Trying to get it back."]
    talk.client.on_event(HostClosing("saved"))
    assert talk.told() == [
        "The table has ended; the game is saved, and its host can take it up again."
    ]


def test_the_hosts_player_is_told_how_to_resume() -> None:
    talk = at_my_turn()
    talk.client.on_event(HostClosing("saved"))
    assert "hearts-net resume takes it up again." in talk.told()[0]


def test_on_a_terminal_the_prompt_comes_again_after_news() -> None:
    talk = at_my_turn(terminal=True)
    assert talk.out.getvalue().endswith("\nplay> ")
    talk.told()
    said = (m.Said(1, 0, "Bram", 1, "hurry"),)
    talk.show(msgspec.structs.replace(MY_TURN, seq=21, events=list(said), public=news(1)))
    assert talk.out.getvalue().endswith("play> \nBram says: hurry\nplay> ")


def news(newest: int) -> m.PublicView:
    return msgspec.structs.replace(PLAYING, newest_event=newest)


def test_help_all_lists_every_command() -> None:
    lines = at_my_turn().type("help all")
    for command in ("hand", "legal", "trick", "last", "score", "seats", "rules (all)", "say TEXT",
                    "help (all or COMMAND)", "quit",
                    "ready (no)", "sit N", "claim", "moon others or me", "pause", "go",
                    "next", "bots (LEVEL)"):  # fmt: skip
        assert any(line.startswith(f"{command}: ") for line in lines), command


def test_what_the_table_cannot_save_is_told_as_it_changes() -> None:
    talk = at_my_turn()
    stopped = msgspec.structs.replace(PLAYING, paused="store", saving="full")
    told = view(21, stopped, hand="5C", may=("say",))
    lines = talk.show(msgspec.structs.replace(told, may=["go-unsaved"]))
    assert lines[0] == (
        "The host's disk is full: the game waits for room. Type unsaved to play on without saving."
    )
    on = msgspec.structs.replace(PLAYING, saving="off")
    assert talk.show(view(22, on, hand="5C", legal="5C", may=("play",)))[0].startswith(
        "The host's player goes on unsaved"
    )
    lines = talk.show(view(23, PLAYING, hand="5C", legal="5C", may=("play",)))
    assert lines[0] == "All is saved again, and the game goes on."


# ---- the table's door ----------------------------------------------------------------------------

ROBIN = m.Somebody("r" * 40, "Robin", "player")
WANDA = m.Somebody("w" * 40, "Wanda", "watcher")


def at_desk(
    seq: int,
    *asking: m.Somebody,
    admission: str = "ask",
    code: str = "",
    standing: tuple[m.Somebody, ...] = (),
    banned: tuple[m.Somebody, ...] = (),
) -> m.View:
    desk = m.DeskView(admission, code, 0, [*asking], [*standing], [*banned])
    seats = [seat(0), seat(1), seat(2), seat(3, kind="person", key="d" * 40, name="Dai")]
    return msgspec.structs.replace(view(seq, public(seats=seats)), desk=desk)


def test_a_code_is_asked_for_and_the_next_line_is_it() -> None:
    talk = Talk()
    talk.client.on_event(peer_session.CodeAsked())
    assert talk.told() == [
        "This table has a code: type its six digits, which the host's player can tell you.",
        "code>",
    ]
    assert "not the table's code" in talk.type("hello")[0]
    assert talk.type("482 913") == []
    assert talk.link.codes == ["482913"]
    talk.client.on_event(peer_session.RefusedBy("wrong-code", {"left": 9}, final=False))
    talk.client.on_event(peer_session.CodeAsked())
    assert "not the table's code" in talk.told()[0]
    assert talk.type("quit") == []
    assert talk.link.left


def test_nobody_is_asked_for_a_code_who_cannot_type_it() -> None:
    for manner, ends in ((PlainManner(reads=False), False), (PlainManner(), True)):
        talk = Talk(manner)
        if ends:
            talk.client.end_input()
        talk.client.on_event(peer_session.CodeAsked())
        assert talk.link.left
        assert talk.client.exit is Exit.REFUSED


def test_the_last_wrong_code_has_the_host_asked() -> None:
    talk = Talk()
    talk.client.on_event(peer_session.RefusedBy("wrong-code", {"left": 0}, final=False))
    talk.client.on_event(peer_session.AskedAbout())
    assert talk.told() == [
        "That was not the code, and too many were tried: the host's player is asked now.",
        "The host's player is asked whether you may come in: wait for the answer.",
    ]


@pytest.mark.parametrize(("reason", "words"), [("kicked", "away from"), ("banned", "banned you")])
def test_who_is_sent_away_hears_it(reason: str, words: str) -> None:
    talk = Talk()
    talk.show(view(1, public()))
    talk.client.on_event(peer_session.RemovedBy(reason))
    assert words in talk.told()[0]
    assert talk.client.exit is Exit.REFUSED


def test_the_host_hears_the_code_and_who_asks() -> None:
    talk = Talk()
    assert "Newcomers need the code: 482 913" in talk.show(
        at_desk(1, admission="code", code="482913")
    )
    assert "Robin asks to join." in talk.show(at_desk(2, ROBIN))
    assert "Wanda asks to watch." in talk.show(at_desk(3, ROBIN, WANDA))
    assert talk.show(at_desk(4, ROBIN, WANDA)) == []


def test_the_host_lets_in_and_sends_away() -> None:
    talk = Talk()
    talk.show(at_desk(1, ROBIN, WANDA, banned=(m.Somebody("m" * 40, "Mallory", ""),)))
    acts = {
        "admit": m.Admit(ROBIN.key),
        "admit wanda": m.Admit(WANDA.key),
        "refuse": m.Admit(ROBIN.key, admit=False),
        "kick 4": m.Kick("d" * 40),
        "kick dai": m.Kick("d" * 40),
        "ban Robin": m.Ban(ROBIN.key),
        "unban mallory": m.Unban("m" * 40),
        "admission code": m.SetAdmission("code"),
    }
    for line, act in acts.items():
        talk.type(line)
        assert talk.last_act() == act, line
        talk.answer()
    assert talk.type("people")[:5] == [
        "You are asked about newcomers.",
        "Robin: asks to join.",
        "Wanda: asks to watch.",
        "Dai: seat 4.",
        "Mallory: banned.",
    ]
    for line, words in {
        "kick": "Name somebody",
        "kick nobody": "Nobody like that",
        "unban dai": "Nobody like that",
        "admission maybe": "admission open",
    }.items():
        assert words in talk.type(line)[0], line


def test_the_door_is_the_hosts() -> None:
    talk = Talk()
    talk.show(view(1, public()))
    for line in ("admit", "refuse", "kick 2", "ban 2", "unban x", "people", "admission"):
        assert "ask the host's player" in talk.type(line)[0], line


def lead_with_aids(*, aids: bool) -> m.View:
    deal = new_deal(Options(aids=aids), 4, deal_hands(b"hint".ljust(32)))
    assert deal.turn is not None
    deal = deal.play(0)
    assert deal.turn is not None
    seen = view_of(deal, deal.turn)
    return msgspec.structs.replace(seen, epoch=1, seq=1, role="player")


def test_a_hint_is_said_where_the_table_is_played_with_aids() -> None:
    async def asked() -> str:
        talk = Talk()
        talk.show(lead_with_aids(aids=True))
        talk.client.type_line("hint")
        while "Hint:" not in talk.out.getvalue():
            await asyncio.sleep(0.01)
        return talk.out.getvalue()

    assert "Hint:" in asyncio.run(asked())


@pytest.mark.parametrize(("hand_changes", "words"), [(False, "Hint:"), (True, "has gone on since")])
def test_a_hint_asked_for_is_answered_also_when_the_table_goes_on(
    hand_changes: bool, words: str
) -> None:
    async def asked() -> str:
        talk = Talk()
        view = lead_with_aids(aids=True)
        talk.show(view)
        assert view.own is not None
        talk.client.type_line("hint")
        own = msgspec.structs.replace(view.own, legal=[]) if hand_changes else view.own
        talk.show(msgspec.structs.replace(view, seq=2, own=own))
        while words not in talk.out.getvalue():
            await asyncio.sleep(0.01)
        return talk.out.getvalue()

    assert words in asyncio.run(asyncio.wait_for(asked(), 20))


def test_without_aids_there_are_no_hints() -> None:
    talk = Talk()
    talk.show(lead_with_aids(aids=False))
    talk.client.type_line("hint")
    assert "without aids" in talk.out.getvalue()


def test_every_trick_of_a_deal_is_said_and_fetched_where_it_is_not_known() -> None:
    cards = [m.TrickCard(place, card) for place, card in enumerate(("7H", "2S", "3H", "9H"))]
    log: list[m.AnyEvent] = [
        m.GameStarted(1, 0, "g"),
        m.DealStarted(2, 0, 1, "left"),
        m.TrickTaken(3, 0, m.TrickView(1, cards, 3, 3)),
        m.Claimed(4, 0, 2),
        m.DealStarted(5, 0, 2, "hold"),
    ]
    talk = Talk()
    playing = msgspec.structs.replace(PLAYING, newest_event=5, deal=2)
    talk.show(view(20, playing, hand="5C 5H", legal="5H", may=("play",)))
    assert talk.type("tricks 1") == []
    assert talk.link.fetched == [("log", 0)]
    talk.client.on_event(LogArrived(m.LogPage(log, more=False)))
    assert talk.told()[:3] == [
        "Deal 1. Three cards are passed to the left.",
        "Trick 1: you 7 of hearts, Bram 2 of spades, Asha 3 of hearts, Chloé 9 of hearts. "
        "Chloé took it: 3 points.",
        "Asha claimed the rest.",
    ]
    assert talk.type("tricks")[:2] == [
        "Deal 2. Nobody passes cards.", "No trick has been taken yet."
    ]  # fmt: skip
    assert talk.type("tricks 9")[:1] == ["No trick of such a deal is known."]
    assert talk.type("tricks x")[:1] == ["Name a deal by its number, such as tricks 2."]
    assert talk.link.fetched == [("log", 0)]


def test_a_card_played_while_passing_says_that_cards_are_passed() -> None:
    talk = Talk()
    talk.show(view(3, PASSING, hand=HAND, may=("pass",)))
    said = "Cards are being passed: name three of them, such as pass qs 7s 2s."
    assert talk.type("play qs")[0] == said
    assert talk.link.acts == []


def test_without_chat_from_the_start_it_is_not_told() -> None:
    talk = Talk(PlainManner(chat=False))
    talk.show(view(1, public(phase="lobby")))
    said = (m.Said(1, 0, "Bram", 1, "hurry"),)
    told = talk.show(view(2, public(newest_event=1), events=said))
    assert not any("hurry" in line for line in told)


def test_chat_can_be_left_untold_and_heard_again() -> None:
    talk = Talk()
    table = public(phase="lobby")
    talk.show(view(1, table))
    assert "Chat off: you do not hear what others say." in talk.type("chat off")
    said = (m.Said(1, 0, "Bram", 1, "hurry"), m.Said(2, 0, "Me", 0, "soon"))
    told = talk.show(view(2, public(newest_event=2), events=said))
    assert not any("hurry" in line for line in told)
    assert any("soon" in line for line in told)
    assert "Chat on: you hear what others say." in talk.type("chat on")
    again = (m.Said(3, 0, "Bram", 1, "at last"),)
    assert any(
        "at last" in line for line in talk.show(view(3, public(newest_event=3), events=again))
    )
    assert talk.type("chat maybe")[0] == "Type chat on, or chat off."


def test_on_a_terminal_an_answer_comes_before_the_next_prompt() -> None:
    talk = at_my_turn(terminal=True)
    talk.told()
    assert talk.type("legal") == ["You may play: 5, 9 or ace of hearts.", "play> "]


def with_the_queen(*, confirms: bool) -> Talk:
    talk = Talk(PlainManner(confirms_queen=confirms))
    hand = "5C QS 5H"
    led = msgspec.structs.replace(PLAYING, trick=[m.TrickCard(3, "2S")])
    talk.show(view(20, led, hand=hand, legal="QS", may=("play",)))
    return talk


def test_the_queen_of_spades_is_asked_about_where_that_is_set() -> None:
    talk = with_the_queen(confirms=True)
    asked = "Play the queen of spades? Type yes to play it, or another card."
    assert talk.type("yes")[0] == "Nothing has been asked that yes would answer."
    assert talk.type("qs") == [asked, "play>"]
    talk.type("hand")
    assert talk.type("yes")[0] == "Nothing has been asked that yes would answer."
    assert talk.link.acts == []
    talk.type("play qs", "yes")
    assert talk.link.acts == [m.Play("QS")]


def test_without_that_setting_the_queen_is_played_at_once() -> None:
    talk = with_the_queen(confirms=False)
    talk.type("qs")
    assert talk.link.acts == [m.Play("QS")]


def test_a_queen_that_was_asked_about_is_not_played_in_another_trick() -> None:
    talk = with_the_queen(confirms=True)
    talk.type("qs")
    later = msgspec.structs.replace(PLAYING, trick=[m.TrickCard(3, "3S")], trick_number=8)
    talk.show(view(30, later, hand="QS 5H", legal="QS", may=("play",)))
    assert talk.type("yes")[0] == "Nothing has been asked that yes would answer."
    assert talk.link.acts == []


def test_a_game_is_played_again_by_who_says_so_as_on_the_full_screen() -> None:
    def after(seq: int, *ready: int) -> m.View:
        seats = [
            seat(0, ready=0 in ready),
            seat(1, kind="person", ready=1 in ready),
            seat(2),
            seat(3),
        ]
        over = public(game="g", phase="game-over", deal=3, winner=2, seats=seats)
        return view(seq, over, may=("ready", "rematch"))

    talk = Talk()
    asked = talk.show(after(1))[-2]
    assert asked.startswith("Type rematch for another game with these players, lobby for")
    assert talk.show(after(2, 1)) == ["Bram wants to play again."]
    assert talk.show(after(3)) == []
    assert talk.type("rematch") == []
    assert talk.last_act() == m.Ready()
    assert talk.answer(seq=4) == ["You want to play again."]
    assert talk.show(after(4, 0)) == []
    assert talk.type("turn") == ["Waiting for Bram."]
    assert talk.type("ready no") == []
    assert talk.last_act() == m.Ready(False)


def test_no_other_game_is_asked_for_before_the_end_of_this_one() -> None:
    talk = at_my_turn()
    told = talk.type("rematch")
    assert told == ["There can be another game only after this one: wait for its end.", "play>"]
    assert talk.link.acts == []
