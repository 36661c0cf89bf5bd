"""What everybody may hear of a fact: the public events.

Nothing hidden is in one: which cards were passed, and the seed, stay in the fact.
"""

from __future__ import annotations

from dataclasses import dataclass

from hearts_net.host.facts import ClaimStood, Dealt, Laid, MoonPicked, PassedOn
from hearts_net.protocol.messages import (
    AnyEvent,
    Claimed,
    DealEnded,
    DealStarted,
    DealSummary,
    GameEnded,
    HeartsBroken,
    MoonChosen,
    Passed,
    Played,
    PlayStarted,
    Settled,
    TrickCard,
    TrickTaken,
    TrickView,
)
from hearts_net.rules.cards import Mask, card_text
from hearts_net.rules.deal import Deal, Trick
from hearts_net.rules.game import DealResult, Game

GameFact = Dealt | PassedOn | Laid | ClaimStood | MoonPicked


@dataclass(slots=True)
class Stamps:
    """Gives each event its number and its time."""

    newest: int
    time: int

    def next(self) -> tuple[int, int]:
        """Return the next number, and the time."""
        self.newest += 1
        return self.newest, self.time


def trick_view(trick: Trick, number: int, bot_cards: Mask) -> TrickView:
    """Return a finished trick as everybody may see it; ``bot_cards`` were played for persons."""
    cards = [
        TrickCard(seat, card_text(card), bool(bot_cards >> card & 1)) for seat, card in trick.cards
    ]
    return TrickView(number, cards, trick.winner, trick.points)


def deal_summary(result: DealResult) -> DealSummary:
    """Return a finished deal as everybody may see it."""
    return DealSummary(result.number, list(result.points), list(result.totals), result.moon)


def game_events(before: Game, after: Game, fact: GameFact, stamps: Stamps) -> list[AnyEvent]:
    """Return what a fact of the game lets everybody hear."""
    return [_the_act(after, fact, stamps), *_what_follows(before, after, fact, stamps)]


def _the_act(after: Game, fact: GameFact, stamps: Stamps) -> AnyEvent:
    match fact:
        case Laid(seat, card, by_bot):
            return Played(*stamps.next(), seat, card, by_bot)
        case Dealt():
            assert after.deal is not None
            return DealStarted(*stamps.next(), after.number, after.deal.direction.value)
        case PassedOn(seat, _, by_bot):
            return Passed(*stamps.next(), seat, by_bot)
        case ClaimStood(seat):
            return Claimed(*stamps.next(), seat)
        case MoonPicked(seat, choice):
            return MoonChosen(*stamps.next(), seat, choice)


def _what_follows(before: Game, after: Game, fact: GameFact, stamps: Stamps) -> list[AnyEvent]:
    deal = after.deal
    assert deal is not None
    found: list[AnyEvent] = []
    old = before.deal if before.number == after.number else None
    if deal.turn is not None and (old is None or old.turn is None):
        found.append(PlayStarted(*stamps.next(), deal.turn))
    if old is not None:
        if isinstance(fact, Laid) and deal.hearts_broken and not old.hearts_broken:
            found.append(HeartsBroken(*stamps.next(), fact.seat))
        found += _of_the_trick(old, deal, stamps)
    if after.results is not before.results:
        found.append(DealEnded(*stamps.next(), deal_summary(after.results[-1])))
    if after.winner is not None:
        found.append(GameEnded(*stamps.next(), list(after.totals), after.winner))
    return found


def _of_the_trick(old: Deal, deal: Deal, stamps: Stamps) -> list[AnyEvent]:
    found: list[AnyEvent] = []
    if deal.tricks is not old.tricks:
        trick = trick_view(deal.tricks[-1], len(deal.tricks), deal.bot_cards)
        found.append(TrickTaken(*stamps.next(), trick))
    if deal.turn is None and deal.settled and not old.settled:
        found.append(Settled(*stamps.next()))
    return found
