"""What is stored: facts, in entries; an entry is one change of the table, all at once.

Facts carry what is hidden (seeds, passed cards): they never leave the host. What everybody may hear
of them is made by :mod:`hearts_net.host.events`.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import msgspec
from msgspec import Struct

from hearts_net.host.errors import StoreCode, StoreError
from hearts_net.host.opening import TableSettings

Value: TypeAlias = bool | int | str


class Fact(Struct, frozen=True, tag_field="fact"):
    """Something that is so from now on."""


class Opened(Fact, frozen=True, tag="opened"):
    """The table exists; always the first fact."""

    table_id: str
    name: str
    host_key: str
    rules: dict[str, Value]


class EpochBegan(Fact, frozen=True, tag="epoch"):
    """A host took the table up: nobody is connected yet."""

    epoch: int
    settings: TableSettings


class Rekeyed(Fact, frozen=True, tag="rekeyed"):
    """A bot of the table's own has a new key (its process is a new one)."""

    seat: int
    key: str


class Seated(Fact, frozen=True, tag="seated"):
    """Somebody sits down; ``table_bot``: a bot of the table's own."""

    seat: int
    kind: str
    key: str
    name: str
    level: str = ""
    table_bot: bool = False


class Freed(Fact, frozen=True, tag="freed"):
    """Nobody holds the seat any more."""

    seat: int


class Moved(Fact, frozen=True, tag="moved"):
    """Somebody changed to a free seat, in the lobby."""

    seat: int
    to: int


class SaidReady(Fact, frozen=True, tag="ready"):
    """The holder of a seat is ready, or no more."""

    seat: int
    ready: bool


class RulesChanged(Fact, frozen=True, tag="rules"):
    """Every option; whoever was ready, except at ``keep``, is so no more."""

    rules: dict[str, Value]
    keep: int | None


class Began(Fact, frozen=True, tag="began"):
    """A game has begun, under the rules as they are."""

    game: str


class ShuffleBegan(Fact, frozen=True, tag="shuffling"):
    """The host has drawn its share (hexadecimal); ``asked`` are the seats that draw one too."""

    seed: str
    nonce: str
    asked: list[int]


class SharesListed(Fact, frozen=True, tag="commitments"):
    """These commitments count, by seat (hexadecimal; "" for a seat without one)."""

    seats: list[str]


class Dealt(Fact, frozen=True, tag="dealt"):
    """The cards are dealt as the key ``seed`` (hexadecimal) shuffles them."""

    seed: str
    shuffle: str = ""
    """Every share that the key is made of, as a game record has them."""


class PassedOn(Fact, frozen=True, tag="passed"):
    """Three cards are passed."""

    seat: int
    cards: list[str]
    by_bot: bool


class Laid(Fact, frozen=True, tag="played"):
    """A card is played."""

    seat: int
    card: str
    by_bot: bool


class ClaimStood(Fact, frozen=True, tag="claimed"):
    """The rest is claimed, rightly."""

    seat: int


class MoonPicked(Fact, frozen=True, tag="moon"):
    """Whoever shot the moon has chosen, or the choice was made."""

    seat: int
    choice: str


class PresenceNoted(Fact, frozen=True, tag="presence"):
    """Whether the holder of a seat is here, and whether a deputy plays for it.

    ``once``: the deputy plays one turn, which has taken too long.
    """

    seat: int
    presence: str
    deputy: bool
    once: bool = False


class Balloted(Fact, frozen=True, tag="voted"):
    """The holder of seat ``by`` wants this for a seat whose holder is away."""

    seat: int
    by: int
    choice: str


class Decided(Fact, frozen=True, tag="decided"):
    """Most of those present want this for a seat whose holder is away."""

    seat: int
    choice: str


class PauseSet(Fact, frozen=True, tag="paused"):
    """A player has paused the game, or let it go on."""

    paused: bool


class Reopened(Fact, frozen=True, tag="reopened"):
    """Back to the lobby after a game; seats of those who left are free."""

    keep_ready: bool


class Spoke(Fact, frozen=True, tag="spoke"):
    """Somebody said something to everybody."""

    name: str
    seat: int | None
    text: str


class AdmissionSet(Fact, frozen=True, tag="admission"):
    """Who is let in from now on; ``code`` is a new code, and none has been tried yet."""

    admission: str
    code: str = ""


class CodeMissed(Fact, frozen=True, tag="code-missed"):
    """Somebody tried a wrong code."""


class LetIn(Fact, frozen=True, tag="let-in"):
    """Somebody was let in by the code or the host's player: this key is asked for neither again."""

    key: str


class SentAway(Fact, frozen=True, tag="sent-away"):
    """The host's player has sent somebody away, or not let them in: they are no more known.

    ``name`` is of who was at the table, and ``reason`` is ``kicked`` or ``banned``; "" where not.
    """

    key: str
    name: str = ""
    reason: str = ""


class Banned(Fact, frozen=True, tag="banned"):
    """A key is not let in any more."""

    key: str
    name: str


class Unbanned(Fact, frozen=True, tag="unbanned"):
    """A ban is taken back."""

    key: str


AnyFact: TypeAlias = (
    Opened | EpochBegan | Rekeyed | Seated | Freed | Moved | SaidReady | RulesChanged | Began
    | ShuffleBegan | SharesListed | Dealt | PassedOn | Laid | ClaimStood | MoonPicked
    | PresenceNoted | Balloted | Decided | PauseSet | Reopened | Spoke
    | AdmissionSet | CodeMissed | LetIn | SentAway | Banned | Unbanned
)  # fmt: skip


class Accepted(Struct, frozen=True):
    """The answer to an accepted command, stored with what it did."""

    key: str
    id: int
    epoch: int
    seq: int


class Entry(Struct, frozen=True):
    """Facts that came about together."""

    number: int
    time: int
    """Milliseconds since 1970, UTC."""
    facts: list[AnyFact]
    accepted: Accepted | None = None


_ENCODER: Final = msgspec.json.Encoder()
_DECODER: Final = msgspec.json.Decoder(Entry, strict=True)


def encode_entry(entry: Entry) -> bytes:
    """Return an entry as one line of JSON."""
    return _ENCODER.encode(entry)


def decode_entry(body: bytes, number: int) -> Entry:
    """Return the entry stored as ``number``; :class:`StoreError` ``store-damaged`` if none."""
    try:
        entry = _DECODER.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise StoreError(StoreCode.DAMAGED, entry=number) from None
    if entry.number != number:
        raise StoreError(StoreCode.DAMAGED, entry=number, found=entry.number)
    return entry
