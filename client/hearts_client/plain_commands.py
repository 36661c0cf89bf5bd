"""What a line typed in plain mode means: an act for the table, an answer, or leaving.

Pure: a line and what the client knows of the table in, an :class:`Intent` out. The table of
commands is the only list of them: help, abbreviations and the dispatch read it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

from hearts_client import doorwords
from hearts_client import plain_answers as answers
from hearts_client.absence import missed_seats
from hearts_client.hintwords import why_no_hint
from hearts_client.i18n import N_, _
from hearts_client.optionwords import option_words
from hearts_client.plain_answers import Ask, asked
from hearts_client.plain_cards import NotUnderstoodError, looks_like_cards, read_cards
from hearts_client.refusals import error_sentence
from hearts_client.safetext import safe_text
from hearts_client.speech import Style
from hearts_client.table_state import TableState
from hearts_client.teaching import lesson
from hearts_net.bots.levels import DEFAULT_LEVEL
from hearts_net.protocol import messages as m
from hearts_net.rules.errors import HeartsError
from hearts_net.rules.options import OPTION_SPECS, Options, parse_option, preset


@dataclass(frozen=True, slots=True)
class Do:
    """Send this act."""

    act: m.AnyAct


@dataclass(frozen=True, slots=True)
class DoAll:
    """Send these acts, one after another."""

    acts: tuple[m.AnyAct, ...]


@dataclass(frozen=True, slots=True)
class Tell:
    """Say these lines, and nothing else."""

    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Leave:
    """Say goodbye and end."""


@dataclass(frozen=True, slots=True)
class WaitForTurn:
    """Read no further line before the table waits for this player."""


@dataclass(frozen=True, slots=True)
class TellHint:
    """Work out a hint for the newest view and say it."""


@dataclass(frozen=True, slots=True)
class Confirm:
    """Do what the player was asked about."""


@dataclass(frozen=True, slots=True)
class SetHints:
    """Say with every question why cards may be played, or no longer; for good."""

    on: bool


@dataclass(frozen=True, slots=True)
class SetChat:
    """Tell what others say, or no longer."""

    on: bool


@dataclass(frozen=True, slots=True)
class TellTricks:
    """Say every trick of a deal, fetching what is missing of them first; 0: the newest deal."""

    deal: int


@dataclass(frozen=True, slots=True)
class TellDeals:
    """Say the score sheet, fetching what is missing of it first."""


Intent: TypeAlias = (
    Do
    | DoAll
    | Tell
    | Leave
    | WaitForTurn
    | TellDeals
    | TellTricks
    | TellHint
    | SetHints
    | SetChat
    | Confirm
)


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What a command may look at."""

    state: TableState
    view: m.View
    style: Style
    invite: str = ""
    """What others join with, where that is known."""
    host_time: int = 0
    """What the host's clock says now."""


Handler: TypeAlias = Callable[[Knowledge, str], Intent]


@dataclass(frozen=True, slots=True)
class PlainCommand:
    """One command: how it is typed, what it does in words, and the doing."""

    name: str
    usage: str
    words: str
    handler: Handler


def read_line(line: str, known: Knowledge) -> Intent:
    """Understand one line; what is not understood is answered with a sentence."""
    text = " ".join(line.split())
    if not text:
        return Tell(tuple(answers.question(known.view, known.style)))
    word, _space, rest = text.partition(" ")
    word = word.casefold()
    command = COMMANDS.get(word)
    try:
        if command is None and looks_like_cards(text):
            return _cards(known, text)
        if command is None:
            command = _abbreviated(word)
        return command.handler(known, rest)
    except NotUnderstoodError as error:
        return Tell((error.sentence,))
    except HeartsError as error:
        return Tell((error_sentence(error.code, error.detail),))


def _abbreviated(word: str) -> PlainCommand:
    found = [command for name, command in COMMANDS.items() if name.startswith(word)]
    if len(word) >= 2 and len(found) == 1:
        return found[0]
    if len(word) >= 2 and found:
        names = ", ".join(command.name for command in found)
        raise NotUnderstoodError(
            _("“{word}” could be {names}: type more of it.").format(
                word=safe_text(word), names=names
            )
        )
    raise NotUnderstoodError(
        _("“{word}” is no command and no card: type help for the list.").format(
            word=safe_text(word)[:40]
        )
    )


# ---- cards ---------------------------------------------------------------------------------------


def _own(known: Knowledge) -> m.OwnView:
    if known.view.own is None:
        raise NotUnderstoodError(error_sentence("no-seat"))
    return known.view.own


def _cards(known: Knowledge, text: str) -> Intent:
    """Pass or play the cards named, whichever is asked for."""
    return _pass(known, text) if asked(known.view) is Ask.PASS else _play(known, text)


def _pass(known: Knowledge, text: str) -> Intent:
    own = _own(known)
    cards = read_cards(text, own.hand)
    if len(set(cards)) != 3 or len(cards) != 3:
        raise NotUnderstoodError(_("Name three different cards to pass, such as: qs 7s 2s."))
    return Do(m.Pass(cards))


def _play(known: Knowledge, text: str) -> Intent:
    own = _own(known)
    if asked(known.view) is Ask.PASS:
        raise NotUnderstoodError(
            _("Cards are being passed: name three of them, such as pass qs 7s 2s.")
        )
    if not own.legal:
        return Tell((error_sentence("not-your-turn"), answers.waiting(known.view)))
    cards = read_cards(text, own.hand, own.legal)
    if len(cards) != 1:
        raise NotUnderstoodError(_("Name one card to play, such as: qs."))
    return Do(m.Play(cards[0]))


# ---- acts ----------------------------------------------------------------------------------------


def _just(act: m.AnyAct) -> Handler:
    return lambda _known, _rest: Do(act)


def _ready(known: Knowledge, _rest: str) -> Intent:
    if known.view.own is None:
        raise NotUnderstoodError(error_sentence("no-seat"))
    return Do(m.Ready())


def _seat_number(text: str) -> int:
    if text not in ("1", "2", "3", "4"):
        raise NotUnderstoodError(_("Name a seat by its number, from 1 to 4."))
    return int(text) - 1


def _sit(known: Knowledge, rest: str) -> Intent:
    seat = _seat_number(rest)
    if known.view.own is not None and known.view.own.seat == seat:
        return Tell((_("You sit there already."),))
    return Do(m.Sit(seat))


def _free_seat(view: m.View) -> int:
    for seat, player in enumerate(view.public.seats):
        if player.kind == "empty":
            return seat
    raise NotUnderstoodError(_("No seat is free."))


def _bot(known: Knowledge, rest: str) -> Intent:
    words = rest.split()
    seat = _seat_number(words.pop(0)) if words and words[0].isdigit() else _free_seat(known.view)
    return Do(m.AddBot(seat, words[0] if words else DEFAULT_LEVEL))


def _bots(known: Knowledge, rest: str) -> Intent:
    _free_seat(known.view)  # or say that there is none
    free = (s for s, player in enumerate(known.view.public.seats) if player.kind == "empty")
    return DoAll(tuple(m.AddBot(seat, rest or DEFAULT_LEVEL) for seat in free))


def _remove(_known: Knowledge, rest: str) -> Intent:
    return Do(m.RemoveBot(_seat_number(rest)))


def _give(_known: Knowledge, rest: str) -> Intent:
    return Do(m.GiveSeat(_seat_number(rest)))


def _vote(known: Knowledge, rest: str) -> Intent:
    words = rest.casefold().split()
    if not words or words[0] not in ("wait", "bot"):
        raise NotUnderstoodError(_("Type vote wait, or vote bot, and a seat where several wait."))
    missed = missed_seats(known.view.public)
    if len(words) > 1:
        return Do(m.Vote(_seat_number(words[1]), words[0]))
    if not missed:
        raise NotUnderstoodError(error_sentence("not-away"))
    if len(missed) > 1:
        seats = ", ".join(str(seat + 1) for seat in sorted(missed))
        raise NotUnderstoodError(
            _("Several are away: name one of their seats as well ({seats}).").format(seats=seats)
        )
    return Do(m.Vote(missed[0], words[0]))


def _set(known: Knowledge, rest: str) -> Intent:
    if not rest:
        return Tell(tuple(_settings()))
    options = Options.from_dict(known.view.public.rules)
    for setting in rest.split():
        options = parse_option(setting, options)
    return Do(m.SetRules(options.to_dict()))


def _settings() -> Iterator[str]:
    yield _("Type a rule and its value, such as set target=50. The rules are:")
    for spec in OPTION_SPECS:
        choices = ", ".join(spec.choice_texts())
        yield _("{option}, {words}: {choices}.").format(
            option=spec.name, words=option_words(spec.name), choices=choices
        )


def _preset(_known: Knowledge, rest: str) -> Intent:
    return Do(m.SetRules(preset(rest).to_dict()))


def _moon(_known: Knowledge, rest: str) -> Intent:
    choice = {"others": "others-gain", "me": "shooter-loses"}.get(rest.casefold())
    if choice is None:
        raise NotUnderstoodError(_("Type moon others, or moon me."))
    return Do(m.ChooseMoon(choice))


def _say(_known: Knowledge, rest: str) -> Intent:
    text = safe_text(rest)
    if not text:
        raise NotUnderstoodError(error_sentence("nothing-to-say"))
    return Do(m.Say(text[:MOST_SAID]))


# ---- the door ------------------------------------------------------------------------------------


def _host_only(known: Knowledge) -> m.DeskView:
    if known.view.desk is None:
        raise NotUnderstoodError(error_sentence("not-allowed"))
    return known.view.desk


def _person(known: Knowledge, rest: str, *places: str) -> doorwords.Person:
    """Find whom the host's player means; only of those who ask, nobody need be named."""
    _host_only(known)
    found = [person for person in doorwords.people(known.view) if person.place in places]
    if not rest and places != ("asking",):
        raise NotUnderstoodError(_("Name somebody, or a seat by its number; people lists them."))
    person = doorwords.named(found, rest)
    if person is None:
        raise NotUnderstoodError(error_sentence("not-here"))
    return person


def _admit(known: Knowledge, rest: str) -> Intent:
    return Do(m.Admit(_person(known, rest, "asking").key))


def _refuse(known: Knowledge, rest: str) -> Intent:
    return Do(m.Admit(_person(known, rest, "asking").key, admit=False))


def _kick(known: Knowledge, rest: str) -> Intent:
    return Do(m.Kick(_person(known, rest, "seat", "standing", "asking").key))


def _ban(known: Knowledge, rest: str) -> Intent:
    return Do(m.Ban(_person(known, rest, "asking", "seat", "standing").key))


def _unban(known: Knowledge, rest: str) -> Intent:
    return Do(m.Unban(_person(known, rest, "banned").key))


def _people(known: Knowledge, _rest: str) -> Intent:
    desk = _host_only(known)
    found = doorwords.people(known.view)
    lines = [
        _("{name}: {words}.").format(name=person.name, words=doorwords.person_words(person))
        for person in found
    ]
    return Tell((doorwords.admission_words(desk), *(lines or [_("Nobody else is here.")])))


def _admission(known: Knowledge, rest: str) -> Intent:
    desk = _host_only(known)
    if not rest:
        return Tell((doorwords.admission_words(desk),))
    if rest not in ("open", "code", "ask"):
        raise NotUnderstoodError(_("Type admission open, admission code, or admission ask."))
    return Do(m.SetAdmission(rest))


# ---- answers -------------------------------------------------------------------------------------


def _hand(known: Knowledge, _rest: str) -> Intent:
    return Tell((answers.hand(_own(known), known.style),))


def _legal(known: Knowledge, _rest: str) -> Intent:
    return Tell((answers.legal(_own(known), known.style),))


def _trick(known: Knowledge, _rest: str) -> Intent:
    return Tell((answers.trick(known.view, known.style),))


def _last(known: Knowledge, _rest: str) -> Intent:
    return Tell((answers.last_trick(known.view, known.style),))


def _score(known: Knowledge, _rest: str) -> Intent:
    return Tell(tuple(answers.score(known.view)))


def _seats(known: Knowledge, _rest: str) -> Intent:
    return Tell(tuple(answers.seats(known.view, known.host_time or None)))


def _invite(known: Knowledge, _rest: str) -> Intent:
    if not known.invite:
        raise NotUnderstoodError(_("Nobody on another machine can join this table."))
    return Tell((known.invite,))


def _rules(known: Knowledge, _rest: str) -> Intent:
    return Tell(tuple(answers.rules(known.view)))


def _again(known: Knowledge, _rest: str) -> Intent:
    return Tell(tuple(answers.question(known.view, known.style)))


def _hint(known: Knowledge, _rest: str) -> Intent:
    refusal = why_no_hint(known.view)
    return Tell((refusal,)) if refusal else TellHint()


def _why(known: Knowledge, _rest: str) -> Intent:
    said = lesson(known.view, known.style)
    return Tell((said or answers.waiting(known.view),))


def _hints(_known: Knowledge, rest: str) -> Intent:
    if rest not in ("on", "off"):
        raise NotUnderstoodError(_("Type hints on, or hints off."))
    return SetHints(rest == "on")


def _chat(_known: Knowledge, rest: str) -> Intent:
    if rest not in ("on", "off"):
        raise NotUnderstoodError(_("Type chat on, or chat off."))
    return SetChat(rest == "on")


def _deals(_known: Knowledge, _rest: str) -> Intent:
    return TellDeals()


def _tricks(_known: Knowledge, rest: str) -> Intent:
    if rest and not (rest.isascii() and rest.isdecimal() and len(rest) <= 4):
        raise NotUnderstoodError(_("Name a deal by its number, such as tricks 2."))
    return TellTricks(int(rest or 0))


def _where(known: Knowledge, _rest: str) -> Intent:
    return Tell(tuple(answers.where_we_are(known.view)))


def _log(known: Knowledge, rest: str) -> Intent:
    count = int(rest) if rest.isdecimal() and len(rest) <= 3 else 10
    return Tell(tuple(answers.log(known.state.log, known.view, known.style, max(1, count))))


def _help(_known: Knowledge, _rest: str) -> Intent:
    lines = [_("Type a card to play it (qs, 10h, queen of spades), or one of these:")]
    lines += [f"{command.usage}: {_(command.words)}" for command in COMMANDS.values()]
    return Tell(tuple(lines))


def _yes(_known: Knowledge, _rest: str) -> Intent:
    return Confirm()


def _quit(_known: Knowledge, _rest: str) -> Intent:
    return Leave()


def _wait(_known: Knowledge, _rest: str) -> Intent:
    return WaitForTurn()


MOST_SAID = 200
"""Letters of a line said; the protocol allows 400."""

_LIST = (
    PlainCommand("hand", "hand", N_("say your cards"), _hand),
    PlainCommand("legal", "legal", N_("say which cards you may play"), _legal),
    PlainCommand("hint", "hint", N_("a hint, where the table is played with aids"), _hint),
    PlainCommand("why", "why", N_("say why you may play those cards"), _why),
    PlainCommand(
        "hints", "hints on|off", N_("say that at every turn, or no longer; this is kept"), _hints
    ),
    PlainCommand("trick", "trick", N_("say what lies on the table"), _trick),
    PlainCommand("last", "last", N_("say the last finished trick"), _last),
    PlainCommand("score", "score", N_("say the points of this deal and the totals"), _score),
    PlainCommand("deals", "deals", N_("say the points of every finished deal"), _deals),
    PlainCommand(
        "tricks", "tricks [DEAL]", N_("say every trick of this deal, or of another one"), _tricks
    ),
    PlainCommand("seats", "seats", N_("say who sits where"), _seats),
    PlainCommand("invite", "invite", N_("say what others join with"), _invite),
    PlainCommand("rules", "rules", N_("say the rules of this table"), _rules),
    PlainCommand("table", "table", N_("say where the game stands"), _where),
    PlainCommand("log", "log [N]", N_("say the last N things that happened"), _log),
    PlainCommand("again", "again", N_("repeat what you are asked"), _again),
    PlainCommand("say", "say TEXT", N_("say something to everybody"), _say),
    PlainCommand("chat", "chat on|off", N_("hear what others say, or no longer"), _chat),
    PlainCommand("ready", "ready", N_("you are ready to begin"), _ready),
    PlainCommand("next", "next", N_("go on to the next deal"), _ready),
    PlainCommand("pass", "pass CARDS", N_("pass three cards"), _pass),
    PlainCommand("play", "play CARD", N_("play a card"), _play),
    PlainCommand("yes", "yes", N_("play the queen of spades after all, where that is asked"), _yes),
    PlainCommand(
        "claim", "claim", N_("take the rest of the deal, when it is yours"), _just(m.Claim())
    ),
    PlainCommand("moon", "moon others|me", N_("choose what your moon does"), _moon),
    PlainCommand(
        "rematch", "rematch", N_("another game with the same players"), _just(m.Rematch())
    ),
    PlainCommand("sit", "sit N", N_("take seat N, before the game"), _sit),
    PlainCommand("stand", "stand", N_("leave your seat, before the game"), _just(m.Stand())),
    PlainCommand("bot", "bot [N] [LEVEL]", N_("host: a computer player takes a seat"), _bot),
    PlainCommand("bots", "bots [LEVEL]", N_("host: computer players take every free seat"), _bots),
    PlainCommand("remove", "remove N", N_("host: the computer player leaves seat N"), _remove),
    PlainCommand(
        "vote", "vote wait|bot [N]", N_("somebody is away: wait longer, or let a bot play"), _vote
    ),
    PlainCommand("give", "give N", N_("host: free the seat of somebody who has left"), _give),
    PlainCommand(
        "start", "start", N_("host: begin without waiting for everybody"), _just(m.Start())
    ),
    PlainCommand("set", "set OPTION=VALUE", N_("host: change a rule before the game"), _set),
    PlainCommand(
        "preset", "preset NAME", N_("host: choose a set of rules before the game"), _preset
    ),
    PlainCommand("pause", "pause", N_("host: pause the game"), _just(m.Pause())),
    PlainCommand("go", "go", N_("host: go on after a pause"), _just(m.GoOn())),
    PlainCommand(
        "unsaved", "unsaved", N_("host: go on though nothing can be saved"), _just(m.GoUnsaved())
    ),
    PlainCommand("close", "close", N_("host: end the table; the game is saved"), _just(m.Close())),
    PlainCommand(
        "people", "people", N_("host: say who is here, who asks to join, who is banned"), _people
    ),
    PlainCommand("admit", "admit [NAME]", N_("host: let in who asks to join"), _admit),
    PlainCommand("refuse", "refuse [NAME]", N_("host: turn away who asks to join"), _refuse),
    PlainCommand("kick", "kick NAME|SEAT", N_("host: send somebody away"), _kick),
    PlainCommand("ban", "ban NAME|SEAT", N_("host: send somebody away for good"), _ban),
    PlainCommand("unban", "unban NAME", N_("host: take a ban back"), _unban),
    PlainCommand(
        "admission",
        "admission [open|code|ask]",
        N_("host: say or choose who may join; code makes a new code"),
        _admission,
    ),
    PlainCommand("wait", "wait", N_("for scripts: read on when you have to act"), _wait),
    PlainCommand("help", "help", N_("say this list"), _help),
    PlainCommand("quit", "quit", N_("leave the table"), _quit),
)
COMMANDS = {command.name: command for command in _LIST}
