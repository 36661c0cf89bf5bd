"""The connections being tried: at first to every address at once, later beside the old one."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

import zmq

from hearts_net.peer.connection import Connection, Context
from hearts_net.peer.endpoint import Endpoint
from hearts_net.peer.identity import Identity
from hearts_net.peer.monitor import Sighting
from hearts_net.protocol.limits import DIAL_EVERY

DIAL_LIFE: Final = 3000
"""Milliseconds for a dial beside: a handshake takes several round trips, also of a slow line."""
MOST_BESIDE: Final = DIAL_LIFE // DIAL_EVERY
MOST_ENDPOINTS: Final = 64
"""The oldest that are beyond this are forgotten; an invite has at most 16."""


class Dials:
    """Tries the endpoints of a host; ``ready`` is called when there is news of any."""

    def __init__(
        self,
        context: Context,
        identity: Identity,
        endpoints: Iterable[Endpoint],
        ready: Callable[[], None],
    ) -> None:
        self.endpoints = list(endpoints)[:MOST_ENDPOINTS]
        """Where the host may be, the likeliest first."""
        self.due = 0
        """When :meth:`beside` is next to be called, in milliseconds."""
        self._context = context
        self._identity = identity
        self._ready = ready
        self._since: dict[Connection, int] = {}
        self._turn = 0

    def everywhere(self, now: int) -> None:
        """Dial every endpoint, each until it is dropped."""
        for endpoint in self.endpoints:
            self.start(endpoint, now)

    def beside(self, known: Endpoint | None, now: int) -> None:
        """Dial the endpoint that worked last, or by turns another; old dials make room."""
        for dial, since in tuple(self._since.items()):
            if now >= since + DIAL_LIFE or len(self._since) >= MOST_BESIDE:
                self.drop(dial)
        self.due = now + DIAL_EVERY
        self.start(self._next(known or self.endpoints[0]), now)

    def start(self, endpoint: Endpoint, now: int) -> None:
        """Dial one endpoint."""
        try:
            dial = Connection(self._context, zmq.DEALER, self._identity, endpoint, self._ready)
        except zmq.ZMQError:
            return  # an address that this machine cannot use, or no descriptors left just now
        self._since[dial] = now

    def add(self, endpoint: Endpoint, now: int) -> bool:
        """Take up an endpoint where the host may be too; False when it is known already."""
        if endpoint in self.endpoints:
            return False
        self.endpoints = [endpoint, *self.endpoints][:MOST_ENDPOINTS]
        self.start(endpoint, now)
        return True

    def put_last(self, endpoint: Endpoint, due: int) -> None:
        """Prefer every other endpoint, and dial none that is known before ``due``."""
        self.endpoints = [each for each in self.endpoints if each != endpoint] + [endpoint]
        self.due = due

    def keep_to(self, key: str) -> None:
        """Forget the endpoints of every other host."""
        self.endpoints = [endpoint for endpoint in self.endpoints if endpoint.key == key]

    def news(self) -> list[tuple[Connection, Sighting]]:
        """Take at most one piece of news of each dial."""
        for dial in self._since:
            dial.settle()
        found = ((dial, dial.next_sighting()) for dial in self._since)
        return [(dial, sighting) for dial, sighting in found if sighting is not None]

    def sightings(self) -> list[Sighting]:
        """Say what each dial has seen last."""
        return [dial.sighting for dial in self._since]

    def silent(self) -> list[Connection]:
        """List those that something has accepted, and said nothing to yet."""
        return [dial for dial in self._since if dial.sighting in (Sighting.OPEN, Sighting.SILENT)]

    def take(self, dial: Connection) -> Connection:
        """Hand one dial over, and drop all the others."""
        del self._since[dial]
        self.drop_all()
        return dial

    def drop(self, dial: Connection) -> None:
        """Close one dial."""
        del self._since[dial]
        dial.close()

    def drop_all(self) -> None:
        """Close every dial."""
        for dial in tuple(self._since):
            self.drop(dial)

    def _next(self, known: Endpoint) -> Endpoint:
        self._turn += 1
        others = [endpoint for endpoint in self.endpoints if endpoint != known]
        if self._turn % 2 or not others:
            return known
        return others[self._turn // 2 % len(others)]
