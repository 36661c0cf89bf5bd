"""Game records replayed on the rules: everything that a record says must be what the rules say.

Lines are read, applied and forgotten one by one, so that a record of any length needs no more
memory than one deal does. A stream may hold several games, one after another, as ``simulate``
writes them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import BinaryIO, Final, Never

from hearts_net.rules.actions import Action, ChooseMoon, ClaimRest, DealCards, PassCards, PlayCard
from hearts_net.rules.cards import Mask, hand_texts
from hearts_net.rules.deal import direction_of
from hearts_net.rules.errors import (
    FairCode,
    FairError,
    RecordCode,
    RecordError,
    RuleCode,
    RuleError,
)
from hearts_net.rules.fair import check_text, read_shuffle
from hearts_net.rules.game import Game, Phase
from hearts_net.rules.reading import (
    ClaimLine,
    DealEndLine,
    DealLine,
    Event,
    GameEndLine,
    Line,
    MoonLine,
    PassLine,
    PlayLine,
    SettledLine,
    read_lines,
)
from hearts_net.rules.record import Header, Kind, PlayerType
from hearts_net.rules.scoring import Scores


@dataclass(frozen=True, slots=True)
class CheckedGame:
    """A game of a record in which everything agrees."""

    header: Header
    first_line: int
    deals: int
    """Finished deals."""
    totals: Scores
    winner: int | None
    """None for a game that was still running."""
    drawn_by_host: int = 0
    """Shares of players that the host drew, where the deals were checked."""
    late: tuple[tuple[int, int], ...] = ()
    """Deal and seat of each share that was promised and came too late; also only there."""


@dataclass(frozen=True, slots=True)
class Step:
    """One line of a record, and the game after it (of its ``results`` only the last is kept)."""

    number: int
    """Of the line, from 1."""
    line: Line
    game: Game


def check_file(stream: BinaryIO, *, deals: bool = False) -> Iterator[CheckedGame]:
    """Yield each game of a stream when it has been found right.

    With ``deals``, also that each deck is what the players' shares have shuffled. Raises
    :class:`RecordError` at the first line that is wrong; its detail has the ``line`` and what else
    is known: the ``rule`` that was broken, what was ``found`` and what ``expected``. For a deal its
    code is one of :class:`~hearts_net.rules.errors.FairCode`.
    """
    reading: _Reading | None = None
    for step in replay_file(stream):
        if isinstance(step.line, Header):
            if reading is not None:
                yield reading.checked()
            reading = _Reading(step.line, step.number, step.game)
        elif reading is not None:
            if deals and isinstance(step.line, DealLine):
                reading.check_deal(step.line, step.number)
            reading.game = step.game
    assert reading is not None
    yield reading.checked()


@dataclass(slots=True)
class _Reading:
    """A game of a stream, as far as it has been found right."""

    header: Header
    first_line: int
    game: Game
    drawn: int = 0
    late: list[tuple[int, int]] = field(default_factory=list)

    def check_deal(self, line: DealLine, number: int) -> None:
        """Check that a deal was fair; note whose shares the host drew."""
        header, text = self.header, line.shuffle
        try:
            check_text(header.game, line.number, text, line.hands)
            if text is None or not text.startswith("{"):
                return
            shuffle = read_shuffle(text)
            for seat in shuffle.late:
                if header.players[seat].is_host:
                    raise FairError(FairCode.SHARE_WITHHELD, seat=seat)
        except FairError as error:
            raise RecordError(error.code, line=number, **error.detail) from None
        self.late += [(line.number, seat) for seat in shuffle.late]
        self.drawn += sum(
            header.players[seat].type is PlayerType.HUMAN and each.share is None
            for seat, each in enumerate(shuffle.seats)
        )

    def checked(self) -> CheckedGame:
        """Return it as it is told at its end."""
        game = self.game
        told = (game.finished_deals, game.totals, game.winner, self.drawn, tuple(self.late))
        return CheckedGame(self.header, self.first_line, *told)


def replay_file(stream: BinaryIO) -> Iterator[Step]:
    """Yield each line of a stream with the game after it, checked as :func:`check_file` says."""
    replay: _Replay | None = None
    for number, line in read_lines(stream):
        if isinstance(line, Header):
            if replay is not None:
                replay.expect_whole()
            replay = _Replay(line)
        elif replay is None:
            raise RecordError(RecordCode.NO_HEADER, line=number)
        else:
            replay.follow(line, number)
        yield Step(number, line, replay.game)
    if replay is None:
        raise RecordError(RecordCode.EMPTY, line=1)
    replay.expect_whole()


class _Replay:
    """One game of a record, as far as it has been read."""

    _line: int
    """The number of the line that is followed."""
    _settled_told: bool
    """Whether the current deal's line ``settled`` has been read."""

    def __init__(self, header: Header) -> None:
        self.game = Game.start(header.options)
        self._told = 0
        """Deals whose end has been read."""
        self._ended = False
        """Whether the game's end has been read."""

    def follow(self, line: Event, number: int) -> None:
        """Take one more line; :class:`RecordError` if the rules do not agree with it."""
        self._line = number
        if self._ended or (self.game.phase is Phase.OVER and isinstance(line, DealLine)):
            self._refuse(RecordCode.AFTER_THE_END)
        match line:
            case PlayLine():
                self._play(line)
            case PassLine():
                self._apply(PassCards(line.seat, line.cards), RecordCode.ILLEGAL_PASS)
            case DealLine():
                self._deal(line)
            case ClaimLine():
                self._apply(ClaimRest(line.seat), RecordCode.ILLEGAL_CLAIM)
            case SettledLine():
                self._settle()
            case MoonLine():
                self._expect_settled()
                self._apply(ChooseMoon(line.seat, line.choice), RecordCode.ILLEGAL_CHOICE)
            case DealEndLine():
                self._end_deal(line)
            case GameEndLine():
                self._end_game(line)

    def expect_whole(self) -> None:
        """Raise :class:`RecordError` if the record may not stop here."""
        running = self.game.phase is Phase.DEALING and self._told == self.game.finished_deals
        if not (self._ended or running):
            self._refuse(RecordCode.CUT_SHORT, phase=self.game.phase.value)

    def _deal(self, line: DealLine) -> None:
        if self.game.phase is not Phase.DEALING or self._told < self.game.finished_deals:
            self._refuse(RecordCode.UNEXPECTED_LINE, phase=self.game.phase.value)
        number = self.game.number + 1
        direction = direction_of(number, self.game.options)
        self._expect(RecordCode.WRONG_NUMBER, line.number, number)
        self._expect(RecordCode.WRONG_DIRECTION, line.direction.value, direction.value)
        self._settled_told = False
        self.game = self.game.apply(DealCards(line.hands, line.shuffle))  # the deck: it was read so

    def _play(self, line: PlayLine) -> None:
        before = self.game
        self._apply(PlayCard(line.seat, line.card, line.by_bot), RecordCode.ILLEGAL_PLAY)
        if line.legal is not None and before.deal is not None:
            self._expect(
                RecordCode.WRONG_LEGAL, _texts(line.legal), _texts(before.deal.legal_for(line.seat))
            )

    def _settle(self) -> None:
        deal = self.game.deal
        if deal is None or self._settled_told or not deal.settled:
            self._refuse(RecordCode.NOT_SETTLED)
        self._settled_told = True

    def _expect_settled(self) -> None:
        """Refuse a line before which the deal should have been told to be settled."""
        deal = self.game.deal
        if deal is not None and deal.settled and not self._settled_told:
            self._refuse(RecordCode.UNEXPECTED_LINE, expected=Kind.SETTLED.value)

    def _end_deal(self, line: DealEndLine) -> None:
        self._expect_settled()
        if self._told == self.game.finished_deals:
            self._refuse(RecordCode.UNEXPECTED_LINE, phase=self.game.phase.value)
        result = self.game.results[-1]
        self._expect(RecordCode.WRONG_NUMBER, line.number, result.number)
        self._expect(RecordCode.WRONG_POINTS, line.points, result.points)
        self._expect(RecordCode.WRONG_MOON, line.moon, result.moon)
        self._expect(RecordCode.WRONG_TOTALS, line.totals, result.totals)
        self._told = result.number
        self.game = replace(self.game, results=(result,))  # a long game must not fill the memory

    def _end_game(self, line: GameEndLine) -> None:
        if self.game.winner is None or self._told < self.game.finished_deals:
            self._refuse(RecordCode.NOT_OVER, phase=self.game.phase.value)
        self._expect(RecordCode.WRONG_TOTALS, line.totals, self.game.totals)
        self._expect(RecordCode.WRONG_WINNER, line.winner, self.game.winner)
        self._ended = True

    def _apply(self, action: Action, code: RecordCode) -> None:
        """Apply an action; what the rules have against it is told as ``code`` or a closer one."""
        try:
            self.game = self.game.apply(action)
        except RuleError as error:
            self._refuse(_PRECISE.get(RuleCode(error.code), code), rule=error.code)

    def _expect(self, code: RecordCode, found: object, expected: object) -> None:
        if found != expected:
            self._refuse(code, found=_shown(found), expected=_shown(expected))

    def _refuse(self, code: RecordCode, **detail: str | int) -> Never:
        raise RecordError(code, line=self._line, **detail)


_PRECISE: Final = {
    RuleCode.WRONG_PHASE: RecordCode.UNEXPECTED_LINE,
    RuleCode.GAME_OVER: RecordCode.UNEXPECTED_LINE,
    RuleCode.ALREADY_PASSED: RecordCode.WRONG_PASSER,
    RuleCode.NOT_YOUR_TURN: RecordCode.OUT_OF_TURN,
}
"""Refusals of the rules that have a record code of their own, whatever the line."""


def _texts(mask: Mask) -> str:
    return " ".join(hand_texts(mask))


def _shown(value: object) -> str:
    """Return a found or an expected value for the error's detail: short, whatever it is."""
    return " ".join(map(str, value))[:80] if isinstance(value, tuple) else str(value)[:80]
