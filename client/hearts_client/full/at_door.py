"""What the host's player does at the table's door, and what a newcomer does there."""

from __future__ import annotations

from dataclasses import replace

from hearts_client import doorwords, table_state
from hearts_client.full.intents import Intent, Want
from hearts_client.full.model import (
    Do,
    Effect,
    Field,
    GiveCode,
    Model,
    Page,
    Purpose,
    Step,
    Tone,
    signalled,
    with_notice,
)
from hearts_client.i18n import _
from hearts_client.sentences import error_sentence
from hearts_net.protocol.messages import (
    Admit,
    AnyAct,
    Ban,
    DeskView,
    Kick,
    OptionValue,
    SetAdmission,
    Unban,
)
from hearts_net.protocol.tablecode import read_code
from hearts_net.rules.errors import HeartsError

_NEXT = {"open": "code", "code": "ask", "ask": "open"}


def desk(model: Model) -> DeskView | None:
    """Give what the host's player alone sees."""
    return model.table.view.desk if model.table.view is not None else None


def people(model: Model) -> list[doorwords.Person]:
    """List those on the page of people, as they stand there."""
    return [] if model.table.view is None else doorwords.people(model.table.view)


def press_door(model: Model, intent: Intent) -> Step | None:
    """Take a key that is for the door wherever the player is; None for another one."""
    match intent.want:
        case Want.LET_IN | Want.TURN_AWAY:
            return _answer(model, admit=intent.want is Want.LET_IN)
        case Want.PEOPLE:
            if desk(model) is None:
                return with_notice(model, error_sentence("not-allowed"), Tone.ERROR)
            return replace(model, page=Page.PEOPLE, choice=0), ()
    return None


def _answer(model: Model, *, admit: bool) -> Step:
    found = desk(model)
    if found is None:
        return with_notice(model, error_sentence("not-allowed"), Tone.ERROR)
    if not found.asking:
        return with_notice(model, _("Nobody asks to join at the moment."))
    return model, (Do(Admit(found.asking[0].key, admit)),)


def press_people(model: Model, intent: Intent) -> Step:
    """Take a key on the page of people."""
    found = people(model)
    count = max(1, len(found))
    chosen = min(model.choice, count - 1)
    match intent.want:
        case Want.UP | Want.LEFT:
            return replace(model, choice=(chosen - 1) % count), ()
        case Want.DOWN | Want.RIGHT:
            return replace(model, choice=(chosen + 1) % count), ()
        case Want.PICK:
            return replace(model, choice=min(intent.number, count - 1)), ()
        case Want.BACK:
            return replace(model, page=None, choice=0), ()
        case Want.ADMISSION:
            before = desk(model)
            return model, (Do(SetAdmission(_NEXT[before.admission if before else "ask"])),)
    act = _act_on(found[chosen], intent.want) if found else None
    return model, (() if act is None else (Do(act),))


def _act_on(person: doorwords.Person, want: Want) -> AnyAct | None:
    match want, person.place:
        case Want.ENTER, "asking":
            return Admit(person.key)
        case Want.ENTER, "banned":
            return Unban(person.key)
        case Want.SEND_AWAY, "asking":
            return Admit(person.key, admit=False)
        case Want.SEND_AWAY, "seat" | "standing":
            return Kick(person.key)
        case Want.BAN, "asking" | "seat" | "standing":
            return Ban(person.key)
    return None


# ---- what the link tells -------------------------------------------------------------------------


def asked_for_code(model: Model) -> Step:
    """Have the table's code typed."""
    return replace(model, field=Field(Purpose.CODE)), ()


def typed_code(model: Model, text: str) -> Step:
    """Send the code that was typed, if it can be one."""
    try:
        code = read_code(text)
    except HeartsError as error:
        field = Field(Purpose.CODE)
        return with_notice(
            replace(model, field=field), error_sentence(error.code, error.detail), Tone.ERROR
        )
    return replace(model, field=None, notice=None), (GiveCode(code),)


def wrong_code(model: Model, detail: dict[str, OptionValue]) -> Step:
    """Say that the code was wrong."""
    return with_notice(model, doorwords.wrong_code_words(detail), Tone.ERROR)


def asked_about(model: Model) -> Step:
    """Say that the host's player is asked."""
    table = replace(model.table, asked_about=True)
    return replace(model, table=table, field=None), ()


def door_news(model: Model, before: table_state.TableState, now: int) -> Step:
    """Tell the host's player what is new at the door."""
    old = before.view.desk if before.view is not None else None
    new = desk(model)
    lines = doorwords.desk_news(old, new) if before.view is not None else []
    if not lines or new is None:
        return model, ()
    effects: tuple[Effect, ...] = ()
    if old is not None and len(new.asking) > len(old.asking):
        model, effects = signalled(model, now)
    if new.asking and old is not None and old.asking != new.asking:
        # the line about who asks stands until they are answered
        return replace(model, notice=None), effects
    return with_notice(model, " ".join(lines))[0], effects
