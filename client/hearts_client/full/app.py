"""The full-screen application: one TaskGroup for the screen and the link."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hearts_client.full.doors import Doors, LinkFactory

if TYPE_CHECKING:
    from prompt_toolkit.input import Input
    from prompt_toolkit.output import Output

    from hearts_client.settings import ClientSettings


async def run_full(
    link_factory: LinkFactory | None,
    settings: ClientSettings,
    *,
    doors: Doors | None = None,
    terminal_input: Input | None = None,
    terminal_output: Output | None = None,
) -> int:
    """Play on the full screen until the person leaves; return the exit code.

    Without a ``link_factory`` the start screen opens, and needs ``doors``. Input and output are the
    process's terminal unless given. A ``HeartsError`` of the link ends it with that error raised, the
    terminal restored; the caller says it in a sentence.
    """
    raise NotImplementedError
