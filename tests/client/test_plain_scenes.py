"""What plain mode says at moments that the recorded game does not have, kept for each language.

Each scene is a table as it stands then, what happens there, and what is typed. `make screens`
writes the scenes anew.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from hearts_client.i18n import catalogue_languages, use_language
from hearts_client.plain import PlainClient, PlainManner
from hearts_client.plain_output import LineWriter
from hearts_client.tablelink import Reached, TableNotice
from hearts_client.testing.sitting import EPOCH, NAMES, Sitting
from hearts_client.testing.told import ToldLink
from hearts_net.protocol import messages as m
from hearts_net.protocol.peer_outputs import (
    AskedAbout,
    CodeAsked,
    DealChecked,
    HostClosing,
    LeftTable,
    LinkChanged,
    NewView,
    RemovedBy,
    Replied,
)
from hearts_net.protocol.peer_session import LinkState
from hearts_net.protocol.tablecode import read_code
from hearts_net.rules.game import Phase

FOLDER = Path(__file__).parent / "golden"
INVITE = "hearts://192.168.1.7/26052/" + "k" * 43 + "/abcdef"
PLAYS = ("play", "claim", "say", "vote", "pause")


class Scene(Sitting):
    """A table, and somebody there who hears lines and types."""

    def __init__(self, manner: PlainManner | None = None, *, bots: frozenset[int] = frozenset({3}),
                 me: int | None = 0) -> None:  # fmt: skip
        self.out = io.StringIO()
        self.client = PlainClient(
            LineWriter(self.out, terminal=False), manner or PlainManner(), lambda: self.now
        )
        self.link = ToldLink(self.client.on_event)
        self.client.attach(self.link)
        self.link.give_code = self.take_code  # type: ignore[method-assign]
        self.heard = True
        self.answered = 0
        super().__init__(bots=bots, me=me)
        self.link.tell(LinkChanged(LinkState.LIVE, 0))
        self.link.tell(Reached(INVITE))

    def take_code(self, text: str) -> None:
        """Take what can be a code, as a link does."""
        read_code(text)

    def hear(self, view: m.View) -> None:
        """Hear what a view brings, unless the scene has not begun."""
        if self.heard:
            self.link.tell(NewView(view, gap=False))

    def begin(self, reached: Callable[[Sitting], bool]) -> None:
        """Play on, unheard, until the scene begins."""
        self.heard = False
        self.until(reached)
        self.heard = True
        self.show()

    def type(self, *lines: str, refused: str = "") -> None:
        """Type lines; what is asked of the table is granted, or refused with this code."""
        for line in lines:
            self.out.write(f"    {line}\n")
            self.client.type_line(line)
            self.answer(refused)

    def answer(self, refused: str = "") -> None:
        """Grant what was asked of the table, or refuse it."""
        while self.answered < len(self.link.acts):
            act = self.link.acts[self.answered]
            self.answered += 1
            seq = self.seq + 1 if isinstance(act, m.Play) else 0
            reply = m.Reply(self.answered, not refused, refused, {}, EPOCH, seq)
            self.link.tell(Replied(self.answered, reply, act))


def at_trick(number: int, *, mine: bool) -> Callable[[Sitting], bool]:
    """Say when a trick is played, at this player's turn or not."""

    def reached(table: Sitting) -> bool:
        deal = table.game.deal
        playing = deal is not None and table.game.phase is Phase.PLAYING
        return bool(playing and deal and deal.trick_number == number and (deal.turn == 0) is mine)

    return reached


def at_the_lobby(scene: Scene) -> None:
    scene.lobby(seated=2)
    scene.type(
        "help", "seats", "turn", "bots", "set target=50", "preset omnibus", "ready no", "sit 3"
    )
    scene.lobby(seated=4)
    scene.type("start", refused="not-allowed")
    scene.type("ready")


def choosing_ahead(scene: Scene) -> None:
    scene.begin(at_trick(3, mine=False))
    scene.type("ahead qs", "settings ahead on", "help")
    own = scene.view().own
    assert own is not None
    scene.type(f"ahead {own.hand[0]}", "ahead", "ahead none", f"ahead {own.hand[0]}")
    scene.until(lambda at: at.game.deal is not None and at.game.deal.turn == 0)
    scene.answer()
    scene.play(own.hand[0])
    scene.type(f"ahead {own.hand[-1]}")
    scene.until(lambda at: at.game.deal is not None and at.game.deal.turn == 0)


def somebody_away(scene: Scene) -> None:
    scene.begin(at_trick(2, mine=False))
    scene.own_changes = {"may": ["vote", "say"]}
    gone = scene.view().public.turn or 1
    since = scene.view().time
    away = {"presence": "away", "since": since + 1000, "held_until": since + 61_000}
    scene.seat_changes = {gone: away}
    scene.show([m.PresenceChanged(0, 0, gone, NAMES[gone], "away", False)])
    scene.now += 5000
    scene.type("turn", "seats", "vote", "vote wait", "vote bot")
    scene.show([m.Voted(0, 0, gone, NAMES[gone], 0, "bot"),
                m.VoteEnded(0, 0, gone, NAMES[gone], "bot"),
                m.PresenceChanged(0, 0, gone, NAMES[gone], "away", True)])  # fmt: skip
    scene.seat_changes = {}
    scene.show([m.PresenceChanged(0, 0, gone, NAMES[gone], "present", False)])


def a_pause_and_a_lost_connection(scene: Scene) -> None:
    scene.begin(at_trick(2, mine=True))
    scene.changes = {"paused": "player"}
    scene.own_changes = {"may": ["say"], "legal": []}
    scene.show([m.PausedChanged(0, 0, "player")])
    scene.type("turn", "again", "hand")
    scene.link.tell(LinkChanged(LinkState.LOST, 0))
    scene.type("say hello", "trick")
    scene.link.tell(LinkChanged(LinkState.LIVE, 0))
    scene.changes, scene.own_changes = {}, {}
    scene.show([m.PausedChanged(0, 0, ""), m.Said(0, 0, NAMES[1], 1, "welcome back")])
    scene.link.tell(
        TableNotice("The table's process has died: it is started again as it was saved.")
    )


def a_claim(scene: Scene) -> None:
    scene.changes = {"trick": []}
    scene.own_changes = {"can_claim": True, "may": [*PLAYS]}
    scene.begin(at_trick(12, mine=True))
    scene.type("help")
    scene.type("claim", refused="claim-refused")
    scene.type("claim")
    scene.show([m.Claimed(0, 0, 0)])


def between_deals(scene: Scene) -> None:
    scene.begin(lambda at: at.game.phase is Phase.DEALING and bool(at.game.results))
    scene.changes = {"next_at": scene.view().time + 30_000}
    scene.show([m.DealEnded(0, 0, scene.summary())])
    scene.link.tell(DealChecked("g1", 1, "", {}))
    scene.type("fair", "deals", "turn", "help", "next")


def a_moon(scene: Scene) -> None:
    scene.begin(at_trick(13, mine=True))
    scene.changes = {"phase": "moon", "turn": 0, "trick": []}
    scene.own_changes = {"may": ["choose-moon", "say"], "legal": [], "hand": []}
    scene.show()
    scene.type("turn", "moon", "help", "moon others")
    scene.show([m.MoonChosen(0, 0, 0, "others-gain")])


def the_end(scene: Scene) -> None:
    scene.begin(lambda at: at.game.phase is Phase.OVER)
    totals = list(scene.game.totals)
    assert scene.game.winner is not None
    scene.show([m.GameEnded(0, 0, totals, scene.game.winner)])
    scene.type("turn", "score", "exchange", "out", "help", "rematch", "quit")
    scene.link.tell(LeftTable())


def leaving_in_the_middle(scene: Scene) -> None:
    scene.seat_changes = {0: {"host": False}, 1: {"host": True}}
    scene.begin(at_trick(4, mine=True))
    scene.type("quit")
    scene.link.tell(LeftTable())


def watching(scene: Scene) -> None:
    scene.begin(at_trick(2, mine=True))
    scene.type("help", "hand", "qs", "turn", "seats", "claim", refused="no-seat")
    scene.step()
    scene.link.tell(HostClosing("saved"))


def at_the_door(scene: Scene) -> None:
    scene.link.tell(CodeAsked())
    scene.type("12", "482913")
    scene.link.tell(AskedAbout())
    scene.lobby(seated=3)
    scene.link.tell(RemovedBy("kicked"))


SCENES: dict[str, tuple[Callable[[Scene], None], Callable[[], Scene]]] = {
    "the lobby": (at_the_lobby, Scene),
    "choosing ahead": (choosing_ahead, Scene),
    "somebody is away": (somebody_away, Scene),
    "a pause, and a lost connection": (a_pause_and_a_lost_connection, Scene),
    "a claim": (a_claim, Scene),
    "between deals": (between_deals, Scene),
    "a moon": (a_moon, Scene),
    "the end of a game": (the_end, Scene),
    "leaving in the middle of a deal": (leaving_in_the_middle, Scene),
    "watching": (watching, lambda: Scene(PlainManner(sit=False), me=None)),
    "at the door": (at_the_door, Scene),
}


def told() -> str:
    """Play every scene."""
    parts = []
    for title, (play, made) in SCENES.items():
        scene = made()
        play(scene)
        parts.append(f"# {title}\n\n{scene.out.getvalue()}")
    return "\n".join(parts)


@pytest.mark.parametrize("language", catalogue_languages())
def test_every_scene_is_told_as_it_was(language: str) -> None:
    path = FOLDER / f"scenes-{language}.txt"
    use_language(language)
    try:
        said = told()
    finally:
        use_language("en")
    if os.environ.get("HEARTS_GOLDEN") == "write":
        path.write_text(said, encoding="utf-8")
    assert path.is_file(), "run make screens, and read it"
    assert said == path.read_text(encoding="utf-8"), "run make screens if this is meant"


def test_no_line_of_a_scene_is_empty_or_decorated() -> None:
    for line in told().splitlines():
        assert line.isprintable()
        assert not set(line) & set("[]{}|♣♦♠♥│─┌┐└┘★●"), line
