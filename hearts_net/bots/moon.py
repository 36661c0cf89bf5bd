"""What a bot does with a moon under ``moon = shooter-chooses``."""

from __future__ import annotations

from hearts_net.bots.player import BotCode, BotError
from hearts_net.protocol.messages import View
from hearts_net.rules.options import MoonRule
from hearts_net.rules.scoring import MOON_POINTS, added, winner_of


def moon_choice(view: View) -> str:
    """Return ``others-gain``, unless that would end the game with another winner.

    The rules say so for every bot. The view's totals are those before this deal, and its points
    those of the deal so far, the jack of diamonds included.
    """
    if view.own is None:
        raise BotError(BotCode.NO_SEAT)
    shooter, seats = view.own.seat, view.public.seats
    points = [seat.points + MOON_POINTS for seat in seats]
    points[shooter] -= 2 * MOON_POINTS
    north, east, south, west = points
    a, b, c, d = (seat.total for seat in seats)
    target = int(view.public.rules.get("target", 100))
    if winner_of(added((a, b, c, d), (north, east, south, west)), target) in (None, shooter):
        return MoonRule.OTHERS_GAIN.value
    return MoonRule.SHOOTER_LOSES.value
