"""The table's door: who is let in, who asks to be, and who is let in no more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, TypeAlias

from msgspec import Struct, field
from msgspec.structs import replace

from hearts_net.host.facts import AdmissionSet, Banned, CodeMissed, LetIn, SentAway, Unbanned
from hearts_net.protocol.limits import CODE_TRIES, MOST_BANNED
from hearts_net.protocol.messages import ADMISSIONS, Join

OPEN, CODE, ASK = ADMISSIONS
MOST_KNOWN: Final = 256
"""Keys let in that are remembered: more than ever come to a table, fewer than a prankster makes."""
DoorFact: TypeAlias = AdmissionSet | CodeMissed | LetIn | SentAway | Banned | Unbanned


class Asker(Struct, frozen=True):
    """Somebody about whom the host's player is asked."""

    route: bytes
    """The connection on which they wait."""
    join: Join
    name: str
    """As they would be called."""


class Door(Struct, frozen=True):
    """Who may come in. All but ``asking`` comes from the stored facts."""

    admission: str = OPEN
    """As chosen: ``open``, ``code`` or ``ask``."""
    code: str = ""
    wrong_codes: int = 0
    known: tuple[str, ...] = ()
    """Keys that were let in by the code or the host's player."""
    banned: Mapping[str, str] = field(default_factory=dict)
    """Names by key, the oldest first."""
    asking: Mapping[str, Asker] = field(default_factory=dict)
    """By key, the longest waiting first."""

    def __repr__(self) -> str:
        """Leave the code out: this may end up in a log."""
        return f"Door({self.admission})"

    @property
    def way(self) -> str:
        """How newcomers get in at present: too many wrong codes, and they are asked about."""
        if self.admission == CODE and self.wrong_codes >= CODE_TRIES:
            return ASK
        return self.admission

    def knows(self, key: str) -> bool:
        """Whether a key has been let in before and not sent away since."""
        return key in self.known

    def after(self, fact: DoorFact) -> Door:
        """Return the door after a fact."""
        match fact:
            case AdmissionSet(admission, code):
                return replace(self, admission=admission, code=code, wrong_codes=0)
            case CodeMissed():
                return replace(self, wrong_codes=self.wrong_codes + 1)
            case LetIn(key):
                known = (*(other for other in self.known if other != key), key)
                return replace(self.without(key), known=known[-MOST_KNOWN:])
            case SentAway(key):
                known = tuple(other for other in self.known if other != key)
                return replace(self.without(key), known=known)
            case Banned(key, name):
                others = [(other, told) for other, told in self.banned.items() if other != key]
                return replace(self, banned=dict([*others, (key, name)][-MOST_BANNED:]))
            case Unbanned(key):
                others = [(other, told) for other, told in self.banned.items() if other != key]
                return replace(self, banned=dict(others))

    def with_asker(self, key: str, asker: Asker) -> Door:
        """Return the door with somebody who asks; who asks already keeps their place."""
        return replace(self, asking={**self.asking, key: asker})

    def without(self, key: str) -> Door:
        """Return the door without an asker; itself where that key does not ask."""
        if key not in self.asking:
            return self
        return replace(self, asking={k: one for k, one in self.asking.items() if k != key})

    def durable(self) -> Door:
        """Return only what the stored entries say."""
        return replace(self, asking={}) if self.asking else self
