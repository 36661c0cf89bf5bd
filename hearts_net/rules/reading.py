"""The lines of a game record read from bytes, each checked for its form, not yet by the rules.

A record may come from anywhere, so nothing is taken for granted: every refusal is a
:class:`RecordError` with the number of the line, and no more than one line of limited length is
in memory at a time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import BinaryIO, Final, Never, TypeAlias

from hearts_net.rules.cards import HAND_SIZE, SEATS, Card, Hands, Mask, parse_card
from hearts_net.rules.deal import PASS_SIZE, Direction
from hearts_net.rules.errors import CardError, OptionCode, OptionError, RecordCode, RecordError
from hearts_net.rules.options import OPTION_SPECS, MoonRule, Options
from hearts_net.rules.record import FORMAT, Header, Kind, Player, PlayerType
from hearts_net.rules.scoring import Scores

MAX_LINE: Final = 64 * 1024
"""Bytes in a line, its end included: the longest line of this format, a deal's, is under 1 KiB."""

_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d([.,]\d{1,9})?)?(Z|\+00:00)")
_CONTROL: Final = re.compile(rb"[\x00-\x08\x0e-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class DealLine:
    """The hands as dealt."""

    number: int
    direction: Direction
    hands: Hands
    shuffle: str | None
    """A text, or the text of an object."""


@dataclass(frozen=True, slots=True)
class PassLine:
    """Three cards passed."""

    seat: int
    cards: Mask


@dataclass(frozen=True, slots=True)
class PlayLine:
    """One card played."""

    seat: int
    card: Card
    legal: Mask | None
    by_bot: bool


@dataclass(frozen=True, slots=True)
class ClaimLine:
    """The rest claimed."""

    seat: int


@dataclass(frozen=True, slots=True)
class SettledLine:
    """Every card that counts has been taken, the rest is not played."""


@dataclass(frozen=True, slots=True)
class MoonLine:
    """What the shooter chose."""

    seat: int
    choice: MoonRule


@dataclass(frozen=True, slots=True)
class DealEndLine:
    """The points of a deal."""

    number: int
    points: Scores
    totals: Scores
    moon: int | None


@dataclass(frozen=True, slots=True)
class GameEndLine:
    """The end of a finished game."""

    totals: Scores
    winner: int


Event: TypeAlias = (
    DealLine | PassLine | PlayLine | ClaimLine | SettledLine | MoonLine | DealEndLine | GameEndLine
)
Line: TypeAlias = Header | Event


def read_lines(stream: BinaryIO) -> Iterator[tuple[int, Line]]:
    """Yield a record's lines with their numbers, from 1; blank lines are passed over.

    Raises :class:`RecordError` at the first line that is none.
    """
    number = 0
    while data := stream.readline(MAX_LINE + 1):
        number += 1
        if len(data) > MAX_LINE:
            raise RecordError(RecordCode.LINE_TOO_LONG, line=number, limit=MAX_LINE)
        if not data.isspace():
            yield number, _parse(number, data)


def _parse(number: int, data: bytes) -> Line:
    facts = Facts(number, _decoded(number, data))
    kind = facts.text("kind")
    parser = _PARSERS.get(kind)
    if parser is None:
        facts.refuse(RecordCode.UNKNOWN_KIND, kind=kind[:40])
    return parser(facts)


def _decoded(number: int, data: bytes) -> dict[str, object]:
    """Return the object in a line of JSON."""
    if _CONTROL.search(data):
        raise RecordError(RecordCode.NOT_TEXT, line=number)
    try:
        value = json.loads(data.decode(), parse_constant=_no_constant)
    except UnicodeDecodeError as error:
        raise RecordError(RecordCode.NOT_UTF8, line=number, byte=error.start + 1) from None
    except (ValueError, RecursionError):
        raise RecordError(RecordCode.NOT_JSON, line=number) from None
    if not isinstance(value, dict):
        raise RecordError(RecordCode.NOT_AN_OBJECT, line=number)
    return value


def _no_constant(_: str) -> Never:
    raise ValueError  # NaN and the infinities are no JSON


class Facts:
    """The keys and values of one line, taken out one by one with their types checked."""

    __slots__ = ("_values", "line")

    def __init__(self, line: int, values: dict[str, object]) -> None:
        self.line = line
        self._values = values

    def refuse(self, code: RecordCode, **detail: str | int) -> Never:
        """Raise a :class:`RecordError` about this line."""
        raise RecordError(code, line=self.line, **detail)

    def bad(self, key: str) -> Never:
        """Refuse the value of a key."""
        self.refuse(RecordCode.BAD_FIELD, key=key)

    def has(self, key: str) -> bool:
        """Whether the line has a key."""
        return key in self._values

    def value(self, key: str) -> object:
        """Return a value of any type."""
        if key not in self._values:
            self.refuse(RecordCode.MISSING_KEY, key=key)
        return self._values[key]

    def text(self, key: str) -> str:
        """Return a text."""
        value = self.value(key)
        return value if isinstance(value, str) else self.bad(key)

    def integer(self, key: str) -> int:
        """Return a whole number."""
        value = self.value(key)
        return value if type(value) is int else self.bad(key)

    def seat(self, key: str = "seat") -> int:
        """Return a seat, 0 to 3."""
        seat = self.integer(key)
        return seat if seat in SEATS else self.bad(key)

    def array(self, key: str) -> list[object]:
        """Return an array of anything."""
        value = self.value(key)
        return value if isinstance(value, list) else self.bad(key)

    def four(self, key: str) -> tuple[object, object, object, object]:
        """Return an array of four, one a seat."""
        values = self.array(key)
        if len(values) != len(SEATS):
            self.bad(key)
        first, second, third, fourth = values
        return first, second, third, fourth

    def scores(self, key: str) -> Scores:
        """Return four whole numbers."""
        first, second, third, fourth = (
            value if type(value) is int else self.bad(key) for value in self.four(key)
        )
        return first, second, third, fourth

    def card(self, value: object) -> Card:
        """Return the card that a value names."""
        if not isinstance(value, str):
            self.refuse(RecordCode.BAD_CARD, card=repr(value)[:20])
        try:
            return parse_card(value)
        except CardError:
            self.refuse(RecordCode.BAD_CARD, card=value[:20])

    def each_once(self, values: Iterable[object]) -> Mask:
        """Return the cards that the values name, none of them twice."""
        mask = 0
        for value in values:
            bit = 1 << self.card(value)
            if mask & bit:
                self.refuse(RecordCode.DUPLICATE_CARD, card=str(value))
            mask |= bit
        return mask

    def cards(self, key: str, values: object, count: int | None = None) -> Mask:
        """Return the cards of an array that names each once, ``count`` of them if that is given."""
        if not isinstance(values, list):
            self.bad(key)
        mask = self.each_once(values)
        if count is not None and len(values) != count:
            self.refuse(RecordCode.CARD_COUNT, key=key, cards=len(values), expected=count)
        return mask


def _header(facts: Facts) -> Header:
    if facts.integer("format") != FORMAT:
        facts.refuse(RecordCode.BAD_FORMAT, format=str(facts.value("format"))[:20])
    started = facts.text("started")
    if not _TIME.fullmatch(started):
        facts.bad("started")
    first, second, third, fourth = (_player(facts, about) for about in facts.four("players"))
    return Header(facts.text("game"), started, _options(facts), (first, second, third, fourth))


def _options(facts: Facts) -> Options:
    rules = facts.value("rules")
    if not isinstance(rules, dict):
        facts.bad("rules")
    for spec in OPTION_SPECS:
        if spec.name not in rules:
            facts.refuse(RecordCode.MISSING_OPTION, option=spec.name)
    try:
        return Options.from_dict(rules)
    except OptionError as error:
        unknown = error.code == OptionCode.UNKNOWN_OPTION
        code = RecordCode.UNKNOWN_OPTION if unknown else RecordCode.BAD_OPTION
        facts.refuse(code, **error.detail)


def _player(facts: Facts, about: object) -> Player:
    if not isinstance(about, dict):
        facts.bad("players")
    player = Facts(facts.line, about)
    is_host = player.has("host") and player.value("host") is True
    kind = player.text("type")
    if kind == PlayerType.BOT:
        name, level = player.text("name"), player.text("level")
        return Player(name, PlayerType.BOT, level, is_host=is_host)
    if kind != PlayerType.HUMAN:
        player.bad("type")
    return Player(player.text("name"), PlayerType.HUMAN, is_host=is_host)


def _deal(facts: Facts) -> DealLine:
    number = facts.integer("deal")
    direction = _direction(facts)
    hands = facts.four("hands")
    whole: list[object] = []
    for hand in hands:
        whole += hand if isinstance(hand, list) else facts.bad("hands")
    facts.each_once(whole)
    first, second, third, fourth = (facts.cards("hands", hand, HAND_SIZE) for hand in hands)
    shuffle = _shuffle(facts) if facts.has("shuffle") else None
    return DealLine(number, direction, (first, second, third, fourth), shuffle)


def _shuffle(facts: Facts) -> str:
    value = facts.value("shuffle")
    if isinstance(value, dict):
        return json.dumps(value, separators=(",", ":"))  # as it was made, without a blank
    return facts.text("shuffle")


def _direction(facts: Facts) -> Direction:
    try:
        return Direction(facts.text("pass"))
    except ValueError:
        facts.bad("pass")


def _pass(facts: Facts) -> PassLine:
    return PassLine(facts.seat(), facts.cards("cards", facts.value("cards"), PASS_SIZE))


def _play(facts: Facts) -> PlayLine:
    legal = facts.cards("legal", facts.value("legal")) if facts.has("legal") else None
    by_bot = facts.has("by")
    if by_bot and facts.text("by") != PlayerType.BOT:
        facts.bad("by")
    return PlayLine(facts.seat(), facts.card(facts.value("card")), legal, by_bot)


def _claim(facts: Facts) -> ClaimLine:
    return ClaimLine(facts.seat())


def _settled(_: Facts) -> SettledLine:
    return SettledLine()


def _moon(facts: Facts) -> MoonLine:
    choice = facts.text("choice")
    if choice not in (MoonRule.OTHERS_GAIN, MoonRule.SHOOTER_LOSES):
        facts.bad("choice")
    return MoonLine(facts.seat(), MoonRule(choice))


def _deal_end(facts: Facts) -> DealEndLine:
    moon = None if facts.value("moon") is None else facts.seat("moon")
    return DealEndLine(facts.integer("deal"), facts.scores("points"), facts.scores("totals"), moon)


def _game_end(facts: Facts) -> GameEndLine:
    return GameEndLine(facts.scores("totals"), facts.seat("winner"))


_PARSERS: Final[dict[str, Callable[[Facts], Line]]] = {
    Kind.GAME: _header,
    Kind.DEAL: _deal,
    Kind.PASS: _pass,
    Kind.PLAY: _play,
    Kind.CLAIM: _claim,
    Kind.SETTLED: _settled,
    Kind.MOON: _moon,
    Kind.DEAL_END: _deal_end,
    Kind.GAME_END: _game_end,
}
