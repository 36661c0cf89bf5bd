"""A link to a table with something around it: what lasts as long as the link, or comes after it."""

from __future__ import annotations

from hearts_client.tablelink import TableLink
from hearts_net.protocol.messages import AnyAct


class LinkAround:
    """Passes everything on to a link; :meth:`run` is what others do differently."""

    def __init__(self, link: TableLink) -> None:
        self._link = link

    async def run(self) -> None:
        """Stay connected as the link does."""
        await self._link.run()

    def do(self, act: AnyAct) -> int:
        """Send a command and return its request id."""
        return self._link.do(act)

    def fetch(self, what: str, after: int) -> None:
        """Ask for a page."""
        self._link.fetch(what, after)

    def give_code(self, text: str) -> None:
        """Prove the table's code."""
        self._link.give_code(text)

    def leave(self) -> None:
        """Say goodbye."""
        self._link.leave()
