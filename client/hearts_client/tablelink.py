"""A link to a table as clients use it, and what may come among its events."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from hearts_net.protocol.messages import AnyAct


class TableLink(Protocol):
    """A connection to one table, as :class:`hearts_net.peer.link.Link` is."""

    async def run(self) -> None:
        """Stay connected until left, superseded or closed; raise ``HeartsError`` on failure."""

    def do(self, act: AnyAct) -> int:
        """Send a command and return its request id; the answer arrives as an event."""

    def fetch(self, what: str, after: int) -> None:
        """Ask for a page of the ``log`` or of the ``deals``; it arrives as an event."""

    def give_code(self, text: str) -> None:
        """Prove this code where the table wants one; ``HeartsError`` for what cannot be one."""

    def leave(self) -> None:
        """Say goodbye; ``run`` then returns."""


@dataclass(frozen=True, slots=True)
class TableNotice:
    """Comes among a link's events: something to be said to this player alone."""

    text: str


LinkFactory: TypeAlias = Callable[[Callable[[object], None]], TableLink]
"""Makes the link, given the function that takes each of its events."""


@dataclass(frozen=True, slots=True)
class Reached:
    """An event of the link: the table has let this player in."""

    invite: str
    """What others join with; "" where nobody else can."""
