"""The start in plain mode: what the start screen offers, as numbered lines and words to type."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from hearts_client.doors import Doors, ListedTable, NewTable, SavedTable, to_go_back_to
from hearts_client.i18n import N_, _
from hearts_client.plain import PlainClient, PlainManner, run_plain
from hearts_client.plain_cards import NotUnderstoodError
from hearts_client.plain_feed import LineFeed
from hearts_client.plain_output import LineWriter
from hearts_client.plain_wishes import PlainWishes, fulfilled, read_wish, wish_lines
from hearts_client.preferences import Preferences
from hearts_client.refusals import error_sentence
from hearts_client.rulestext import sentences
from hearts_client.safetext import safe_text
from hearts_client.speech import day_and_time
from hearts_client.tablelink import LinkFactory
from hearts_net.rules.errors import HeartsError

LOOKS_FOR: Final = 2.0
"""Seconds until it is said that no table answers."""
LONGEST_TITLE: Final = 24
_MOST_SHOWN: Final = 40


@dataclass(frozen=True, slots=True)
class _Choice:
    """One thing that can be chosen at the start."""

    word: str
    words: str
    do: Callable[[PlainStart, str], Awaitable[bool]]
    """Does it with what was typed after the word; false where the program is to end."""


class PlainStart:
    """A conversation about which game to play; at a table, the table's own client talks."""

    def __init__(
        self,
        out: LineWriter,
        doors: Doors,
        feed: LineFeed,
        manner: PlainManner,
        clock: Callable[[], int],
        preferences: Preferences | None = None,
    ) -> None:
        """Begin; ``manner`` is how a client at a table behaves, ``clock`` counts milliseconds."""
        self._out = out
        self._doors = doors
        self._feed = feed
        self._manner = replace(manner, from_start=True)
        self._clock = clock
        self._preferences = preferences
        self._found: list[ListedTable] = []
        self._listed: list[ListedTable] = []
        """The tables as they were told last, by whose numbers they are chosen."""
        self._saved: list[SavedTable] = []
        self._there = asyncio.Event()
        """A table has been found."""
        self._answer: tuple[str, Callable[[str], Awaitable[bool]]] | None = None
        """What is asked for, as the prompt says it, and what takes the next line."""
        self._client: PlainClient | None = None
        self._task: asyncio.Task[object] | None = None
        self._is_told_to_end = False
        self._look_error: HeartsError | None = None

    # ---- from outside

    def end(self) -> None:
        """Leave the table, or give up what is being opened, and end."""
        self._is_told_to_end = True
        if self._client is not None:
            self._client.leave()
        elif self._task is not None:
            self._task.cancel()

    async def run(self) -> None:
        """Talk until the player has had enough, or the input ends."""
        self._task = asyncio.current_task()
        looking = asyncio.ensure_future(self._look())
        try:
            await self._talk()
        except asyncio.CancelledError:
            if not self._is_told_to_end:
                raise
        finally:
            looking.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await looking

    async def _talk(self) -> None:
        await self._doors.open()
        self._say(_("This is hearts-net, the card game Hearts. Type a number or a word."))
        self._say_choices()
        while True:
            self._out.prompt(self._answer[0] if self._answer else "start")
            line = await self._feed.line()
            if line is None:
                self._say(_("Goodbye."))
                return
            self._out.answered()
            if not await self._obey(" ".join(line.split())):
                return
            if self._feed.broken is not None:
                return

    async def _look(self) -> None:
        """Keep the list of tables as it is on the network."""
        try:
            await self._doors.look(self._heed)
        except HeartsError as error:
            self._look_error = error
            self._there.set()

    def _heed(self, found: Sequence[ListedTable]) -> None:
        self._found = list(found)
        if found:
            self._there.set()

    # ---- what is typed

    async def _obey(self, text: str) -> bool:
        """Do what a line says; false where the program is to end."""
        answer, self._answer = self._answer, None
        word, _space, rest = text.partition(" ")
        try:
            if answer is not None and (not text or _command(word) is None):
                return await answer[1](text)
            if not text:
                self._say_choices()
                return True
            return await self._choice(word).do(self, rest)
        except NotUnderstoodError as error:
            self._say(error.sentence)
        except HeartsError as error:
            self._say(error_sentence(error.code, error.detail))
        return True

    def _choice(self, word: str) -> _Choice:
        if word.isascii() and word.isdecimal():
            number = int(word[:4])
            if 1 <= number <= len(CHOICES):
                return CHOICES[number - 1]
            raise NotUnderstoodError(
                _("Type a number from 1 to {last}, or a word.").format(last=len(CHOICES))
            )
        found = _command(word)
        if found is None and not safe_text(word):
            raise NotUnderstoodError(_("No letters were typed: type help to hear the choices."))
        if found is None:
            raise NotUnderstoodError(
                _("“{word}” is no choice here: type help to hear them all.").format(
                    word=safe_text(word)[:_MOST_SHOWN]
                )
            )
        return found

    def _say_choices(self) -> None:
        for number, choice in enumerate(CHOICES, start=1):
            line = _("{number}. {word}: {words}.")
            self._say(line.format(number=number, word=choice.word, words=_(choice.words)))

    def _say(self, line: str) -> None:
        if line:
            self._out.say(line)

    # ---- tables

    async def play(self, _rest: str) -> bool:
        """Open a table with three bots, or go back to one that was left open."""
        return await self._unless_left_open(self._open_play, practice=True)

    async def _unless_left_open(
        self, other: Callable[[], Awaitable[bool]], *, practice: bool
    ) -> bool:
        """Ask whether to go back to a table of the player's own rather than open another.

        Where nobody can be asked, the table is only mentioned.
        """
        own = to_go_back_to(self._doors.left_open(), practice=practice)
        if own is None:
            return await other()
        name = safe_text(own.name)
        if not self._manner.terminal:
            words = _("Your table {table} is still open too: join {address} leads back to it.")
            self._say(words.format(table=name, address=own.address))
            return await other()

        async def answered(text: str) -> bool:
            if _("no").startswith(text.casefold() or "-"):
                return await other()
            if _("yes").startswith(text.casefold()):
                return await self._join(own.address, watch=False)
            return ask()

        def ask() -> bool:
            words = _("Your table {table} is still open. Go back to it? No: another is opened.")
            self._say(words.format(table=name))
            self._answer = (_("yes or no"), answered)
            return True

        return ask()

    async def _open_play(self) -> bool:
        self._say(_("Opening a table with three bots."))
        return await self._go_through(self._doors.play(), ready=True)

    async def host(self, rest: str) -> bool:
        """Open a table on the network, or go back to one that was left open."""
        return await self._unless_left_open(lambda: self._host(rest), practice=False)

    async def _host(self, rest: str) -> bool:
        """Open a table on the network, once its name is known."""
        if rest:
            return await self._open_host(rest)
        usual = self._usual_name()
        self._say(_("Type the table's name, or nothing for “{name}”.").format(name=usual))
        self._answer = ("name", self._open_host)
        return True

    def _usual_name(self) -> str:
        return _("{name}'s table").format(name=safe_text(self._manner.name))[:LONGEST_TITLE]

    async def _open_host(self, text: str) -> bool:
        name = safe_text(text) or self._usual_name()
        self._say(_("Opening the table {name}.").format(name=name))
        return await self._go_through(self._doors.host(NewTable(name)))

    async def tables(self, _rest: str) -> bool:
        """List the tables that answer."""
        if await self._list_tables():
            self._say(
                _("Type a number to sit down there, watch and a number to look on, or a word.")
            )
            self._answer = ("table", self.join)
        return True

    async def _list_tables(self) -> bool:
        """Say which tables answer; false where there is none."""
        if not self._found and self._look_error is None:
            self._say(_("Looking for tables on your network."))
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._there.wait(), LOOKS_FOR)
        if self._look_error is not None:
            error = self._look_error
            self._say(error_sentence(error.code, error.detail))
            return False
        self._listed = list(self._found)
        if not self._listed:
            self._say(
                _(
                    "No table answers on your network. Type join and the invite or address that "
                    "the host can tell you; hearts-net doctor says what the network lets through."
                )
            )
        for number, table in enumerate(self._listed, start=1):
            self._say(_("{number}. {table}").format(number=number, table=table_words(table)))
        return bool(self._listed)

    async def join(self, rest: str) -> bool:
        """Sit down at a table."""
        return await self._join(rest, watch=False)

    async def watch(self, rest: str) -> bool:
        """Look on at a table."""
        return await self._join(rest, watch=True)

    async def _join(self, rest: str, *, watch: bool) -> bool:
        if not rest:
            if self._answer is None and not await self._list_tables():
                return True
            self._say(_("Type a table's number, or its name, address or invite."))
            self._answer = ("watch" if watch else "table", self.watch if watch else self.join)
            return True
        table = self._numbered(rest)
        if table is not None and table.trouble:
            self._say(error_sentence(table.trouble))
            return True
        watch = watch or (table is not None and table.watched)
        name = table.name if table is not None else safe_text(rest)[:_MOST_SHOWN]
        self._say(_("Going to the table {name}.").format(name=safe_text(name)))
        where = table.address if table is not None else rest
        return await self._go_through(self._doors.join(where, watch=watch), watch=watch)

    def _numbered(self, text: str) -> ListedTable | None:
        """Give the table with this number; None for what is no number."""
        if not (text.isascii() and text.isdecimal()):
            return None
        listed = self._listed or self._found
        number = int(text[:4])
        if not 1 <= number <= len(listed):
            raise NotUnderstoodError(_("No table has that number: type tables to hear them."))
        return listed[number - 1]

    async def resume(self, rest: str) -> bool:
        """Take a saved table up again."""
        if not rest:
            self._saved = list(self._doors.saved())
            if not self._saved:
                self._say(_("No table is saved on this machine."))
                return True
            for number, table in enumerate(self._saved, start=1):
                self._say(_("{number}. {table}").format(number=number, table=saved_words(table)))
            self._say(_("Type the number of the table to take up again, or a word."))
            self._answer = ("resume", self.resume)
            return True
        saved = self._saved or list(self._doors.saved())
        number = int(rest[:4]) if rest.isascii() and rest.isdecimal() else 0
        if not 1 <= number <= len(saved):
            raise NotUnderstoodError(_("Type resume alone to hear which tables are saved."))
        table = saved[number - 1]
        self._say(_("Taking up the table {name} again.").format(name=safe_text(table.name)))
        return await self._go_through(self._doors.resume(table.table))

    async def favourite(self, rest: str) -> bool:
        """Make a table a favourite, or no longer."""
        table = self._numbered(rest)
        if table is None:
            raise NotUnderstoodError(_("Type favourite and a table's number; tables lists them."))
        self._doors.favour(table.address, favourite=not table.favourite)
        pattern = (
            _("{name} is no favourite any more.")
            if table.favourite
            else _("{name} is a favourite now: it is listed also when it does not answer.")
        )
        self._say(pattern.format(name=safe_text(table.name)))
        changed = replace(table, favourite=not table.favourite)
        self._listed = [changed if each is table else each for each in self._listed]
        return True

    # ---- the rest

    async def settings(self, rest: str) -> bool:
        """Say the settings, or change one."""
        wishes = self._wishes()
        word, value = read_wish(rest)
        if not word:
            for line in wish_lines(wishes):
                self._say(line)
            return True
        wishes, values, said = fulfilled(wishes, word, value)
        if self._preferences is not None:
            self._preferences.keep(values)
        self._take(wishes)
        self._say(said)
        return True

    def _wishes(self) -> PlainWishes:
        manner = self._manner
        return PlainWishes(
            hints=manner.explains,
            chat=manner.chat,
            ahead=manner.ahead,
            queen=manner.confirms_queen,
            name=manner.name,
        )

    def _take(self, wishes: PlainWishes) -> None:
        """Go by what the player wishes, also at the next table."""
        if wishes.name != self._manner.name:
            self._doors.rename(wishes.name)
        self._manner = replace(
            self._manner,
            explains=wishes.hints,
            chat=wishes.chat,
            ahead=wishes.ahead,
            confirms_queen=wishes.queen,
            name=wishes.name,
        )

    async def rules(self, _rest: str) -> bool:
        """Say how Hearts is played."""
        for paragraph in sentences(100):
            self._say(paragraph)
        return True

    async def help(self, _rest: str) -> bool:
        """Say what can be chosen."""
        self._say_choices()
        return True

    async def quit(self, _rest: str) -> bool:
        """End."""
        self._say(_("Goodbye."))
        return False

    # ---- at a table

    async def _go_through(
        self, door: Awaitable[LinkFactory], *, ready: bool = False, watch: bool = False
    ) -> bool:
        """Be at the table behind a door; true where the player comes back to the start."""
        factory = await door
        manner = replace(self._manner, ready=ready, sit=not watch)
        client = PlainClient(self._out, manner, self._clock, self._preferences)
        self._client = client
        try:
            with self._feed.read_by(client):
                await run_plain(factory, client, lambda _client: None)
        finally:
            self._client = None
            self._take(client.wishes)
        if self._is_told_to_end or self._feed.broken is not None:
            return False
        if client.has_left and not client.wants_start:
            return False
        if manner.terminal and not client.wants_start:
            self._feed.forget()  # it was typed at a table that is no more
        self._listed = []
        self._say(_("You are back at the start: help says what you can do."))
        return True


def table_words(table: ListedTable) -> str:
    """Say a table that was found: its name, what can be done there, and where it is."""
    notes = [
        table.note,
        "" if table.verified else _("not visited before"),
        _("a favourite") if table.favourite else "",
        _("at {address}").format(address=table.address),
    ]
    words = ", ".join(note for note in notes if note)
    return _("{name}: {words}.").format(name=safe_text(table.name), words=words)


def saved_words(table: SavedTable) -> str:
    """Say a saved table: its name, how far it was, who sat there, and when that was."""
    notes = [
        _("saved in deal {deal}").format(deal=table.deal)
        if table.deal
        else _("saved before the first deal")
    ]
    if table.players:
        notes.append(_("with {players}").format(players=", ".join(table.players)))
    if table.played:
        notes.append(_("played on {time}").format(time=day_and_time(table.played)))
    return _("{name}: {words}.").format(name=safe_text(table.name), words=", ".join(notes))


CHOICES: Final = (
    _Choice("play", N_("you against three bots, at once"), PlainStart.play),
    _Choice("host", N_("a table for the people on your network"), PlainStart.host),
    _Choice("tables", N_("the tables found on your network"), PlainStart.tables),
    _Choice(
        "join",
        N_("sit down at a table: its number, name, address or invite"),
        PlainStart.join,
    ),
    _Choice("watch", N_("look on at a table"), PlainStart.watch),
    _Choice("resume", N_("take a saved table up again"), PlainStart.resume),
    _Choice(
        "favourite",
        N_("list a table first, or no longer"),
        PlainStart.favourite,
    ),
    _Choice("settings", N_("say or change your settings"), PlainStart.settings),
    _Choice("rules", N_("how Hearts is played"), PlainStart.rules),
    _Choice("help", N_("say this list again"), PlainStart.help),
    _Choice("quit", N_("end"), PlainStart.quit),
)
"""In the sequence of their numbers."""
_OTHER_WORDS: Final = {"find": "tables", "list": "tables", "exit": "quit", "leave": "quit"}


def _command(word: str) -> _Choice | None:
    """Find what a word, or the first letters of just one, means."""
    word = word.casefold()
    word = _OTHER_WORDS.get(word, word)
    found = [choice for choice in CHOICES if choice.word.startswith(word)]
    exact = [choice for choice in found if choice.word == word]
    if exact:
        return exact[0]
    return found[0] if len(word) >= 2 and len(found) == 1 else None
