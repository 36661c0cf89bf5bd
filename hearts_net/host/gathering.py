"""The shuffle while its shares are gathered: who was asked, what was committed to, what was opened.

Nothing here is told to anybody before it is stored: the host's own share when the gathering begins,
all commitments before they are published, all shares with the deal. Only what peers have sent and
nobody has been told yet is forgotten with the process; they send it again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, TypeAlias, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from hearts_net.host.facts import Dealt, ShuffleBegan
from hearts_net.rules.fair import HOST, SECRET_BYTES, Share, commitment_to, gathered

_T = TypeVar("_T")
Commitments: TypeAlias = tuple[str, str, str, str]
Shares: TypeAlias = tuple[Share | None, Share | None, Share | None, Share | None]
NO_COMMITMENTS: Final[Commitments] = ("", "", "", "")
NO_SHARES: Final[Shares] = (None, None, None, None)


class Gathering(Struct, frozen=True):
    """One shuffle that is not dealt yet."""

    game: str
    deal: int
    host: Share
    asked: tuple[int, ...]
    """Seats that take part and are waited for."""
    listed: bool = False
    """The commitments are published, so no more are taken and the shares are opened."""
    commitments: Commitments = NO_COMMITMENTS
    """By seat, hexadecimal; "" for a seat without one."""
    shares: Shares = NO_SHARES
    """What was opened, by seat."""

    @property
    def host_commitment(self) -> str:
        """What the host has committed to."""
        return commitment_to(self.game, self.deal, HOST, self.host)

    def durable(self) -> Gathering:
        """Return only what is stored."""
        commitments = self.commitments if self.listed else NO_COMMITMENTS
        return replace(self, commitments=commitments, shares=NO_SHARES)

    def is_missing(self, seat: int) -> bool:
        """Whether something is awaited from a seat."""
        if self.listed:
            return bool(self.commitments[seat]) and self.shares[seat] is None
        return seat in self.asked and not self.commitments[seat]

    def committed(self, seat: int, commitment: str) -> Gathering:
        """Return it with a commitment, while any are taken; a newer one replaces the older."""
        if self.listed:
            return self
        first, second, third, fourth = _with(self.commitments, seat, commitment)
        return replace(self, commitments=(first, second, third, fourth))

    def opened(self, seat: int, share: Share) -> Gathering:
        """Return it with a share, where it is the one committed to."""
        wanted = self.commitments[seat]
        if not self.listed or commitment_to(self.game, self.deal, seat, share) != wanted:
            return self
        first, second, third, fourth = _with(self.shares, seat, share)
        return replace(self, shares=(first, second, third, fourth))

    def closed(self, commitments: Sequence[str]) -> Gathering:
        """Return it with the commitments that count from now on."""
        first, second, third, fourth = commitments
        return replace(self, listed=True, commitments=(first, second, third, fourth))

    def dealt(self) -> Dealt:
        """Return the fact that the cards are dealt as the shares shuffle them."""
        shuffle = gathered(self.game, self.deal, self.host, self.commitments, self.shares)
        return Dealt(shuffle.key(self.game, self.deal).hex(), shuffle.text())


def begun(game: str, deal: int, fact: ShuffleBegan) -> Gathering:
    """Return the gathering that a stored fact began."""
    host = Share(_secret(fact.seed), _secret(fact.nonce))
    return Gathering(game, deal, host, tuple(fact.asked))


def _secret(text: str) -> bytes:
    value = bytes.fromhex(text)
    if len(value) != SECRET_BYTES:
        raise ValueError("no share")
    return value


def _with(values: tuple[_T, _T, _T, _T], seat: int, value: _T) -> list[_T]:
    changed = list(values)
    changed[seat] = value
    return changed
