"""Players that play the same card in the same place, whoever is asked, and their game by itself.

What such a player does follows from the seed, the deal, the seat and its own cards alone. So a bot
that plays for an absent person does what that person would have done, and a game comes out the
same whatever the network did to it: :func:`undisturbed` is that game, without a network.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import combinations
from typing import Final
from zlib import crc32

from hearts_net.protocol.messages import AnyAct, ChooseMoon, Claim, Pass, Play, Ready, View
from hearts_net.rules.actions import ChooseMoon as MoonChosen
from hearts_net.rules.actions import ClaimRest, DealCards, PassCards, PlayCard
from hearts_net.rules.cards import CARD_TEXTS, SEATS, Hands, cards_in, hand_texts, mask_of_texts
from hearts_net.rules.deal import Deal
from hearts_net.rules.game import Game, Phase
from hearts_net.rules.options import MoonRule, Options
from hearts_net.rules.shuffle import deal_hands

_THREE: Final = tuple(combinations(range(13), 3))
_MOON_CHOICES: Final = ("others-gain", "shooter-loses")
_RANKS: Final = {card: number % 13 for number, card in enumerate(CARD_TEXTS)}


@dataclass(frozen=True, slots=True)
class Steady:
    """How everybody at one table plays.

    Attributes:
        bold: a seat that always plays its highest card, and the others their lowest, so that it
            may shoot the moon; None: all play as the seed has it.

    """

    seed: int
    bold: int | None = None

    def __call__(self, view: View) -> AnyAct | None:
        """Return what is to be done about a view: a chooser for a peer in memory."""
        own = view.own
        if own is None:
            return None
        deal, seat = view.public.deal, own.seat
        if "pass" in own.may:
            return Pass(self.passed(deal, seat, own.hand))
        if "play" in own.may:
            if "claim" in own.may and own.can_claim and self.claims(deal, seat):
                return Claim()
            return Play(self.played(deal, seat, len(own.hand), own.legal))
        if "choose-moon" in own.may:
            return ChooseMoon(_MOON_CHOICES[self._drawn(deal, seat, 98, 2)])
        waits = view.public.phase in ("lobby", "deal-over")
        if waits and "ready" in own.may and not view.public.seats[seat].ready:
            return Ready()
        return None

    def hands(self) -> Hands:
        """Return the cards of a deal that is this table's own."""
        return deal_hands(sha256(b"%d/1" % self.seed).digest())

    def passed(self, deal: int, seat: int, hand: Sequence[str]) -> list[str]:
        """Return the three cards that a seat passes, of a hand in the order of the cards."""
        return [hand[place] for place in self._places(deal, seat, [_RANKS[card] for card in hand])]

    def played(self, deal: int, seat: int, held: int, legal: Sequence[str]) -> str:
        """Return the card that a seat with so many cards plays, of those in order that it may."""
        return legal[self.place(deal, seat, held, [_RANKS[card] for card in legal])]

    def _places(self, deal: int, seat: int, ranks: list[int]) -> Sequence[int]:
        if self.bold is None:
            return _THREE[self._drawn(deal, seat, 99, len(_THREE))]
        ranked = sorted(range(13), key=ranks.__getitem__)
        return ranked[:3] if seat == self.bold else ranked[-3:]

    def place(self, deal: int, seat: int, held: int, ranks: list[int]) -> int:
        """Return which of the cards that a seat may play it plays, by their ranks in order."""
        if self.bold is None:
            return self._drawn(deal, seat, held, len(ranks))
        best = max(ranks) if seat == self.bold else min(ranks)
        return ranks.index(best)

    def claims(self, deal: int, seat: int) -> bool:
        """Return whether a seat claims the rest of a deal when it can, or plays on."""
        return self._drawn(deal, seat, 97, 2) == 0

    def _drawn(self, deal: int, seat: int, place: int, count: int) -> int:
        return crc32(b"%d/%d/%d/%d" % (self.seed, deal, seat, place)) % count


def undisturbed(
    steady: Steady, options: Options, deals: Iterator[DealCards], moons: Iterator[str]
) -> Game:
    """Return the whole game as these players play it.

    ``deals`` has the cards of each deal, ``moons`` the choices of those who shoot the moon.
    """
    game = Game.start(options)
    while game.phase is not Phase.OVER:
        game = _after_deal(steady, game.apply(next(deals)), moons)
    return game


def _after_deal(steady: Steady, game: Game, moons: Iterator[str]) -> Game:
    number = game.number
    if game.phase is Phase.PASSING:
        for seat in SEATS:
            assert game.deal is not None
            hand = hand_texts(game.deal.hands[seat])
            mask = mask_of_texts(steady.passed(number, seat, hand))
            game = game.apply(PassCards(seat, mask))
    while game.deal is not None and (turn := game.deal.turn) is not None:
        game = game.apply(_next(steady, game.deal, number, turn))
    if game.phase is Phase.MOON:
        assert game.shooter is not None
        game = game.apply(MoonChosen(game.shooter, MoonRule(next(moons))))
    return game


def _next(steady: Steady, deal: Deal, number: int, turn: int) -> ClaimRest | PlayCard:
    if deal.can_claim(turn) and steady.claims(number, turn):
        return ClaimRest(turn)
    legal = cards_in(deal.legal())
    held = deal.hands[turn].bit_count()
    place = steady.place(number, turn, held, [card % 13 for card in legal])
    return PlayCard(turn, legal[place])
