"""The key pairs of the table's own bots: made here, and forgotten with the process."""

from __future__ import annotations

import zmq


class Keyring:
    """Secrets by public key, both in Z85."""

    def __init__(self) -> None:
        self._secrets: dict[str, str] = {}

    def new(self) -> str:
        """Make a key pair and return the public key."""
        public, secret = (key.decode("ascii") for key in zmq.curve_keypair())
        self._secrets[public] = secret
        return public

    def secret(self, public: str) -> str:
        """Return the secret that belongs to ``public``; ``KeyError`` for a key not made here."""
        return self._secrets[public]

    def forget(self, public: str) -> None:
        """Drop a pair that nobody needs any more."""
        self._secrets.pop(public, None)
