"""The code of a table, proved without being said: SPAKE2 (RFC 9382) on edwards25519.

Both sides know a short code. Each sends a share that says nothing about it; from the shares and the
code both make the same key, and prove it to each other. Whoever listens learns nothing, and whoever
guesses can try one code an exchange. The identities in it are both public keys of the CURVE
connection, so that nobody in between can pass the shares on.

The group is libsodium's: pyzmq brings libsodium's curve, but no way to add two points. An exchange
takes a fifth of a millisecond, so a host can make one while a game goes on.
"""

from __future__ import annotations

import hashlib
import hmac
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from hearts_net.protocol.codes import ErrorCode, ProtocolError

if TYPE_CHECKING:
    from types import ModuleType

DIGITS: Final = 6
"""Digits of a code: ten guesses among a million, and easy to say in every language."""
_POINT: Final = 32
_M: Final = bytes.fromhex("d048032c6ea0b6d697ddc2e86bda85a33adac920f1bf18e1b0c6d166a5cecdaf")
_N: Final = bytes.fromhex("d3bfb518f44f3430f29d0c92af503865a1ed3281dc69b35dd868ba85f886c4ab")
"""The two points of the RFC for this group; a test makes them anew from their seeds."""
_COFACTOR: Final = (8).to_bytes(_POINT, "little")


def new_code(entropy: Callable[[int], bytes]) -> str:
    """Draw a code, every one as likely; ``entropy(n)`` gives n random bytes."""
    most = 10**DIGITS
    while True:
        drawn = int.from_bytes(entropy(4), "big")
        if drawn < 2**32 // most * most:
            return f"{drawn % most:0{DIGITS}}"


def read_code(text: str) -> str:
    """Return the digits of a code as somebody may have typed it: in groups, or another script's.

    Raises:
        ProtocolError: ``wrong-code``, for what cannot be one.

    """
    digits = "".join(
        str(unicodedata.decimal(letter)) for letter in text if unicodedata.decimal(letter, -1) >= 0
    )
    if len(digits) != DIGITS or any(letter.isalpha() for letter in text):
        raise ProtocolError(ErrorCode.WRONG_CODE)
    return digits


def shown_code(code: str) -> str:
    """Write a code so that it can be read aloud: in two groups."""
    return f"{code[: DIGITS // 2]} {code[DIGITS // 2 :]}"


@dataclass(frozen=True, slots=True)
class Proofs:
    """What each side sends to prove the key that both have: 32 bytes each."""

    peer: bytes = field(repr=False)
    host: bytes = field(repr=False)


class Exchange:
    """One side of one exchange; a share serves for one answer, right or wrong.

    Attributes:
        share: what to send to the other side, 32 bytes.

    """

    __slots__ = ("_code", "_is_host", "_scalar", "share")

    def __init__(self, code: str, *, is_host: bool, entropy: Callable[[int], bytes]) -> None:
        """Begin with a code from :func:`read_code`; ``entropy(n)`` gives n random bytes."""
        sodium = _sodium()
        self._is_host = is_host
        self._code = _scalar_of(code)
        self._scalar = sodium.crypto_core_ed25519_scalar_reduce(entropy(64))
        blinding = sodium.crypto_scalarmult_ed25519_noclamp(self._code, _N if is_host else _M)
        self.share: bytes = sodium.crypto_core_ed25519_add(
            sodium.crypto_scalarmult_ed25519_base_noclamp(self._scalar), blinding
        )

    def proofs(self, other: bytes, *, peer_key: str, host_key: str) -> Proofs:
        """Return both proofs, made of the other side's share and both public keys (Z85).

        Raises:
            ProtocolError: ``wrong-code``, for a share that is no point of the group, or is one's
                own sent back.

        """
        sodium = _sodium()
        if other == self.share or not sodium.crypto_core_ed25519_is_valid_point(other):
            raise ProtocolError(ErrorCode.WRONG_CODE)
        blinding = sodium.crypto_scalarmult_ed25519_noclamp(self._code, _M if self._is_host else _N)
        try:
            point = sodium.crypto_scalarmult_ed25519_noclamp(
                sodium.crypto_core_ed25519_scalar_mul(self._scalar, _COFACTOR),
                sodium.crypto_core_ed25519_sub(other, blinding),
            )
        except Exception as error:  # the point at infinity, which no honest side ever meets
            raise ProtocolError(ErrorCode.WRONG_CODE) from error
        peer, host = (other, self.share) if self._is_host else (self.share, other)
        return schedule(
            peer_key.encode(), host_key.encode(), peer, host, bytes(point), _big_endian(self._code)
        )


def is_proof(given: bytes, wanted: bytes) -> bool:
    """Compare two proofs in a time that says nothing about where they differ."""
    return hmac.compare_digest(given, wanted)


def schedule(a: bytes, b: bytes, share_a: bytes, share_b: bytes, key: bytes, code: bytes) -> Proofs:
    """Return both proofs, as the RFC derives them with SHA-256, HKDF and HMAC."""
    parts = (a, b, share_a, share_b, key, code)
    transcript = b"".join(len(part).to_bytes(8, "little") + part for part in parts)
    secret = hashlib.sha256(transcript).digest()[16:]
    extracted = hmac.digest(bytes(32), secret, "sha256")
    keys = hmac.digest(extracted, b"ConfirmationKeys\x01", "sha256")
    return Proofs(
        hmac.digest(keys[:16], transcript, "sha256"), hmac.digest(keys[16:], transcript, "sha256")
    )


def _scalar_of(code: str) -> bytes:
    digest = hashlib.sha512(b"hearts-net table code" + code.encode()).digest()
    return bytes(_sodium().crypto_core_ed25519_scalar_reduce(digest))


def _big_endian(scalar: bytes) -> bytes:
    return scalar[::-1]


def _sodium() -> ModuleType:
    """Load libsodium where a code is in use at all: it takes time that most tables need not."""
    from nacl import bindings

    return bindings
