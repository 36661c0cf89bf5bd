"""Cards, hands, seats and directions in words or in symbols.

The spoken style is for the ear and for pipes (``queen of spades``), symbols are for the screen
(``Q♠``), and ascii is for terminals that have no suits (``Qs``).
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from enum import StrEnum

from hearts_client.i18n import N_, _, ngettext, pgettext
from hearts_client.safetext import safe_text
from hearts_net.protocol.messages import PublicView, SeatView

SUITS = "CDSH"
HAND_ORDER = "CDSH"
RANKS = "23456789TJQKA"


class Style(StrEnum):
    """How a card is written."""

    SPOKEN = "spoken"
    SYMBOLS = "symbols"
    ASCII = "ascii"


_SUIT_SYMBOLS = {"C": "♣", "D": "♦", "S": "♠", "H": "♥"}
_SUIT_ASCII = {"C": "c", "D": "d", "S": "s", "H": "h"}
_SUIT_WORDS = {"C": N_("clubs"), "D": N_("diamonds"), "S": N_("spades"), "H": N_("hearts")}
_RANK_WORDS = {"J": N_("jack"), "Q": N_("queen"), "K": N_("king"), "A": N_("ace")}
_TEN = {"T": "10"}
_FOLLOW = {
    "C": N_("Follow clubs."),
    "D": N_("Follow diamonds."),
    "S": N_("Follow spades."),
    "H": N_("Follow hearts."),
}
_PLACES = (N_("south"), N_("west"), N_("north"), N_("east"))


def watchers_words(public: PublicView) -> str:
    """Say how many are here without a seat; "" where nobody is."""
    count = public.watchers
    if not count:
        return ""
    return ngettext(
        "{count} person looks on without a seat.", "{count} people look on without a seat.", count
    ).format(count=count)


def day_and_time(moment: int) -> str:
    """Write a moment (UTC milliseconds) as day and local time of day."""
    return time.strftime("%Y-%m-%d %H:%M", time.localtime(moment / 1000))


def suit_name(suit: str, style: Style = Style.SPOKEN) -> str:
    """Name a suit (``C``, ``D``, ``S``, ``H``)."""
    if style is Style.SYMBOLS:
        return _SUIT_SYMBOLS[suit]
    if style is Style.ASCII:
        return _SUIT_ASCII[suit]
    return _(_SUIT_WORDS[suit])


def rank_name(rank: str, style: Style = Style.SPOKEN) -> str:
    """Name a rank (``2`` … ``9``, ``T``, ``J``, ``Q``, ``K``, ``A``)."""
    if style is Style.SPOKEN:
        word = _RANK_WORDS.get(rank)
        if word is not None:
            return _(word)
    return _TEN.get(rank, rank)


def card_name(card: str, style: Style = Style.SPOKEN) -> str:
    """Name a card (``QS``): ``queen of spades``, ``Q♠`` or ``Qs``."""
    rank, suit = rank_name(card[0], style), suit_name(card[1], style)
    if style is Style.SPOKEN:
        return pgettext("a card", "{rank} of {suit}").format(rank=rank, suit=suit)
    return f"{rank}{suit}"


def joined(parts: Sequence[str], *, choice: bool = False) -> str:
    """Join words into ``a, b and c`` (``a, b or c`` when it is a choice)."""
    if len(parts) < 2:
        return "".join(parts)
    pattern = _("{most} or {last}") if choice else _("{most} and {last}")
    return pattern.format(most=", ".join(parts[:-1]), last=parts[-1])


def cards_list(cards: Iterable[str], style: Style = Style.SPOKEN) -> str:
    """Name cards one after another."""
    names = [card_name(card, style) for card in cards]
    return ", ".join(names) if style is Style.SPOKEN else " ".join(names)


def in_hand_order(cards: Iterable[str]) -> list[str]:
    """Sort cards as a hand is held: clubs, diamonds, spades, hearts, low to high."""
    return sorted(cards, key=lambda card: (HAND_ORDER.index(card[1]), RANKS.index(card[0])))


def hand_words(cards: Iterable[str], style: Style = Style.SPOKEN) -> str:
    """Say a hand suit by suit: ``clubs 5 8; spades 2 7 queen``."""
    ordered = in_hand_order(cards)
    if not ordered:
        return _("no cards")
    groups = []
    for suit in HAND_ORDER:
        ranks = [rank_name(card[0], style) for card in ordered if card[1] == suit]
        if ranks:
            groups.append(f"{suit_name(suit, style)} {' '.join(ranks)}")
    return "; ".join(groups)


def choice_words(cards: Iterable[str], style: Style = Style.SPOKEN) -> str:
    """Say cards to choose from, the suit once where it is one: ``5, 9 or ace of hearts``."""
    ordered = in_hand_order(cards)
    if style is not Style.SPOKEN:
        return cards_list(ordered, style)
    groups = []
    for suit in HAND_ORDER:
        ranks = [rank_name(card[0]) for card in ordered if card[1] == suit]
        if ranks:
            groups.append(
                pgettext("a card", "{rank} of {suit}").format(
                    rank=joined(ranks, choice=True), suit=suit_name(suit)
                )
            )
    return "; ".join(groups)


def follow_words(suit: str) -> str:
    """Say which suit must be followed."""
    return _(_FOLLOW[suit])


def place_name(seat: int, me: int | None = None) -> str:
    """Name the place of a seat: the player (for a watcher seat 0) is south, then clockwise."""
    return _(_PLACES[(seat - (me or 0)) % 4])


def seat_name(seats: Sequence[SeatView], seat: int) -> str:
    """Name who sits there, safe to show; the seat's number where nobody does."""
    return safe_text(seats[seat].name) or _("seat {number}").format(number=seat + 1)


def who(seats: Sequence[SeatView], seat: int, me: int | None) -> str:
    """Name a seat in a list: ``you`` for the player's own."""
    return pgettext("in a list of players", "you") if seat == me else seat_name(seats, seat)


_DIRECTIONS = {
    "left": (N_("left"), N_("to the left"), 1),
    "right": (N_("right"), N_("to the right"), 3),
    "across": (N_("across"), N_("across"), 2),
    "hold": (N_("hold"), N_("nobody passes"), 0),
}


def direction_name(direction: str) -> str:
    """Name a pass direction in a word (``left``, ``right``, ``across``, ``hold``)."""
    return _(_DIRECTIONS[direction][0]) if direction in _DIRECTIONS else ""


def direction_words(direction: str) -> str:
    """Say a pass direction within a sentence (``to the left``)."""
    return _(_DIRECTIONS[direction][1]) if direction in _DIRECTIONS else ""


def pass_target(direction: str, seat: int) -> int | None:
    """Give the seat that ``seat`` passes to; None on a hold deal and outside a deal."""
    if direction not in _DIRECTIONS or direction == "hold":
        return None
    return (seat + _DIRECTIONS[direction][2]) % 4
