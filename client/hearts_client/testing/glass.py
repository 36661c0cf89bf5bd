"""A terminal in memory, whose cells can be read."""

from __future__ import annotations

import io

import pyte
from prompt_toolkit.data_structures import Size


class Glass(io.StringIO):
    """A terminal's screen in memory."""

    def __init__(self, columns: int = 80, rows: int = 24) -> None:
        super().__init__()
        self.screen = pyte.Screen(columns, rows)
        self.stream = pyte.Stream(self.screen)
        self.raw = ""

    def write(self, data: str) -> int:
        """Show what a program writes."""
        self.raw += data
        self.stream.feed(data)
        return len(data)

    def flush(self) -> None:
        """Everything is on the screen already."""

    def isatty(self) -> bool:
        """Say that this is a terminal."""
        return True

    def fileno(self) -> int:
        """Refuse: there is no descriptor."""
        raise OSError("no descriptor")

    def size(self) -> Size:
        """Give rows and columns."""
        return Size(rows=self.screen.lines, columns=self.screen.columns)

    def text(self) -> str:
        """Give the screen as text, without trailing spaces."""
        return "\n".join(line.rstrip() for line in self.screen.display)

    @property
    def bells(self) -> int:
        """How often the bell has rung."""
        return self.raw.count("\a")
