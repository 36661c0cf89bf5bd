"""What a person does on the start screen: the doors into a game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hearts_client.doors import ListedTable, NewTable, SavedTable, to_go_back_to
from hearts_client.full.intents import Intent, Want
from hearts_client.full.model import (
    Effect,
    Favour,
    Field,
    Model,
    OpenHost,
    OpenJoin,
    OpenPlay,
    OpenResume,
    Page,
    Purpose,
    Quit,
    Step,
    Tone,
    with_notice,
)
from hearts_client.i18n import _
from hearts_client.sentences import error_sentence
from hearts_client.speech import day_and_time

MOST_NUMBERED = 9


@dataclass(frozen=True, slots=True)
class Choice:
    """One line of the start screen."""

    text: str
    note: str
    effect: Effect | None = None
    """What choosing it does; None for a line that asks something first."""
    purpose: Purpose | None = None
    page: Page | None = None
    found: ListedTable | None = None
    number: int = 0
    """The key that chooses it, from 1; 0: none."""


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
    lines += [_found(found, number) for number, found in enumerate(_tables(model), start=1)]
    lines.append(
        Choice(
            _("Join by address or invite"),
            _("as the host's lobby shows them"),
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
    lines.append(Choice(_("Settings"), _("looks, tempo, bell, mouse"), page=Page.SETTINGS))
    lines.append(Choice(_("Rules"), _("how Hearts is played"), page=Page.RULES))
    lines.append(Choice(_("Quit"), "", Quit()))
    return lines


def _tables(model: Model) -> Sequence[ListedTable]:
    """List the player's own tables that have not answered yet, then all that have."""
    answered = {table.address for table in model.start.found}
    own = [table for table in model.start.left_open if table.address not in answered]
    return [*own, *model.start.found]


def _saved_words(saved: SavedTable) -> str:
    when = _("saved before the first deal")
    if saved.deal:
        when = _("saved in deal {deal}").format(deal=saved.deal)
    if saved.played:
        when = _("{saved} on {time}").format(saved=when, time=day_and_time(saved.played))
    if not saved.players:
        return when
    return _("{when}, with {players}").format(when=when, players=", ".join(saved.players))


def _found(found: ListedTable, number: int) -> Choice:
    return Choice(
        found.name,
        _found_words(found),
        OpenJoin(found.address, found.watched),
        found=found,
        number=number if number <= MOST_NUMBERED else 0,
    )


def _found_words(found: ListedTable) -> str:
    parts = [
        found.note,
        "" if found.verified else _("unverified"),
        _("favourite") if found.favourite else "",
        _("at {address}").format(address=found.address),
    ]
    return ", ".join(part for part in parts if part)


def looking_words(model: Model) -> str:
    """Say how the search for tables stands, where there is something to say."""
    if _tables(model):
        return ""
    if not model.start.looked:
        return _("Looking for tables on your network…")
    return _(
        "No table answers on your network yet. Join with the address or invite that the host's "
        "lobby shows; hearts-net doctor says what the network lets through."
    )


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
        case Want.FOUND:
            return _choose_found(model, lines, intent.number + 1)
        case Want.FAVOUR:
            return _favour(model, lines[chosen])
        case Want.ENTER:
            return _open(model, lines[chosen])
    return model, ()


def _choose(model: Model, line: int) -> Model:
    return replace(model, start=replace(model.start, chosen=line))


def _choose_found(model: Model, lines: Sequence[Choice], number: int) -> Step:
    for place, line in enumerate(lines):
        if line.number == number:
            return _choose(model, place), ()
    return with_notice(model, _("No table has that number."), Tone.ERROR)


def _favour(model: Model, line: Choice) -> Step:
    if line.found is None:
        return with_notice(model, _("Choose a table that was found, then press f."), Tone.ERROR)
    return model, (Favour(line.found.address, not line.found.favourite),)


def _open(model: Model, line: Choice) -> Step:
    if model.start.opening:
        return model, ()
    if line.found is not None and line.found.trouble:
        return with_notice(model, error_sentence(line.found.trouble), Tone.ERROR)
    if line.page is not None:
        return replace(model, page=line.page, scroll=0, choice=0), ()
    own = _left_open(model, line)
    if own is not None:
        return _told_of(model, own)
    if line.purpose is Purpose.TABLE_NAME:
        name = _("{name}'s table").format(name=model.settings.name)[:24]
        return replace(model, field=Field(Purpose.TABLE_NAME, name, len(name))), ()
    if line.purpose is not None:
        return replace(model, field=Field(line.purpose)), ()
    if line.effect is None:
        return model, ()
    return opening(model, line.text, line.effect)


def _left_open(model: Model, line: Choice) -> ListedTable | None:
    """Give the player's own table that is to be told of before another one like it is opened."""
    practice = isinstance(line.effect, OpenPlay)
    if not practice and line.purpose is not Purpose.TABLE_NAME:
        return None
    own = to_go_back_to(model.start.left_open, practice=practice)
    return None if own is None or own.address == model.start.told_of else own


def _told_of(model: Model, own: ListedTable) -> Step:
    """Say that it is still open, and choose its line, so that Enter leads back to it."""
    places = [line.found.address if line.found else "" for line in choices(model)]
    start = replace(model.start, told_of=own.address, chosen=places.index(own.address))
    words = _(
        "Your table {table} is still open: Enter takes you back to it. To open another one, choose "
        "that line again."
    )
    return with_notice(replace(model, start=start), words.format(table=own.name))


def opening(model: Model, text: str, effect: Effect) -> Step:
    """Start opening a door; ``text`` says which."""
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
        return opening(closed, text, OpenHost(NewTable(text)))
    return opening(closed, text, OpenJoin(text))


def with_tables(
    model: Model,
    found: Sequence[ListedTable],
    left_open: Sequence[ListedTable] = (),
    saved: Sequence[SavedTable] | None = None,
) -> Model:
    """Take in the tables that there are, keeping the chosen line on what it was on.

    Those that are saved stay as they are unless given.
    """
    before = choices(model)
    chosen = before[min(model.start.chosen, len(before) - 1)]
    start = replace(model.start, found=tuple(found), left_open=tuple(left_open))
    if saved is not None:
        start = replace(start, saved=tuple(saved))
    after = choices(replace(model, start=start))
    at = next((place for place, line in enumerate(after) if _is_same(line, chosen)), None)
    if at is None:  # a host that has been started anew is at another address, under the same name
        at = next((place for place, line in enumerate(after) if line.found is not None
                   and chosen.found is not None and line.text == chosen.text), 0)  # fmt: skip
    return replace(model, start=replace(start, chosen=at))


def _is_same(line: Choice, other: Choice) -> bool:
    if line.found is not None and other.found is not None:
        return line.found.address == other.found.address
    return (line.effect, line.purpose, line.page) == (other.effect, other.purpose, other.page)
