"""The start in plain words: every way into a game, chosen by number or word, and out again."""

from __future__ import annotations

import asyncio
import io
from collections.abc import Callable, Sequence

import pytest

from hearts_client.doors import ListedTable, NewTable, SavedTable
from hearts_client.plain import PlainManner
from hearts_client.plain_cards import NotUnderstoodError
from hearts_client.plain_feed import LineFeed
from hearts_client.plain_output import LineWriter
from hearts_client.plain_start import CHOICES, PlainStart
from hearts_client.plain_wishes import USUAL, with_wish
from hearts_client.playername import LONGEST_NAME, read_name
from hearts_client.preferences import Preferences
from hearts_client.tablelink import LinkFactory, TableLink
from hearts_client.testing.sitting import Sitting
from hearts_client.testing.told import ToldLink
from hearts_net.peer.errors import LinkCode, LinkError
from hearts_net.peer.home import find_home
from hearts_net.protocol.messages import AnyAct, Reply, View
from hearts_net.protocol.peer_outputs import HostClosing, LeftTable, NewView, Replied

ATTIC = ListedTable("attic", "10.0.0.5", verified=True, note="2 seats free")
CELLAR = ListedTable("cellar", "10.0.0.6", verified=False, note="playing, to watch", watched=True)
OLD = ListedTable(
    "old", "10.0.0.7", verified=True, note="other version", trouble="version-mismatch"
)


class SittingLink(ToldLink):
    """A link to a table where one sits in the lobby; it can end by itself."""

    def __init__(
        self, on_event: Callable[[object], None], views: Sequence[View], ends: bool
    ) -> None:
        super().__init__(on_event, views)
        self._ends = ends
        self._lobby = views[0]

    def do(self, act: AnyAct) -> int:
        """Have everything done that is asked for."""
        number = super().do(act)
        done = Reply(number, True, "", {}, 1, 0)
        asyncio.get_running_loop().call_soon(self.tell, Replied(number, done, act))
        return number

    async def run(self) -> None:
        if self._ends:  # before anything could be typed there
            self.tell(NewView(self._lobby, gap=False))
            self.tell(HostClosing("saved"))
            return
        await super().run()
        self.tell(LeftTable())


class Hall:
    """Doors that lead to a lobby; what is asked of them is in ``asked``."""

    def __init__(self, *found: ListedTable) -> None:
        self.found = found
        self.asked: list[str] = []
        self.ends = False
        self.saved_tables: list[SavedTable] = []
        self.own: list[ListedTable] = []
        self.fails: LinkError | None = None

    def _lobby(self, asked: str) -> LinkFactory:
        self.asked.append(asked)
        if self.fails is not None:
            raise self.fails
        table = Sitting()
        views: list[View] = []

        def keep(view: View) -> None:
            views.append(view)

        table.hear = keep  # type: ignore[method-assign]
        table.lobby(seated=4)

        def make(on_event: Callable[[object], None]) -> TableLink:
            return SittingLink(on_event, views, self.ends)

        return make

    async def open(self) -> None:
        pass

    async def play(self) -> LinkFactory:
        return self._lobby("play")

    async def host(self, wanted: NewTable) -> LinkFactory:
        return self._lobby(f"host {wanted.name}")

    async def join(self, address: str, *, watch: bool = False) -> LinkFactory:
        return self._lobby(f"{'watch' if watch else 'join'} {address}")

    async def resume(self, table: str) -> LinkFactory:
        return self._lobby(f"resume {table}")

    async def look(self, heed: Callable[[Sequence[ListedTable]], None]) -> None:
        heed(self.found)
        await asyncio.Event().wait()

    def favour(self, address: str, *, favourite: bool) -> None:
        self.asked.append(f"favour {address} {favourite}")

    def left_open(self) -> Sequence[ListedTable]:
        return self.own

    def saved(self) -> Sequence[SavedTable]:
        return self.saved_tables

    def rename(self, name: str) -> None:
        self.asked.append(f"rename {name}")


def typed(hall: Hall, *lines: str, manner: PlainManner | None = None) -> list[str]:
    """Type lines, then nothing more; give what is told, the list of choices left out."""
    return asyncio.run(_typed(hall, lines, manner or PlainManner(name="Asha")))


async def _typed(hall: Hall, lines: Sequence[str], manner: PlainManner) -> list[str]:
    out, feed = io.StringIO(), LineFeed()
    preferences = Preferences(find_home())
    writer = LineWriter(out, terminal=False)
    start = PlainStart(writer, hall, feed, manner, lambda: 0, preferences)
    feed.type_lines(list(lines), lambda: None)
    feed.end()
    async with asyncio.timeout(10):
        await start.run()
    told = out.getvalue().splitlines()
    assert told[0].startswith("This is hearts-net")
    left_out = ("start>", "Looking for tables on your network.")
    return [line for line in told[1 + len(CHOICES) :] if line not in left_out]


def test_the_end_of_the_input_leaves_politely() -> None:
    assert typed(Hall()) == ["Goodbye."]
    assert typed(Hall(), "quit", "play") == ["Goodbye."]


@pytest.mark.parametrize("line", ["1", "play", "pl", "PLAY"])
def test_a_game_against_bots_begins_by_number_or_word(line: str) -> None:
    hall = Hall()
    told = typed(hall, line, "quit", "flub")
    assert hall.asked == ["play"]
    assert told[0] == "Opening a table with three bots."
    assert told[1].startswith("Table attic.")
    assert told[-1].startswith("You have left the table")


def test_what_is_typed_ahead_is_read_at_the_table_and_then_at_the_start() -> None:
    hall = Hall()
    told = typed(hall, "play", "seats", "menu", "resume", "quit")
    assert "Seat 1, south: Asha, you, the host's player, not ready yet." in told
    assert "You are back at the start: help says what you can do." in told
    assert told[-2:] == ["No table is saved on this machine.", "Goodbye."]


def test_a_table_that_ends_leads_back_to_the_start() -> None:
    hall = Hall()
    hall.ends = True
    told = typed(hall, "play", "quit")
    assert (
        "The table has ended; the game is saved, and hearts-net resume takes it up again." in told
    )
    assert told[-1] == "Goodbye."


def test_at_a_terminal_what_was_typed_at_a_table_that_is_no_more_is_dropped() -> None:
    hall = Hall()
    hall.ends = True
    typed(hall, "play", "2", manner=PlainManner(name="Asha", terminal=True))
    assert hall.asked == ["play"]


OWN = ListedTable("den", "localhost:26052", verified=True)
PRACTICE = ListedTable("practice", "localhost:9", verified=True, practice=True)
AT_A_TERMINAL = PlainManner(name="Asha", terminal=True)


@pytest.mark.parametrize(
    ("lines", "asked"),
    [
        (["host", "yes"], ["join localhost:26052"]),
        (["host", ""], ["join localhost:26052"]),
        (["host", "perhaps", "n", "Attic"], ["host Attic"]),
        (["host Attic", "no"], ["host Attic"]),
        (["host", "quit"], []),
        (["play", "y"], ["join localhost:9"]),
        (["play", "no"], ["play"]),
    ],
)
def test_a_table_left_open_is_offered_first(lines: list[str], asked: list[str]) -> None:
    hall = Hall()
    hall.own = [OWN, PRACTICE]
    told = typed(hall, *lines, manner=AT_A_TERMINAL)
    assert hall.asked == asked
    name = "practice" if lines[0] == "play" else "den"
    assert told[0] == f"Your table {name} is still open. Go back to it? No: another is opened."
    assert told[1] == "yes or no>"


def test_a_script_is_told_of_a_table_left_open_and_opens_another() -> None:
    hall = Hall()
    hall.own = [OWN]
    told = typed(hall, "host Attic", "quit")
    assert hall.asked == ["host Attic"]
    assert told[0] == "Your table den is still open too: join localhost:26052 leads back to it."


def test_the_tables_on_the_network_are_listed_and_joined_by_number() -> None:
    hall = Hall(ATTIC, CELLAR, OLD)
    told = typed(hall, "tables", "1", "menu", "find", "watch 1", "menu", "join 2", "menu", "3", "3")
    assert told[:5] == [
        "1. attic: 2 seats free, at 10.0.0.5.",
        "2. cellar: playing, to watch, not visited before, at 10.0.0.6.",
        "3. old: other version, at 10.0.0.7.",
        "Type a number to sit down there, watch and a number to look on, or a word.",
        "table>",
    ]
    assert hall.asked == ["join 10.0.0.5", "watch 10.0.0.5", "watch 10.0.0.6"]
    assert "version" in told[-2], "the third cannot be joined, and it is said why"


@pytest.mark.parametrize(
    ("lines", "asked"),
    [
        (["join hearts://x/1"], "join hearts://x/1"),
        (["join", "10.0.0.9:1"], "join 10.0.0.9:1"),
        (["watch", "attic"], "watch attic"),
        (["host  The   attic"], "host The attic"),
        (["host", "Den"], "host Den"),
        (["host", ""], "host Asha's table"),
    ],
)
def test_a_table_is_named_at_once_or_when_it_is_asked_for(lines: list[str], asked: str) -> None:
    hall = Hall(ATTIC)
    typed(hall, *lines)
    assert hall.asked == [asked]


def test_a_command_typed_where_a_name_is_asked_for_is_a_command() -> None:
    hall = Hall()
    assert typed(hall, "host", "quit")[-1] == "Goodbye."
    assert hall.asked == []


def test_a_saved_table_is_taken_up_again() -> None:
    hall = Hall()
    hall.saved_tables = [SavedTable("id1", "attic", 3, ["Asha", "Bram"])]
    told = typed(hall, "resume", "1")
    assert told[0] == "1. attic: saved in deal 3, with Asha, Bram."
    assert hall.asked == ["resume id1"]


def test_a_door_that_does_not_open_says_why_and_leads_back() -> None:
    hall = Hall()
    hall.fails = LinkError(LinkCode.NO_ANSWER, host="x", port=1)
    told = typed(hall, "join x:1", "quit")
    assert told[1].startswith("No table answers at x, port 1")
    assert told[-1] == "Goodbye."


def test_favourites_and_settings_are_kept() -> None:
    hall = Hall(ATTIC)
    told = typed(
        hall, "tables", "favourite 1", "favourite 1", "settings queen on", "settings name Robin",
        "settings language en", "settings",
    )  # fmt: skip
    assert hall.asked == ["favour 10.0.0.5 True", "favour 10.0.0.5 False", "rename Robin"]
    assert "queen on: you are asked before the queen of spades is played." in told
    assert "name Robin: what you are called." in told
    kept = (find_home().config / "config.toml").read_text()
    assert "confirm_queen = true" in kept
    assert 'name = "Robin"' in kept


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("flub", "“flub” is no choice here: type help to hear them all."),
        ("99", "Type a number from 1 to 11, or a word."),
        ("join 7", "No table has that number: type tables to hear them."),
        ("favourite x", "Type favourite and a table's number; tables lists them."),
        ("resume 4", "Type resume alone to hear which tables are saved."),
        ("settings flub on", "There is no setting “flub”: type settings to hear them all."),
        ("settings queen maybe", "Type settings queen on, or settings queen off."),
        ("settings name " + "x" * 99, "A name has from 1 to 24 letters: type settings name and "
                                      "yours."),
        ("settings language tlh", "There are no words in “tlh”; there are en."),
        ("\x00\ufffd\u202e", "“\ufffd” is no choice here: type help to hear them all."),
        ("9" * 4000, "Type a number from 1 to 11, or a word."),
    ],
)  # fmt: skip
def test_what_is_not_understood_is_said_in_a_sentence(line: str, words: str) -> None:
    hall = Hall()
    assert typed(hall, line) == [words, "Goodbye."]
    assert hall.asked == []


def test_nobody_is_called_by_more_letters_than_can_be_sent() -> None:
    longest = "x" * LONGEST_NAME
    assert with_wish(USUAL, "name", longest)[0].name == read_name(longest) == longest
    with pytest.raises(NotUnderstoodError):
        with_wish(USUAL, "name", longest + "x")


def test_settings_changed_at_a_table_hold_at_the_next_one() -> None:
    hall = Hall()
    told = typed(hall, "play", "settings ahead on", "menu", "settings")
    assert "ahead on: you can choose a card before your turn." in told
