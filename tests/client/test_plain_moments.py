"""Choosing ahead, being asked and leaving in plain mode; what is said of turns and cards out."""

from __future__ import annotations

import io

import msgspec
import pytest

from hearts_client.leavingwords import farewell_words
from hearts_client.plain import PlainClient, PlainManner
from hearts_client.plain_commands import COMMANDS
from hearts_client.plain_output import LineWriter
from hearts_client.testing.sitting import Sitting
from hearts_client.testing.told import ToldLink
from hearts_net.protocol import messages as m
from hearts_net.protocol.peer_outputs import LinkChanged, NewView, Replied
from hearts_net.protocol.peer_session import LinkState
from hearts_net.rules.game import Phase


class Seat:
    """A player of plain mode at a table that is played on by the test."""

    def __init__(self, manner: PlainManner | None = None) -> None:
        self.table = Sitting(bots=frozenset({1, 2, 3}))
        self.table.hear = self.hear  # type: ignore[method-assign]
        self.out = io.StringIO()
        self.now = 0
        manner = manner or PlainManner(ahead=True)
        writer = LineWriter(self.out, terminal=manner.terminal)
        self.client = PlainClient(writer, manner, lambda: self.now)
        self.link = ToldLink(self.client.on_event)
        self.client.attach(self.link)
        self.link.tell(LinkChanged(LinkState.LIVE, 0))

    def hear(self, view: m.View) -> None:
        self.now += 1000
        self.link.tell(NewView(view, gap=False))

    def told(self) -> list[str]:
        lines = self.out.getvalue().splitlines()
        self.out.seek(0)
        self.out.truncate()
        return lines

    def type(self, line: str) -> list[str]:
        self.told()
        self.client.type_line(line)
        return self.told()

    def wait_for_others(self, trick: int = 2) -> None:
        """Play on until another player is to play to a trick."""
        self.table.until(
            lambda at: (
                at.game.phase is Phase.PLAYING
                and at.game.deal is not None
                and at.game.deal.turn != 0
                and at.game.deal.trick_number == trick
            )
        )
        self.told()

    def until_my_turn(self) -> None:
        self.table.until(lambda at: at.game.deal is not None and at.game.deal.turn == 0)

    @property
    def own(self) -> m.OwnView:
        own = self.table.view().own
        assert own is not None
        return own

    def cards(self, *, legal: bool) -> list[str]:
        """Give the cards that may or may not be played at the next turn; the table goes there."""
        self.until_my_turn()
        own = self.own
        return [card for card in own.hand if (card in own.legal) is legal]


def waiting_seat(manner: PlainManner | None = None) -> tuple[Seat, str, str]:
    """Give a seat while others play, a card that may be played at its turn, and one that may not.

    What is legal is found out at a table that is played on just the same.
    """
    other = Seat()
    other.wait_for_others()
    good, bad = other.cards(legal=True), other.cards(legal=False)
    seat = Seat(manner)
    seat.wait_for_others()
    return seat, good[0], bad[0] if bad else ""


def test_a_card_chosen_ahead_is_played_at_ones_turn() -> None:
    seat, card, _bad = waiting_seat()
    assert seat.type(f"ahead {card}")[0].endswith("if it may be; ahead none takes it back.")
    assert seat.type("ahead")[0].startswith("You have chosen ")
    assert seat.link.acts == []
    seat.until_my_turn()
    assert seat.link.acts == [m.Play(card)]
    assert any(line.endswith("is played, as chosen ahead.") for line in seat.told())


@pytest.mark.parametrize("back", ["ahead none", "the card again"])
def test_a_card_chosen_ahead_can_be_taken_back(back: str) -> None:
    seat, card, _bad = waiting_seat()
    seat.type(f"ahead {card}")
    said = seat.type(f"ahead {card}" if back == "the card again" else back)
    assert said[0].endswith(": no card is chosen ahead.")
    assert seat.type("ahead") == ["No card is chosen ahead."]
    seat.until_my_turn()
    assert seat.link.acts == []
    assert seat.told()[-1] == "play>"


def test_a_card_chosen_ahead_that_may_not_be_played_is_said_and_asked_for() -> None:
    seat, _card, bad = waiting_seat()
    assert bad
    seat.type(f"ahead {bad}")
    seat.until_my_turn()
    told = seat.told()
    assert seat.link.acts == []
    assert any(line.startswith("The card chosen ahead, ") for line in told)
    assert told[-1] == "play>"


def test_choosing_ahead_is_off_unless_set() -> None:
    seat, card, _bad = waiting_seat(PlainManner())
    assert seat.type(f"ahead {card}") == ["Choosing ahead is off: settings ahead on turns it on."]
    seat.type("settings ahead on")
    seat.type(f"ahead {card}")
    assert seat.type("settings ahead off") == [
        "Ahead off: you cannot choose a card before your turn."
    ]
    seat.until_my_turn()
    assert seat.link.acts == [], "with the setting goes the card"


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("ahead 2c 3c", "Name one card to choose ahead, such as: ahead qs."),
        ("ahead flub", "“flub” is no card"),
    ],
)
def test_what_cannot_be_chosen_ahead_is_said(line: str, words: str) -> None:
    seat, _card, _bad = waiting_seat()
    assert seat.type(line)[0].startswith(words)


def test_at_ones_turn_nothing_is_chosen_ahead() -> None:
    seat, card, _bad = waiting_seat()
    seat.until_my_turn()
    assert seat.type(f"ahead {card}")[0] == "It is your turn: type the card alone to play it."


def test_a_card_typed_before_it_was_asked_for_is_not_played_at_a_terminal() -> None:
    seat, card, _bad = waiting_seat(PlainManner(terminal=True))
    seat.type("say hello")  # until its answer comes, further lines wait
    seat.client.type_line(card)
    seat.until_my_turn()
    seat.told()
    said = m.Reply(1, True, "", {}, 1, 0)
    seat.link.tell(Replied(1, said, seat.link.acts[0]))
    assert seat.link.acts == [m.Say("hello")]
    assert seat.told()[-2].endswith(
        "That was typed before it was asked, so nothing is played or passed."
    )


def test_a_card_typed_in_the_moment_of_the_question_is_not_played_at_a_terminal() -> None:
    seat, card, _bad = waiting_seat(PlainManner(terminal=True))
    seat.until_my_turn()
    seat.now += 100
    seat.type(card)
    assert seat.link.acts == []
    seat.now += 1000
    seat.type(card)
    assert seat.link.acts == [m.Play(card)]


# ---- what is asked -------------------------------------------------------------------------------


def test_whose_turn_it_is_and_for_how_long_is_said_on_demand() -> None:
    seat, _card, _bad = waiting_seat()
    seat.now += 4000
    assert seat.type("turn")[0].startswith("Waiting for ")
    assert seat.type("turn")[0].endswith("That has been so for 4 seconds.")
    seat.table.changes = {"turn_until": seat.table.view().time + 20_000}
    seat.until_my_turn()
    seat.now += 5000
    said = seat.type("turn")
    assert said[0].startswith("It is your turn to play a card. That has been so for 5 seconds.")
    assert "then a bot does it." in said[1]


def test_who_is_awaited_and_away_is_said_with_the_turn() -> None:
    seat, _card, _bad = waiting_seat()
    view = seat.table.view()
    away = view.public.turn
    assert away is not None
    seat.table.seat_changes = {
        away: {"presence": "away", "since": view.time, "held_until": view.time + 60_000}
    }
    seat.table.show()
    assert "away for" in seat.type("turn")[1]


def test_cards_still_out_are_told_with_aids_alone() -> None:
    seat, _card, _bad = waiting_seat()
    assert seat.type("out")[1].endswith("this table is played without aids.")
    seat.table.changes = {"rules": {**seat.table.view().public.rules, "aids": True}}
    seat.table.show()
    said = seat.type("out")
    assert said[1].startswith("Not seen yet: clubs ")
    for card in seat.own.hand:
        assert card not in said[1]


def test_what_was_passed_and_received_is_said_for_the_whole_deal() -> None:
    seat, _card, _bad = waiting_seat()
    passed, received = seat.type("exchange")
    assert passed.startswith("You have passed ")
    assert passed.endswith(" to the left, to Bram.")
    assert received.endswith(" from Dana.")


def test_help_lists_what_applies_in_this_phase_and_role() -> None:
    seat, _card, _bad = waiting_seat()

    def listed() -> set[str]:
        return {line.split(":")[0].split()[0] for line in seat.type("help")}

    while_others_play = listed()
    assert {"hand", "trick", "turn", "ahead", "quit"} <= while_others_play
    assert not {"pass", "play", "ready", "next", "moon", "start", "kick"} & while_others_play
    seat.until_my_turn()
    assert "play" in listed()
    assert seat.type("help moon") == ["moon others or me: choose what your moon does.", "play>"]
    everything = seat.type("help all")
    assert len(everything) == len(COMMANDS) + 2  # a line on cards before them, a prompt after


def test_a_watcher_is_offered_no_acts() -> None:
    seat = Seat(PlainManner(sit=False))
    seat.table.me = None
    seat.table.until(lambda at: at.game.phase is Phase.PLAYING)
    words = {line.split(":")[0].split()[0] for line in seat.type("help")}
    assert {"trick", "last", "seats", "turn", "quit"} <= words
    assert not {"play", "pass", "hand", "ready", "kick", "close", "say", "wait"} & words


# ---- leaving -------------------------------------------------------------------------------------


def test_leaving_says_what_becomes_of_the_seat_and_how_to_come_back() -> None:
    table = Sitting(bots=frozenset({2, 3}))
    table.until_my_turn(3)
    view = table.view()
    held = "Your seat is held until you come back; meanwhile a bot plays for you."
    seats = [msgspec.structs.replace(each, host=n == 1) for n, each in enumerate(view.public.seats)]
    guest = msgspec.structs.replace(view, public=msgspec.structs.replace(view.public, seats=seats))
    assert farewell_words(guest, invite="hearts://x", owns=False) == (
        f"You have left the table in the middle of a deal. {held} "
        "hearts-net join hearts://x brings you back."
    )
    owner = farewell_words(view, invite="hearts://x", owns=True)
    assert owner.endswith("hearts-net join brings you back, hearts-net stop ends it.")
    lost = farewell_words(guest, invite="", owns=False, is_lost=True)
    assert lost.startswith("You have left; the host cannot be reached now")
    between = msgspec.structs.replace(guest.public, phase="deal-over")
    gone = farewell_words(msgspec.structs.replace(guest, public=between), invite="", owns=False)
    assert gone == "You have left the table, which goes on. hearts-net join brings you back."
    watcher = msgspec.structs.replace(view, own=None, role="watcher")
    assert farewell_words(watcher, invite="", owns=False) == "You have left the table."
    assert farewell_words(None, invite="", owns=False) == ""


@pytest.mark.parametrize(
    ("phase", "trick", "saving", "says"),
    [
        ("playing", 3, "", "It is saved: hearts-net resume takes it up again."),
        ("playing", 3, "full", "What the host could not save of it is lost."),
        ("passing", 1, "", "No card had been played yet."),
        ("game-over", 3, "", "You have left the table."),
    ],
)
def test_leaving_ones_own_table_says_whether_it_is_saved(
    phase: str, trick: int, saving: str, says: str
) -> None:
    table = Sitting(bots=frozenset({1, 2, 3}))
    table.until_my_turn(trick)
    if phase == "passing":
        table.changes = {"trick": []}
    table.changes |= {"phase": phase, "saving": saving}
    assert farewell_words(table.view(), invite="", owns=False).endswith(says)


def test_a_table_is_saved_also_when_it_is_left_after_its_first_deal() -> None:
    table = Sitting(bots=frozenset({1, 2, 3}))
    table.until(lambda at: bool(at.game.results))
    assert table.view().public.phase == "deal-over"
    said = farewell_words(table.view(), invite="", owns=False)
    assert said.endswith("It is saved: hearts-net resume takes it up again.")


def test_after_a_game_who_came_from_the_start_is_told_the_way_back() -> None:
    for from_start in (True, False):
        seat = Seat(PlainManner(from_start=from_start))
        seat.table.until(lambda at: at.game.phase is Phase.OVER)
        told = seat.told()
        assert told[-1] == "again>"
        offered = "Type menu to go back to the start, for another table." in told
        assert offered is from_start
        assert ("There is no start" in "".join(seat.type("menu"))) is not from_start
        assert seat.client.wants_start is from_start
