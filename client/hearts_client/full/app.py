"""The full-screen application: glues keys, screens and the link; one TaskGroup for all of it.

It has no state outside :class:`FullScreen`: an application is made from an input, an output, a link
and settings, so several can live in one process.
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import signal
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from prompt_toolkit.application import Application, create_app_session
from prompt_toolkit.filters import Condition
from prompt_toolkit.input import Input
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent
from prompt_toolkit.keys import Keys
from prompt_toolkit.layout import Layout
from prompt_toolkit.output import ColorDepth, Output
from prompt_toolkit.styles import BaseStyle, DynamicStyle

from hearts_client import table_state
from hearts_client.curtain import hung_curtain
from hearts_client.doors import Doors, ListedTable
from hearts_client.ending import ENDING, told_to_end
from hearts_client.exits import Exit
from hearts_client.full import model as effects
from hearts_client.full.at_hand import with_hint
from hearts_client.full.at_start import with_tables
from hearts_client.full.burst import Burst
from hearts_client.full.farewell import farewell
from hearts_client.full.intents import Intent, Want
from hearts_client.full.keys import all_keys, intent_of, intent_unseen
from hearts_client.full.layout import Screenful, Size, is_shaky
from hearts_client.full.model import (
    Effect,
    Model,
    StartState,
    Step,
    Tone,
    Where,
    next_moment,
    where,
    with_notice,
    with_settings,
)
from hearts_client.full.pane import Pane
from hearts_client.full.screens.draw import draw
from hearts_client.full.screens.least import fits
from hearts_client.full.steps import heard, press, press_listed, type_key, type_text
from hearts_client.full.suspending import Suspender
from hearts_client.full.theme import style_sheet, variant_of
from hearts_client.full.typing import EDITING_KEYS
from hearts_client.i18n import _
from hearts_client.preferences import Preferences, Value
from hearts_client.sentences import error_sentence
from hearts_client.settings import ClientSettings, Colours
from hearts_client.tablelink import LinkFactory, TableLink
from hearts_client.themefile import load_theme
from hearts_net.bots.hint import hint_for
from hearts_net.protocol.messages import AnyAct, ChooseMoon, Claim, Pass, Play, View
from hearts_net.rules.errors import HeartsError

HANG_UP = "SIGHUP"
FIELD_KEYS = frozenset({*EDITING_KEYS, "enter", "escape", "c-c"})
ESCAPE_WAIT = 0.05
"""Seconds after which a lone Esc is one."""
SIZE_POLLING = 0.5
"""Seconds between two looks at a window's size where nothing tells of its change."""
NOTICE_SECONDS = 5.0
"""How long an answer to a key stays on the screen when no other key follows."""
LOOK_FOR_SECONDS = 2.0
"""After so long without an answer it is said that nobody answers, and what to do about it."""
LEFT_ALONE = frozenset({Keys.Vt100MouseEvent, Keys.CPRResponse, Keys.Ignore, Keys.ScrollUp,
                        Keys.ScrollDown, Keys.WindowsMouseEvent})  # fmt: skip


async def run_full(
    link_factory: LinkFactory | None,
    settings: ClientSettings,
    *,
    doors: Doors | None = None,
    place: str = "",
    invite: str = "",
    preferences: Preferences | None = None,
    terminal_input: Input | None = None,
    terminal_output: Output | None = None,
) -> int:
    """Play on the full screen until the person leaves; return the exit code.

    Without a ``link_factory`` the start screen opens, and needs ``doors``. ``place`` names the
    table's host in words, ``invite`` is what others join with, where that is known. What the
    player sets is kept in ``preferences``, and nowhere without them. Input and output are the
    process's terminal unless given. A :class:`HeartsError` of the link is raised
    once the terminal is restored; the caller says it in a sentence.
    """
    screen = FullScreen(
        settings,
        doors=doors,
        place=place,
        invite=invite,
        preferences=preferences,
        terminal_input=terminal_input,
        terminal_output=terminal_output,
    )
    return await screen.run(link_factory)


class FullScreen:
    """One full-screen client."""

    def __init__(
        self,
        settings: ClientSettings,
        *,
        doors: Doors | None = None,
        place: str = "",
        invite: str = "",
        preferences: Preferences | None = None,
        terminal_input: Input | None = None,
        terminal_output: Output | None = None,
        clock: Callable[[], int] | None = None,
        zone: int | None = None,
    ) -> None:
        """Make a client; nothing is shown before :meth:`run`.

        ``clock`` counts milliseconds and ``zone`` is how many seconds local time is ahead of UTC;
        both are this machine's unless given.
        """
        self._now = clock or monotonic_ms
        self.model = Model(
            settings,
            at_table=doors is None,
            where_to=place,
            invite=invite,
            zone=time.localtime().tm_gmtoff if zone is None else zone,
        )
        self._doors = doors
        self._preferences = preferences
        self._link: TableLink | None = None
        self._link_task: asyncio.Task[None] | None = None
        self._group: asyncio.TaskGroup | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._noticed: effects.Notice | None = None
        self._notice_timer: asyncio.TimerHandle | None = None
        self._burst = Burst()
        self._suspender: Suspender | None = None
        self._screenful = Screenful(())
        self._shaky = False
        """The screen shows text whose width terminals disagree about."""
        self._hung_up = False
        """The terminal is gone: there is nobody left to say anything to."""
        self._failure: BaseException | None = None
        self._style: BaseStyle | None = None
        self._looking: list[asyncio.Task[None]] = []
        self._door: asyncio.Task[None] | None = None
        self._pane = Pane(self._drawn, self._clicked)
        self._theme = load_theme(settings.theme, settings.theme_folder)
        self.application = self._made(terminal_input, terminal_output)
        """What prompt_toolkit runs."""
        self._restyle()

    # ---- running

    async def run(self, link_factory: LinkFactory | None) -> int:
        """Show the screen until it ends; see :func:`run_full`."""
        loop = asyncio.get_running_loop()
        previous = loop.get_exception_handler()
        loop.set_exception_handler(self._loop_failed)
        try:
            with (
                told_to_end(loop, self._exit, [name for name in ENDING if name != HANG_UP]),
                told_to_end(loop, self._hang_up, [HANG_UP]),
            ):
                async with asyncio.TaskGroup() as group:
                    self._group = group
                    if link_factory is not None:
                        self._open(link_factory)
                    elif self._doors is not None:
                        self._show_start()
                    code = await self._show()
                    self._end_tasks()
        finally:
            loop.set_exception_handler(previous)
            self._group = None
            self._stop_timer()
            self._stop_notice_timer()
        return self._result(code)

    async def _show(self) -> int:
        application = self.application
        curtain = hung_curtain()
        if curtain is not None:
            application.after_render += lambda _: curtain.taken_over()
            curtain.make_way()
        self._suspender = Suspender(application.input)
        try:
            # A session of its own: otherwise prompt_toolkit takes the last application started in
            # this process for the current one, and others' screens stand still.
            with create_app_session(application.input, application.output):
                return await application.run_async(set_exception_handler=False)
        except EOFError:  # the terminal is gone; whoever sat there comes back with the same key
            return 0
        except Exception as error:
            self._failure = self._failure or error
            return 1

    def _result(self, code: int) -> int:
        if isinstance(self._failure, HeartsError):
            raise self._failure
        if self._failure is None:
            told = code == Exit.TERMINATED and not self._hung_up
            said = farewell(self.model, told_to_end=told) if code == 0 or told else ""
            if said:
                with contextlib.suppress(OSError):  # the terminal may be gone
                    print(said, flush=True)
            return code
        print(self._crash_sentence(self._failure), file=sys.stderr)
        return 1

    def _crash_sentence(self, failure: BaseException) -> str:
        from hearts_client.crash import write_crash

        facts = f"{type(failure).__name__}: {failure}"
        wanted = self.model.settings.log_file
        log = write_crash(failure, str(wanted) if wanted else "")
        if log is None:
            return _("hearts-net failed ({facts}): start it with --log-file to report it.").format(
                facts=facts
            )
        return _("hearts-net failed ({facts}): please report it with {log}.").format(
            facts=facts, log=log
        )

    def _end_tasks(self) -> None:
        self._stop_timer()
        if self._link_task is not None:
            self._link_task.cancel()
        for task in list(self._doing):
            task.cancel()

    def _hang_up(self, code: Exit) -> None:
        self._hung_up = True
        self._exit(code)

    def _exit(self, code: int) -> None:
        application = self.application
        if application.is_running and not application.is_done:
            if self._door is not None:  # one that opens now leads nowhere any more
                self._door.cancel()
            application.exit(result=code)

    def _crashed(self, failure: BaseException) -> None:
        """End the client for a failure of its own; it is told once the terminal is right again."""
        self._failure = self._failure or failure
        self._exit(Exit.FAILED)

    def _loop_failed(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        self._crashed(error or RuntimeError(str(context.get("message"))))

    # ---- the table's link

    def _open(self, link_factory: LinkFactory) -> None:
        assert self._group is not None
        self._stop_looking()
        table = table_state.TableState(link_since=self._now())
        self.model = replace(
            self.model, at_table=True, table=table, page=None, field=None, chosen="", marked=()
        )
        self._link = link_factory(self._heard)
        self._link_task = self._group.create_task(self._stay(self._link))
        self._changed()

    async def _stay(self, link: TableLink) -> None:
        try:
            await link.run()
        except HeartsError as error:
            self._link_failed(error)
        except Exception as error:
            self._crashed(error)
        else:
            self._link_ended()

    def _link_failed(self, error: HeartsError) -> None:
        self._link = None
        if self._doors is None:
            self._crashed(error)
            return
        self._show_start()
        sentence = error_sentence(error.code, error.detail)
        self._take(with_notice(self.model, sentence, Tone.ERROR))

    def _link_ended(self) -> None:
        """Stay on the last words of a table that ended; otherwise the person has left."""
        self._link = None
        if table_state.has_ended(self.model.table):
            self._changed()
        elif self._doors is not None:
            self._show_start()
        else:
            self._exit(0)

    def _heard(self, event: object) -> None:
        self._guarded(lambda: heard(self.model, event, self._now()))

    # ---- the start screen

    @functools.cached_property
    def _doing(self) -> set[asyncio.Task[None]]:
        return set()

    def _show_start(self) -> None:
        assert self._doors is not None
        start = StartState(
            saved=tuple(self._doors.saved()), left_open=tuple(self._doors.left_open())
        )
        self.model = replace(
            self.model,
            table=table_state.TableState(),
            at_table=False,
            page=None,
            field=None,
            start=start,
        )
        self._stop_looking()
        self._looking = [self._start_task(self._look()), self._start_task(self._look_in_vain())]
        self._changed()

    def _stop_looking(self) -> None:
        for task in self._looking:
            task.cancel()
        self._looking = []

    def _start_task(self, work: Awaitable[None]) -> asyncio.Task[None]:
        assert self._group is not None

        async def guarded() -> None:
            try:
                await work
            except Exception as error:
                self._crashed(error)

        task = self._group.create_task(guarded())
        self._doing.add(task)
        task.add_done_callback(self._doing.discard)
        return task

    async def _look(self) -> None:
        """Keep the list of tables as it is on the network, for as long as the screen is shown."""
        assert self._doors is not None
        try:
            await self._doors.look(self._found)
        except HeartsError as error:
            sentence = error_sentence(error.code, error.detail)
            self._take(with_notice(self.model, sentence, Tone.ERROR))

    def _found(self, found: Sequence[ListedTable]) -> None:
        assert self._doors is not None
        self.model = with_tables(self.model, found, self._doors.left_open())
        self._changed()

    async def _look_in_vain(self) -> None:
        await asyncio.sleep(LOOK_FOR_SECONDS)
        self.model = replace(self.model, start=replace(self.model.start, looked=True))
        self._changed()

    def _go_through(self, door: Awaitable[LinkFactory], *, ready: bool = False) -> None:
        self._door = self._start_task(self._through(door, ready=ready))

    async def _through(self, door: Awaitable[LinkFactory], *, ready: bool) -> None:
        """Go through a door; ``ready`` says so at once at the table behind it."""
        try:
            link_factory = await door
        except HeartsError as error:
            self._opened()
            sentence = error_sentence(error.code, error.detail)
            self._take(with_notice(self.model, sentence, Tone.ERROR))
            return
        self._opened()
        self.model = with_settings(self.model, ready_at_once=ready)
        self._open(link_factory)

    def _opened(self) -> None:
        self.model = replace(self.model, start=replace(self.model.start, opening=""))

    async def _think_of_hint(self, view: View) -> None:
        """Work a hint out in a thread: keys and the table's news go on meanwhile."""
        hint = await asyncio.to_thread(hint_for, view)
        self._take((with_hint(self.model, view, hint), ()))

    # ---- changes and their effects

    def _guarded(self, change: Callable[[], Step]) -> None:
        try:
            self._take(change())
        except Exception as error:
            self._crashed(error)

    def _take(self, step: Step) -> None:
        self.model, asked = step
        for effect in asked:
            self._carry_out(effect)
        self._changed()

    def _carry_out(self, effect: Effect) -> None:
        match effect:
            case effects.Do(act):
                self._do(act)
            case effects.GiveCode(code):
                if self._link is not None:
                    self._link.give_code(code)
            case effects.FetchPage(what, after):
                if self._link is not None:
                    self._link.fetch(what, after)
            case effects.Ring():
                self.application.output.bell()
                self.application.output.flush()
            case effects.Keep(values):
                self._keep(dict(values))
            case effects.GameOver():
                self._remember_game()
            case effects.Wear(name):
                self._wear(name)
            case effects.Restyle():
                self._restyle()
            case effects.ThinkOfHint(view):
                self._start_task(self._think_of_hint(view))
            case effects.LeaveTable():
                self._leave()
            case effects.Quit(code):
                self._quit(code)
            case effects.Redraw():
                self.application.renderer.clear()
            case _:
                self._carry_out_door(effect)

    def _keep(self, values: Mapping[str, Value]) -> None:
        """Write settings to the player's file; where that fails they hold for now."""
        if self._preferences is None:
            return
        try:
            self._preferences.keep(values)
        except HeartsError as error:
            sentence = error_sentence(error.code, error.detail)
            self.model = with_notice(self.model, sentence, Tone.ERROR)[0]

    def _remember_game(self) -> None:
        if self._preferences is not None:
            with contextlib.suppress(HeartsError):  # then the next game teaches once more
                self._preferences.game_over()

    def _wear(self, name: str) -> None:
        try:
            self._theme = load_theme(name, self.model.settings.theme_folder)
        except HeartsError as error:
            sentence = error_sentence(error.code, error.detail)
            self.model = with_notice(self.model, sentence, Tone.ERROR)[0]
            return
        self.model = with_settings(self.model, theme=name)
        self._restyle()
        self._keep({"theme": name})

    def _carry_out_door(self, effect: Effect) -> None:
        doors = self._doors
        if doors is None:
            return
        match effect:
            case effects.OpenPlay():
                self._go_through(doors.play(), ready=True)
            case effects.OpenHost(wanted):
                self._go_through(doors.host(wanted))
            case effects.OpenJoin(address, watch):
                self._go_through(doors.join(address, watch=watch))
            case effects.OpenResume(table):
                self._go_through(doors.resume(table))
            case effects.CallPlayer(name):
                doors.rename(name)
            case effects.Favour(address, favourite):
                self._favour(doors, address, favourite=favourite)

    def _favour(self, doors: Doors, address: str, *, favourite: bool) -> None:
        try:
            doors.favour(address, favourite=favourite)
        except HeartsError as error:
            sentence = error_sentence(error.code, error.detail)
            self.model = with_notice(self.model, sentence, Tone.ERROR)[0]

    def _do(self, act: AnyAct) -> None:
        if self._link is None:
            return
        try:
            request = self._link.do(act)
        except HeartsError as error:
            sentence = error_sentence(error.code, error.detail)
            self.model = with_notice(self.model, sentence, Tone.ERROR)[0]
            return
        if isinstance(act, Play | Pass | Claim | ChooseMoon):
            self.model = replace(self.model, table=table_state.sent(self.model.table, request))

    def _leave(self) -> None:
        if self._link is None:
            self._exit(0)
        else:
            self._link.leave()

    def _quit(self, code: int) -> None:
        ended = table_state.has_ended(self.model.table)
        if ended and self._doors is not None and self.model.at_table:
            self._show_start()
        else:
            self._exit(code)

    def _changed(self) -> None:
        if self._shaky and self.application.is_running and not self.application.is_done:
            self.application.renderer.clear()
        self.application.invalidate()
        self._stop_timer()
        moment = next_moment(self.model, self._now())
        if moment is not None and self._group is not None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(max(0.001, (moment - self._now()) / 1000), self._changed)

        self._watch_notice()

    def _watch_notice(self) -> None:
        """Take a notice at the table away by itself after some seconds: one redraw, no ticking."""
        notice = self.model.notice
        if notice is self._noticed:
            return
        self._stop_notice_timer()
        self._noticed = notice
        if notice is not None and self.model.public is not None and self._group is not None:
            loop = asyncio.get_running_loop()
            self._notice_timer = loop.call_later(NOTICE_SECONDS, self._notice_over)

    def _notice_over(self) -> None:
        self.model = replace(self.model, notice=None)
        self._changed()

    def _stop_notice_timer(self) -> None:
        if self._notice_timer is not None:
            self._notice_timer.cancel()
            self._notice_timer = None

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    # ---- prompt_toolkit

    def _made(self, terminal_input: Input | None, output: Output | None) -> Application[int]:
        application: Application[int] = Application(
            layout=Layout(self._pane),
            key_bindings=self._bindings(),
            style=DynamicStyle(lambda: self._style),
            include_default_pygments_style=False,
            full_screen=True,
            mouse_support=Condition(lambda: self.model.mouse),
            color_depth=self._color_depth,
            terminal_size_polling_interval=_size_polling(output),
            input=terminal_input,
            output=output,
        )
        application.ttimeoutlen = ESCAPE_WAIT
        application.timeoutlen = ESCAPE_WAIT
        return application

    def _restyle(self) -> None:
        """Put on the look that the settings ask for, from the next frame on."""
        settings = self.model.settings
        depth = self.application.output.get_default_color_depth()
        sixteen = depth in (ColorDepth.DEPTH_1_BIT, ColorDepth.DEPTH_4_BIT)
        variant = variant_of(self._theme, settings.behind, sixteen=sixteen)
        self._style = style_sheet(variant, settings.colours)
        self._pane.paint(bool(variant.base) and settings.colours is not Colours.NONE)

    def _color_depth(self) -> ColorDepth | None:
        return ColorDepth.DEPTH_1_BIT if self.model.settings.colours is Colours.NONE else None

    def _drawn(self, size: Size) -> Screenful:
        try:
            self._screenful = draw(self.model, size, self._now())
        except Exception as error:
            self._crashed(error)
        self._notice_shaky()
        self._burst.busy(self._now())
        return self._screenful

    def _notice_shaky(self) -> None:
        """Have such a screen written anew as a whole, now and whenever it changes."""
        lines = self._screenful.lines
        before, self._shaky = (
            self._shaky,
            any(is_shaky(span.text) for line in lines for span in line),
        )
        if self._shaky and not before and self._group is not None:
            asyncio.get_running_loop().call_soon(self._changed)

    def _clicked(self, intent: Intent) -> None:
        self._guarded(lambda: press(self.model, intent, self._now()))

    def _bindings(self) -> KeyBindings:
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
        self._guarded(lambda: self._paste_dropped(event) or self._key(key, event.data))

    def _stop_for_now(self, _event: KeyPressEvent) -> None:
        if self._suspender is not None:
            self._suspender.suspend()

    def _paste_dropped(self, event: KeyPressEvent) -> Step | None:
        """Drop a key that came with far too many others; None for one that was typed."""
        now = self._now()
        waiting = event.app.key_processor.input_queue
        pasted = self._burst.is_pasted([press.data for press in waiting], now)
        if not pasted or where(self.model, now) is Where.FIELD:
            return None
        waiting.clear()
        return with_notice(self.model, _("Pasted text is dropped here: c opens the chat."))

    def _unseen(self) -> bool:
        """Tell whether the window is too small to show what a key would do."""
        rows, columns = self.application.output.get_size()
        return not fits(Size(columns, rows))

    def _key(self, key: str, data: str) -> Step:
        now = self._now()
        place = where(self.model, now)
        if self._unseen():
            wish = intent_unseen(key, place)
            return (self.model, ()) if wish is None else press(self.model, wish, now)
        if place is Where.FIELD:
            if key in FIELD_KEYS:
                return type_key(self.model, key, now)
            return type_text(self.model, data) if data.isprintable() else self.model, ()
        intent = intent_of(key, place)
        if intent is None:
            listed = press_listed(self.model, key, now)
            return self._unknown(data) if listed is None else listed
        scroll = min(self.model.scroll, self._screenful.furthest)
        return press(replace(self.model, scroll=scroll), intent, now)

    def _unknown(self, data: str) -> Step:
        help_ = intent_of("?", where(self.model, self._now()))
        if help_ is None or help_.want is not Want.HELP:
            return self.model, ()
        name = data if data.isprintable() and data.strip() else _("That key")
        return with_notice(
            self.model, _("{key} does nothing here; ? lists the keys.").format(key=name[:12])
        )

    def _typed(self, event: KeyPressEvent) -> None:
        if event.key_sequence[-1].key in LEFT_ALONE:
            return
        self._guarded(lambda: self._paste_dropped(event) or self._key("", event.data))

    def _pasted(self, event: KeyPressEvent) -> None:
        def paste() -> Step:
            if self._unseen():
                return self.model, ()
            if where(self.model, self._now()) is Where.FIELD:
                return type_text(self.model, event.data), ()
            return with_notice(self.model, _("Pasted text is dropped here: c opens the chat."))

        self._guarded(paste)


def _size_polling(output: Output | None) -> float | None:
    """Say how often to look how large the window is: not where a signal tells."""
    told = hasattr(signal, "SIGWINCH") and threading.current_thread() is threading.main_thread()
    return None if output is None and told else SIZE_POLLING


def monotonic_ms() -> int:
    """Give the milliseconds of a clock that only goes on."""
    return time.monotonic_ns() // 1_000_000
