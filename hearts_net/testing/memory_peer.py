"""One peer of a network in memory: a session, its connection, and perhaps somebody who plays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hearts_net.protocol.messages import AnyAct, Join, OwnView, PublicView, Reply, View
from hearts_net.protocol.peer_session import (
    LinkState,
    NewView,
    Output,
    PeerSession,
    Replied,
    Send,
    Subscribe,
    Unsubscribe,
)
from hearts_net.testing.players import Chooser, moment_of

NEVER: Final = 1 << 62
"""A time that does not come."""

if TYPE_CHECKING:
    from hearts_net.testing.network import MemoryNetwork


class MemoryPeer:
    """One peer: a session, its connection, and perhaps somebody who plays.

    Attributes:
        events: everything that the session has put out, except bodies.
        connection: the route of the connection, None without one.
        sent: the commands' ids and acts, in order.
        join: what the peer came as.
        due: when the session's time comes next; nothing changes it but what is taken.

    """

    def __init__(
        self,
        network: MemoryNetwork,
        key: str,
        join: Join,
        session: PeerSession,
        chooser: Chooser | None,
    ) -> None:
        self.network = network
        self.key = key
        self.join = join
        self.session = session
        self.chooser = chooser
        self.events: list[Output] = []
        self.sent: list[tuple[int, AnyAct]] = []
        self.connection: bytes | None = None
        self.subscription: bytes | None = None
        self.cut_off = False
        self.stopped = False
        self.dial_due = 0
        self.due = NEVER
        self._asked_about: object = None

    @property
    def view(self) -> View | None:
        """The newest view."""
        return self.session.view

    @property
    def public(self) -> PublicView:
        """The public part of the newest view, which there must be."""
        view = self.session.view
        assert view is not None, "no view yet"
        return view.public

    @property
    def own(self) -> OwnView:
        """What the newest view shows of this peer's own seat, which there must be."""
        view = self.session.view
        assert view is not None
        assert view.own is not None, "no seat"
        return view.own

    @property
    def seat(self) -> int | None:
        """The seat that the newest view is of."""
        view = self.session.view
        return view.own.seat if view is not None and view.own is not None else None

    def play_by(self, chooser: Chooser | None) -> None:
        """Let somebody else play from now on, or nobody."""
        self.chooser = chooser
        self._asked_about = None
        self._think()

    def do(self, act: AnyAct, seat: int | None = None) -> int:
        """Send a command; the answer comes among ``events``."""
        request, outputs = self.session.command(act, self.network.clock.now, seat)
        self.sent.append((request, act))
        self.take(outputs)
        return request

    def fetch(self, what: str, after: int) -> None:
        """Ask for a page."""
        self.take(self.session.fetch(what, after, self.network.clock.now))

    def give_code(self, text: str) -> None:
        """Type a table's code."""
        self.take(self.session.give_code(text, self.network.clock.now))

    def leave(self) -> None:
        """Say bye."""
        self.take(self.session.leave(self.network.clock.now))

    def ask(self, act: AnyAct, within: int = 10_000) -> Reply:
        """Do something and let time pass until the answer is there."""
        request = self.do(act)
        self.network.run_until(lambda: self.reply(request) is not None, within)
        reply = self.reply(request)
        assert reply is not None
        return reply

    def reply(self, request: int) -> Reply | None:
        """Return the answer to a command, None while there is none."""
        for event in reversed(self.events):
            if isinstance(event, Replied) and event.id == request:
                return event.reply
        return None

    def take(self, outputs: list[Output]) -> None:
        """Carry out what the session puts out."""
        network = self.network
        for output in outputs:
            match output:
                case Send(body):
                    network.to_host(self, body)
                case Subscribe(_, to):
                    self.subscription = to
                    network.later(2, lambda: self.take(self._public_connected()))
                case Unsubscribe():
                    self.subscription = None
                case _:
                    self.events.append(output)
                    if isinstance(output, Replied) and not output.reply.ok:
                        self._asked_about = None
                    if isinstance(output, NewView | Replied):
                        self._think()
        due = self.session.deadline()
        self.due = NEVER if due is None else due
        network.touched.append(self)

    def _public_connected(self) -> list[Output]:
        return self.session.public_connected(self.network.clock.now)

    def _think(self) -> None:
        view = self.session.view
        if self.chooser is None or view is None or self.session.state is not LinkState.LIVE:
            return
        about = moment_of(view)
        if about == self._asked_about:
            return
        act = self.chooser(view)
        self._asked_about = None  # what is asked now may be asked again after something else
        if act is not None:
            self._asked_about = about
            self.do(act, view.own.seat if view.role == "deputy" and view.own else None)
