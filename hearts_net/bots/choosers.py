"""Players at the table of the rules package: whole games with no host and no network."""

from __future__ import annotations

import random
from collections.abc import Mapping

from hearts_net.bots.from_deal import plain_rules, view_of
from hearts_net.bots.levels import make_any_player
from hearts_net.bots.player import BotCode, BotError, Player
from hearts_net.protocol.messages import OptionValue, View
from hearts_net.rules.cards import Card, Mask, mask_of_texts, parse_card
from hearts_net.rules.deal import Deal
from hearts_net.rules.game import Game
from hearts_net.rules.options import Options
from hearts_net.rules.simulate import RANDOM_LEVEL, Chooser, RandomChooser


class SeatChooser:
    """A :class:`~hearts_net.rules.simulate.Chooser` that shows its player the seat's view alone."""

    __slots__ = ("_options", "_player", "_rules")

    def __init__(self, player: Player) -> None:
        self._player = player
        self._options: Options | None = None
        self._rules: Mapping[str, OptionValue] = {}

    def choose_pass(self, game: Game, seat: int, rng: random.Random) -> Mask:
        """Return the three cards that the player passes."""
        return mask_of_texts(self._player.choose_pass(self._view(game, seat), rng))

    def choose_play(self, game: Game, seat: int, rng: random.Random) -> Card:
        """Return the card that the player plays; where there is but one, it is not asked."""
        legal = _deal(game).legal_for(seat)
        if legal and not legal & (legal - 1):
            return legal.bit_length() - 1
        return parse_card(self._player.choose_play(self._view(game, seat), rng))

    def _view(self, game: Game, seat: int) -> View:
        if game.options is not self._options:
            self._options, self._rules = game.options, plain_rules(game.options)
        return view_of(_deal(game), seat, number=game.number, totals=game.totals, rules=self._rules)


def make_chooser(level: str) -> Chooser:
    """Return a chooser of a level or a fixed point; :class:`BotError` ``unknown-level``."""
    if level == RANDOM_LEVEL:
        return RandomChooser()
    return SeatChooser(make_any_player(level))


def _deal(game: Game) -> Deal:
    if game.deal is None:
        raise BotError(BotCode.NOTHING_TO_CHOOSE)
    return game.deal
