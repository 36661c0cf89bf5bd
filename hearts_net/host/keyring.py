"""The key pairs of the table's own bots: made here, kept in the store with what they are for."""

from __future__ import annotations

from collections.abc import Callable

import zmq

from hearts_net.host.errors import StoreCode, StoreError


class Keyring:
    """Key pairs by public key; those not yet stored are ``fresh``."""

    def __init__(self, stored: Callable[[str], str | None]) -> None:
        self._stored = stored
        self._secrets: dict[str, str] = {}
        self.fresh: list[tuple[str, str]] = []

    def new(self) -> str:
        """Make a key pair and return the public key (Z85)."""
        public, secret = (key.decode("ascii") for key in zmq.curve_keypair())
        self._secrets[public] = secret
        self.fresh.append((public, secret))
        return public

    def kept(self) -> None:
        """Hear that every pair so far is in the store."""
        if self.fresh:
            self.fresh = []

    def secret(self, public: str) -> str:
        """Return the secret that belongs to ``public``.

        Raises :class:`StoreError` ``store-damaged`` where it is not known.
        """
        secret = self._secrets.get(public) or self._stored(public)
        if secret is None:
            raise StoreError(StoreCode.DAMAGED, key=public)
        self._secrets[public] = secret
        return secret
