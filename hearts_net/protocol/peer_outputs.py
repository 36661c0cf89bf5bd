"""What a peer's session puts out: orders to the sockets, and what happened.

:class:`Send`, :class:`Subscribe` and :class:`Unsubscribe` are orders, to be carried out in their
sequence; the rest (:data:`Event`) is for the program above.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

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


@dataclass(frozen=True, slots=True)
class Send:
    """Send this body on control."""

    body: bytes


@dataclass(frozen=True, slots=True)
class Subscribe:
    """Connect a fresh SUB to this port of the host, closing an older one.

    Then call :meth:`PeerSession.public_connected`.
    """

    port: int


@dataclass(frozen=True, slots=True)
class Unsubscribe:
    """Close the SUB socket."""


@dataclass(frozen=True, slots=True)
class Welcomed:
    """The host has answered hello."""

    welcome: Welcome


@dataclass(frozen=True, slots=True)
class CodeAsked:
    """Newcomers need the table's code; :meth:`PeerSession.give_code` has it sent on."""


@dataclass(frozen=True, slots=True)
class AskedAbout:
    """The host's player is asked whether this peer may come in; the session goes on waiting."""


@dataclass(frozen=True, slots=True)
class JoinedTable:
    """The host has let this peer in."""

    joined: Joined


@dataclass(frozen=True, slots=True)
class NewView:
    """A newer state. ``gap``: events between the last view and this one are only in the log."""

    view: View
    gap: bool


@dataclass(frozen=True, slots=True)
class Replied:
    """The answer to a command, under the id that :meth:`PeerSession.command` gave out."""

    id: int
    reply: Reply
    act: AnyAct


@dataclass(frozen=True, slots=True)
class RefusedBy:
    """The host would not serve something; while joining that is the end of the session.

    Except for ``wrong-code``: then the code is asked for anew.
    """

    code: str
    detail: dict[str, OptionValue]
    final: bool


@dataclass(frozen=True, slots=True)
class OtherTable:
    """What answers there now is another table of the same host: the own one is to be looked for."""

    table: str
    """That table's name."""


@dataclass(frozen=True, slots=True)
class SupersededBy:
    """Another program with the same key has the seat now; the session has ended."""


@dataclass(frozen=True, slots=True)
class RemovedBy:
    """The host's player has sent this peer away (``kicked`` or ``banned``): the session's end."""

    reason: str


@dataclass(frozen=True, slots=True)
class HostClosing:
    """The table has ended (``saved`` or ``done``), and the session with it."""

    reason: str


@dataclass(frozen=True, slots=True)
class LogArrived:
    """A page of the log."""

    page: LogPage


@dataclass(frozen=True, slots=True)
class DealsArrived:
    """A page of the finished deals."""

    page: DealsPage


@dataclass(frozen=True, slots=True)
class DealChecked:
    """A finished deal was checked: ``code`` is "" where it was fair.

    Otherwise it is one of :class:`~hearts_net.rules.errors.FairCode`.
    """

    game: str
    deal: int
    code: str
    detail: dict[str, OptionValue]


@dataclass(frozen=True, slots=True)
class LinkChanged:
    """The session's state is another one, since ``since`` (the clock passed in)."""

    state: LinkState
    since: int


@dataclass(frozen=True, slots=True)
class HostSilent:
    """Connected, but hello was not answered within ``HELLO_WITHIN``; told once a connection."""


@dataclass(frozen=True, slots=True)
class BadMessage:
    """The host sent what is no message of this protocol; it is ignored."""

    code: str
    detail: dict[str, OptionValue]


@dataclass(frozen=True, slots=True)
class LeftTable:
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
