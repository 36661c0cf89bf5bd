"""What the authority asks of the program around it.

The program carries a list of effects out strictly in order. Where a :class:`Write` fails, it drops
the rest of that list and carries out what
:meth:`~hearts_net.host.authority.Authority.store_failed` returns instead: so nothing is ever told
that is not stored.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct


class Ending(StrEnum):
    """Why a table ends; also the ``reason`` in ``closing``."""

    SAVED = "saved"
    """Resumable."""
    DONE = "done"
    """The game is over and everybody has left, or has seen that it is."""


class Write(Struct, frozen=True):
    """Write these entries in one transaction: all of them or none.

    At most one in a list of effects, and always its first.
    """

    first: int
    """Number of the first entry; they count from 1 without a gap: all else is a fault to raise."""
    entries: tuple[bytes, ...]
    """UTF-8 JSON, to be given back as they are, in order, to whoever restores the table."""
    sync: bool
    """Reach the disk itself: a deal's end, or a new epoch."""


class SendTo(Struct, frozen=True):
    """Send one body on control, without waiting.

    What cannot be sent is told to :meth:`~hearts_net.host.authority.Authority.dropped`.
    """

    route: bytes
    body: bytes


class Publish(Struct, frozen=True):
    """Send one body on public."""

    body: bytes


@dataclass(frozen=True, slots=True)
class Admit:
    """Let this key subscribe to the public socket."""

    key: str


@dataclass(frozen=True, slots=True)
class Unadmit:
    """Let this key subscribe no more, and end its subscriptions."""

    key: str


@dataclass(frozen=True, slots=True)
class Bar:
    """Let this key connect no more, to either socket."""

    key: str


@dataclass(frozen=True, slots=True)
class Unbar:
    """Let this key connect again."""

    key: str


@dataclass(frozen=True, slots=True)
class Cut:
    """End this key's live connections, once what was sent to it has left."""

    key: str


@dataclass(frozen=True, slots=True)
class Expel:
    """Close every connection of this key, once it could hear why, and let it connect no more."""

    key: str


@dataclass(frozen=True, slots=True)
class Forgive:
    """Let those expelled connect again."""


@dataclass(frozen=True, slots=True)
class HangUp:
    """Close one control connection, which is served no more."""

    route: bytes


@dataclass(frozen=True, slots=True)
class BotWanted:
    """A bot of the table's own is to join with this key, which the authority's ``new_key`` made."""

    seat: int
    key: str
    name: str
    level: str


@dataclass(frozen=True, slots=True)
class BotUnwanted:
    """The bot with this key plays here no more."""

    seat: int
    key: str


@dataclass(frozen=True, slots=True)
class DeputyWanted:
    """A bot is to join as ``deputy`` with this key; it gets ``seat``'s views and plays for it."""

    seat: int
    key: str
    level: str


@dataclass(frozen=True, slots=True)
class DeputyUnwanted:
    """The seat's own player plays again (or the game is over); this key is served no more."""

    seat: int
    key: str


@dataclass(frozen=True, slots=True)
class BotsStuck:
    """The bots' process hangs: end it, and start another that is told everything anew."""


@dataclass(frozen=True, slots=True)
class Finished:
    """Every peer has been told; end the process."""

    reason: Ending


Effect: TypeAlias = (
    Write | SendTo | Publish | Admit | Unadmit | Bar | Unbar | Cut | Expel | Forgive | HangUp
    | BotWanted | BotUnwanted | DeputyWanted | DeputyUnwanted | BotsStuck | Finished
)  # fmt: skip


class Later(Struct, frozen=True):
    """Effects that are made when it is their turn, so that whoever acted does not wait for them."""

    make: Callable[[], Plan]
    urgent: bool = True
    """Whether somebody waits; what is not urgent may be made after what comes next."""


Plan: TypeAlias = list[Effect | Later]


def unrolled(plan: Iterable[Effect | Later]) -> Iterator[Effect]:
    """Yield the effects of a plan in order, making each :class:`Later` as it is reached."""
    for part in plan:
        if isinstance(part, Later):
            yield from unrolled(part.make())
        else:
            yield part
