"""The plain client: the game in whole sentences, for ears, pipes and simple terminals.

:class:`PlainClient` is the conversation: the link's events and typed lines in, sentences and acts
out, without a socket or a clock of its own. :func:`run_plain` gives it a link and an input.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

from hearts_client import doorwords, past, table_state
from hearts_client import plain_answers as answers
from hearts_client.exits import Exit
from hearts_client.fairwords import verdict_sentence
from hearts_client.hintwords import hint_words
from hearts_client.i18n import _
from hearts_client.leavingwords import farewell_words
from hearts_client.plain_answers import Ask
from hearts_client.plain_cards import NotUnderstoodError
from hearts_client.plain_commands import read_line
from hearts_client.plain_intents import (
    ChooseAhead,
    Confirm,
    Do,
    DoAll,
    Intent,
    Knowledge,
    Leave,
    SetWish,
    Tell,
    TellDeals,
    TellHint,
    TellTricks,
    ToStart,
    WaitForTurn,
)
from hearts_client.plain_output import LineWriter
from hearts_client.plain_teller import Teller
from hearts_client.plain_wishes import PlainWishes, fulfilled
from hearts_client.preferences import Preferences
from hearts_client.refusals import error_sentence
from hearts_client.sentences import refusal_sentence
from hearts_client.speech import Style, card_name
from hearts_client.table_state import TableState
from hearts_client.tablelink import LinkFactory, Reached, TableLink, TableNotice
from hearts_client.teaching import lesson
from hearts_net.bots.hint import hint_for
from hearts_net.protocol import messages as m
from hearts_net.protocol import peer_outputs as session
from hearts_net.protocol.peer_states import LinkState
from hearts_net.rules.errors import HeartsError

FETCH_AGAIN: Final = 7000
"""Milliseconds after which a page that has not come is asked for anew, when there is other news."""
GUARD: Final = 250
"""Milliseconds after a question in which a card typed at a terminal was not typed for it."""
MOST_WAITING: Final = 200
"""With so many typed lines waiting, no more are asked for."""


@dataclass(frozen=True, slots=True)
class PlainManner:
    """How a plain client behaves at its table."""

    style: Style = Style.SPOKEN
    sit: bool = True
    """Take the first free seat at once."""
    ready: bool = False
    """Say ready for the first deal at once."""
    by_trick: bool = False
    """Tell a whole trick in one line, as one who only listens wants it."""
    place: str = ""
    """Where the table is, in words."""
    from_start: bool = False
    """The player has come from the start, and can go back there."""
    reads: bool = True
    """Lines can be typed at all."""
    chat: bool = True
    """Tell what others say."""
    explains: bool = False
    """Say with every question why cards may be played, as in a first game."""
    confirms_queen: bool = False
    """Ask before the queen of spades is played."""
    ahead: bool = False
    """A card can be chosen before one's turn."""
    name: str = ""
    """What the player is called, for the list of settings."""
    explains_for_good: bool = False
    """By wish: also in the games after this one."""
    terminal: bool = False
    """A person types at a terminal; prompts are repeated after what is said meanwhile."""


class PlainClient:
    """One conversation at one table."""

    def __init__(
        self,
        out: LineWriter,
        manner: PlainManner,
        clock: Callable[[], int],
        preferences: Preferences | None = None,
    ) -> None:
        """Begin a conversation; what the player sets for good is kept in ``preferences``."""
        self.exit = Exit.DONE
        self._out = out
        self._manner = manner
        self._clock = clock
        self._teller = Teller(manner.style, by_trick=manner.by_trick)
        self._teller.tells_chat = manner.chat
        self.wishes = PlainWishes(
            hints=manner.explains,
            chat=manner.chat,
            ahead=manner.ahead,
            queen=manner.confirms_queen,
            name=manner.name,
        )
        """As the player has set them by now."""
        self.wants_start = False
        """The player has left this table for another one."""
        self._state = TableState()
        self._view: m.View | None = None
        self._link: TableLink | None = None
        self._link_state = LinkState.CONNECTING
        self._lost = False
        self._back = False
        """The connection has come back, and where the game stands has not been said since."""
        self._wants_seat = manner.sit
        """Until once sat down by itself, or stood up by wish."""
        self._wants_ready = manner.ready
        self._was_live = False
        self._lines: deque[tuple[str, object]] = deque()
        """Typed and not obeyed yet, each with what was asked when it was typed."""
        self._want_more: Callable[[], None] | None = None
        """Asks for more lines, once there is room for them."""
        self._input_ended = False
        self._leaving = False
        self._awaited: dict[int, bool] = {}
        """Requests without an answer; True: asked by a typed line."""
        self._up_to = (0, 0)
        """No line is read before a view as new as this one: what the last act has led to."""
        self._wait_for_turn = False
        self._deals_wanted = False
        self._tricks_wanted: int | None = None
        self._fetching_log: int | None = None
        self._fetch_again_at = 0
        self._asked: tuple[int, str, int, Ask] | None = None
        self._invite = ""
        self._wants_code = False
        """The table's code is waited for: the next line is taken for it."""
        self._hinting: asyncio.Task[None] | None = None
        self._asked_about: m.Play | None = None
        """The card that it was asked about whether it is meant."""
        self._preferences = preferences
        self._asked_at = 0
        self._ahead = ""
        """The card to be played at the player's turn."""
        self._awaits: object = None
        self._awaits_since = 0
        """What the table waits for, and since when on this clock."""
        self._left = ""
        """What is said of leaving, as things stood then."""

    # ---- from outside

    def attach(self, link: TableLink) -> None:
        """Give the link that the events come from."""
        self._link = link

    def type_line(self, line: str) -> None:
        """Take a line that was typed."""
        self.type_lines([line])

    def type_lines(self, lines: list[str], want_more: Callable[[], None] | None = None) -> None:
        """Take lines that were typed; ``want_more`` is called when others can be taken."""
        self._out.answered()
        self._lines.extend((line, self._asked) for line in lines)
        self._want_more = want_more
        self._go_on()
        self._ask_for_lines()

    def _ask_for_lines(self) -> None:
        if self._want_more is not None and len(self._lines) < MOST_WAITING:
            want_more, self._want_more = self._want_more, None
            want_more()

    def end_input(self) -> None:
        """Note that nothing more will be typed: leave once everything typed has been answered."""
        self._input_ended = True
        self._go_on()

    def leave(self) -> None:
        """Leave the table now."""
        if not self._leaving and self._link is not None:
            self._leaving = True
            self._left = self._farewell()
            self._link.leave()

    @property
    def has_left(self) -> bool:
        """Whether the player has left, rather than the table ended."""
        return self._leaving

    def take_back(self) -> tuple[list[str], Callable[[], None] | None]:
        """Give the lines that were not obeyed, and what asks for more of them."""
        lines, want_more = [line for line, _asked in self._lines], self._want_more
        self._lines.clear()
        self._want_more = None
        return lines, want_more

    def on_event(self, event: object) -> None:
        """Take an event of the link."""
        match event:
            case session.NewView(view):
                self._new_view(view)
            case session.Replied(request, reply, act):
                self._replied(request, reply, act)
            case session.LogArrived(page):
                self._log_arrived(page)
            case session.DealsArrived(page):
                self._state = table_state.deals_arrived(self._state, page)
                self._tell_deals()
            case session.DealChecked():
                self._deal_checked(event)
            case session.LinkChanged(state):
                self._link_changed(state)
            case session.RefusedBy(code, detail, final):
                if code == "wrong-code":
                    self._say(doorwords.wrong_code_words(detail))
                elif not final:
                    self._say(error_sentence(code, detail))
            case TableNotice(text):
                self._say(text)
            case Reached(invite):
                self._invite = invite
            case session.CodeAsked():
                self._ask_for_code()
            case session.AskedAbout():
                self._say(doorwords.waiting_words())
            case session.RemovedBy(reason):
                self._say(doorwords.removed_words(reason))
                self.exit = Exit.REFUSED
            case session.SupersededBy():
                self._say(error_sentence("superseded"))
                self.exit = Exit.FAILED
            case session.HostClosing(reason):
                self._say(closing_words(reason, self._view))
            case session.LeftTable():
                self._say(self._left or self._farewell())
        self._go_on()
        self._ask_for_lines()

    def _farewell(self) -> str:
        view = self._view
        if view is None:
            return ""
        mine = view.own is not None and view.public.seats[view.own.seat].host
        return farewell_words(
            view,
            invite=self._invite,
            owns=bool(self._invite) and (mine or view.desk is not None),
            is_lost=self._link_state is not LinkState.LIVE,
        )

    # ---- events

    def _new_view(self, view: m.View) -> None:
        first = self._view is None
        if self._view is not None and self._view.own is not None:
            self._remember_game(self._view.public.phase, view.public.phase)
        door = doorwords.desk_news(None if self._view is None else self._view.desk, view.desk)
        self._view = view
        self._note_wait(view)
        self._state = table_state.received_view(self._state, view, self._clock(), 0)
        if first:
            self._tell(self._teller.first(view))
        else:
            self._tell(self._teller.news(view))
        self._tell(door)
        self._fetch_missing()

    def _note_wait(self, view: m.View) -> None:
        """Note since when the table has waited for whom it waits for now."""
        public = view.public
        passed = [seat.passed for seat in public.seats]
        awaits = (public.phase, public.deal, public.trick_number, public.turn, passed)
        if awaits != self._awaits:
            self._awaits, self._awaits_since = awaits, self._clock()

    def _remember_game(self, before: str, now: str) -> None:
        """Note the end of a game: hints of a first game are over with it."""
        if now != "game-over" or before == now or self._preferences is None:
            return
        if not self._manner.explains_for_good:
            self.wishes = replace(self.wishes, hints=False)
        with contextlib.suppress(HeartsError):  # then the next game teaches once more
            self._preferences.game_over()

    def _deal_checked(self, checked: session.DealChecked) -> None:
        own = self._view.own if self._view else None
        seats = self._view.public.seats if self._view else []
        self._state = table_state.deal_checked(self._state, checked)
        self._say(verdict_sentence(checked, seats, own.seat if own else None))

    def _settle_in(self, view: m.View) -> None:
        """Sit down on a free seat, and say ready, where that was wished."""
        if self._awaited or (view.epoch, view.seq) < self._up_to:
            return
        ask = answers.asked(view)
        if self._wants_seat and ask is Ask.SEAT:
            free = [seat for seat, player in enumerate(view.public.seats) if player.kind == "empty"]
            if free:
                self._wants_seat = False
                self._do(m.Sit(free[0]), typed=False)
        elif self._wants_ready and ask is Ask.READY:
            self._wants_ready = False
            self._do(m.Ready(), typed=False)

    def _replied(self, request: int, reply: m.Reply, act: m.AnyAct) -> None:
        typed = self._awaited.pop(request, False)
        if reply.ok:
            self._up_to = max(self._up_to, (reply.epoch, reply.seq))
            if isinstance(act, m.Ready) and typed:  # no event says so
                self._say(self._ready_words(ready=act.ready))
            return
        self._say(refusal_sentence(act, reply))
        if typed:
            self._asked = None

    def _ready_words(self, *, ready: bool) -> str:
        if not ready:
            return _("You are not ready any more.")
        phase = "" if self._view is None else self._view.public.phase
        match phase:
            case "deal-over":
                return _("You are ready for the next deal.")
            case "game-over":
                return _("You want to play again.")
        return _("You are ready.")

    def _log_arrived(self, page: m.LogPage) -> None:
        self._fetching_log = None
        self._state = table_state.log_arrived(self._state, page)
        self._tell(self._teller.page(page))
        self._fetch_missing()
        self._tell_tricks()

    def _fetch_missing(self) -> None:
        """Ask for the part of the log that is missing, and again when no answer has come."""
        missing, now = self._teller.missing, self._clock()
        if missing is None or self._link is None:
            return
        if missing != self._fetching_log or now >= self._fetch_again_at:
            self._fetching_log = missing
            self._fetch_again_at = now + FETCH_AGAIN
            self._link.fetch("log", missing)

    def _link_changed(self, state: LinkState) -> None:
        self._link_state = state
        if self._leaving:
            return
        if state is LinkState.LIVE:
            self._was_live = True
        if state is LinkState.LOST:
            self._lost = True
            seated = self._view is not None and self._view.own is not None
            self._say(self._lost_words(seated=seated))
        elif state is LinkState.LIVE and self._lost:
            self._lost = False
            self._say(_("The connection is back."))
            self._asked = None
            self._back = True
            self._fetching_log = None
            self._fetch_missing()
            self._tell_deals()
            self._tell_tricks()

    def _lost_words(self, *, seated: bool) -> str:
        place = self._manner.place or _("the table")
        said = _("The connection to {place} is lost. Trying to get it back.").format(place=place)
        return said + " " + _("Your seat is kept.") if seated else said

    # ---- lines

    def _ask_for_code(self) -> None:
        self._wants_code = True
        self._say(doorwords.code_question())
        self._out.prompt("code")

    def _type_code(self) -> None:
        """Take typed lines for the table's code, until one can be it."""
        while self._wants_code and self._lines and not self._leaving:
            line, _then = self._lines.popleft()
            if line.strip().casefold() == "quit":
                self.leave()
                return
            assert self._link is not None
            try:
                self._link.give_code(line)
                self._wants_code = False
            except HeartsError as error:
                self._say(error_sentence(error.code, error.detail))
                self._out.prompt("code")
        if self._wants_code and not self._leaving and (self._input_ended or not self._manner.reads):
            self.exit = Exit.REFUSED  # there is nobody to ask
            self.leave()

    def _go_on(self) -> None:
        """Read the lines that can be read now, then ask, or leave."""
        if self._wants_code:
            self._type_code()
        if self._view is None or self._leaving or not self._was_live:
            return
        self._settle_in(self._view)
        self._play_ahead(self._view)
        self._ask()
        while self._lines and not self._busy():
            line, then = self._lines.popleft()
            intent = read_line(line, self._knowledge())
            if self._is_too_early(intent, then):
                self._say(_("That was typed before it was asked, so nothing is played or passed."))
                self._asked_again()
            else:
                self._obey(intent)
            if self._leaving:
                return
            self._ask()
        if self._input_ended and not self._lines and not self._busy():
            self.leave()

    def _is_too_early(self, intent: Intent, then: object) -> bool:
        """Tell whether a person cannot have meant a card for the question that is asked now.

        A program that types knows what it does: it may type a whole game at once.
        """
        if not self._manner.terminal or not isinstance(intent, Do):
            return False
        if not isinstance(intent.act, m.Play | m.Pass | m.Claim | m.ChooseMoon):
            return False
        return then != self._asked or 0 < self._clock() - self._asked_at < GUARD

    def _play_ahead(self, view: m.View) -> None:
        """Play the card that was chosen ahead, once the turn is there and it may be played."""
        card, own, public = self._ahead, view.own, view.public
        if not card:
            return
        if own is None or card not in own.hand or public.phase != "playing":
            self._ahead = ""
            return
        if self._busy() or public.paused or answers.asked(view) is not Ask.PLAY:
            return
        if self._link_state is not LinkState.LIVE:
            return
        self._ahead = ""
        name = card_name(card, self._manner.style)
        if card not in own.legal:
            self._say(_("The card chosen ahead, {card}, may not be played now.").format(card=name))
        elif card == "QS" and self.wishes.queen:
            self._ask()
            self._obey(Do(m.Play(card)))
        else:
            self._say(_("Your turn: {card} is played, as chosen ahead.").format(card=name))
            self._do(m.Play(card), typed=True)

    def _busy(self) -> bool:
        """Whether the next line must wait for what an earlier one has set going."""
        if self._leaving:
            return True
        if self._link_state is not LinkState.LIVE:
            return False
        if (
            self._awaited
            or self._deals_wanted
            or self._tricks_wanted is not None
            or self._hinting is not None
            or self._teller.missing is not None
        ):
            return True
        assert self._view is not None
        if (self._view.epoch, self._view.seq) < self._up_to:
            return True
        if self._wait_for_turn:
            self._wait_for_turn = answers.asked(self._view) is Ask.NOTHING
        return self._wait_for_turn

    def _knowledge(self) -> Knowledge:
        assert self._view is not None
        now = table_state.host_now(self._state, self._clock())
        mine = answers.asked(self._view) is not Ask.NOTHING
        since = self._asked_at if mine else self._awaits_since
        return Knowledge(
            self._state,
            self._view,
            self._manner.style,
            self._invite,
            now,
            self.wishes,
            self._ahead,
            self._clock() - since,
            self._manner.from_start,
        )

    def _obey(self, intent: Intent) -> None:
        about, self._asked_about = self._asked_about, None
        match intent:
            case Do(m.Play("QS") as act) if self.wishes.queen:
                self._asked_about = act
                self._say(_("Play the queen of spades? Type yes to play it, or another card."))
                self._asked_again()
            case Confirm():
                if about is None:
                    self._say(_("Nothing has been asked that yes would answer."))
                    self._asked_again()
                else:
                    self._do(about, typed=True)
            case Do(act):
                if isinstance(act, m.Stand):
                    self._wants_seat = self._wants_ready = False
                self._do(act, typed=True)
            case DoAll(acts):
                for act in acts:
                    self._do(act, typed=True)
            case Tell(lines):
                self._tell(list(lines))
                self._asked_again()
            case TellDeals():
                self._deals_wanted = True
                self._tell_deals()
            case TellTricks(deal):
                self._tricks_wanted = deal
                self._tell_tricks()
            case TellHint():
                self._hinting = asyncio.get_running_loop().create_task(self._tell_hint(self._view))
            case SetWish(word, value, kept):
                self._set_wish(word, value, kept=kept)
                self._asked_again()
            case ChooseAhead(card):
                self._choose_ahead(card)
                self._asked_again()
            case ToStart():
                self.wants_start = True
                self.leave()
            case WaitForTurn():
                self._wait_for_turn = True
            case Leave():
                self.leave()

    def _set_wish(self, word: str, value: str, *, kept: bool) -> None:
        """Change a setting, at once and, unless for now only, for good."""
        try:
            self.wishes, values, said = fulfilled(self.wishes, word, value)
        except NotUnderstoodError as error:
            self._say(error.sentence)
            return
        self._teller.tells_chat = self.wishes.chat
        if not self.wishes.ahead:
            self._ahead = ""
        if kept and self._preferences is not None:
            try:
                self._preferences.keep(values)
            except HeartsError as error:
                self._say(error_sentence(error.code, error.detail))
        self._say(said)
        if word == "hints" and self.wishes.hints and self._view is not None:
            self._say(lesson(self._view, self._manner.style))

    def _choose_ahead(self, card: str) -> None:
        """Choose a card to be played at the player's turn; the same one again takes it back."""
        name = card_name(card or self._ahead, self._manner.style) if card or self._ahead else ""
        if not name:
            self._say(_("No card is chosen ahead."))
        elif card in ("", self._ahead):
            self._ahead = ""
            self._say(_("You take back {card}: no card is chosen ahead.").format(card=name))
        else:
            self._ahead = card
            words = _("At your turn {card} is played, if it may be; ahead none takes it back.")
            self._say(words.format(card=name))

    def _do(self, act: m.AnyAct, *, typed: bool) -> None:
        assert self._link is not None
        if self._link_state is not LinkState.LIVE:
            self._say(_("There is no connection at the moment: try again when it is back."))
            return
        self._awaited[self._link.do(act)] = typed

    async def _tell_hint(self, view: m.View | None) -> None:
        """Work a hint out in a thread, and say it; the table's news go on meanwhile."""
        assert view is not None
        hint = await asyncio.to_thread(hint_for, view)
        self._hinting = None
        if not self._leaving:
            if self._view is not None and _holds_for(view, self._view):
                self._say(hint_words(hint, self._manner.style))
            else:
                self._say(_("The table has gone on since: ask for a hint again."))
            self._asked_again()
        self._go_on()

    def _tell_deals(self) -> None:
        if not self._deals_wanted or self._view is None or self._link is None:
            return
        missing = table_state.missing_deals(self._state)
        if missing is not None and self._link_state is LinkState.LIVE:
            self._link.fetch("deals", missing)
            return
        self._deals_wanted = False
        self._tell(answers.deals(self._state.deals, self._view))
        self._asked_again()

    def _tell_tricks(self) -> None:
        """Say the tricks that were asked for, once what is missing of them has come."""
        deal = self._tricks_wanted
        if deal is None or self._view is None or self._link is None:
            return
        newest = self._view.public.newest_event
        if self._link_state is LinkState.LIVE and not past.has(self._state.past, newest, deal):
            self._state, after = table_state.ask_for_past(self._state)
            if after is not None:
                self._link.fetch("log", after)
                return
        self._tricks_wanted = None
        found = past.deals(self._state.past)
        self._tell(answers.tricks(found, deal, self._view, self._manner.style))
        self._asked_again()

    # ---- asking

    def _ask(self) -> None:
        """Ask what the table waits for, in full once, and prompt for it."""
        view = self._view
        if view is None or self._busy() or self._link_state is not LinkState.LIVE:
            return
        ask = answers.asked(view)
        if self._back:
            self._back = False
            self._tell(answers.meanwhile(view, self._manner.style))
        key = (view.public.deal, view.public.phase, view.public.trick_number, ask)
        if key != self._asked:
            self._asked, self._asked_about = key, None
            self._asked_at = self._clock()
            if ask is not Ask.NOTHING:
                self._tell(answers.question(view, self._manner.style, self._host_now()))
                if self.wishes.hints:
                    self._say(lesson(view, self._manner.style))
                if ask is Ask.AGAIN and self._manner.from_start:
                    self._say(_("Type menu to go back to the start, for another table."))
                self._out.prompt(ask.value)
        elif ask is not Ask.NOTHING and self._prompts_again():
            self._out.prompt(ask.value)

    def _host_now(self) -> int:
        return table_state.host_now(self._state, self._clock())

    def _prompts_again(self) -> bool:
        """Tell whether a prompt was lost among news; what has been typed is answered first."""
        return self._manner.terminal and not self._out.at_prompt and not self._lines

    def _asked_again(self) -> None:
        """Prompt anew after an answer: but for a terminal, each line has a prompt of its own."""
        assert self._view is not None
        ask = answers.asked(self._view)
        if ask is not Ask.NOTHING and not self._manner.terminal:
            self._out.prompt(ask.value)

    def _tell(self, lines: list[str]) -> None:
        for line in lines:
            self._say(line)

    def _say(self, line: str) -> None:
        if line:
            self._out.say(line)


def _holds_for(then: m.View, now: m.View) -> bool:
    """Tell whether what was worked out for an earlier view is still right."""
    if then.own is None or now.own is None:
        return False
    return (then.public.deal, then.own.hand, then.own.legal) == (
        now.public.deal,
        now.own.hand,
        now.own.legal,
    )


def closing_words(reason: str, view: m.View | None) -> str:
    """Say why a table has ended, and to the host's player how the game can go on."""
    own = view.own if view is not None else None
    if reason != "saved":
        return _("The table has ended. Good game!")
    if view is not None and own is not None and view.public.seats[own.seat].host:
        return _("The table has ended; the game is saved, and hearts-net resume takes it up again.")
    return _("The table has ended; the game is saved, and its host can take it up again.")


async def run_plain(
    link_factory: LinkFactory,
    client: PlainClient,
    start_input: Callable[[PlainClient], None],
) -> int:
    """Play until the person leaves or the table ends; return the exit code.

    ``start_input`` begins to feed the client with lines. Raises ``HeartsError`` when the table
    cannot be joined.
    """
    link = link_factory(client.on_event)
    client.attach(link)
    start_input(client)
    try:
        await link.run()
    except asyncio.CancelledError:
        client.leave()
        raise
    return client.exit
