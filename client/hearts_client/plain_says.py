"""Commands of plain mode that are answered at once and change nothing at the table."""

from __future__ import annotations

from hearts_client import plain_answers as answers
from hearts_client import plain_moment as moment
from hearts_client.fairwords import verdict_sentence
from hearts_client.hintwords import why_no_hint
from hearts_client.i18n import _
from hearts_client.plain_cards import NotUnderstoodError
from hearts_client.plain_intents import (
    Confirm,
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
    own_view,
)
from hearts_client.plain_wishes import read_wish, wish_lines
from hearts_client.table_state import last_check
from hearts_client.teaching import lesson


def hand(known: Knowledge, _rest: str) -> Intent:
    """Say the cards."""
    return Tell((answers.hand(own_view(known), known.style),))


def legal(known: Knowledge, _rest: str) -> Intent:
    """Say which cards may be played."""
    return Tell((answers.legal(own_view(known), known.style),))


def trick(known: Knowledge, _rest: str) -> Intent:
    """Say what lies on the table."""
    so_far = moment.trick_so_far(known.view, known.style)
    return Tell((answers.trick(known.view, known.style), *([so_far] if so_far else [])))


def turn(known: Knowledge, _rest: str) -> Intent:
    """Say for whom the table waits."""
    return Tell(tuple(moment.turn(known.view, known.waited, known.host_time or known.view.time)))


def out(known: Knowledge, _rest: str) -> Intent:
    """Say what is still out."""
    return Tell(tuple(moment.still_out(known.view, known.style)))


def exchanged(known: Knowledge, _rest: str) -> Intent:
    """Say what was passed and received."""
    return Tell(tuple(moment.exchanged(known.view, known.state.received, known.style)))


def fair(known: Knowledge, _rest: str) -> Intent:
    """Say what the check of the last deal has found."""
    checked = last_check(known.state)
    if checked is None:
        return Tell((_("No deal has been checked yet."),))
    own = known.view.own
    seats = known.view.public.seats
    return Tell((verdict_sentence(checked, seats, own.seat if own else None),))


def settings(known: Knowledge, rest: str) -> Intent:
    """Say the settings, or change one."""
    word, value = read_wish(rest)
    return SetWish(word, value) if word else Tell(tuple(wish_lines(known.wishes)))


def to_start(known: Knowledge, _rest: str) -> Intent:
    """Go back to the start."""
    if not known.comes_from_start:
        raise NotUnderstoodError(_("There is no start to go back to: quit leaves the table."))
    return ToStart()


def last(known: Knowledge, _rest: str) -> Intent:
    """Say the last trick."""
    return Tell((answers.last_trick(known.view, known.style),))


def score(known: Knowledge, _rest: str) -> Intent:
    """Say the points."""
    return Tell(tuple(answers.score(known.view)))


def seats(known: Knowledge, _rest: str) -> Intent:
    """Say who sits where."""
    return Tell(tuple(answers.seats(known.view, known.host_time or None)))


def invite(known: Knowledge, _rest: str) -> Intent:
    """Say what others join with."""
    if not known.invite:
        raise NotUnderstoodError(_("Nobody on another machine can join this table."))
    return Tell((known.invite,))


def rules(known: Knowledge, rest: str) -> Intent:
    """Say the rules."""
    if rest == "all":
        return Tell(tuple(answers.all_rules(known.view)))
    return Tell(tuple(answers.rules(known.view)))


def again(known: Knowledge, _rest: str) -> Intent:
    """Repeat the question."""
    return Tell(tuple(answers.question(known.view, known.style, known.host_time or None)))


def hint(known: Knowledge, _rest: str) -> Intent:
    """Have a hint worked out."""
    refusal = why_no_hint(known.view)
    return Tell((refusal,)) if refusal else TellHint()


def why(known: Knowledge, _rest: str) -> Intent:
    """Explain what may be played."""
    said = lesson(known.view, known.style)
    return Tell((said or answers.waiting(known.view),))


def hints(_known: Knowledge, rest: str) -> Intent:
    """Have it explained at every turn, or not."""
    if rest not in ("on", "off"):
        raise NotUnderstoodError(_("Type hints on, or hints off."))
    return SetWish("hints", rest)


def chat(_known: Knowledge, rest: str) -> Intent:
    """Tell what others say, or not."""
    if rest not in ("on", "off"):
        raise NotUnderstoodError(_("Type chat on, or chat off."))
    return SetWish("chat", rest, kept=False)


def deals(_known: Knowledge, _rest: str) -> Intent:
    """Say the score sheet."""
    return TellDeals()


def tricks(_known: Knowledge, rest: str) -> Intent:
    """Say every trick of a deal."""
    if rest and not (rest.isascii() and rest.isdecimal() and len(rest) <= 4):
        raise NotUnderstoodError(_("Name a deal by its number, such as tricks 2."))
    return TellTricks(int(rest or 0))


def where(known: Knowledge, _rest: str) -> Intent:
    """Say where the game stands."""
    return Tell(tuple(answers.where_we_are(known.view)))


def log(known: Knowledge, rest: str) -> Intent:
    """Say what has happened."""
    count = int(rest) if rest.isdecimal() and len(rest) <= 3 else 10
    return Tell(tuple(answers.log(known.state.log, known.view, known.style, max(1, count))))


def yes(_known: Knowledge, _rest: str) -> Intent:
    """Do what was asked about."""
    return Confirm()


def leave(_known: Knowledge, _rest: str) -> Intent:
    """Leave the table."""
    return Leave()


def wait(_known: Knowledge, _rest: str) -> Intent:
    """Read on when it is this player's turn."""
    return WaitForTurn()
