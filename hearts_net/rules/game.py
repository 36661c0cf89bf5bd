"""One game: a series of deals until somebody has won (rules 2 and 9).

A :class:`Game` never changes. :meth:`Game.apply` is the one way on: it takes an action and gives
the next game, or raises :class:`RuleError` and nothing has happened.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from hearts_net.rules.actions import Action, ChooseMoon, ClaimRest, DealCards, PassCards, PlayCard
from hearts_net.rules.cards import SEATS
from hearts_net.rules.deal import Deal, new_deal
from hearts_net.rules.errors import RuleCode, RuleError
from hearts_net.rules.options import MoonRule, Options
from hearts_net.rules.scoring import (
    Scores,
    added,
    deal_points,
    moon_choice_for,
    moon_shooter,
    winner_of,
)


class Phase(StrEnum):
    """What a game waits for."""

    __hash__ = str.__hash__  # quicker than that of enums, and asked for at every card

    DEALING = "dealing"
    """The next deal's hands."""
    PASSING = "passing"
    """Somebody's three cards."""
    PLAYING = "playing"
    """A card, or a claim."""
    MOON = "moon"
    """The choice of somebody who has shot the moon."""
    OVER = "over"
    """Nothing: somebody has won."""


@dataclass(frozen=True, slots=True)
class DealResult:
    """How a deal ended."""

    number: int
    points: Scores
    totals: Scores
    """After this deal."""
    moon: int | None
    """Who has shot the moon."""
    choice: MoonRule | None
    """What that player chose, where the choice was the player's."""
    settled: bool
    """The deal ended early, every card that counts taken."""
    claimed_by: int | None


@dataclass(frozen=True, slots=True)
class Game:
    """The state of a game; begin with :meth:`start`."""

    options: Options
    number: int = 0
    """The number of the current or last deal, from 1; 0 before the first."""
    deal: Deal | None = None
    """The current deal; after its end, until the next is dealt, the finished one."""
    results: tuple[DealResult, ...] = ()
    """Of every finished deal; the game itself goes by the last one alone."""
    totals: Scores = (0, 0, 0, 0)
    winner: int | None = None

    @classmethod
    def start(cls, options: Options) -> Game:
        """Begin a game: it waits for its first deal."""
        return cls(options)

    @property
    def phase(self) -> Phase:
        """What the game waits for."""
        deal = self.deal
        if deal is not None and deal.turn is not None:
            return Phase.PLAYING
        if self.winner is not None:
            return Phase.OVER
        if deal is None or self.finished_deals == self.number:
            return Phase.DEALING
        return Phase.PASSING if deal.passing else Phase.MOON

    @property
    def finished_deals(self) -> int:
        """How many deals have been scored."""
        return self.results[-1].number if self.results else 0

    @property
    def shooter(self) -> int | None:
        """Who has taken all 26 points of the current or last deal, once it has been played."""
        return moon_shooter(self.deal.taken) if self.deal is not None and self.deal.over else None

    def apply(self, action: Action) -> Game:
        """Return the game after an action.

        Raises :class:`RuleError`, and then nothing has changed; its ``code`` is one of
        :class:`~hearts_net.rules.errors.RuleCode`.
        """
        if self.winner is not None:
            raise RuleError(RuleCode.GAME_OVER)
        match action:
            case PlayCard():
                return self._play(action)
            case PassCards():
                deal = self._deal_in(Phase.PASSING, Phase.PLAYING)
                return replace(self, deal=deal.pass_cards(action.seat, action.cards))
            case ClaimRest():
                return self._after(self._deal_in(Phase.PLAYING).claim(_seat(action.seat)))
            case DealCards():
                return self._deal(action)
            case ChooseMoon():
                return self._choose_moon(action)

    def default_moon_choice(self) -> MoonRule:
        """Return the choice for a bot, or for a player whose time has run out.

        Raises :class:`RuleError` ``wrong-phase`` unless the phase is ``moon``.
        """
        deal = self._deal_in(Phase.MOON)
        shooter = moon_shooter(deal.taken)
        assert shooter is not None
        return moon_choice_for(shooter, deal.taken, self.totals, self.options)

    def _deal(self, action: DealCards) -> Game:
        self._expect(Phase.DEALING)
        number = self.number + 1
        return replace(
            self, number=number, deal=new_deal(self.options, number, action.hands, action.shuffle)
        )

    def _play(self, action: PlayCard) -> Game:
        deal = self._deal_in(Phase.PLAYING)
        refusal = deal.refusal(_seat(action.seat), action.card)
        if refusal is not None:
            raise refusal
        return self._after(deal.play(action.card, by_bot=action.by_bot))

    def _choose_moon(self, action: ChooseMoon) -> Game:
        deal = self._deal_in(Phase.MOON)
        if _seat(action.seat) != self.shooter:
            raise RuleError(RuleCode.NOT_THE_SHOOTER, seat=action.seat)
        if action.choice is MoonRule.SHOOTER_CHOOSES:
            raise RuleError(RuleCode.NOT_A_CHOICE, choice=action.choice.value)
        return self._scored(deal, action.choice, action.choice)

    def _after(self, deal: Deal) -> Game:
        """Return the game after a card or a claim; a deal that is over is scored."""
        if deal.turn is not None:
            return Game(self.options, self.number, deal, self.results, self.totals)
        moon = self.options.moon
        if moon is MoonRule.SHOOTER_CHOOSES and moon_shooter(deal.taken) is not None:
            return replace(self, deal=deal)  # and phase is MOON now
        return self._scored(deal, moon, None)

    def _scored(self, deal: Deal, moon: MoonRule, choice: MoonRule | None) -> Game:
        points = deal_points(deal.taken, self.options, moon)
        totals = added(self.totals, points)
        result = DealResult(
            number=self.number,
            points=points,
            totals=totals,
            moon=moon_shooter(deal.taken),
            choice=choice,
            settled=deal.settled,
            claimed_by=deal.claimed_by,
        )
        return replace(
            self,
            deal=deal,
            results=(*self.results, result),
            totals=totals,
            winner=winner_of(totals, self.options.target),
        )

    def _deal_in(self, *phases: Phase) -> Deal:
        """Return the current deal if the game is in one of these phases."""
        self._expect(*phases)
        assert self.deal is not None
        return self.deal

    def _expect(self, *phases: Phase) -> None:
        if self.phase not in phases:
            raise RuleError(RuleCode.WRONG_PHASE, phase=self.phase.value)


def _seat(seat: int) -> int:
    if seat not in SEATS:
        raise RuleError(RuleCode.WRONG_SEAT, seat=seat)
    return seat
