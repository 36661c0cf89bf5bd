"""What a peer's session puts out: orders to the sockets, and what happened.

:class:`Send`, :class:`Subscribe` and :class:`Unsubscribe` are orders, to be carried out in their
sequence; the rest (:data:`Event`) is for the program above.
"""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from hearts_net.protocol.messages import (
    AnyAct,
    DealsPage,
    Joined,
    LogPage,
    OptionValue,
    Reply,
    View,
    Welcome,
)
from hearts_net.protocol.peer_states import LinkState


class Send(Struct, frozen=True):
    """Send this body on control."""

    body: bytes


class Subscribe(Struct, frozen=True):
    """Connect a fresh SUB to this port of the host, closing an older one.

    Then call :meth:`PeerSession.public_connected`.
    """

    port: int
    to: bytes
    """How the bodies begin that are wanted."""


class Unsubscribe(Struct, frozen=True):
    """Close the SUB socket."""


class Welcomed(Struct, frozen=True):
    """The host has answered hello."""

    welcome: Welcome


class CodeAsked(Struct, frozen=True):
    """Newcomers need the table's code; :meth:`PeerSession.give_code` has it sent on."""


class AskedAbout(Struct, frozen=True):
    """The host's player is asked whether this peer may come in; the session goes on waiting."""


class JoinedTable(Struct, frozen=True):
    """The host has let this peer in."""

    joined: Joined


class NewView(Struct, frozen=True):
    """A newer state. ``gap``: events between the last view and this one are only in the log."""

    view: View
    gap: bool


class Replied(Struct, frozen=True):
    """The answer to a command, under the id that :meth:`PeerSession.command` gave out."""

    id: int
    reply: Reply
    act: AnyAct


class RefusedBy(Struct, frozen=True):
    """The host would not serve something; while joining that is the end of the session.

    Except for ``wrong-code``: then the code is asked for anew.
    """

    code: str
    detail: dict[str, OptionValue]
    final: bool


class OtherTable(Struct, frozen=True):
    """What answers there now is another table of the same host: the own one is to be looked for."""

    table: str
    """That table's name."""


class SupersededBy(Struct, frozen=True):
    """Another program with the same key has the seat now; the session has ended."""


class RemovedBy(Struct, frozen=True):
    """The host's player has sent this peer away (``kicked`` or ``banned``): the session's end."""

    reason: str


class HostClosing(Struct, frozen=True):
    """The table has ended (``saved`` or ``done``), and the session with it."""

    reason: str


class LogArrived(Struct, frozen=True):
    """A page of the log."""

    page: LogPage


class DealsArrived(Struct, frozen=True):
    """A page of the finished deals."""

    page: DealsPage


class DealChecked(Struct, frozen=True):
    """A finished deal was checked: ``code`` is "" where it was fair.

    Otherwise it is one of :class:`~hearts_net.rules.errors.FairCode`. ``late``: the seats whose
    share was promised and came too late, whatever the code; a player is told of each.
    """

    game: str
    deal: int
    code: str
    detail: dict[str, OptionValue]
    late: tuple[int, ...] = ()


class LinkChanged(Struct, frozen=True):
    """The session's state is another one, since ``since`` (the clock passed in)."""

    state: LinkState
    since: int


class HostSilent(Struct, frozen=True):
    """Connected, but hello was not answered within ``HELLO_WITHIN``; told once a connection."""


class BadMessage(Struct, frozen=True):
    """The host sent what is no message of this protocol; it is ignored."""

    code: str
    detail: dict[str, OptionValue]


class LeftTable(Struct, frozen=True):
    """Left on purpose; the session has ended."""


Event: TypeAlias = (
    Welcomed
    | CodeAsked
    | AskedAbout
    | JoinedTable
    | NewView
    | Replied
    | RefusedBy
    | OtherTable
    | SupersededBy
    | RemovedBy
    | HostClosing
    | LogArrived
    | DealsArrived
    | DealChecked
    | LinkChanged
    | HostSilent
    | BadMessage
    | LeftTable
)
Output: TypeAlias = Send | Subscribe | Unsubscribe | Event
