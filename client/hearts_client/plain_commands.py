"""What a line typed in plain mode means: an act for the table, an answer, or leaving.

Pure: a line and what the client knows of the table in, an :class:`Intent` out. The table of
commands is the only list of them: help, abbreviations and the dispatch read it.
"""

from __future__ import annotations

from collections.abc import Callable

from hearts_client import plain_acts as acts
from hearts_client import plain_answers as answers
from hearts_client import plain_says as says
from hearts_client.i18n import N_, _
from hearts_client.plain_cards import NotUnderstoodError, looks_like_cards
from hearts_client.plain_intents import Intent, Knowledge, PlainCommand, Tell
from hearts_client.refusals import error_sentence
from hearts_client.safetext import safe_text
from hearts_client.table_state import may
from hearts_net.protocol import messages as m
from hearts_net.rules.errors import HeartsError


def read_line(line: str, known: Knowledge) -> Intent:
    """Understand one line; what is not understood is answered with a sentence."""
    text = " ".join(line.split())
    if not text:
        return Tell(tuple(answers.question(known.view, known.style, known.host_time or None)))
    word, _space, rest = text.partition(" ")
    word = word.casefold()
    command = COMMANDS.get(word)
    try:
        if command is None and looks_like_cards(text):
            return acts.cards(known, text)
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
    if not safe_text(word):
        raise NotUnderstoodError(_("No letters were typed: type help for the list."))
    raise NotUnderstoodError(
        _("“{word}” is no command and no card: type help for the list.").format(
            word=safe_text(word)[:40]
        )
    )


# ---- when a command applies ----------------------------------------------------------------------


def _always(_known: Knowledge) -> bool:
    return True


def _can(*tags: str) -> Callable[[Knowledge], bool]:
    return lambda known: any(tag in may(known.state) for tag in tags)


def _seated(known: Knowledge) -> bool:
    return known.view.own is not None


def _holds_cards(known: Knowledge) -> bool:
    return known.view.own is not None and bool(known.view.own.hand)


def _in(*phases: str) -> Callable[[Knowledge], bool]:
    return lambda known: known.view.public.phase in phases


def _has_dealt(known: Knowledge) -> bool:
    return known.view.public.deal > 0


def _may_hint(known: Knowledge) -> bool:
    return _holds_cards(known) and known.view.public.rules.get("aids") is True


def _has_invite(known: Knowledge) -> bool:
    return bool(known.invite)


def _keeps_door(known: Knowledge) -> bool:
    return known.view.desk is not None


def _can_look_ahead(known: Knowledge) -> bool:
    public = known.view.public
    return _holds_cards(known) and public.phase == "playing" and known.wishes.ahead


def _is_asked_about_queen(known: Knowledge) -> bool:
    return known.wishes.queen and "QS" in (known.view.own.legal if known.view.own else [])


def _lobby_seat(known: Knowledge) -> bool:
    return _seated(known) and known.view.public.phase == "lobby"


def _next_deal(known: Knowledge) -> bool:
    return _seated(known) and known.view.public.phase == "deal-over"


def _comes_from_start(known: Knowledge) -> bool:
    return known.comes_from_start


def help_lines(known: Knowledge, rest: str) -> Intent:
    """List the commands that do something now, or all of them, or explain one."""
    if rest and rest != "all":
        command = COMMANDS.get(rest.casefold()) or _abbreviated(rest.casefold())
        return Tell((_line(command),))
    listed = [each for each in _LIST if rest == "all" or each.applies(known)]
    lines = []
    if _holds_cards(known) or rest == "all":
        lines.append(_("Type a card to play it, such as qs, 10h, or queen of spades."))
    lines += [_line(command) for command in listed]
    if rest != "all":
        lines.append(_("Other commands apply at other times; help all says every one."))
    return Tell(tuple(lines))


def _line(command: PlainCommand) -> str:
    return _("{usage}: {words}.").format(usage=command.usage, words=_(command.words))


_PLAYING = _in("playing")

_LIST = (
    PlainCommand("hand", "hand", N_("say your cards"), says.hand, _holds_cards),
    PlainCommand("legal", "legal", N_("say which cards you may play"), says.legal, _can("play")),
    PlainCommand(
        "turn", "turn", N_("say for whom the table waits, and for how long"), says.turn, _always
    ),
    PlainCommand(
        "hint", "hint", N_("a hint, where the table is played with aids"), says.hint, _may_hint
    ),
    PlainCommand(
        "why", "why", N_("say why you may play those cards"), says.why, _can("play", "pass")
    ),
    PlainCommand("trick", "trick", N_("say what lies on the table"), says.trick, _PLAYING),
    PlainCommand("last", "last", N_("say the last finished trick"), says.last, _has_dealt),
    PlainCommand("out", "out", N_("say what is still out"), says.out, _PLAYING),
    PlainCommand(
        "exchange",
        "exchange",
        N_("say which cards you have passed and received"),
        says.exchanged,
        _holds_cards,
    ),
    PlainCommand(
        "score", "score", N_("say the points of this deal and the totals"), says.score, _has_dealt
    ),
    PlainCommand(
        "deals", "deals", N_("say the points of every finished deal"), says.deals, _has_dealt
    ),
    PlainCommand(
        "tricks",
        "tricks (DEAL)",
        N_("say every trick of this deal, or of another one"),
        says.tricks,
        _has_dealt,
    ),
    PlainCommand(
        "fair", "fair", N_("say whether the last deal was dealt fairly"), says.fair, _has_dealt
    ),
    PlainCommand("seats", "seats", N_("say who sits where, and who is away"), says.seats, _always),
    PlainCommand("invite", "invite", N_("say what others join with"), says.invite, _has_invite),
    PlainCommand(
        "rules",
        "rules (all)",
        N_("say the rules of this table, or all of Hearts"),
        says.rules,
        _always,
    ),
    PlainCommand("table", "table", N_("say where the game stands"), says.where, _always),
    PlainCommand("log", "log (N)", N_("say the last N things that happened"), says.log, _always),
    PlainCommand("again", "again", N_("repeat what you are asked"), says.again, _always),
    PlainCommand("say", "say TEXT", N_("say something to everybody"), acts.say, _can("say")),
    PlainCommand(
        "chat", "chat on or off", N_("hear what others say, or not, for now"), says.chat, _always
    ),
    PlainCommand(
        "ready", "ready (no)", N_("you are ready to begin, or not yet"), acts.ready, _lobby_seat
    ),
    PlainCommand("next", "next", N_("go on to the next deal"), acts.go_on, _next_deal),
    PlainCommand("pass", "pass CARDS", N_("pass three cards"), acts.pass_cards, _can("pass")),
    PlainCommand("play", "play CARD", N_("play a card"), acts.play, _can("play")),
    PlainCommand(
        "ahead",
        "ahead CARD or none",
        N_("choose a card before your turn, or take it back"),
        acts.ahead,
        _can_look_ahead,
    ),
    PlainCommand(
        "yes",
        "yes",
        N_("play the queen of spades after all, where that is asked"),
        says.yes,
        _is_asked_about_queen,
    ),
    PlainCommand(
        "claim",
        "claim",
        N_("take the rest of the deal, when it is yours"),
        acts.just(m.Claim()),
        _can("claim"),
    ),
    PlainCommand(
        "moon",
        "moon others or me",
        N_("choose what your moon does"),
        acts.moon,
        _can("choose-moon"),
    ),
    PlainCommand(
        "rematch",
        "rematch",
        N_("another game with these players, as soon as all of them want it"),
        acts.rematch,
        _can("rematch"),
    ),
    PlainCommand(
        "lobby",
        "lobby",
        N_("back to the lobby, all of you, for other rules or seats"),
        acts.just(m.Rematch()),
        _can("rematch"),
    ),
    PlainCommand("sit", "sit N", N_("take seat N"), acts.sit, _can("sit")),
    PlainCommand(
        "stand",
        "stand",
        N_("leave your seat, before the game"),
        acts.just(m.Stand()),
        _can("stand"),
    ),
    PlainCommand(
        "bot",
        "bot (N) (LEVEL)",
        N_("a computer player takes a seat (the host's player)"),
        acts.bot,
        _can("add-bot"),
    ),
    PlainCommand(
        "bots",
        "bots (LEVEL)",
        N_("computer players take every free seat (the host's player)"),
        acts.bots,
        _can("add-bot"),
    ),
    PlainCommand(
        "remove",
        "remove N",
        N_("the computer player leaves seat N (the host's player)"),
        acts.remove,
        _can("remove-bot"),
    ),
    PlainCommand(
        "vote",
        "vote wait or bot (N)",
        N_("somebody is away: wait longer, or let a bot play"),
        acts.vote,
        _can("vote"),
    ),
    PlainCommand(
        "give",
        "give N",
        N_("free the seat of somebody who has left (the host's player)"),
        acts.give,
        _can("give-seat"),
    ),
    PlainCommand(
        "start",
        "start",
        N_("begin without waiting for everybody (the host's player)"),
        acts.just(m.Start()),
        _can("start"),
    ),
    PlainCommand(
        "set",
        "set OPTION=VALUE",
        N_("change a rule before the game (the host's player)"),
        acts.set_rules,
        _can("set-rules"),
    ),
    PlainCommand(
        "preset",
        "preset NAME",
        N_("choose a set of rules before the game (the host's player)"),
        acts.preset_rules,
        _can("set-rules"),
    ),
    PlainCommand(
        "pause",
        "pause",
        N_("pause the game (the host's player)"),
        acts.just(m.Pause()),
        _can("pause"),
    ),
    PlainCommand(
        "go",
        "go",
        N_("go on after a pause (the host's player)"),
        acts.just(m.GoOn()),
        _can("go-on"),
    ),
    PlainCommand(
        "unsaved",
        "unsaved",
        N_("go on though nothing can be saved (the host's player)"),
        acts.just(m.GoUnsaved()),
        _can("go-unsaved"),
    ),
    PlainCommand(
        "close",
        "close",
        N_("end the table; the game is saved (the host's player)"),
        acts.just(m.Close()),
        _can("close"),
    ),
    PlainCommand(
        "people",
        "people",
        N_("say who is here, who asks to join, who is banned (the host's player)"),
        acts.people,
        _keeps_door,
    ),
    PlainCommand(
        "admit",
        "admit (NAME)",
        N_("let in who asks to join (the host's player)"),
        acts.admit,
        _can("admit"),
    ),
    PlainCommand(
        "refuse",
        "refuse (NAME)",
        N_("turn away who asks to join (the host's player)"),
        acts.refuse,
        _can("admit"),
    ),
    PlainCommand(
        "kick",
        "kick NAME or SEAT",
        N_("send somebody away (the host's player)"),
        acts.kick,
        _can("kick"),
    ),
    PlainCommand(
        "ban",
        "ban NAME or SEAT",
        N_("send somebody away for good (the host's player)"),
        acts.ban,
        _can("ban"),
    ),
    PlainCommand(
        "unban", "unban NAME", N_("take a ban back (the host's player)"), acts.unban, _can("unban")
    ),
    PlainCommand(
        "admission",
        "admission (open or code or ask)",
        N_("say or choose who may join; code makes a new code (the host's player)"),
        acts.admission,
        _keeps_door,
    ),
    PlainCommand(
        "hints",
        "hints on or off",
        N_("hear why cards may be played at every turn, or not"),
        says.hints,
        _seated,
    ),
    PlainCommand(
        "settings",
        "settings (WORD VALUE)",
        N_("say your settings, or change one for good"),
        says.settings,
        _always,
    ),
    PlainCommand(
        "wait", "wait", N_("for scripts: read on when you have to act"), says.wait, _seated
    ),
    PlainCommand(
        "help", "help (all or COMMAND)", N_("say what you can do now"), help_lines, _always
    ),
    PlainCommand(
        "menu",
        "menu",
        N_("leave the table and go back to the start"),
        says.to_start,
        _comes_from_start,
    ),
    PlainCommand("quit", "quit", N_("leave the table"), says.leave, _always),
)
COMMANDS = {command.name: command for command in _LIST}
