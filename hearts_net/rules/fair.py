"""A fair deal: everybody draws a share of the shuffle, promises it beforehand, shows it afterwards.

Each player and the host draw a secret :class:`Share` and publish its commitment. Once all
commitments are published the shares are opened to the host, and the shuffle's key is made of all of
them: so whoever has put in one honest share knows that nobody chose the deck. After the deal
everything is shown, and :func:`check_shuffle` finds what does not agree. A seat that draws nothing
(a bot of the table's own, somebody absent) has a share that follows from the host's, which the host
has committed to as well: there is nothing to choose after others have opened theirs.

One choice is left to a host that has everybody else's opened shares: to wait for a promised share,
or to go on without it. Whose share it leaves out knows; so it takes a player in league with it, and
:attr:`Shuffle.late` says at whose seats that may have been. Its own player, who is there with it,
has no slow line to blame, so a share which that one holds back counts as a fault.

Every value that is hashed goes in with its length before it, so no two lists of values look alike.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from typing import Final, Never, TypeAlias

from hearts_net.rules.cards import SEATS, Hands
from hearts_net.rules.errors import FairCode, FairError
from hearts_net.rules.shuffle import deal_hands

SECRET_BYTES: Final = 32
"""Bytes of a seed, and of a nonce."""
HOST: Final = 4
"""The host's place among those who draw; the players' are their seats."""

_HEX: Final = re.compile(rf"[0-9a-f]{{{2 * SECRET_BYTES}}}")
_HASH: Final = "sha256"
_COMMITMENT: Final = b"hearts-net commitment 1"
_STAND_IN: Final = b"hearts-net stand-in 1"
_KEY: Final = b"hearts-net key 1"


class Origin(StrEnum):
    """Whose a seat's share is."""

    PLAYER = "player"
    """The player has committed to it and opened it."""
    HOST = "host"
    """The player has put in nothing: it follows from the host's share."""
    LATE = "late"
    """The player has committed, but not opened it in time: it follows from the host's share."""


@dataclass(frozen=True, slots=True)
class Share:
    """What one has drawn: ``SECRET_BYTES`` each."""

    seed: bytes
    nonce: bytes


@dataclass(frozen=True, slots=True)
class SeatShare:
    """One seat's part in a shuffle."""

    origin: Origin = Origin.HOST
    commitment: str = ""
    """Hexadecimal; "" for a seat that has put in nothing."""
    share: Share | None = None
    """What was opened; None unless the origin is ``player``."""


SeatShares: TypeAlias = tuple[SeatShare, SeatShare, SeatShare, SeatShare]


@dataclass(frozen=True, slots=True)
class Shuffle:
    """All that is needed to deal one deal, and to check later that it was dealt so."""

    commitment: str
    """The host's, hexadecimal."""
    host: Share
    seats: SeatShares

    @property
    def late(self) -> tuple[int, ...]:
        """The seats that have promised a share and not opened it in time."""
        return tuple(seat for seat in SEATS if self.seats[seat].origin is Origin.LATE)

    def hands(self, game: str, deal: int) -> Hands:
        """Return the hands that this shuffle deals."""
        return deal_hands(self.key(game, deal))

    def key(self, game: str, deal: int, without: Sequence[int] = ()) -> bytes:
        """Return the key of the deck, or what it would be without the shares of some seats."""
        seeds = [
            each.share.seed
            if each.share is not None and seat not in without
            else stand_in(game, deal, seat, self.host)
            for seat, each in enumerate(self.seats)
        ]
        parts = _joined(_of_deal(game, deal), *map(_field, seeds), _field(self.host.seed))
        return hmac.digest(_KEY, parts, _HASH)

    def text(self) -> str:
        """Return it as JSON, as a game record has it."""
        host = {"commitment": self.commitment, **_opened(self.host)}
        return json.dumps(
            {"host": host, "seats": [_seat_dict(each) for each in self.seats]},
            separators=(",", ":"),
        )


def commitment_to(game: str, deal: int, place: int, share: Share) -> str:
    """Return the commitment, in hexadecimal, of a seat (0 to 3) or of ``HOST`` to its share."""
    parts = _joined(
        _field(_COMMITMENT),
        _of_deal(game, deal),
        _field(bytes((place,))),
        _field(share.seed),
        _field(share.nonce),
    )
    return hashlib.new(_HASH, parts).hexdigest()


def stand_in(game: str, deal: int, seat: int, host: Share) -> bytes:
    """Return the seed that counts for a seat whose player has opened none."""
    parts = _joined(_field(_STAND_IN), _of_deal(game, deal), _field(bytes((seat,))))
    return hmac.digest(host.seed, parts, _HASH)


def gathered(
    game: str,
    deal: int,
    host: Share,
    commitments: Sequence[str],
    shares: Sequence[Share | None],
) -> Shuffle:
    """Return the shuffle made of what has been gathered, by seat ("" and None: nothing)."""
    first, second, third, fourth = map(_gathered, commitments, shares)
    return Shuffle(commitment_to(game, deal, HOST, host), host, (first, second, third, fourth))


def _gathered(commitment: str, share: Share | None) -> SeatShare:
    if not commitment:
        return SeatShare()
    origin = Origin.LATE if share is None else Origin.PLAYER
    return SeatShare(origin, commitment, share)


# ---- the check -----------------------------------------------------------------------------------


def check_shuffle(game: str, deal: int, shuffle: Shuffle, hands: Hands) -> None:
    """Raise :class:`FairError` unless these hands are what everybody's shares have shuffled.

    The codes: ``host-share-changed`` and ``share-changed`` (with the ``seat``) where what was
    opened is not what was committed to, ``share-left-out`` (with the ``seat``) where the deck is
    the one without that share, ``deck-stacked`` (with the number of ``cards`` that lie elsewhere)
    for every other deck.
    """
    if commitment_to(game, deal, HOST, shuffle.host) != shuffle.commitment:
        raise FairError(FairCode.HOST_SHARE_CHANGED)
    for seat, each in enumerate(shuffle.seats):
        share = each.share
        if share is not None and commitment_to(game, deal, seat, share) != each.commitment:
            raise FairError(FairCode.SHARE_CHANGED, seat=seat)
    right = shuffle.hands(game, deal)
    if hands == right:
        return
    left_out = _left_out(game, deal, shuffle, hands)
    if left_out is not None:
        raise FairError(FairCode.SHARE_LEFT_OUT, seat=left_out)
    raise FairError(FairCode.DECK_STACKED, cards=_elsewhere(hands, right))


def check_text(game: str, deal: int, text: str | None, hands: Hands) -> None:
    """Check the hands of a record against its ``shuffle``.

    Raises :class:`FairError` as :func:`check_shuffle`, and ``not-checkable`` where there is
    nothing to check, ``bad-shuffle`` for what is no shuffle. A bare key in hexadecimal, as
    simulated games have it, must be the deck's.
    """
    if text is None:
        raise FairError(FairCode.NOT_CHECKABLE)
    if text.startswith("{"):
        check_shuffle(game, deal, read_shuffle(text), hands)
        return
    wanted = deal_hands(_secret(text))
    if wanted != hands:
        raise FairError(FairCode.DECK_STACKED, cards=_elsewhere(hands, wanted))


def _elsewhere(hands: Hands, right: Hands) -> int:
    """Count the cards that are not in the hands that they belong in."""
    return sum((hands[seat] & ~right[seat]).bit_count() for seat in SEATS)


def _left_out(game: str, deal: int, shuffle: Shuffle, hands: Hands) -> int | None:
    """Return a seat without whose share, opened as it was, exactly this deck comes about."""
    opened = [seat for seat in SEATS if shuffle.seats[seat].share is not None]
    for count in (1, 2, 3, 4):
        for without in combinations(opened, count):
            if deal_hands(shuffle.key(game, deal, without)) == hands:
                return without[0]
    return None


# ---- as JSON -------------------------------------------------------------------------------------


def read_shuffle(text: str) -> Shuffle:
    """Return what :meth:`Shuffle.text` wrote; :class:`FairError` ``bad-shuffle`` for all else."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        _bad()
    host, seats = _dict(_dict(value).get("host")), _dict(value).get("seats")
    if not isinstance(seats, list) or len(seats) != len(SEATS):
        _bad()
    first, second, third, fourth = map(_read_seat, seats)
    return Shuffle(_hex(host.get("commitment")), _read_share(host), (first, second, third, fourth))


def _read_seat(value: object) -> SeatShare:
    facts = _dict(value)
    match facts.get("by"):
        case Origin.PLAYER:
            return SeatShare(Origin.PLAYER, _hex(facts.get("commitment")), _read_share(facts))
        case Origin.LATE:
            return SeatShare(Origin.LATE, _hex(facts.get("commitment")))
        case Origin.HOST:
            return SeatShare()
    raise FairError(FairCode.BAD_SHUFFLE)


def _read_share(facts: dict[str, object]) -> Share:
    return Share(_secret(facts.get("seed")), _secret(facts.get("nonce")))


def _dict(value: object) -> dict[str, object]:
    return value if isinstance(value, dict) else _bad()


def _hex(value: object) -> str:
    return _secret(value).hex()


def _secret(value: object) -> bytes:
    """Return the bytes of a value in hexadecimal."""
    if not isinstance(value, str) or not _HEX.fullmatch(value):
        _bad()
    return bytes.fromhex(value)


def _bad() -> Never:
    raise FairError(FairCode.BAD_SHUFFLE)


def _seat_dict(each: SeatShare) -> dict[str, str]:
    about = {"by": each.origin.value}
    if each.commitment:
        about["commitment"] = each.commitment
    return about if each.share is None else {**about, **_opened(each.share)}


def _opened(share: Share) -> dict[str, str]:
    return {"seed": share.seed.hex(), "nonce": share.nonce.hex()}


# ---- bytes to hash -------------------------------------------------------------------------------


def _field(value: bytes) -> bytes:
    return len(value).to_bytes(4) + value


def _joined(*fields: bytes) -> bytes:
    return b"".join(fields)


def _of_deal(game: str, deal: int) -> bytes:
    return _field(game.encode()) + _field(deal.to_bytes(8))
