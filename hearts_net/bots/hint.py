"""A hint for a person: what the level ``hard`` would do with the same view, and why, in a word."""

from __future__ import annotations

import random
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from hearts_net.bots.player import BotCode, BotError
from hearts_net.protocol.messages import View
from hearts_net.rules.cards import (
    HEARTS,
    PENALTY_MASK,
    QUEEN_MASK,
    QUEEN_OF_SPADES,
    SPADES,
    card_text,
)
from hearts_net.rules.scoring import penalty_of

if TYPE_CHECKING:
    from hearts_net.bots.search import Verdict
    from hearts_net.bots.sight import Sight


class Reason(StrEnum):
    """Why; the sentences are the client's."""

    ONLY_CARD = "only-card"
    PASS = "pass"  # noqa: S105 - no password
    SHOOT = "shoot"
    STOP_MOON = "stop-moon"
    SHED_QUEEN = "shed-queen"
    SHED_POINTS = "shed-points"
    SHED_RISK = "shed-risk"
    DUCK_QUEEN = "duck-queen"
    DUCK = "duck"
    TAKE_SAFELY = "take-safely"
    TAKE_ANYWAY = "take-anyway"
    LEAD_AT_QUEEN = "lead-at-queen"
    LEAD_LOW = "lead-low"
    LEAD = "lead"


@dataclass(frozen=True, slots=True)
class Hint:
    """Cards to play or pass, and the reason."""

    cards: tuple[str, ...]
    reason: Reason


def hint_for(view: View) -> Hint:
    """Return a hint for the seat of a view; takes some milliseconds, for passing up to 200.

    The same view gives the same hint. Raises :class:`BotError` ``nothing-to-choose`` or
    ``no-seat``.
    """
    # not for a client to which nobody has asked for a hint
    from hearts_net.bots.searching import SearchingPlayer
    from hearts_net.bots.sight import read_sight

    own = view.own
    if own is None:
        raise BotError(BotCode.NO_SEAT)
    player, rng = SearchingPlayer(), random.Random(f"hint {view.epoch} {view.seq}")  # noqa: S311 - play, not secrets
    if "pass" in own.may:
        return Hint(tuple(player.choose_pass(view, rng)), Reason.PASS)
    if "play" not in own.may or not own.legal:
        raise BotError(BotCode.NOTHING_TO_CHOOSE)
    if len(own.legal) == 1:
        return Hint((own.legal[0],), Reason.ONLY_CARD)
    verdict = player.verdict(view, rng)
    return Hint((card_text(verdict.card),), reason_for(read_sight(view), verdict))


def reason_for(sight: Sight, verdict: Verdict) -> Reason:
    """Return what is best said for the card of a verdict."""
    if verdict.shooting:
        return Reason.SHOOT
    card, winning = verdict.card, sight.winning
    if winning is None:
        return _leading(sight, card)
    if card // 13 != sight.trick[0][1] // 13:
        return _throwing(sight, card)
    if card < winning[1]:
        queen = card // 13 == SPADES and sight.unseen & QUEEN_MASK
        return Reason.DUCK_QUEEN if queen else Reason.DUCK
    points = penalty_of(sum(1 << laid for laid in sight.table))
    if points and _one_has_all(sight):
        return Reason.STOP_MOON
    return Reason.TAKE_SAFELY if not points and len(sight.trick) == 3 else Reason.TAKE_ANYWAY


def _leading(sight: Sight, card: int) -> Reason:
    if card // 13 == SPADES and card < QUEEN_OF_SPADES and sight.unseen & QUEEN_MASK:
        return Reason.LEAD_AT_QUEEN
    suit = sight.unseen >> card // 13 * 13 & 8191
    above = suit >> card % 13
    return Reason.LEAD_LOW if 2 * above.bit_count() > suit.bit_count() else Reason.LEAD


def _throwing(sight: Sight, card: int) -> Reason:
    if card == QUEEN_OF_SPADES:
        return Reason.SHED_QUEEN
    if card // 13 == HEARTS:
        return Reason.STOP_MOON if _one_has_all(sight) else Reason.SHED_POINTS
    return Reason.SHED_RISK


def _one_has_all(sight: Sight) -> bool:
    """Say whether another seat has taken every point so far, and not a few."""
    taken = [penalty_of(cards & PENALTY_MASK) for cards in sight.taken]
    others = [points for seat, points in enumerate(taken) if seat != sight.seat]
    return max(others) > 9 and max(others) == sum(taken)
