"""From what prompt_toolkit reads to what it means: keys, typed and pasted text."""

from __future__ import annotations

import functools
import signal
from collections.abc import Callable
from dataclasses import replace
from typing import Final, Protocol

from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys

from hearts_client.full.burst import Burst
from hearts_client.full.intents import Want
from hearts_client.full.keys import all_keys, intent_of, intent_unseen
from hearts_client.full.layout import Size
from hearts_client.full.model import Model, Step, Where, where, with_notice
from hearts_client.full.screens.least import fits
from hearts_client.full.steps import press, press_listed, type_key, type_text
from hearts_client.full.typing import EDITING_KEYS
from hearts_client.i18n import _

FIELD_KEYS: Final = frozenset({*EDITING_KEYS, "enter", "escape", "c-c"})
LEFT_ALONE: Final = frozenset({Keys.Vt100MouseEvent, Keys.CPRResponse, Keys.Ignore, Keys.ScrollUp,
                               Keys.ScrollDown, Keys.WindowsMouseEvent})  # fmt: skip


class Client(Protocol):
    """What the keyboard needs of the client that it works."""

    model: Model

    @property
    def size(self) -> Size:
        """How large the window is."""

    @property
    def furthest(self) -> int:
        """How far the page that is shown can be scrolled."""

    def now(self) -> int:
        """Give the milliseconds of a clock that only goes on."""

    def change(self, how: Callable[[], Step]) -> None:
        """Take a step; a failure of it ends the client."""

    def suspend(self) -> None:
        """Give the terminal back for now."""


class Keyboard:
    """What a person types into one client."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._burst = Burst()

    def drawn(self) -> None:
        """Note that a frame has been made: keys that were typed meanwhile are no paste."""
        self._burst.busy(self._client.now())

    def bindings(self) -> KeyBindings:
        """Say what is to be called for each key."""
        bindings = KeyBindings()
        for key in sorted({*all_keys(), *FIELD_KEYS}):
            bindings.add(key)(functools.partial(self._pressed, key))
        bindings.add(Keys.Any)(self._typed)
        bindings.add(Keys.BracketedPaste)(self._pasted)
        bindings.add(Keys.SIGINT)(functools.partial(self._pressed, "c-c"))
        if hasattr(signal, "SIGTSTP"):
            bindings.add("c-z")(self._stop_for_now)
        return bindings

    def _pressed(self, key: str, event: KeyPressEvent) -> None:
        self._client.change(lambda: self._paste_dropped(event) or self._key(key, event.data))

    def _typed(self, event: KeyPressEvent) -> None:
        if event.key_sequence[-1].key in LEFT_ALONE:
            return
        self._client.change(lambda: self._paste_dropped(event) or self._key("", event.data))

    def _pasted(self, event: KeyPressEvent) -> None:
        self._client.change(lambda: self._paste(event.data))

    def _stop_for_now(self, _event: KeyPressEvent) -> None:
        self._client.suspend()

    def _paste(self, text: str) -> Step:
        model = self._client.model
        if self._unseen():
            return model, ()
        if where(model, self._client.now()) is Where.FIELD:
            return type_text(model, text), ()
        return _dropped(model)

    def _paste_dropped(self, event: KeyPressEvent) -> Step | None:
        """Drop a key that came with far too many others; None for one that was typed."""
        now, model = self._client.now(), self._client.model
        waiting = event.app.key_processor.input_queue
        pasted = self._burst.is_pasted([press.data for press in waiting], now)
        if not pasted or where(model, now) is Where.FIELD:
            return None
        waiting.clear()
        return _dropped(model)

    def _unseen(self) -> bool:
        """Tell whether the window is too small to show what a key would do."""
        return not fits(self._client.size)

    def _key(self, key: str, data: str) -> Step:
        now, model = self._client.now(), self._client.model
        place = where(model, now)
        if self._unseen():
            wish = intent_unseen(key, place)
            return (model, ()) if wish is None else press(model, wish, now)
        if place is Where.FIELD:
            if key in FIELD_KEYS:
                return type_key(model, key, now)
            return type_text(model, data) if data.isprintable() else model, ()
        intent = intent_of(key, place)
        if intent is None:
            listed = press_listed(model, key, now)
            return _unknown(model, data, now) if listed is None else listed
        scroll = min(model.scroll, self._client.furthest)
        return press(replace(model, scroll=scroll), intent, now)


def _dropped(model: Model) -> Step:
    return with_notice(model, _("Pasted text is dropped here: c opens the chat."))


def _unknown(model: Model, data: str, now: int) -> Step:
    help_ = intent_of("?", where(model, now))
    if help_ is None or help_.want is not Want.HELP:
        return model, ()
    name = data if data.isprintable() and data.strip() else _("That key")
    return with_notice(model, _("{key} does nothing here; ? lists the keys.").format(key=name[:12]))
