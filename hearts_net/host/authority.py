"""The authority: bytes, presence and time in, effects out; no socket, clock or disk.

The life of one, as the program around it drives it::

    authority = Authority(store.entries(), opening, entropy=os.urandom, new_key=keys.new)
    carry_out(authority.begin(clock))  # one Store, synced, before the ports are bound
    carry_out(authority.opened(public_port, address, now, clock))  # bots wanted
    ... receive, dropped, tick at deadline() ...
    carry_out(authority.close(Ending.SAVED, now, clock))  # Closing to everybody, then Finished
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from hearts_net.host.effects import Effect, Ending
from hearts_net.host.opening import Opening


class Authority:
    """One table and everybody connected to it.

    ``now`` is monotonic, ``clock`` is UTC, both in milliseconds. Every method returns effects to be carried out
    in order, at once, before the next call.
    """

    def __init__(
        self,
        stored: Iterable[bytes],
        opening: Opening,
        *,
        entropy: Callable[[int], bytes],
        new_key: Callable[[], str],
    ) -> None:
        """Take up what is stored, or open a new table where nothing is.

        ``entropy(n)`` gives n random bytes; ``new_key()`` makes a key pair for a bot of the table, keeps its secret,
        and returns the public key.
        """
        raise NotImplementedError

    def begin(self, clock: int) -> list[Effect]:
        """Start a new epoch: exactly one synced Store, to be written before the ports are bound."""
        raise NotImplementedError

    def opened(self, public_port: int, address: str, now: int, clock: int) -> list[Effect]:
        """Take note of the bound ports (``address``: host:port to type, "" on loopback) and ask for the bots."""
        raise NotImplementedError

    def receive(self, route: bytes, key: str, body: bytes, now: int, clock: int) -> list[Effect]:
        """Handle one body from the connection ``route``, whose peer holds ``key``."""
        raise NotImplementedError

    def dropped(self, route: bytes, now: int, clock: int, *, gone: bool) -> list[Effect]:
        """Hear that a send failed: the peer takes nothing at present, or (``gone``) the connection is no more."""
        raise NotImplementedError

    def tick(self, now: int, clock: int) -> list[Effect]:
        """Do what has become due."""
        raise NotImplementedError

    def deadline(self) -> int | None:
        """Return when (monotonic) :meth:`tick` is next due."""
        raise NotImplementedError

    def store_failed(self, now: int, clock: int) -> list[Effect]:
        """Hear that the Store of the last list failed and that nothing after it was done."""
        raise NotImplementedError

    def close(self, reason: Ending, now: int, clock: int) -> list[Effect]:
        """End the table: everybody is told, then Finished."""
        raise NotImplementedError
