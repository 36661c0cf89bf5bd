"""What plain mode says of those who are away, and how one votes about their seats."""

from __future__ import annotations

import io

import pytest
from msgspec.structs import replace

from hearts_client.plain import PlainClient, PlainManner
from hearts_client.plain_output import LineWriter
from hearts_net.protocol import messages as m
from hearts_net.protocol.peer_outputs import LinkChanged, NewView
from hearts_net.protocol.peer_states import LinkState
from hearts_net.rules.options import Options

NOW = 1_000_000
NOON = NOW + 15_000
NAMES = ("Me", "Bram", "Asha", "Chloé")
HERE = m.SeatView(
    kind="person", name="", key="", level="", presence="present", since=0, held_until=0,
    deputy=False, ready=False, host=False, cards=13, passed=False, points=0, total=0, tricks=0,
)  # fmt: skip


class Talk:
    """A client in the passing of a first deal, whose neighbours the test makes."""

    def __init__(self) -> None:
        self.out = io.StringIO()
        self.now = 0
        self.acts: list[m.AnyAct] = []
        self.client = PlainClient(
            LineWriter(self.out, terminal=False), PlainManner(), lambda: self.now
        )
        self.client.attach(self)
        self.seq = self.seen = 0
        self.show()
        self.told()

    async def run(self) -> None:
        raise AssertionError("not run here")

    def do(self, act: m.AnyAct) -> int:
        self.acts.append(act)
        return len(self.acts)

    def fetch(self, what: str, after: int) -> None:
        raise AssertionError(f"{what} after {after}: nothing is missing")

    def leave(self) -> None:
        raise AssertionError("nobody leaves")

    def give_code(self, code: str) -> None:
        raise AssertionError(f"no code is wanted: {code}")

    def told(self) -> list[str]:
        lines = self.out.getvalue()[self.seen :].splitlines()
        self.seen = len(self.out.getvalue())
        return lines

    def show(
        self,
        *events: m.AnyEvent,
        votes: tuple[m.VoteView, ...] = (),
        seats: dict[int, m.SeatView] | None = None,
    ) -> list[str]:
        """Show a view in which some seats are as given."""
        self.seq += 1
        away = any(seat.presence == "away" for seat in (seats or {}).values())
        places = [(seats or {}).get(n, HERE) for n in range(4)]
        public = m.PublicView(
            table="attic", game="g", phase="passing", paused="", rules=Options().to_dict(),
            seats=[replace(seat, name=NAMES[n]) for n, seat in enumerate(places)], watchers=0,
            deal=1, direction="left", trick_number=0, leader=None, turn=None, turn_until=0,
            next_at=0, trick=[], last_trick=None, hearts_broken=False, queen_taken_by=None,
            points_out=26, seen=[], shown_voids=[], last_deal=None, winner=None,
            newest_event=events[-1].n if events else 0, address="", votes=list(votes),
        )  # fmt: skip
        may = ["vote"] if away else []
        own = m.OwnView(0, ["2C", "3C", "4C"], [], ["5C", "6C", "7C"], [], may, False)
        view = m.View(1, self.seq, NOW, public, own, list(events), "player", ["say"])
        first = self.client._link_state is not LinkState.LIVE
        self.client.on_event(NewView(view, gap=False))
        if first:
            self.client.on_event(LinkChanged(LinkState.LIVE, 0))
        return self.told()

    def type(self, line: str) -> list[str]:
        self.client.type_line(line)
        return self.told()


def away(*, since: int = NOW, held: int = 60_000) -> m.SeatView:
    return replace(HERE, presence="away", since=since, held_until=NOW + held if held else 0)


def test_who_is_away_is_told_with_the_time_and_how_to_vote() -> None:
    talk = Talk()
    gone = m.PresenceChanged(1, NOW, 1, "Bram", "away", False)
    assert talk.show(gone, seats={1: away()}) == [
        "Bram has lost the connection; the seat is held for 60 seconds.",
        "Type vote bot to let a bot play for Bram now, or vote wait to wait longer.",
    ]
    assert talk.type("vote wait") == []
    assert talk.acts == [m.Vote(1, "wait")]


def test_seats_say_since_when_somebody_is_away_and_how_long_the_seat_is_held() -> None:
    talk = Talk()
    seats = {
        1: away(since=NOW - 12_000, held=48_000),
        2: replace(HERE, presence="slow"),
        3: replace(HERE, presence="left", deputy=True),
    }
    talk.show(seats=seats, votes=(m.VoteView(1, [0], [2], 2),))
    assert talk.type("seats") == [
        "Seat 1, south: Me, you.",
        "Seat 2, west: Bram, away for 12 seconds, the seat is held for another 48 seconds, "
        "1 of 2 wants a bot now, 1 of 2 wants to wait.",
        "Seat 3, north: Asha, slow to answer.",
        "Seat 4, east: Chloé, a bot plays for them, gone.",
    ]
    talk.now = 5000
    assert "away for 17 seconds, the seat is held for another 43 seconds" in talk.type("seats")[1]


def test_a_bot_over_the_network_that_is_away_is_told_too() -> None:
    talk = Talk()
    talk.show(seats={2: replace(away(held=0), kind="bot", level="easy")})
    assert talk.type("seats")[2].endswith("Asha, a computer player, easy, away for 0 seconds.")


@pytest.mark.parametrize(
    ("typed", "said"),
    [
        ("vote", "Type vote wait, or vote bot, and a seat where several wait."),
        ("vote maybe", "Type vote wait, or vote bot, and a seat where several wait."),
        ("vote bot 7", "Name a seat by its number, from 1 to 4."),
        ("vote bot", "Several are away: name one of their seats as well (2, 4)."),
    ],
)
def test_a_vote_that_is_not_understood_says_how(typed: str, said: str) -> None:
    talk = Talk()
    talk.show(seats={1: away(), 3: away()})
    assert talk.type(typed) == [said]
    assert talk.acts == []


def test_one_of_several_is_named_by_the_seat() -> None:
    talk = Talk()
    talk.show(seats={1: away(), 3: away()})
    assert talk.type("VOTE Bot 4") == []
    assert talk.acts == [m.Vote(3, "bot")]


def test_there_is_nothing_to_vote_about_while_everybody_is_here() -> None:
    talk = Talk()
    assert talk.type("vote bot")[0].startswith("The table waits for nobody there")
    assert talk.acts == []


def test_the_turn_limit_is_said_with_the_question() -> None:
    talk = Talk()
    assert talk.client._view is not None
    public = replace(talk.client._view.public, turn_until=NOON)
    mine = talk.client._view.own
    assert mine is not None
    own = replace(mine, passed=[], may=["pass"])
    talk.client.on_event(NewView(replace(talk.client._view, seq=9, public=public, own=own), False))
    assert "You have 15 seconds, then a bot does it." in talk.told()


def test_a_card_that_a_bot_played_says_so_in_the_trick() -> None:
    talk = Talk()
    assert talk.client._view is not None
    cards = [m.TrickCard(1, "7H"), m.TrickCard(2, "2S", by_bot=True)]
    public = replace(talk.client._view.public, phase="playing", trick_number=2, trick=cards, turn=3)
    view = replace(talk.client._view, seq=9, public=public)
    talk.client.on_event(NewView(view, gap=False))
    talk.told()
    assert talk.type("trick")[0] == (
        "Trick 2. On the table: Bram 7 of hearts, Asha 2 of spades, played by a bot."
    )
