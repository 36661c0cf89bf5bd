"""The score sheet: after a deal, at the end of the game, and as a page of its own."""

from __future__ import annotations

from collections.abc import Sequence

from hearts_client import table_state
from hearts_client.fairwords import (
    is_alarming,
    is_unwitnessed,
    verdict_sentence,
    verdict_word,
)
from hearts_client.full.cards import glyphs
from hearts_client.full.intents import Intent, Want
from hearts_client.full.layout import Line, Span, centred, line_of, padded, wrapped
from hearts_client.full.model import Model, is_ready
from hearts_client.full.screens.panel import deal_columns, deal_head, deal_rows
from hearts_client.full.screens.picture import around
from hearts_client.full.screens.status import link_words, name_of, not_ready, pause_words
from hearts_client.i18n import _, ngettext
from hearts_client.sentences import tie_words
from hearts_client.speech import joined, seat_name
from hearts_net.protocol.messages import DealSummary, PublicView


def sheet(model: Model, public: PublicView, width: int, rows: int) -> list[Line]:
    """Draw the deals and the totals below them, the newest deals where not all fit."""
    deals = model.table.deals
    shown = deals[-max(1, rows - 3) :]
    marks = glyphs(model.ascii)
    room = deal_columns(width)
    rule = Span(" " + marks.rule * (5 + 4 * room), "rule")
    return [
        *deal_head(model, public, width),
        *deal_rows(model, shown, width),
        line_of(rule),
        totals_row(model, public, room),
    ]


def totals_row(model: Model, public: PublicView, room: int) -> Line:
    """Draw the totals, one's own seat first."""
    parts: list[Span | str] = [Span(padded(" " + _("Total"), 6))]
    best = min(view.total for view in public.seats)
    for seat in around(model):
        total = public.seats[seat].total
        style = "best" if total == best else ""
        parts.append(Span(padded(str(total), room, right=True), style))
    return line_of(*parts)


def moon_line(model: Model, public: PublicView, deal: DealSummary | None) -> str:
    """Say who shot the moon; empty when nobody did."""
    if deal is None or deal.moon is None:
        return ""
    if deal.moon == model.me:
        return _("You shot the moon!")
    return _("{name} shot the moon!").format(name=seat_name(public.seats, deal.moon))


def deal_over(model: Model, public: PublicView, width: int, rows: int) -> list[Line]:
    """Draw the score sheet after a deal."""
    deal = public.last_deal
    number = deal.deal if deal else public.deal
    head = _("Deal {deal} is over.").format(deal=number)
    moon = moon_line(model, public, deal)
    title = centred(line_of(Span(f"{head} {moon}".strip(), "title")), width)
    tie = tie_words(public, model.me)
    said = wrapped(tie, width - 2) if tie else []
    lines = [centred(line_of(Span(part, "notice")), width) for part in said]
    verdict = verdict_line(model)
    lines += [centred(verdict, width)] if verdict or not lines else []
    return [title, *lines, *sheet(model, public, width, rows - 1 - len(lines))]


def is_between(public: PublicView) -> bool:
    """Tell whether a deal is over, and the next one not dealt."""
    shuffling = public.phase == "dealing" and public.last_deal is not None
    return shuffling or public.phase in ("deal-over", "game-over")


def verdict_line(model: Model) -> Line:
    """Say in a word whether the deal was fair; nothing while that is not known."""
    checked = table_state.last_check(model.table)
    if checked is None:
        return ()
    return line_of(Span(verdict_word(checked), "alert" if is_alarming(checked) else "dim"))


def _verdict_lines(model: Model, public: PublicView, width: int) -> list[Line]:
    """Say whether the deal was fair, and where nobody can tell, why that is."""
    checked = table_state.last_check(model.table)
    if checked is None or not is_unwitnessed(checked):
        return [verdict_line(model)]
    words = verdict_sentence(checked, public.seats, model.me)
    return [line_of(Span(part, "dim")) for part in wrapped(words, width)]


def next_words(model: Model, public: PublicView, now: int) -> Line:
    """Say when the next deal comes, and for whom it waits."""
    trouble = link_words(model, now) or pause_words(model, now)
    if trouble:
        return line_of(Span(trouble, "alert"))
    ready = is_ready(model)
    waited = not_ready(public, model.me)
    asked = model.me is not None and not ready
    if asked:
        words = _("Enter: next deal.")
    else:
        words = _("Waiting for {names}.").format(names=joined(waited)) if waited else ""
    press = Intent(Want.ENTER) if asked else None
    parts = [Span(words, "turn" if asked else "", press)]
    if public.next_at:
        seconds = table_state.seconds_until(model.table, public.next_at, now)
        words = _("It starts by itself in {seconds} s").format(seconds=seconds)
        parts.append(Span(f"  {words}"))
        if "ready" in table_state.may(model.table):
            parts.append(Span("; " + _("h: hold on"), "", Intent(Want.NOT_YET)))
        parts.append(Span("."))
    return line_of(*parts)


def rematch_words(model: Model, public: PublicView, now: int) -> Line:
    """Say what one can do after the game."""
    trouble = link_words(model, now)
    if trouble:
        return line_of(Span(trouble, "alert"))
    if is_ready(model):
        names = joined(not_ready(public, model.me))
        return line_of(_("You play again; waiting for {names}.").format(names=names))
    if model.me is None:
        return ()
    wanting = [
        seat_name(public.seats, seat)
        for seat, view in enumerate(public.seats)
        if view.kind == "person" and view.ready
    ]
    words = _("Enter: play again with these players.  o: to the lobby.  q: leave.")
    if wanting:
        facts = {"names": joined(wanting)}
        words = ngettext(
            "{names} wants to play again.  Enter: play along.  q: leave.",
            "{names} want to play again.  Enter: play along.  q: leave.",
            len(wanting),
        ).format(**facts)
    return line_of(Span(words, "turn", Intent(Want.REMATCH)))


def winner_words(model: Model, public: PublicView) -> str:
    """Say who won the game."""
    if public.winner is None:
        return _("The game is over.")
    total = public.seats[public.winner].total
    if public.winner == model.me:
        words = ngettext(
            "You win the game, with {points} point!",
            "You win the game, with {points} points!",
            total,
        )
        return words.format(points=total)
    words = ngettext(
        "{name} wins the game, with {points} point.",
        "{name} wins the game, with {points} points.",
        total,
    )
    return words.format(name=name_of(public, public.winner, model.me), points=total)


def _target_words(public: PublicView) -> str:
    target = public.rules.get("target")
    number = target if isinstance(target, int) else 100
    return ngettext(
        "The game ends at {points} point; the fewest win.",
        "The game ends at {points} points; the fewest win.",
        number,
    ).format(points=number)


def sheet_page(model: Model, width: int) -> list[Line]:
    """Draw all deals with points and totals, for the page of its own."""
    public = model.public
    if public is None or public.phase == "lobby":
        return [line_of(" ", _("No deal has been played yet."))]
    deals: Sequence[DealSummary] = model.table.deals
    room = deal_columns(width)
    running = padded(" " + _("now"), 6) + "".join(
        padded(str(public.seats[seat].points), room, right=True) for seat in around(model)
    )
    between = is_between(public)
    return [
        *deal_head(model, public, width),
        *deal_rows(model, deals, width),
        *([] if between else [line_of(Span(running, "dim"))]),
        line_of(Span(" " + glyphs(model.ascii).rule * (5 + 4 * room), "rule")),
        totals_row(model, public, room),
        (),
        line_of(" ", _target_words(public)),
        line_of(" ", _("{star} shot the moon").format(star=glyphs(model.ascii).star)),
        *(line_of(" ", part) for part in _verdict_lines(model, public, width - 1)),
    ]
