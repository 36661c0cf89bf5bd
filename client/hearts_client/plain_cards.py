"""Cards as a person types them in plain mode: ``qs``, ``10h``, ``queen of spades``, ``9``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from hearts_client.i18n import _
from hearts_client.refusals import error_sentence
from hearts_client.speech import RANKS, SUITS, choice_words, rank_name, suit_name
from hearts_net.rules.errors import CardCode

_COMPACT = re.compile(r"(10|[2-9tjqka])([cdsh♣♦♠♥])")
_SYMBOLS = {"♣": "C", "♦": "D", "♠": "S", "♥": "H"}
_FILLERS = frozenset({"of", "the", "and"})
_RANK_WORDS = {"T": "ten", "J": "jack", "Q": "queen", "K": "king", "A": "ace"}
_SUIT_WORDS = {"C": "clubs", "D": "diamonds", "S": "spades", "H": "hearts"}
_NUMBER_WORDS = ("two", "three", "four", "five", "six", "seven", "eight", "nine")


class NotUnderstoodError(Exception):
    """What was typed is no card, or could be several; ``sentence`` says so to the player."""

    def __init__(self, sentence: str) -> None:
        self.sentence = sentence
        super().__init__(sentence)


@dataclass(frozen=True, slots=True)
class CardWords:
    """A rank, and a suit where one was named."""

    rank: str
    suit: str
    typed: str


def read_cards(text: str, hand: Sequence[str], legal: Sequence[str] = ()) -> list[str]:
    """Read the cards that ``text`` names, in its order.

    A rank without a suit means the one card of that rank among ``legal``, or else in the ``hand``.
    Raises :class:`NotUnderstoodError`.
    """
    return [_complete(words, hand, legal) for words in _split(text)]


def looks_like_cards(text: str) -> bool:
    """Tell whether ``text`` is made of words for cards, whichever they are."""
    try:
        return bool(_split(text))
    except NotUnderstoodError:
        return False


def _split(text: str) -> list[CardWords]:
    words = [word for word in re.split(r"[\s,;]+", text.casefold()) if word]
    words = [word for word in words if word not in _FILLERS]
    found: list[CardWords] = []
    while words:
        word = words.pop(0)
        compact = _COMPACT.fullmatch(word)
        if compact:
            rank, suit = compact.groups()
            found.append(CardWords(_rank_letter(rank), _SYMBOLS.get(suit, suit.upper()), word))
            continue
        rank = _read_rank(word)
        if rank is None:
            raise NotUnderstoodError(error_sentence(CardCode.NOT_A_CARD, {"card": word}))
        suit = _read_suit(words[0]) if words else None
        if suit is not None:
            found.append(CardWords(rank, suit, f"{word} {words.pop(0)}"))
        elif len(word) == 1 and not word.isdigit():
            # A lone letter is too easily a slip (q for quit) to play a card by.
            raise NotUnderstoodError(
                _("Name the suit as well: type a rank and a suit, such as {card}.").format(
                    card=f"{word}s"
                )
            )
        else:
            found.append(CardWords(rank, "", word))
    return found


def _rank_letter(text: str) -> str:
    return "T" if text == "10" else text.upper()


def _read_rank(word: str) -> str | None:
    if word == "10" or (len(word) == 1 and word.upper() in RANKS):
        return _rank_letter(word)
    if word in _NUMBER_WORDS:
        return RANKS[_NUMBER_WORDS.index(word)]
    return _by_word(word, _RANK_WORDS, {rank: rank_name(rank) for rank in "TJQKA"})


def _read_suit(word: str) -> str | None:
    if word in _SYMBOLS:
        return _SYMBOLS[word]
    if len(word) == 1:
        return word.upper() if word.upper() in SUITS else None
    return _by_word(word, _SUIT_WORDS, {suit: suit_name(suit) for suit in SUITS})


def _by_word(word: str, english: dict[str, str], translated: dict[str, str]) -> str | None:
    """Find the one thing whose word, English or translated, begins with ``word``."""
    if len(word) < 2:
        return None
    found = {
        key
        for words in (translated, english)
        for key, whole in words.items()
        if whole.casefold().startswith(word)
    }
    return found.pop() if len(found) == 1 else None


def _complete(words: CardWords, hand: Sequence[str], legal: Sequence[str]) -> str:
    if words.suit:
        return words.rank + words.suit
    for cards in (legal, hand):
        fitting = [card for card in cards if card[0] == words.rank]
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            raise NotUnderstoodError(
                _("That could be {cards}: name the suit as well.").format(
                    cards=choice_words(fitting)
                )
            )
    raise NotUnderstoodError(
        _("You hold no {rank}: type hand to hear your cards.").format(rank=rank_name(words.rank))
    )
