"""The host's side of one connection: the order of a session and its signs of life.

Bytes and time go in, requests come out. A session belongs to one route (ROUTER's routing id) and to
the key that the connection proved; it knows no table. What a peer should not have sent comes out as
:class:`Rejected` with the message to answer, and changes nothing.

``TRANSITIONS`` is the whole order; the diagram in ``protocol.md`` is drawn from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Literal, TypeAlias

from msgspec import Struct

from hearts_net.protocol import limits
from hearts_net.protocol.codec import ToHost, decode_to_host, refusal, tag_of
from hearts_net.protocol.codes import ErrorCode, ProtocolError
from hearts_net.protocol.messages import (
    Alive,
    Bye,
    Command,
    Commit,
    Fetch,
    Hello,
    Join,
    ProveCode,
    Refused,
    Reveal,
    Snapshot,
)
from hearts_net.protocol.tablecode import Exchange

Heard: TypeAlias = Literal["present", "slow", "away"]


class HostState(StrEnum):
    """Where a connection stands, seen from the host."""

    __hash__ = str.__hash__  # quicker than that of enums, and asked for at every card

    OPENED = "opened"
    """Connected, nothing said."""
    GREETED = "greeted"
    """Said hello in a version that the host speaks."""
    JOINED = "joined"
    """Admitted: served with views, commands taken."""
    LEFT = "left"
    """Said bye; a new hello starts over."""
    SUPERSEDED = "superseded"
    """Another connection of the same key took over; nothing is served here any more."""


@dataclass(frozen=True, slots=True)
class HelloRequest:
    """A hello with a version in common.

    Answer with ``Welcome`` and call :meth:`HostSession.welcomed`.
    """

    hello: Hello
    version: int


@dataclass(frozen=True, slots=True)
class JoinRequest:
    """A join.

    Answer with ``Joined`` and a view and call :meth:`HostSession.joined`, or with ``Refused``.
    """

    join: Join


@dataclass(frozen=True, slots=True)
class ProveRequest:
    """The proof of the table's code, with the join and the exchange that it answers.

    Either is taken once. Answer as to a :class:`JoinRequest`.
    """

    prove: ProveCode
    join: Join
    exchange: Exchange


class CommandRequest(Struct, frozen=True):
    """A command of somebody who has joined."""

    command: Command


@dataclass(frozen=True, slots=True)
class CommitRequest:
    """A commitment to a share of the shuffle; it has no answer."""

    commit: Commit


@dataclass(frozen=True, slots=True)
class RevealRequest:
    """A share opened; it has no answer."""

    reveal: Reveal


@dataclass(frozen=True, slots=True)
class SnapshotRequest:
    """Wants the newest view."""


@dataclass(frozen=True, slots=True)
class FetchRequest:
    """Wants a page of the log or of the deals, or a deal's proof."""

    fetch: Fetch


@dataclass(frozen=True, slots=True)
class AliveRequest:
    """A sign of life, with the peer's newest state; to be answered with the host's own."""

    epoch: int
    seq: int


@dataclass(frozen=True, slots=True)
class ByeRequest:
    """Leaves on purpose; answer with ``Bye``."""


@dataclass(frozen=True, slots=True)
class Rejected:
    """Not to be served: send ``refused`` and forget it."""

    refused: Refused


Request: TypeAlias = (
    HelloRequest
    | JoinRequest
    | ProveRequest
    | CommandRequest
    | CommitRequest
    | RevealRequest
    | SnapshotRequest
    | FetchRequest
    | AliveRequest
    | ByeRequest
    | Rejected
)

_JOINED_ONLY: Final = (Command, Commit, Reveal, Snapshot, Fetch, Alive)

TRANSITIONS: Final[dict[HostState, dict[str, HostState | ErrorCode]]] = {
    HostState.OPENED: {
        "hello": HostState.GREETED,
        "join": ErrorCode.HELLO_FIRST,
        "prove-code": ErrorCode.HELLO_FIRST,
        **{tag_of(kind): ErrorCode.HELLO_FIRST for kind in _JOINED_ONLY},
        "bye": HostState.LEFT,
    },
    HostState.GREETED: {
        "hello": HostState.GREETED,
        "join": HostState.JOINED,
        "prove-code": HostState.JOINED,
        **{tag_of(kind): ErrorCode.NOT_JOINED for kind in _JOINED_ONLY},
        "bye": HostState.LEFT,
    },
    HostState.JOINED: {
        "hello": HostState.JOINED,
        "join": HostState.JOINED,
        "prove-code": ErrorCode.NOT_NOW,
        **{tag_of(kind): HostState.JOINED for kind in _JOINED_ONLY},
        "bye": HostState.LEFT,
    },
    HostState.LEFT: {
        "hello": HostState.GREETED,
        "join": ErrorCode.HELLO_FIRST,
        "prove-code": ErrorCode.HELLO_FIRST,
        **{tag_of(kind): ErrorCode.HELLO_FIRST for kind in _JOINED_ONLY},
        "bye": HostState.LEFT,
    },
    HostState.SUPERSEDED: {
        "hello": ErrorCode.SUPERSEDED,
        "join": ErrorCode.SUPERSEDED,
        "prove-code": ErrorCode.SUPERSEDED,
        **{tag_of(kind): ErrorCode.SUPERSEDED for kind in _JOINED_ONLY},
        "bye": HostState.LEFT,
    },
}
"""For each state and message: the state once the host has granted it, or the refusal's code."""


class HostSession:
    """One route's session.

    Attributes:
        route: ROUTER's routing id.
        key: the public key (Z85) that the connection proved.
        state: where the session stands.
        role: as the host granted it, "" before ``joined``.
        last_heard: when the newest message came that was not refused; at first, the connection.
        dirty: an update could not be sent: one fresh view is due as soon as the route takes it.
        known: the (epoch, seq) of the newest state that the peer said it has.
        exchange: begun with ``code-wanted`` and not answered yet.

    """

    __slots__ = (
        "_join",
        "_reported",
        "dirty",
        "exchange",
        "key",
        "known",
        "last_heard",
        "role",
        "route",
        "state",
    )

    def __init__(self, route: bytes, key: str, now: int) -> None:
        self.route = route
        self.key = key
        self.state = HostState.OPENED
        self.role = ""
        self.last_heard = now
        self.dirty = False
        self.known = (0, 0)
        self.exchange: Exchange | None = None
        self._join: Join | None = None
        self._reported: Heard = "present"

    def receive(self, body: bytes, now: int) -> Request:
        """Take one body frame; hello and join move the state only when the host grants them."""
        try:
            message = decode_to_host(body)
            if isinstance(message, Command) and self.state is HostState.JOINED:
                request: Request = CommandRequest(message)
            else:
                self._check_order(message)
                request = self._request(message)
        except ProtocolError as error:
            return Rejected(refusal(error))
        self.last_heard = max(self.last_heard, now)
        return request

    def welcomed(self) -> None:
        """Note that hello was answered with welcome."""
        if self.state in (HostState.OPENED, HostState.LEFT):
            self.state = HostState.GREETED

    def code_wanted(self, join: Join, exchange: Exchange) -> None:
        """Note that a join was answered with ``code-wanted``."""
        self._join, self.exchange = join, exchange

    def joined(self, role: str) -> None:
        """Note that join was granted; joining again changes at most the role."""
        if self.state in (HostState.GREETED, HostState.JOINED):
            self.state = HostState.JOINED
            self.role = role

    def left(self) -> None:
        """Note that bye was answered, or that the host serves this one no more."""
        self.state = HostState.LEFT
        self.dirty = False

    def superseded(self) -> None:
        """Note that another connection of this key has taken over."""
        self.state = HostState.SUPERSEDED
        self.dirty = False

    def presence(self, now: int) -> Heard:
        """Say how the peer is to be shown, judged by its last sign of life."""
        silent = now - self.last_heard
        self._reported = (
            "present"
            if silent < limits.SLOW_AFTER
            else "slow"
            if silent < limits.AWAY_AFTER
            else "away"
        )
        return self._reported

    def deadline(self) -> int | None:
        """Say when silence would next change what :meth:`presence` says; None: no more."""
        if self._reported == "away":
            return None
        return self.last_heard + (
            limits.SLOW_AFTER if self._reported == "present" else limits.AWAY_AFTER
        )

    def _check_order(self, message: ToHost) -> None:
        outcome = TRANSITIONS[self.state][tag_of(type(message))]
        if isinstance(outcome, ErrorCode):
            raise ProtocolError(outcome)

    def _request(self, message: ToHost) -> Request:
        match message:
            case Command():
                return CommandRequest(message)
            case Hello():
                return HelloRequest(message, common_version(message.versions))
            case Join():
                return JoinRequest(message)
            case ProveCode():
                return self._code_proved(message)
            case Commit():
                return CommitRequest(message)
            case Reveal():
                return RevealRequest(message)
            case Snapshot():
                return SnapshotRequest()
            case Fetch():
                return FetchRequest(message)
            case Alive():
                self.known = max(self.known, (message.epoch, message.seq))
                return AliveRequest(message.epoch, message.seq)
            case Bye():
                return ByeRequest()

    def _code_proved(self, prove: ProveCode) -> ProveRequest:
        join, exchange = self._join, self.exchange
        if join is None or exchange is None:
            raise ProtocolError(ErrorCode.NOT_JOINED)
        self._join = self.exchange = None
        return ProveRequest(prove, join, exchange)


def common_version(versions: list[int]) -> int:
    """Return the newest version that both speak, or raise ``version-mismatch``."""
    common = set(versions) & set(limits.VERSIONS)
    if not common:
        spoken = ",".join(str(version) for version in limits.VERSIONS)
        raise ProtocolError(ErrorCode.VERSION, host_speaks=spoken)
    return max(common)
