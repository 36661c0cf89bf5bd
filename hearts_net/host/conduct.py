"""How each key behaves: how often it does what, its strikes, and what comes of them.

Nobody is refused for being fast once: of each kind of message there may be many at once, and only
from then on a steady rate holds (``limits.RATES``). What is beyond it, or no message at all, is
refused and is a strike. Strikes are forgotten with time; too many of them, and the key is set aside
for ``limits.PAUSE``: what it sends is not even read. Who goes on, or comes so far again and again,
is shut out for the rest of the game.

The cost of a message that is in order is one look-up and a few integers.
"""

from __future__ import annotations

from enum import Enum
from typing import Final

from hearts_net.protocol.limits import PAUSE, PAUSES, RATES, TOPICS, UNREAD

ARRIVE, COMMAND, SAY, LOOK, ALIVE, STRIKE = range(6)
_OF_KEYS: Final = [RATES[name] for name in ("arrive", "command", "say", "look", "alive", "strike")]
_EVERY: Final = tuple(rate.every for rate in _OF_KEYS)
_SLACK: Final = tuple(rate.slack for rate in _OF_KEYS)
_FOR_EVER: Final = 2**62
_MAX_KEYS: Final = 1024
"""Keys that are remembered; those that have done nothing wrong make room first."""


class Verdict(Enum):
    """What comes of a strike."""

    FINE = "fine"
    """Nothing yet."""
    SET_ASIDE = "set-aside"
    SHUT_OUT = "shut-out"


class Conduct:
    """How one key has behaved; times in monotonic milliseconds.

    Attributes:
        held_until: nothing from this key is read before.
        trusted: has no strikes: the host's own player, and the bots of the table.

    """

    __slots__ = ("_free_at", "_pauses", "_topics", "_unread", "held_until", "trusted")

    def __init__(self, *, trusted: bool = False) -> None:
        self.held_until = 0
        self.trusted = trusted
        self._free_at = [0] * len(_EVERY)
        self._pauses = 0
        self._unread = 0
        self._topics = 0

    @property
    def is_shut_out(self) -> bool:
        """Whether this key is out for the rest of the game."""
        return self.held_until == _FOR_EVER

    def is_over(self, kind: int, now: int) -> bool:
        """Whether one more of a kind would be too many now."""
        return self._free_at[kind] > now + _SLACK[kind]

    def spend(self, kind: int, now: int) -> None:
        """Count one of a kind."""
        free_at = self._free_at[kind]
        self._free_at[kind] = (free_at if free_at > now else now) + _EVERY[kind]

    def strike(self, now: int) -> Verdict:
        """Count something that should not have come, and judge."""
        if self.trusted:
            return Verdict.FINE
        if not self.is_over(STRIKE, now):
            self.spend(STRIKE, now)
            return Verdict.FINE
        if self._pauses == PAUSES:
            return self.shut_out()
        self._pauses += 1
        self._unread = 0
        self.held_until = now + PAUSE
        return Verdict.SET_ASIDE

    def unread(self) -> Verdict:
        """Count a message that came while this key is set aside, and judge."""
        self._unread += 1
        return self.shut_out() if self._unread > UNREAD and not self.is_shut_out else Verdict.FINE

    def subscribed(self, now: int, *, usual: bool) -> Verdict:
        """Count a subscription (or its end) on the public socket, and judge."""
        self._topics += not usual
        if self.trusted or self.is_shut_out:
            return Verdict.FINE
        if self._topics > TOPICS or self.is_over(ARRIVE, now):
            return self.shut_out()
        self.spend(ARRIVE, now)
        return Verdict.FINE

    def shut_out(self) -> Verdict:
        """Read nothing of this key any more."""
        self.held_until = _FOR_EVER
        return Verdict.SHUT_OUT

    def is_clean(self, now: int) -> bool:
        """Whether forgetting this key would change nothing."""
        if self.trusted or self._pauses or self._topics or self.is_shut_out:
            return False
        return all(free_at <= now for free_at in self._free_at)


class Conducts:
    """How every key has behaved of late."""

    __slots__ = ("_at", "_by_key")

    def __init__(self) -> None:
        self._by_key: dict[str, Conduct] = {}
        self._at = ("", True)

    def of(self, key: str, now: int) -> Conduct:
        """Return how a key behaves."""
        found = self._by_key.get(key)
        if found is None:
            if len(self._by_key) >= _MAX_KEYS:
                self._make_room(now)
            found = self._by_key[key] = Conduct()
        return found

    def trust(self, key: str) -> None:
        """Count no strikes of a key."""
        self._by_key[key] = Conduct(trusted=True)

    def distrust(self, key: str) -> None:
        """Forget a key that was trusted and is nobody's any more."""
        self._by_key.pop(key, None)

    def __len__(self) -> int:
        """Count the keys that are remembered."""
        return len(self._by_key)

    def after_game(self, game: str, *, is_over: bool) -> bool:
        """Note how far it is; True, once, where a game has ended: all is forgiven.

        ``game`` is played, or (``is_over``) was played last; "" before the first.
        """
        before, self._at = self._at, (game, is_over)
        was_over = before[1]
        ended = before != self._at and (is_over or not was_over)
        if ended:
            self._by_key = {key: each for key, each in self._by_key.items() if each.trusted}
        return ended

    def _make_room(self, now: int) -> None:
        for key, conduct in list(self._by_key.items()):
            if conduct.is_clean(now):
                del self._by_key[key]
        known = [key for key, conduct in self._by_key.items() if not conduct.trusted]
        for key in known[: len(known) - _MAX_KEYS * 3 // 4]:  # many, since looking takes a while
            del self._by_key[key]
