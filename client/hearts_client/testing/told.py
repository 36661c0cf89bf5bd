"""A link without a table: it tells what it is given to tell, and keeps what is asked of it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from hearts_net.protocol.messages import AnyAct, View
from hearts_net.protocol.peer_outputs import LinkChanged, NewView
from hearts_net.protocol.peer_session import LinkState


class ToldLink:
    """A live link that has told of some views, and then tells what :meth:`tell` is given.

    Attributes:
        acts: what the client wanted done.

    """

    def __init__(self, on_event: Callable[[object], None], views: Sequence[View] = ()) -> None:
        self.tell = on_event
        self.acts: list[AnyAct] = []
        self._views = views
        self._left = asyncio.Event()

    async def run(self) -> None:
        """Tell of the views, and stay until the client leaves."""
        self.tell(LinkChanged(LinkState.LIVE, 0))
        for view in self._views:
            self.tell(NewView(view, gap=False))
        await self._left.wait()

    def do(self, act: AnyAct) -> int:
        """Keep what is to be done; give a new request's number."""
        self.acts.append(act)
        return len(self.acts)

    def give_code(self, text: str) -> None:
        """Take no code: there is no door."""

    def fetch(self, what: str, after: int) -> None:
        """Fetch nothing: there is no more than was told."""

    def leave(self) -> None:
        """End."""
        self._left.set()
