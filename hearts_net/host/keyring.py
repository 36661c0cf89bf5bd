"""The key pairs of the table's own bots: made here, and forgotten with the process."""

from __future__ import annotations

from typing import Final

import zmq

MOST_KEPT: Final = 256
"""Pairs: a table has eight in use; one made for what could not be stored is nobody's to drop."""


class Keyring:
    """Secrets by public key, both in Z85."""

    def __init__(self) -> None:
        self._secrets: dict[str, str] = {}

    def new(self) -> str:
        """Make a key pair and return the public key."""
        public, secret = (key.decode("ascii") for key in zmq.curve_keypair())
        self._secrets[public] = secret
        if len(self._secrets) > MOST_KEPT:
            del self._secrets[next(iter(self._secrets))]
        return public

    def secret(self, public: str) -> str:
        """Return the secret that belongs to ``public``; ``KeyError`` for a key not made here."""
        return self._secrets[public]

    def forget(self, public: str) -> None:
        """Drop a pair that nobody needs any more."""
        self._secrets.pop(public, None)
