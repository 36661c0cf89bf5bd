"""The pages over the table: scores, log, rules, help, last trick, the form of rules, leaving."""

from __future__ import annotations

from dataclasses import replace

from hearts_client.doorwords import admission_words, person_words
from hearts_client.full.at_door import desk, people
from hearts_client.full.at_lobby import preset_of
from hearts_client.full.cards import glyphs
from hearts_client.full.intents import Intent, Want
from hearts_client.full.layout import (
    Line,
    Screenful,
    Size,
    Span,
    block,
    centred,
    clipped,
    fitted,
    line_of,
    middle,
    padded,
    screenful,
    wrapped,
)
from hearts_client.full.model import Model, Page
from hearts_client.full.screens.help import help_page
from hearts_client.full.screens.hints import bottom_line
from hearts_client.full.screens.history import history_page
from hearts_client.full.screens.invite import invite_page
from hearts_client.full.screens.panel import trick_lines
from hearts_client.full.screens.plot import plot
from hearts_client.full.screens.settings import settings_page
from hearts_client.full.screens.sheet import next_words, sheet_page
from hearts_client.full.screens.status import is_lost, notice_line, top_bar, turn_words
from hearts_client.full.screens.talk import clock, entries
from hearts_client.full.steps import leave_answers
from hearts_client.i18n import _
from hearts_client.leavingwords import IN_DEAL, has_begun
from hearts_client.rulestext import sentences
from hearts_client.sentences import (
    option_words,
    preset_words,
    rules_summary,
    trick_points,
    value_words,
)
from hearts_client.speech import seat_name
from hearts_net.protocol.messages import OptionValue
from hearts_net.rules.options import OPTION_SPECS, Options

LISTS = frozenset({Page.SETTINGS, Page.RULES_FORM, Page.PEOPLE})
"""Pages on which a line is chosen."""


PLOT_ROWS = 14


def page_screen(model: Model, size: Size, now: int) -> Screenful:
    """Draw the page that is open."""
    assert model.page is not None
    marks = glyphs(model.ascii)
    rule = line_of(Span(marks.rule * size.columns, "rule"))
    last, column = bottom_line(model, size.columns, now)
    inset = 0 if model.page is Page.INVITE else 1  # an invite may need every cell of a line
    body, rows = _body(model, size.columns - 2 * inset, size.rows - 6, now), size.rows - 6
    start = max(0, min(model.scroll, len(body) - rows))
    if model.page is Page.LOG:
        start = max(0, len(body) - rows - model.scroll)
    elif model.page in LISTS:
        start = _in_sight(body, rows)
    shown = body[start : start + rows]
    head = line_of(Span(f" {_title(model.page)}", "title"), _position(start, len(body), rows))
    lines = [
        top_bar(model, size.columns, now),
        head,
        rule,
        *block([line_of(" " * inset, line) for line in shown], rows),
        rule,
        _table_line(model, now),
        last,
    ]
    cursor = None if column is None else (column, size.rows - 1)
    return replace(screenful(lines, size, cursor), furthest=max(0, len(body) - rows))


def _in_sight(body: list[Line], rows: int) -> int:
    """Give the first line to show so that the chosen one is among those shown."""
    chosen = next((n for n, line in enumerate(body) if line and line[0].text == " > "), 0)
    return max(0, min(chosen - rows // 2, len(body) - rows))


def _table_line(model: Model, now: int) -> Line:
    """Say below a page what the table waits for: the game goes on meanwhile."""
    if model.notice is not None or not model.at_table:
        return line_of(" ", notice_line(model, now))
    public = model.public
    if public is not None and public.phase == "deal-over":
        return line_of(" ", next_words(model, public, now))
    return line_of(" ", turn_words(model, now))


def _position(start: int, total: int, rows: int) -> Span:
    if total <= rows:
        return Span("")
    return Span(
        "  "
        + _("lines {first}-{last} of {total}").format(
            first=start + 1, last=min(total, start + rows), total=total
        ),
        "dim",
    )


def _title(page: Page) -> str:
    return {
        Page.SCORES: _("Score sheet"),
        Page.LOG: _("What happened"),
        Page.RULES: _("The rules"),
        Page.HELP: _("Keys"),
        Page.LAST_TRICK: _("The last trick"),
        Page.HISTORY: _("Every trick"),
        Page.RULES_FORM: _("Rules of this table"),
        Page.PEOPLE: _("People"),
        Page.SETTINGS: _("Settings"),
        Page.INVITE: _("The invite"),
        Page.LEAVING: _("Leaving"),
    }[page]


def _body(model: Model, width: int, rows: int, now: int) -> list[Line]:
    match model.page:
        case Page.SCORES:
            return _scores_page(model, width)
        case Page.LOG:
            return _log_page(model, width)
        case Page.RULES:
            return _rules_page(model, width)
        case Page.HELP:
            return help_page(model, width, rows, now)
        case Page.LAST_TRICK:
            return _last_trick_page(model, width)
        case Page.HISTORY:
            return history_page(model, width)
        case Page.RULES_FORM:
            return _rules_form(model, width)
        case Page.PEOPLE:
            return _people_page(model, width)
        case Page.SETTINGS:
            return settings_page(model, width)
        case Page.INVITE:
            return invite_page(model, width)
        case Page.LEAVING:
            return middle(_leaving(model, width), rows)
    return []


def _scores_page(model: Model, width: int) -> list[Line]:
    lines = sheet_page(model, width)
    drawn = plot(model, model.public, width, PLOT_ROWS) if model.public is not None else []
    return [*lines, (), *drawn] if drawn else lines


def _people_page(model: Model, width: int) -> list[Line]:
    """List who is here, who asks, and who is banned, below the way in which newcomers get in."""
    found, view = people(model), desk(model)
    if view is None:
        return []
    lines: list[Line] = [line_of(part) for part in wrapped(admission_words(view), width)]
    lines.append(())
    chosen = min(model.choice, len(found) - 1)
    for number, person in enumerate(found):
        here, press = number == chosen, Intent(Want.PICK, number)
        lines.append(
            line_of(
                Span(" > " if here else "   ", "pointer", press),
                Span(padded(clipped(person.name, 26), 27), "chosen" if here else "name", press),
                Span(person_words(person), "alert" if person.place == "asking" else "dim", press),
            )
        )
    return lines if found else [*lines, line_of(_("Nobody else is here."))]


def _log_page(model: Model, width: int) -> list[Line]:
    lines: list[Line] = []
    for entry in entries(model):
        for number, text in enumerate(wrapped(entry.text, width - 8)):
            stamp = clock(model, entry.time) if number == 0 else "     "
            lines.append(line_of(Span(stamp + "  ", "dim"), Span(text, entry.style)))
    return lines or [line_of(_("Nothing has happened yet."))]


def _rules_page(model: Model, width: int) -> list[Line]:
    lines: list[Line] = []
    public = model.public
    if public is not None:
        lines += [line_of(Span(_("At this table"), "title"))]
        lines += [line_of(part) for part in wrapped(rules_summary(public.rules), width - 1)]
        lines += [()]
    lines += [line_of(Span(_("The standard game"), "title"))]
    target = public.rules.get("target", 100) if public is not None else 100
    for paragraph in sentences(int(target)):
        lines += [line_of(part) for part in wrapped(paragraph, width - 1)]
        lines += [()]
    if public is not None:
        lines += [line_of(Span(_("Every option at this table"), "title"))]
        for spec in OPTION_SPECS:
            if spec.name in public.rules:
                text = value_words(spec.name, public.rules[spec.name])
                lines += [
                    line_of("- " if number == 0 else "  ", part)
                    for number, part in enumerate(wrapped(text, width - 3))
                ]
    return lines


def _last_trick_page(model: Model, width: int) -> list[Line]:
    public = model.public
    if public is None or public.last_trick is None:
        return [line_of(_("No trick has been taken in this deal yet."))]
    trick = public.last_trick
    taker = _("You took it") if trick.winner == model.me else _("{name} took it").format(
        name=seat_name(public.seats, trick.winner)
    )  # fmt: skip
    words = _("Trick {number}. {taker}: {points}.").format(
        number=trick.number, taker=taker, points=trick_points(trick.points)
    )
    return [line_of(words), (), *trick_lines(model, public, trick, min(width, 44)), (),
            line_of(Span(_("* led the trick"), "dim"))]  # fmt: skip


def _rules_form(model: Model, width: int) -> list[Line]:
    draft: dict[str, OptionValue] = dict(model.draft)
    name = preset_of(draft)
    preset = f"{name}: {preset_words(name)}" if name else _("a mixture of your own")
    lines = [_form_line(model, 0, _("Preset"), preset), ()]
    usual = Options().to_dict()
    for number, spec in enumerate(OPTION_SPECS, 1):
        value = draft.get(spec.name, spec.default)
        differs = "*" if value != usual[spec.name] else " "
        lines.append(_form_line(model, number, differs, value_words(spec.name, value)))
    chosen = model.choice
    about = option_words(OPTION_SPECS[chosen - 1].name) if chosen else _("all rules at once")
    lines += [(), line_of(Span(_("This line: {about}").format(about=about), "dim"))]
    lines.append(line_of(Span(_("* differs from the standard game"), "dim")))
    return [fitted(line, width) for line in lines]


def _form_line(model: Model, number: int, head: str, text: str) -> Line:
    chosen = number == model.choice
    marks = glyphs(model.ascii)
    if not chosen:
        return line_of("   ", head, " ", text)
    arrows = f"{marks.left} {text} {marks.right}"
    return line_of(Span(" > ", "pointer"), head, " ", Span(arrows, "chosen"))


def leaving_words(model: Model) -> tuple[str, str]:
    """Ask whether to leave, and say what becomes of the seat and the table."""
    public = model.public
    if not model.at_table:
        return _("Leave hearts-net?"), ""
    if public is None or model.me is None:
        return _("Leave the table?"), ""
    in_deal = public.phase in IN_DEAL
    question = _("Leave the table in the middle of a deal?") if in_deal else _("Leave the table?")
    if is_lost(model):
        return question, _("The host cannot be reached now; your seat is held there.")
    others = [n for n, seat in enumerate(public.seats) if seat.kind == "person" and n != model.me]
    is_alone = not others and not model.invite
    if is_alone and not has_begun(public):
        return question, _("No card has been played yet.")
    if is_alone and public.saving:
        return question, _("The host cannot save: what is not saved by then is lost.")
    if is_alone:
        return question, _("No other person sits there: the table is saved, and you can resume it.")
    if in_deal:
        return question, _("Your seat is held until you come back; meanwhile a bot plays for you.")
    if not others:
        return question, _("The table goes on, and you can come back to it.")
    return question, _("The table goes on for the others, and you can come back to it.")


def _leaving(model: Model, width: int) -> list[Line]:
    question, what = leaving_words(model)
    buttons: Line = ()
    for number, text in enumerate(leave_answers(model)):
        chosen = number == model.answer
        edge = ("[", "]") if chosen else (" ", " ")
        buttons = line_of(
            buttons,
            Span(
                f"{edge[0]} {text} {edge[1]}",
                "chosen" if chosen else "",
                Intent(Want.PICK, number),
            ),
            "  ",
        )
    return [
        centred(line_of(Span(question, "title")), width),
        centred(line_of(what), width),
        (),
        centred(buttons, width),
    ]
