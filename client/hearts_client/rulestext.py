"""How Hearts is played, in the player's language: one paragraph a subject."""

from __future__ import annotations

from textwrap import wrap

from hearts_client.i18n import N_, _

WIDTH = 79

_PARAGRAPHS = (
    N_("Hearts is for four players, each for themselves. Whoever has the fewest points wins."),
    N_(
        "A game is a series of deals. In each, every player gets 13 of the 52 cards; two is low, "
        "ace is high, and there are no trumps."
    ),
    N_(
        "Before a deal is played everybody passes three cards, face down and all at once: in the "
        "first deal to the player on the left, in the second to the right, in the third across, "
        "and in the fourth nobody passes. Then it begins again."
    ),
    N_(
        "Whoever holds the two of clubs after that leads it to the first trick. The others follow, "
        "clockwise, with a card of the suit led; who has none of it may play any card. The "
        "highest card of the suit led takes the trick, and its player leads to the next one."
    ),
    N_(
        "Hearts may not be led before they are broken, that is, before a heart has been played to "
        "a trick of another suit; a player with nothing but hearts may lead one all the same."
    ),
    N_(
        "Every heart that you take costs 1 point, the queen of spades 13. But whoever takes all of "
        "them, 26 points, has shot the moon: they score nothing, and each of the others 26."
    ),
    N_(
        "When somebody has {target} points or more after a deal, the game ends, and the fewest "
        "points win. If several share the fewest, deals go on until one of them stands alone."
    ),
    N_(
        "If the rest of the tricks can only be yours, you may claim them when it is your turn to "
        "lead; the table checks that it is true."
    ),
    N_("A host can choose house rules: `hearts-net rules --options` lists them."),
)


def sentences(target: int = 100) -> list[str]:
    """Give the rules, a text a paragraph, for a game to so many points."""
    return [_(paragraph).format(target=target) for paragraph in _PARAGRAPHS]


def paragraphs(width: int = WIDTH) -> list[str]:
    """Give the rules, each paragraph broken into lines of at most ``width`` characters."""
    return ["\n".join(wrap(paragraph, width)) for paragraph in sentences()]
