"""The whole screen as one window of prompt_toolkit: puts lines of spans into cells.

prompt_toolkit's own text control joins all text and takes it apart again, character by character,
in every frame. Most lines are as they were a frame ago, so here each line is turned into cells once
and kept for as long as it is shown; a frame copies them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from prompt_toolkit.data_structures import Point
from prompt_toolkit.layout import FormattedTextControl, Window
from prompt_toolkit.layout.mouse_handlers import MouseHandlers
from prompt_toolkit.layout.screen import Char, Screen, WritePosition
from prompt_toolkit.mouse_events import MouseEvent, MouseEventType

from hearts_client.full.intents import Intent
from hearts_client.full.layout import Line, Screenful, Size
from hearts_client.full.theme import style_text

KEPT_LOOKS = 4096
"""Characters in their styles; more are only shown by somebody who tries to."""
Handler: TypeAlias = Callable[[MouseEvent], object]


@dataclass(frozen=True, slots=True)
class Cells:
    """A line in cells: what is in each that is not just empty, and what a click there does."""

    chars: dict[int, Char]
    presses: dict[int, Intent]


class Pane(Window):
    """A window that shows what ``draw`` gives for its size; a click's intent goes to ``press``."""

    def __init__(self, draw: Callable[[Size], Screenful], press: Callable[[Intent], None]) -> None:
        self._draw = draw
        self._press = press
        self._lines: dict[Line, Cells] = {}
        self._looks: dict[tuple[str, str], Char] = {}
        self._painted = False
        super().__init__(FormattedTextControl(focusable=True))

    def paint(self, painted: bool) -> None:
        """Write empty cells too, or no longer: a theme with a background of its own needs them."""
        if painted is not self._painted:
            self._painted = painted
            self._lines = {}

    def write_to_screen(
        self,
        screen: Screen,
        mouse_handlers: MouseHandlers,
        write_position: WritePosition,
        parent_style: str,
        erase_bg: bool,
        z_index: int | None,
    ) -> None:
        """Draw, and set the cells, the cursor and what clicks do."""
        del parent_style, erase_bg, z_index  # nothing is around it, below it or above it
        left, top = write_position.xpos, write_position.ypos
        drawn = self._draw(Size(write_position.width, write_position.height))
        kept = {line: self._lines.get(line) or self._cells(line) for line in drawn.lines}
        self._lines = kept
        for number, line in enumerate(drawn.lines):
            cells = kept[line]
            row = screen.data_buffer[top + number]
            if left:
                row.update({left + column: char for column, char in cells.chars.items()})
            else:
                row.update(cells.chars)
            for column, intent in cells.presses.items():
                mouse_handlers.mouse_handlers[top + number][left + column] = self._handler(intent)
        screen.width = max(screen.width, left + write_position.width)
        screen.height = max(screen.height, top + write_position.height)
        if drawn.cursor is not None:
            column, number = drawn.cursor
            screen.set_cursor_position(self, Point(left + column, top + number))
            screen.show_cursor = True
        screen.visible_windows_to_write_positions[self] = write_position

    def _cells(self, line: Line) -> Cells:
        """Put a line into cells: a wide character takes two, a mark joins the one before it."""
        chars: dict[int, Char] = {}
        presses: dict[int, Intent] = {}
        column = 0
        for span in line:
            style = style_text(span.style)
            began = column
            for character in span.text:
                char = self._char(character, style)
                if char.width:
                    chars[column] = char
                    for beside in range(1, char.width):
                        chars[column + beside] = self._char("", "")
                    column += char.width
                elif column:
                    self._join(chars, column, character)
            if span.press is not None:
                presses.update(dict.fromkeys(range(began, column), span.press))
        if not self._painted:
            empty = [at for at, char in chars.items() if char.char == " " and not char.style]
            for at in empty:
                del chars[at]
        return Cells(chars, presses)

    def _join(self, chars: dict[int, Char], column: int, mark: str) -> None:
        at = column - 1
        while at > 0 and not chars[at].char:  # the second half of a wide one
            at -= 1
        chars[at] = self._char(chars[at].char + mark, chars[at].style)

    def _char(self, character: str, style: str) -> Char:
        look = self._looks.get((character, style))
        if look is None:
            if len(self._looks) >= KEPT_LOOKS:
                self._looks.clear()
            look = self._looks[character, style] = Char(character, style)
        return look

    def _handler(self, intent: Intent) -> Handler:
        def handle(event: MouseEvent) -> object:
            if event.event_type is not MouseEventType.MOUSE_UP:
                return NotImplemented
            self._press(intent)
            return None

        return handle
