"""What a person does on the start screen: the doors into a game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hearts_client.full.doors import FoundTable, NewTable, SavedTable
from hearts_client.full.intents import Intent, Want
from hearts_client.full.model import (
    Effect,
    Field,
    Look,
    Model,
    OpenHost,
    OpenJoin,
    OpenPlay,
    OpenResume,
    Page,
    Purpose,
    Quit,
    StartState,
    Step,
)
from hearts_client.i18n import _


@dataclass(frozen=True, slots=True)
class Choice:
    """One line of the start screen."""

    text: str
    note: str
    effect: Effect | None = None
    """What choosing it does; None for a line that asks something first."""
    purpose: Purpose | None = None
    page: Page | None = None


def choices(model: Model) -> list[Choice]:
    """List what the start screen offers now."""
    start = model.start
    lines = [
        Choice(_("Play now"), _("you against three bots, at once"), OpenPlay()),
        Choice(
            _("Host a table"),
            _("for the people on your network"),
            purpose=Purpose.TABLE_NAME,
        ),
    ]
    lines += [
        Choice(found.name, _found_words(found), OpenJoin(found.address)) for found in start.found
    ]
    lines.append(
        Choice(
            _("Join by address or invite"),
            _("hearts://… or host:port, as the lobby shows it"),
            purpose=Purpose.ADDRESS,
        )
    )
    for saved in start.saved:
        lines.append(
            Choice(
                _("Resume {table}").format(table=saved.name),
                _saved_words(saved),
                OpenResume(saved.table),
            )
        )
    lines.append(Choice(_("Look again"), _looking_words(start), Look()))
    lines.append(Choice(_("Rules"), _("how Hearts is played"), page=Page.RULES))
    lines.append(Choice(_("Quit"), "", Quit()))
    return lines


def _saved_words(saved: SavedTable) -> str:
    when = _("saved before the first deal")
    if saved.deal:
        when = _("saved in deal {deal}").format(deal=saved.deal)
    if not saved.players:
        return when
    return _("{when}, with {players}").format(when=when, players=", ".join(saved.players))


def _looking_words(start: StartState) -> str:
    if start.looking:
        return _("looking…")
    if start.looked and not start.found:
        return _("no table answers on your network")
    return _("for tables on your network")


def _found_words(found: FoundTable) -> str:
    parts = [_("at {address}").format(address=found.address)]
    if not found.verified:
        parts.append(_("unverified"))
    if found.note:
        parts.append(found.note)
    return ", ".join(parts)


def press_start(model: Model, intent: Intent) -> Step:
    """Take a key on the start screen."""
    lines = choices(model)
    chosen = min(model.start.chosen, len(lines) - 1)
    match intent.want:
        case Want.UP | Want.LEFT:
            return _choose(model, (chosen - 1) % len(lines)), ()
        case Want.DOWN | Want.RIGHT:
            return _choose(model, (chosen + 1) % len(lines)), ()
        case Want.PICK:
            return _choose(model, min(intent.number, len(lines) - 1)), ()
        case Want.ENTER:
            return _open(model, lines[chosen])
    return model, ()


def _choose(model: Model, line: int) -> Model:
    return replace(model, start=replace(model.start, chosen=line))


def _open(model: Model, line: Choice) -> Step:
    if model.start.opening:
        return model, ()
    if line.page is not None:
        return replace(model, page=line.page, scroll=0), ()
    if line.purpose is Purpose.TABLE_NAME:
        name = _("{name}'s table").format(name=model.settings.name)[:24]
        return replace(model, field=Field(Purpose.TABLE_NAME, name, len(name))), ()
    if line.purpose is not None:
        return replace(model, field=Field(line.purpose)), ()
    if line.effect is None:
        return model, ()
    return opening(model, line.text, line.effect)


def opening(model: Model, text: str, effect: Effect) -> Step:
    """Start opening a door; ``text`` says which."""
    if isinstance(effect, Look):
        return replace(model, start=replace(model.start, looking=True)), (effect,)
    if isinstance(effect, Quit):
        return model, (effect,)
    return replace(model, notice=None, start=replace(model.start, opening=text)), (effect,)


def typed_door(model: Model, field: Field) -> Step:
    """Open the door that a typed line names."""
    text = field.text.strip()
    closed = replace(model, field=None)
    if not text:
        return closed, ()
    if field.purpose is Purpose.TABLE_NAME:
        return opening(closed, text, OpenHost(NewTable(name=text, bots=0, preset="standard")))
    return opening(closed, text, OpenJoin(text))


def with_tables(model: Model, found: Sequence[FoundTable]) -> Model:
    """Take in the tables that were found, keeping the chosen line on what it was on."""
    before = choices(model)
    chosen = before[min(model.start.chosen, len(before) - 1)]
    start = replace(model.start, found=tuple(found), looking=False, looked=True)
    after = choices(replace(model, start=start))
    at = next((i for i, line in enumerate(after) if line.effect == chosen.effect
               and line.purpose == chosen.purpose and line.page == chosen.page), 0)  # fmt: skip
    return replace(model, start=replace(start, chosen=at))
