"""A whole game in plain words, as it is told and as it is typed: kept for each language.

The game is the recorded one, so its player's cards are known; they are typed at the prompts, and
between them every question that can be asked. `make screens` writes the transcripts anew.
"""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hearts_client.i18n import catalogue_languages, use_language
from hearts_client.plain import PlainClient, PlainManner
from hearts_client.plain_output import LineWriter
from hearts_client.tablelink import Reached
from hearts_client.testing.recorded import Recorded
from hearts_client.testing.sitting import EPOCH
from hearts_client.testing.told import ToldLink
from hearts_net.protocol import messages as m
from hearts_net.protocol.peer_outputs import LinkChanged, NewView, Replied
from hearts_net.protocol.peer_session import LinkState
from hearts_net.rules.actions import PlayCard
from hearts_net.rules.cards import CARD_TEXTS, cards_in, parse_card
from hearts_net.rules.errors import HeartsError
from hearts_net.rules.reading import DealLine, PassLine, PlayLine, read_lines
from hearts_net.rules.record import Header

ROOT = Path(__file__).resolve().parents[2]
RECORD = ROOT / "docs" / "pictures" / "game.hearts.jsonl"
FOLDER = Path(__file__).parent / "golden"
ME = 0
QUESTIONS = {
    "the pass": ["hand", "legal", "seats", "rules", "why", "table", "again"],
    "trick 1": ["hand", "legal", "trick", "last", "why"],
    "trick 5": ["trick", "last", "score", "legal", "again", "say well played", "hand", "log 5"],
    "trick 6": ["tricks", "chat off", "chat on"],
    "deal over": ["deals", "score", "last", "log 3", "tricks 1"],
}
"""What is asked in the first deal; in the others the game is only played."""
MISTAKES = ["flub", "2c 3c", "10d 10d 10d", "sit 9", "moon bram", ""]
"""What is typed by mistake, once: each must be answered with what is wrong."""


MISTAKES_LEFT = "mistakes"


class Reader:
    """Somebody who hears the lines and types; what is told and typed is one text."""

    def __init__(self) -> None:
        self.out = io.StringIO()
        self.table = Recorded(record=RECORD)
        writer = LineWriter(self.out, terminal=False)
        self.client = PlainClient(writer, PlainManner(), lambda: self.table.now)
        self.link = ToldLink(self.client.on_event)
        self.client.attach(self.link)
        self.told = 0
        self.link.tell(LinkChanged(LinkState.LIVE, 0))
        self.link.tell(Reached("hearts://192.168.1.7/26052/" + "k" * 43 + "/abcdef"))

    def hear_news(self) -> None:
        """Hear what the newest views bring."""
        for _, view in self.table.views[self.told :]:
            self.link.tell(NewView(view, gap=False))
        self.told = len(self.table.views)

    def type(self, line: str) -> None:
        self.out.write(f"    {line}\n")
        before = len(self.link.acts)
        self.client.type_line(line)
        for number, act in enumerate(self.link.acts[before:], start=before + 1):
            self.link.tell(Replied(number, self._reply(number, act), act))

    def _reply(self, number: int, act: m.AnyAct) -> m.Reply:
        """Answer as the table would."""
        code, detail = "", {}
        if isinstance(act, m.Play):
            try:
                self.table.game.apply(PlayCard(ME, parse_card(act.card)))
            except HeartsError as error:
                code, detail = error.code, error.detail
        return m.Reply(number, not code, code, detail, EPOCH, 0)

    def prompt(self) -> str:
        return self.out.getvalue().rstrip("\n").rsplit("\n", 1)[-1]


def words_of(*cards: int) -> str:
    return " ".join(CARD_TEXTS[card].lower().replace("t", "10", 1) for card in cards)


def typed(reader: Reader, act: m.AnyAct, line: str) -> None:
    """Type a line at a prompt, which asks the table for this and nothing else."""
    assert reader.prompt().endswith(">"), reader.prompt()
    before = len(reader.link.acts)
    reader.type(line)
    assert reader.link.acts[before:] == [act]


def transcript() -> str:
    """Play the recorded game and give everything told and typed."""
    reader = Reader()
    table = reader.table
    table.lobby(seated=4)
    reader.hear_news()
    for question in ("invite", "rules", "help"):
        reader.type(question)
    asked = {**QUESTIONS, MISTAKES_LEFT: MISTAKES}
    with RECORD.open("rb") as file:
        for _, line in read_lines(file):
            match line:
                case DealLine() if line.number > 1:
                    if line.number == 2:
                        ask(reader, asked, "deal over")
                    typed(reader, m.Ready(), "next")
                case PassLine(cards=cards) if line.seat == ME:
                    ask(reader, asked, "the pass")
                    chosen = cards_in(cards)
                    typed(reader, m.Pass([CARD_TEXTS[c] for c in chosen]), words_of(*chosen))
                case PlayLine(card=card) if line.seat == ME:
                    assert table.game.deal is not None
                    trick = table.game.deal.trick_number
                    ask(reader, asked, f"trick {trick}")
                    blunder(reader, asked)
                    typed(reader, m.Play(CARD_TEXTS[card]), words_of(card))
            if not isinstance(line, Header):
                table.step()
                reader.hear_news()
    assert table.game.winner is not None
    for question in ("deals", "score", "table", "rematch"):
        reader.type(question)
    assert reader.link.acts[-1] == m.Ready(), "as Enter does on the full screen"
    reader.type("quit")
    return reader.out.getvalue()


def blunder(reader: Reader, asked: dict[str, list[str]]) -> None:
    """Type what is wrong, once a card is held that may not be played: nothing comes of it."""
    model = reader.table.model
    forbidden = [card for card in model.hand if card not in model.legal]
    if "trick 5" in asked or not forbidden or MISTAKES_LEFT not in asked:
        return
    acts = list(reader.link.acts)
    for mistake in (*asked.pop(MISTAKES_LEFT), forbidden[0].lower()):
        assert reader.link.acts == acts
        before = reader.out.getvalue()
        reader.type(mistake)
        assert reader.out.getvalue()[len(before) :].count("\n") > 1, mistake


def ask(reader: Reader, asked: dict[str, list[str]], when: str) -> None:
    """Ask what is to be asked at this moment, the first time that it comes."""
    for line in asked.pop(when, []):
        before = reader.out.getvalue()
        reader.type(line)
        said = reader.out.getvalue()[len(before) :]
        assert said.count("\n") > 1 or line.startswith("say"), f"{line} is not answered"


@contextmanager
def speaking(language: str) -> Iterator[None]:
    use_language(language)
    try:
        yield
    finally:
        use_language("en")


@pytest.mark.parametrize("language", catalogue_languages())
def test_a_whole_game_is_told_as_it_was(language: str) -> None:
    path = FOLDER / f"transcript-{language}.txt"
    with speaking(language):
        told = transcript()
    if os.environ.get("HEARTS_GOLDEN") == "write":
        FOLDER.mkdir(exist_ok=True)
        path.write_text(told, encoding="utf-8")
    assert path.is_file(), "run make screens, and read it"
    assert told == path.read_text(encoding="utf-8"), "run make screens if this is meant"


def test_there_is_a_transcript_of_every_language_and_of_no_other() -> None:
    kept = {path.stem.removeprefix("transcript-") for path in FOLDER.glob("transcript-*.txt")}
    assert kept == set(catalogue_languages())


def test_every_line_is_words() -> None:
    """No line has cursor movements, symbols of suits, or more than a screen reader says well."""
    for line in transcript().splitlines():
        assert line.isprintable()
        assert not set(line) & set("♣♦♠♥│─┌┐└┘★●")
