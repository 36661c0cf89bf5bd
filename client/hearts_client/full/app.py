"""The full-screen application: glues keys, screens and the link; one TaskGroup for all of it.

It has no state outside :class:`FullScreen`: an application is made from an input, an output, a link
and settings, so several can live in one process.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

from prompt_toolkit.application import Application, create_app_session
from prompt_toolkit.filters import Condition
from prompt_toolkit.input import Input
from prompt_toolkit.layout import Layout
from prompt_toolkit.output import ColorDepth, Output
from prompt_toolkit.styles import BaseStyle, DynamicStyle

from hearts_client import table_state
from hearts_client.curtain import hung_curtain
from hearts_client.doors import Doors
from hearts_client.ending import ENDING, told_to_end
from hearts_client.exits import Exit
from hearts_client.full import model as effects
from hearts_client.full.at_hand import with_hint
from hearts_client.full.farewell import farewell
from hearts_client.full.hall import Hall
from hearts_client.full.intents import Intent
from hearts_client.full.keyboard import Keyboard
from hearts_client.full.layout import Screenful, Size, is_shaky
from hearts_client.full.model import Effect, Model, Step, Tone, with_notice, with_settings
from hearts_client.full.pane import Pane
from hearts_client.full.screens.draw import draw
from hearts_client.full.steps import heard, press
from hearts_client.full.suspending import Suspender
from hearts_client.full.theme import style_sheet, variant_of
from hearts_client.full.ticking import Ticker
from hearts_client.i18n import _
from hearts_client.preferences import Preferences, Value
from hearts_client.sentences import error_sentence
from hearts_client.settings import ClientSettings, Colours
from hearts_client.tablelink import LinkFactory, TableLink
from hearts_client.themefile import load_theme
from hearts_net.protocol.messages import AnyAct, ChooseMoon, Claim, Pass, Play, View
from hearts_net.rules.errors import HeartsError

HANG_UP = "SIGHUP"
ESCAPE_WAIT = 0.05
"""Seconds after which a lone Esc is one."""
SIZE_POLLING = 0.5
"""Seconds between two looks at a window's size where nothing tells of its change."""


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
        self.now = clock or monotonic_ms
        """Gives milliseconds."""
        self.model = Model(
            settings,
            at_table=doors is None,
            where_to=place,
            invite=invite,
            zone=time.localtime().tm_gmtoff if zone is None else zone,
        )
        self._preferences = preferences
        self._link: TableLink | None = None
        self._link_task: asyncio.Task[None] | None = None
        self._group: asyncio.TaskGroup | None = None
        self._painted = asyncio.Event()
        self._doing: set[asyncio.Task[None]] = set()
        self._suspender: Suspender | None = None
        self._screenful = Screenful(())
        self._shaky = False
        """The screen shows text whose width terminals disagree about."""
        self._hung_up = False
        """The terminal is gone: there is nobody left to say anything to."""
        self._failure: BaseException | None = None
        self._style: BaseStyle | None = None
        self._hall = None if doors is None else Hall(doors, self)
        self._keyboard = Keyboard(self)
        self._ticker = Ticker(self)
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
                        self.sit_down(link_factory)
                    elif self._hall is not None:
                        self._hall.enter()
                    code = await self._show()
                    self._end_tasks()
        finally:
            loop.set_exception_handler(previous)
            self._group = None
            self._ticker.stop()
        return self._result(code)

    async def _show(self) -> int:
        application = self.application
        application.after_render += lambda _: self._painted.set()
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
        self._ticker.stop()
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
            if self._hall is not None:
                self._hall.give_up()
            application.exit(result=code)

    def fail(self, failure: BaseException) -> None:
        """End the client for a failure of its own; it is told once the terminal is right again."""
        self._failure = self._failure or failure
        self._exit(Exit.FAILED)

    def _loop_failed(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        self.fail(error or RuntimeError(str(context.get("message"))))

    # ---- the table's link

    def sit_down(self, link_factory: LinkFactory) -> None:
        """Be at a table."""
        assert self._group is not None
        if self._hall is not None:
            self._hall.leave()
        table = table_state.TableState(link_since=self.now())
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
            self.fail(error)
        else:
            self._link_ended()

    def _link_failed(self, error: HeartsError) -> None:
        self._link = None
        if self._hall is None:
            self.fail(error)
            return
        self._hall.enter()
        self.say_error(error)

    def _link_ended(self) -> None:
        """Stay on the last words of a table that ended; otherwise the person has left."""
        self._link = None
        if table_state.has_ended(self.model.table):
            self._changed()
        elif self._hall is not None:
            self._hall.enter()
        else:
            self._exit(0)

    def _heard(self, event: object) -> None:
        self.change(lambda: heard(self.model, event, self.now()))

    # ---- what its parts ask for

    def show(self, model: Model) -> None:
        """Show the client so from now on."""
        self.model = model
        self._changed()

    def change(self, how: Callable[[], Step]) -> None:
        """Take a step; a failure of it ends the client."""
        try:
            self._take(how())
        except Exception as error:
            self.fail(error)

    def say_error(self, error: HeartsError) -> None:
        """Say what went wrong, and go on."""
        sentence = error_sentence(error.code, error.detail)
        self.show(with_notice(self.model, sentence, Tone.ERROR)[0])

    def start_task(self, work: Awaitable[None]) -> asyncio.Task[None]:
        """Do something beside everything else; a failure of it ends the client."""
        assert self._group is not None

        async def guarded() -> None:
            try:
                await work
            except Exception as error:
                self.fail(error)

        task = self._group.create_task(guarded())
        self._doing.add(task)
        task.add_done_callback(self._doing.discard)
        return task

    async def painted(self) -> None:
        """Wait until the screen has been drawn once."""
        await self._painted.wait()

    @property
    def size(self) -> Size:
        """How large the window is."""
        rows, columns = self.application.output.get_size()
        return Size(columns, rows)

    @property
    def furthest(self) -> int:
        """How far the page that is shown can be scrolled."""
        return self._screenful.furthest

    def suspend(self) -> None:
        """Give the terminal back for now."""
        if self._suspender is not None:
            self._suspender.suspend()

    # ---- effects

    async def _think_of_hint(self, view: View) -> None:
        """Work a hint out in a thread: keys and the table's news go on meanwhile."""
        from hearts_net.bots.hint import hint_for  # seldom wanted

        hint = await asyncio.to_thread(hint_for, view)
        self._take((with_hint(self.model, view, hint), ()))

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
                self.start_task(self._think_of_hint(view))
            case effects.LeaveTable():
                self._leave()
            case effects.Quit(code):
                self._quit(code)
            case effects.Redraw():
                self.application.renderer.clear()
            case _ if self._hall is not None:
                self._hall.carry_out(effect)

    def _keep(self, values: Mapping[str, Value]) -> None:
        """Write settings to the player's file; where that fails they hold for now."""
        if self._preferences is None:
            return
        try:
            self._preferences.keep(values)
        except HeartsError as error:
            self.say_error(error)

    def _remember_game(self) -> None:
        if self._preferences is not None:
            with contextlib.suppress(HeartsError):  # then the next game teaches once more
                self._preferences.game_over()

    def _wear(self, name: str) -> None:
        try:
            self._theme = load_theme(name, self.model.settings.theme_folder)
        except HeartsError as error:
            self.say_error(error)
            return
        self.model = with_settings(self.model, theme=name)
        self._restyle()
        self._keep({"theme": name})

    def _do(self, act: AnyAct) -> None:
        if self._link is None:
            return
        try:
            request = self._link.do(act)
        except HeartsError as error:
            self.say_error(error)
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
        if ended and self._hall is not None and self.model.at_table:
            self._hall.enter()
        else:
            self._exit(code)

    def _changed(self) -> None:
        if self._shaky and self.application.is_running and not self.application.is_done:
            self.application.renderer.clear()
        self.application.invalidate()
        if self._group is not None:
            self._ticker.arm()

    # ---- prompt_toolkit

    def _made(self, terminal_input: Input | None, output: Output | None) -> Application[int]:
        application: Application[int] = Application(
            layout=Layout(self._pane),
            key_bindings=self._keyboard.bindings(),
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
            self._screenful = draw(self.model, size, self.now())
        except Exception as error:
            self.fail(error)
        self._notice_shaky()
        self._keyboard.drawn()
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
        self.change(lambda: press(self.model, intent, self.now()))


def _size_polling(output: Output | None) -> float | None:
    """Say how often to look how large the window is: not where a signal tells."""
    told = hasattr(signal, "SIGWINCH") and threading.current_thread() is threading.main_thread()
    return None if output is None and told else SIZE_POLLING


def monotonic_ms() -> int:
    """Give the milliseconds of a clock that only goes on."""
    return time.monotonic_ns() // 1_000_000
