"""The sentences that say what is happening: the top line, whose turn it is, who is away."""

from __future__ import annotations

from dataclasses import replace

from hearts_client import table_state
from hearts_client.absence import missed_seats, vote_words
from hearts_client.doorwords import asking_words
from hearts_client.fairwords import is_alarming, is_unwitnessed, verdict_sentence
from hearts_client.full.at_hand import still_passing
from hearts_client.full.cards import card_style, suit_span
from hearts_client.full.intents import Intent, Want
from hearts_client.full.layout import Line, Span, fitted, line_cells, line_of, wrapped
from hearts_client.full.model import START, Model, Tone, lying_trick, table_trick
from hearts_client.i18n import _, ngettext
from hearts_client.safetext import safe_text
from hearts_client.savingwords import UNSAVED, saving_words
from hearts_client.sentences import trick_points
from hearts_client.speech import (
    card_name,
    direction_name,
    joined,
    pass_target,
    seat_name,
)
from hearts_client.teaching import lesson, points_on_table
from hearts_net.protocol.messages import PublicView, SeatView

ROOM_FOR_NAME = 60
MOST_SPARED = 3
MOST_SAID = 3
"""Lines: what a first game teaches is to be read to its end, also in 60 columns."""
PATIENCE_MS = 10_000
"""After this long without the host, what to do is said too."""
UNSURE = ("connecting", "greeting", "joining")


def name_of(public: PublicView, seat: int, me: int | None) -> str:
    """Name a seat on the screen: “You” for one's own."""
    return _("You") if seat == me else seat_name(public.seats, seat)


def top_bar(model: Model, width: int, now: int) -> Line:
    """Draw the first row: one bar in one style, alarms apart."""
    line = _top_line(model, width, now)
    for spared in range(1, MOST_SPARED + 1):
        if line_cells(line) <= width:
            break
        line = _top_line(model, width, now, spared)
    line = fitted(line, width)
    return tuple(
        replace(span, style="top alert" if span.style == "alert" else "top") for span in line
    )


def _top_line(model: Model, width: int, now: int, spared: int = 0) -> Line:
    """Say where the game stands; the table's name only where there is room.

    ``spared`` of what is said elsewhere too is left out: first to whom cards were passed, then the
    table's name, then the direction.
    """
    public = model.public
    if public is None:
        return line_of(Span(" HEARTS", "title"))
    table = f" {safe_text(public.table)}" if spared < 2 else ""
    name = f" HEARTS{table}" if width >= ROOM_FOR_NAME else ""
    parts: list[Span | str] = [Span(name, "title")]
    if public.saving == UNSAVED:
        parts += [" ", Span(_("NOT SAVED"), "alert")]
    checked = model.table.checked
    if checked is not None and is_alarming(checked):
        parts += [" ", Span(_("DEAL {deal} NOT VERIFIED").format(deal=checked.deal), "alert")]
    if public.phase == "lobby":
        return line_of(*parts, "   " if name else " ", _("Lobby"))
    parts += ["   " if name else " ", _("Deal {deal}").format(deal=public.deal)]
    lying = lying_trick(model, now)
    number = lying.number if lying is not None else public.trick_number
    if number:
        parts += ["  ", _("Trick {number}/13").format(number=number)]
    passed = _direction(model, public, named=not spared)
    if passed and spared < MOST_SPARED:
        parts += ["  ", passed]
    if public.hearts_broken:
        parts += ["  ", suit_span("H", model.ascii), " ", _("broken")]
    if public.queen_taken_by is not None:
        queen = card_name("QS", card_style(model.ascii))
        name = name_of(public, public.queen_taken_by, model.me)
        parts += ["  ", Span(queen, "card.spade"), f" {name} +13"]
    return line_of(*parts)


def _direction(model: Model, public: PublicView, *, named: bool) -> str:
    if public.direction in ("", "hold"):
        return _("Nobody passes") if public.direction == "hold" else ""
    word = direction_name(public.direction)
    target = None if model.me is None else pass_target(public.direction, model.me)
    if target is None or not named:
        return _("Pass {direction}").format(direction=word)
    return _("Pass {direction} ({name})").format(
        direction=word, name=seat_name(public.seats, target)
    )


def duration(seconds: int) -> str:
    """Say a duration in at most three characters or so: seconds, then minutes, then hours."""
    if seconds < 100:
        return _("{number}s").format(number=seconds)
    if seconds < 6000:
        return _("{number}m").format(number=seconds // 60)
    return _("{number}h").format(number=seconds // 3600)


def presence_words(model: Model, seat: int, now: int) -> str:
    """Say in a word or two how a seat's player is there."""
    state, public = model.table, model.public
    if public is None:
        return ""
    view = public.seats[seat]
    if view.kind == "empty":
        return _("empty")
    if view.kind == "bot" and not is_troubled(view):
        return _("bot")
    if view.deputy:
        return _("bot now")
    if view.presence == "present":
        return _("ok")
    gone = table_state.seconds_since(state, view.since, now)
    if view.presence == "slow":
        return _("slow {time}").format(time=duration(gone))
    if view.presence == "left":
        return _("left")
    if public.phase == "game-over":
        return _("away")
    return _("AWAY {time}").format(time=duration(gone))


def is_troubled(view: SeatView) -> bool:
    """Tell whether a seat's player is not fully there."""
    return view.kind != "empty" and (view.presence != "present" or view.deputy)


def link_words(model: Model, now: int) -> str:
    """Say that this client itself is not connected; empty when it is."""
    table = model.table
    if table.link == "live":
        return ""
    seconds = max(0, now - table.link_since) // 1000
    place = model.where_to or _("the table")
    if table.link in UNSURE and table.view is None:
        return _("Connecting to {place}… {seconds} s").format(place=place, seconds=seconds)
    if table.link == "leaving":
        return _("Leaving…")
    said = _("RECONNECTING to {place}: {seconds} s.").format(place=place, seconds=seconds)
    return said + " " + _("Your seat is held.") if model.me is not None else said


def is_lost(model: Model) -> bool:
    """Tell whether a table that was there cannot be reached now."""
    table = model.table
    return table.view is not None and table.link not in ("live", "leaving", "ended")


def is_long_lost(model: Model, now: int) -> bool:
    """Tell whether the host has been away for so long that somebody should look after it."""
    return is_lost(model) and now - model.table.link_since >= PATIENCE_MS


def pause_words(model: Model, now: int) -> str:
    """Say why the game stands still; empty when it goes on."""
    public = model.public
    if public is None or not public.paused:
        return ""
    if public.paused == "player":
        hosting = "go-on" in table_state.may(model.table)
        return _("PAUSED by you: p goes on.") if hosting else _("PAUSED by the host's player.")
    if public.paused == "store":
        return saving_words(public.saving, goes_unsaved=_how_to_go_unsaved(model))
    return away_words(model, now) or _("PAUSED: waiting for a player.")


def _how_to_go_unsaved(model: Model) -> str:
    may = "go-unsaved" in table_state.may(model.table)
    return _("u: play on unsaved.") if may else ""


def away_words(model: Model, now: int) -> str:
    """Say who is away, until when the seat is held and what others want; "" with everybody there.

    Of several it is the one that the game waits for, or will first.
    """
    public = model.public
    if public is None or public.phase == "game-over":
        return ""  # which waits for nobody
    missed = missed_seats(public)
    others = [seat for seat in range(4) if seat not in missed]
    for index in (*missed, *others):
        seat = public.seats[index]
        if not is_troubled(seat) or index == model.me or seat.presence == "slow":
            continue
        vote = vote_words(public, index)
        words = _away_words(model, index, now)
        return f"{words} {vote}." if vote else words
    return ""


def _away_words(model: Model, index: int, now: int) -> str:
    assert model.public is not None
    seat = model.public.seats[index]
    name = seat_name(model.public.seats, index)
    if seat.deputy:
        return _("A bot plays for {name} until they are back.").format(name=name)
    if seat.held_until:
        left = table_state.seconds_until(model.table, seat.held_until, now)
        return _("{name} is away: a bot steps in after {seconds} s.").format(
            name=name, seconds=left
        )
    return _("Waiting for {name}, who is away.").format(name=name)


def turn_words(model: Model, now: int) -> Line:
    """Say what the game waits for: you, or whom."""
    public = model.public
    trouble = link_words(model, now) or pause_words(model, now)
    if trouble:
        return line_of(Span(trouble, "alert"))
    if public is None:
        return ()
    shown = table_trick(model, now)
    if shown is not None and not table_state.my_turn(model.table):
        return _taken_words(model, public, now)
    match public.phase:
        case "dealing":
            return line_of(_("Shuffling…"))
        case "passing":
            waiting = _passing_words(model, public)
            return line_of(waiting, _waited(model, now), _limit(model, public, now))
        case "playing":
            return _playing_words(model, public, now)
        case "moon":
            chooses = _moon_words(model, public)
            return line_of(chooses, _waited(model, now), _limit(model, public, now))
    return ()


def _taken_words(model: Model, public: PublicView, now: int) -> Line:
    shown = table_trick(model, now)
    assert shown is not None
    points = trick_points(shown.points)
    if shown.winner == model.me:
        return line_of(_("You take the trick: {points}.").format(points=points))
    name = seat_name(public.seats, shown.winner)
    return line_of(_("{name} takes the trick: {points}.").format(name=name, points=points))


def _passing_words(model: Model, public: PublicView) -> Line:
    mine = table_state.own(model.table)
    if mine is None or mine.passed:
        names = joined(still_passing(model))
        return line_of(_("Waiting for {names} to pass.").format(names=names))
    target = pass_target(public.direction, mine.seat)
    name = "" if target is None else seat_name(public.seats, target)
    return line_of(
        Span(
            _("PASS 3 {direction} to {name}: {marked} of 3 marked").format(
                direction=direction_name(public.direction).upper(),
                name=name,
                marked=len(model.marked),
            ),
            "turn",
        )
    )


def _limit(model: Model, public: PublicView, now: int) -> str:
    if not public.turn_until:
        return ""
    return "  " + _("{seconds} s left").format(
        seconds=table_state.seconds_until(model.table, public.turn_until, now)
    )


def _waited(model: Model, now: int) -> str:
    """Say for how long the table has waited for others, once that is long."""
    seconds = table_state.waited(model.table, now)
    if not seconds:
        return ""
    if seconds < 60:
        return " " + _("(for {seconds} s)").format(seconds=seconds)
    return " " + _("(for {minutes} min)").format(minutes=seconds // 60)


def _playing_words(model: Model, public: PublicView, now: int) -> Line:
    if public.turn is None:
        return ()
    worth = _worth(public)
    if public.turn != model.me:
        name = seat_name(public.seats, public.turn)
        waiting = _("{name} is to play").format(name=name)
        return line_of(waiting, _waited(model, now), worth, _limit(model, public, now))
    parts: list[Span | str] = []
    hand = model.hand
    if not public.trick:
        if model.legal == ("2C",):
            parts = [_("YOUR TURN: the two of clubs opens")]
        else:
            parts = [_("YOUR TURN: lead a card")]
    else:
        led = public.trick[0].card[1]
        suit = suit_span(led, model.ascii)
        if any(card[1] == led for card in hand):
            parts = [_("YOUR TURN: follow"), " ", suit]
        else:
            parts = [_("YOUR TURN: play any, you have no"), " ", suit]
    mine = table_state.own(model.table)
    if mine is not None and mine.can_claim:
        parts += ["  ", Span(_("k: the rest are yours"), "turn", Intent(Want.CLAIM))]
    styled = [Span(p, "turn") if isinstance(p, str) else p for p in parts]
    return line_of(*styled, worth, _limit(model, public, now))


def _worth(public: PublicView) -> str:
    points = points_on_table(public)
    if not points:
        return ""
    return "   " + _("trick is worth {points}").format(points=points)


def _moon_words(model: Model, public: PublicView) -> Line:
    if public.turn is None:
        return ()
    if public.turn == model.me:
        return line_of(Span(_("YOU SHOT THE MOON: choose what it does."), "turn"))
    name = seat_name(public.seats, public.turn)
    return line_of(_("{name} shot the moon and chooses what it does.").format(name=name))


def sure_words(model: Model) -> str:
    """Ask whether the player is sure."""
    public = model.public
    if model.sure != START:
        card = card_name(model.sure, card_style(model.ascii))
        return _("Play {card}? y plays it, n keeps it.").format(card=card)
    names = [] if public is None else not_ready(public, model.me)
    if not names:
        return _("Start the game? y starts it, n waits.")
    return _("{names} not ready yet. Start anyway? y starts, n waits.").format(names=joined(names))


def not_ready(public: PublicView, me: int | None) -> list[str]:
    """Name those, other than ``me``, whom a game or deal waits for."""
    return [
        seat_name(public.seats, seat)
        for seat, view in enumerate(public.seats)
        if view.kind == "person" and not view.ready and seat != me
    ]


def notice_line(model: Model, now: int) -> Line:
    """Say what must be said now: a question, an answer to a key, or who is away."""
    if model.sure:
        return line_of(Span(sure_words(model), "turn"))
    if model.notice is not None:
        style = "error" if model.notice.tone is Tone.ERROR else "notice"
        return line_of(Span(model.notice.text, style))
    asking = model.table.view.desk.asking if model.table.view and model.table.view.desk else []
    if asking and model.table.link == "live":
        words = asking_words(asking[0]) + " " + _("y lets them in, n turns them away.")
        return line_of(Span(words, "alert"))
    if is_long_lost(model, now):
        words = _("If the host stays away, run hearts-net resume on its machine.")
        return line_of(Span(words, "notice"))
    if model.table.link == "live" and not (model.public and model.public.paused):
        away = away_words(model, now)
        if away:
            return line_of(Span(away, "notice"))
    if model.table.unread and not model.chat:
        unread = ngettext(
            "{number} message hidden: x shows it.",
            "{number} messages hidden: x shows them.",
            model.table.unread,
        )
        return line_of(Span(unread.format(number=model.table.unread), "dim"))
    checked = table_state.last_check(model.table)
    between = model.public is not None and model.public.phase in ("deal-over", "game-over")
    if between and model.public is not None and checked is not None and is_unwitnessed(checked):
        words = verdict_sentence(checked, model.public.seats, model.me)
        return line_of(Span(words, "dim"))
    if model.settings.explains and model.table.link == "live":
        return line_of(Span(_taught(model), "hint"))
    return ()


def _taught(model: Model) -> str:
    """Explain what may be done now, and once how that is switched off."""
    words = lesson(model.table.view, card_style(model.ascii))
    public = model.public
    if words and public is not None and public.deal == 1 and public.phase == "passing":
        words += " " + _("(The key “,” turns hints off.)")
    return words


def notice_lines(model: Model, width: int, now: int) -> list[Line]:
    """Give what must be said now in a few lines; none when there is nothing."""
    notice = notice_line(model, now)
    words = "".join(span.text for span in notice)
    broken = wrapped(words, width)[:MOST_SAID] if words else []
    return [line_of(Span(part, notice[0].style)) for part in broken]
