"""What a person does on the page of settings: each line is one, and takes effect at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from hearts_client.chosen import UsageError
from hearts_client.full.intents import Intent, Want
from hearts_client.full.model import (
    CallPlayer,
    Field,
    Keep,
    Model,
    Purpose,
    Restyle,
    Step,
    Tone,
    Wear,
    with_notice,
    with_settings,
)
from hearts_client.i18n import N_, _
from hearts_client.playername import read_name
from hearts_client.preferences import Value
from hearts_client.safetext import safe_text
from hearts_client.settings import ClientSettings, Colours, Signal
from hearts_client.themefile import Background

Choice: TypeAlias = str | int | bool
SPEEDS = (0, 600, 1200, 2000, 4000)
"""Milliseconds that can be chosen; ``--speed`` takes any."""


@dataclass(frozen=True, slots=True)
class Setting:
    """One line: what it is about, its values, and what each means."""

    label: str
    values: Callable[[ClientSettings], Sequence[Choice]]
    value: Callable[[ClientSettings], Choice]
    words: Callable[[ClientSettings, Choice], str]
    turn: Callable[[Model, Choice], Step]


def _kept(model: Model, changes: dict[str, object], *kept: tuple[str, Value]) -> Step:
    return with_settings(model, **changes), (Keep(kept),)


def _switch(
    label: str, name: str, on: str, off: str, *, key: str = "", turned: bool = False
) -> Setting:
    """Make the line of a switch; ``turned`` where the file says the opposite under ``key``."""

    def turn(model: Model, value: Choice) -> Step:
        return _kept(model, {name: bool(value)}, (key or name, bool(value) is not turned))

    return Setting(
        label,
        lambda _settings: (False, True),
        lambda settings: bool(getattr(settings, name)),
        lambda _settings, value: _(on) if value else _(off),
        turn,
    )


def _background_words(settings: ClientSettings, value: Choice) -> str:
    if value == Background.LIGHT:
        return _("light")
    if value == Background.DARK:
        return _("dark")
    return {
        Background.LIGHT: _("light, as the terminal says"),
        Background.DARK: _("dark, as the terminal says"),
    }.get(settings.told_background, _("not known: the terminal's own colours"))


def _turn_background(model: Model, value: Choice) -> Step:
    model, effects = _kept(
        model, {"background": Background(str(value))}, ("background", str(value))
    )
    return model, (*effects, Restyle())


_DECKS = {
    Colours.FOUR: N_("four colours"),
    Colours.TWO: N_("two colours"),
    Colours.NONE: N_("no colour anywhere"),
}


def _turn_deck(model: Model, value: Choice) -> Step:
    model, effects = _kept(model, {"colours": Colours(str(value))}, ("colours", str(value)))
    return model, (*effects, Restyle())


def _turn_ascii(model: Model, value: Choice) -> Step:
    if not model.settings.utf8:
        return with_notice(model, _("This terminal takes no more than ASCII."), Tone.ERROR)
    return _kept(model, {"ascii": bool(value)}, ("ascii", bool(value)))


def _speeds(settings: ClientSettings) -> Sequence[Choice]:
    return sorted({*SPEEDS, settings.speed_ms})


def _speed_words(_settings: ClientSettings, value: Choice) -> str:
    if not value:
        return _("not at all: instantly on")
    return _("{seconds} s").format(seconds=f"{int(value) / 1000:g}")


_SIGNALS = {
    Signal.BELL: N_("the bell rings"),
    Signal.FLASH: N_("the screen flashes"),
    Signal.NONE: N_("neither bell nor flash"),
}


def _turn_signal(model: Model, value: Choice) -> Step:
    signal = Signal(str(value))
    return _kept(
        model,
        {"signal": signal},
        ("no_bell", signal is Signal.NONE),
        ("flash", signal is Signal.FLASH),
    )


def _turn_hints(model: Model, value: Choice) -> Step:
    return _kept(model, {"hints": bool(value), "first_game": False}, ("hints", bool(value)))


def _ask_for_a_name(model: Model, _value: Choice) -> Step:
    name = model.settings.name
    return replace(model, field=Field(Purpose.NAME, name, len(name))), ()


def typed_name(model: Model, text: str) -> Step:
    """Take the name that was typed for the tables from now on, if it can be one."""
    try:
        name = read_name(text)
    except UsageError as error:
        return with_notice(model, error.sentence, Tone.ERROR)
    closed = replace(with_settings(model, name=name), field=None)
    if model.at_table:
        words = _("{name} is your name at the next table; this one knows you by another.")
        known = model.public is not None and model.me is not None
        if known and model.public is not None and model.public.seats[model.me or 0].name != name:
            closed = with_notice(closed, words.format(name=name))[0]
    return closed, (Keep((("name", name),)), CallPlayer(name))


SETTINGS: tuple[Setting, ...] = (
    Setting(
        N_("Theme"),
        lambda settings: settings.themes,
        lambda settings: settings.theme,
        lambda _settings, value: str(value),
        lambda model, value: (model, (Wear(str(value)),)),
    ),
    Setting(
        N_("Background"),
        lambda _settings: tuple(Background),
        lambda settings: settings.background,
        _background_words,
        _turn_background,
    ),
    Setting(
        N_("Deck"),
        lambda _settings: tuple(Colours),
        lambda settings: settings.colours,
        lambda _settings, value: _(_DECKS[Colours(str(value))]),
        _turn_deck,
    ),
    Setting(
        N_("Suits"),
        lambda _settings: (False, True),
        lambda settings: settings.ascii,
        lambda _settings, value: _("letters (ASCII)") if value else _("symbols"),
        _turn_ascii,
    ),
    Setting(
        N_("Trick stays"),
        _speeds,
        lambda settings: settings.speed_ms,
        _speed_words,
        lambda model, value: _kept(model, {"speed_ms": int(value)}, ("speed", int(value))),
    ),
    Setting(
        N_("At your turn"),
        lambda _settings: tuple(Signal),
        lambda settings: settings.signal,
        lambda _settings, value: _(_SIGNALS[Signal(str(value))]),
        _turn_signal,
    ),
    _switch(
        N_("Mouse"), "mouse",
        N_("on: a click chooses a card, another plays it"), N_("off: text can be selected"),
    ),
    _switch(
        N_("Chat"), "chat", N_("what others say is shown"), N_("what others say is hidden"),
        key="no_chat", turned=True,
    ),
    Setting(
        N_("Hints"),
        lambda _settings: (False, True),
        lambda settings: settings.explains,
        lambda _settings, value: _("why cards may be played is said") if value else _("off"),
        _turn_hints,
    ),
    _switch(
        N_("Choosing ahead"), "preselect",
        N_("d chooses a card before your turn"), N_("off"),
    ),
    _switch(
        N_("Queen of spades"), "confirm_queen",
        N_("asks before it is played"), N_("is played like any card"),
    ),
    Setting(
        N_("Your name"),
        lambda settings: (settings.name,),
        lambda settings: settings.name,
        lambda settings, _value: safe_text(settings.name),
        _ask_for_a_name,
    ),
)  # fmt: skip


def press_settings(model: Model, intent: Intent) -> Step:
    """Take a key on the page of settings."""
    count = len(SETTINGS)
    match intent.want:
        case Want.UP:
            return replace(model, choice=(model.choice - 1) % count), ()
        case Want.DOWN:
            return replace(model, choice=(model.choice + 1) % count), ()
        case Want.PICK if intent.number != model.choice:
            return replace(model, choice=intent.number % count), ()
        case Want.LEFT:
            return _turned(model, -1)
        case Want.RIGHT | Want.ENTER | Want.PICK:
            return _turned(model, 1)
        case Want.BACK:
            return replace(model, page=None, choice=0), ()
    return model, ()


def _turned(model: Model, step: int) -> Step:
    setting = SETTINGS[min(model.choice, len(SETTINGS) - 1)]
    settings = model.settings
    values = list(setting.values(settings))
    value = setting.value(settings)
    at = values.index(value) if value in values else -step
    return setting.turn(model, values[(at + step) % len(values)])
