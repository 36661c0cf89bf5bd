"""The table's door in words: the code, who asks to come in, and whom the host's player means."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hearts_client.i18n import _
from hearts_client.refusals import error_sentence
from hearts_client.safetext import safe_text
from hearts_net.protocol.messages import DeskView, Somebody, View
from hearts_net.protocol.tablecode import shown_code


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody whom the host's player can let in, send away or ban."""

    key: str
    name: str
    """Safe to show."""
    place: str
    """``asking``, ``seat``, ``standing`` or ``banned``."""
    seat: int | None = None
    role: str = ""


def people(view: View) -> list[Person]:
    """List everybody with whom the host's player may have to do: who asks first."""
    desk = view.desk
    if desk is None:
        return []
    seated = [
        Person(seat.key, safe_text(seat.name), "seat", number, seat.kind)
        for number, seat in enumerate(view.public.seats)
        if seat.kind == "person" and not seat.host
    ]
    return [
        *(_person(each, "asking") for each in desk.asking),
        *seated,
        *(_person(each, "standing") for each in desk.standing),
        *(_person(each, "banned") for each in desk.banned),
    ]


def _person(each: Somebody, place: str) -> Person:
    return Person(each.key, safe_text(each.name), place, role=each.role)


def person_words(person: Person) -> str:
    """Say in a word or two how somebody stands to the table."""
    if person.place == "asking":
        return _("asks to watch") if person.role == "watcher" else _("asks to join")
    if person.place == "banned":
        return _("banned")
    if person.seat is not None:
        return _("seat {seat}").format(seat=person.seat + 1)
    return _("watches") if person.role == "watcher" else _("without a seat")


def named(found: Sequence[Person], wanted: str) -> Person | None:
    """Find whom a name or a seat's number means; without either, the first."""
    if not wanted:
        return found[0] if found else None
    called = safe_text(wanted).casefold()
    for person in found:
        if called == person.name.casefold() or (
            person.seat is not None and called == str(person.seat + 1)
        ):
            return person
    return None


def admission_words(desk: DeskView) -> str:
    """Say who is let in."""
    if desk.code:
        return _("Newcomers need the code: {code}").format(code=shown_code(desk.code))
    if desk.admission == "open":
        return _("Everybody on this network may join.")
    if desk.admission == "code":
        return _("Too many wrong codes were tried: you are asked about newcomers now.")
    return _("You are asked about newcomers.")


def asking_words(person: Somebody) -> str:
    """Say that somebody wants to come in."""
    pattern = _("{name} asks to watch.") if person.role == "watcher" else _("{name} asks to join.")
    return pattern.format(name=safe_text(person.name))


def desk_news(before: DeskView | None, after: DeskView | None) -> list[str]:
    """Say what is new at the door to the host's player."""
    if after is None:
        return []
    lines = []
    changed = before is None or (before.admission, before.code) != (after.admission, after.code)
    if changed and (before is not None or after.admission != "open"):
        lines.append(admission_words(after))
    known = {each.key for each in before.asking} if before is not None else set()
    lines += [asking_words(each) for each in after.asking if each.key not in known]
    return lines


def code_question() -> str:
    """Ask for the table's code."""
    return _("This table has a code: type its six digits, which the host's player can tell you.")


def waiting_words() -> str:
    """Say that the host's player is asked."""
    return _("The host's player is asked whether you may come in: wait for the answer.")


def wrong_code_words(detail: dict[str, bool | int | str]) -> str:
    """Say that a code was wrong, and what that leads to."""
    if detail.get("left") == 0:
        return _("That was not the code, and too many were tried: the host's player is asked now.")
    return error_sentence("wrong-code")


def removed_words(reason: str) -> str:
    """Say that the host's player has sent this player away."""
    if reason == "banned":
        return _("The host's player has sent you away and banned you from this table.")
    return _("The host's player has sent you away from this table.")
