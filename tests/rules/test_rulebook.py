"""The rules as a table of positions: each sentence, and what is legal or scored because of it.

Read it as a rule book. A position is one player's hand, the cards on the table before that player
(the first was led), whether hearts are broken, and whether this is the first trick.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pytest

from hearts_net.rules.cards import (
    FULL_DECK,
    HEARTS_MASK,
    QUEEN_MASK,
    card_text,
    hand_texts,
    mask_of_texts,
    parse_card,
)
from hearts_net.rules.deal import Deal, finished_trick, new_deal
from hearts_net.rules.options import MoonRule, Options
from hearts_net.rules.scoring import (
    card_points,
    counting_cards,
    deal_points,
    moon_choice_for,
    winner_of,
)
from hearts_net.rules.shuffle import deal_hands

STANDARD: dict[str, object] = {}
NO_BLOOD: dict[str, object] = {"first_trick_points": False}
AFTER_HEARTS: dict[str, object] = {"queen_of_spades": "after-hearts"}
NO_LEAD: dict[str, object] = {"queen_of_spades": "no-lead"}
QUEEN_BREAKS: dict[str, object] = {"queen_breaks_hearts": True}
JACK: dict[str, object] = {"jack_of_diamonds": True}


@dataclass(frozen=True)
class Position:
    """What the player to move (seat 3) holds and sees, and the cards that are legal then."""

    says: str
    hand: str
    legal: str
    table: str = ""
    options: dict[str, object] = field(default_factory=dict)
    played: str = ""
    """Cards played in earlier tricks that matter."""
    first_trick: bool = False

    def reached(self) -> Deal:
        """Reach the position by the play of the card before it."""
        hand = mask_of_texts(self.hand.split())
        table = [parse_card(text) for text in self.table.split()]
        if not table:  # seat 3 takes a trick of clubs, and leads
            return self._before(hand, [0, 1, 2], "AC", seat=3).play(parse_card("AC"))
        *earlier, last = table
        return self._before(hand, earlier, card_text(last), seat=2).play(last)

    def _before(self, hand: int, table: list[int], card: str, seat: int) -> Deal:
        """Return the deal in which ``seat`` has to play ``card`` to reach the position."""
        options = Options.from_dict({**self.options, "passing": "none"})
        blank = new_deal(options, 1, deal_hands(b"any"))
        bit = mask_of_texts([card])
        mine = hand | bit if seat == 3 else hand
        gone = mask_of_texts(self.played.split())
        # what is neither here nor gone is in the hands of the others
        unplayed = FULL_DECK & ~gone & ~sum(1 << laid for laid in table)
        others = unplayed & ~hand & ~bit
        hands = (others, 0, bit if seat == 2 else 0, mine)
        trick = finished_trick(0, (0, 1, 2, 3), card_points(options))
        start = replace(blank.start, dealt=hands, hands=hands)
        tricks = () if self.first_trick else (trick,)
        return Deal(start, tricks, tuple(table), seat, unplayed, bit, 0, None)


POSITIONS = [
    # ---- rule 4: following suit -----------------------------------------------------------------
    Position("Follow the suit led if you can", "2D KD 3S 4H", "2D KD", table="5D"),
    Position("Follow also as the last of four", "9C 3S 4H", "9C", table="5C 6C 7C"),
    Position(
        "The suit to follow is the one led, not the one played last", "9C 3S", "9C", table="5C 6S"
    ),
    Position("If you cannot follow, play any card", "2D QS 4H", "2D QS 4H", table="5C"),
    Position("Also a heart, before hearts are broken", "4H 9H", "4H 9H", table="5C"),
    Position("There are no trumps: a void leaves the choice free", "2D 3S", "2D 3S", table="AH"),
    # ---- rule 5: breaking hearts ----------------------------------------------------------------
    Position("Hearts may not be led until they are broken", "2D QS 4H 9H", "2D QS"),
    Position("They are broken when a heart has been played", "2D 4H 9H", "2D 4H 9H", played="3H"),
    Position("A leader who has nothing but hearts may lead one", "4H 9H AH", "4H 9H AH"),
    Position("The queen does not break hearts by default", "2D 4H", "2D", played="QS"),
    Position("Hearts led are followed like any suit", "2D 4H", "4H", table="9H"),
    # ---- queen_of_spades = always ---------------------------------------------------------------
    Position("The queen may be led before hearts are broken", "QS 2D", "QS 2D"),
    Position("The queen may be discarded at once", "QS 2D", "QS 2D", table="5C"),
    Position(
        "A leader with hearts and the queen, hearts unbroken, must lead the queen",
        "QS 4H 9H",
        "QS",
    ),
    # ---- queen_of_spades = after-hearts ---------------------------------------------------------
    Position(
        "Until hearts are broken the queen may not be led", "QS 2D", "2D", options=AFTER_HEARTS
    ),
    Position(
        "Until hearts are broken the queen may not be discarded",
        "QS 2D 4H",
        "2D 4H",
        table="5C",
        options=AFTER_HEARTS,
    ),
    Position(
        "Once they are broken she may be led", "QS 2D", "QS 2D", options=AFTER_HEARTS, played="3H"
    ),
    Position(
        "Once they are broken she may be discarded",
        "QS 2D",
        "QS 2D",
        table="5C",
        options=AFTER_HEARTS,
        played="3H",
    ),
    Position(
        "A heart on the table breaks them for whoever comes next",
        "QS 2D",
        "QS 2D",
        table="5C 3H",
        options=AFTER_HEARTS,
    ),
    Position(
        "No option overrides following suit: she must be played when she is the only spade",
        "QS 2D 4H",
        "QS",
        table="5S",
        options=AFTER_HEARTS,
    ),
    Position(
        "She may be played to spades led, as any spade",
        "QS 3S 4H",
        "QS 3S",
        table="5S",
        options=AFTER_HEARTS,
    ),
    Position(
        "Nothing else to discard: she may be discarded",
        "QS",
        "QS",
        table="5C",
        options=AFTER_HEARTS,
    ),
    Position(
        "A leader with only hearts and a barred queen may play any of them",
        "QS 4H 9H",
        "QS 4H 9H",
        options=AFTER_HEARTS,
    ),
    # ---- queen_of_spades = no-lead --------------------------------------------------------------
    Position("Until hearts are broken she may not be led", "QS 2D", "2D", options=NO_LEAD),
    Position("She may be discarded", "QS 2D", "QS 2D", table="5C", options=NO_LEAD),
    Position("Broken: she may be led", "QS 2D", "QS 2D", options=NO_LEAD, played="3H"),
    Position(
        "Only hearts and the queen: any of them may be led", "QS 4H", "QS 4H", options=NO_LEAD
    ),
    # ---- queen_breaks_hearts --------------------------------------------------------------------
    Position(
        "The queen of spades breaks hearts as well",
        "2D 4H",
        "2D 4H",
        options=QUEEN_BREAKS,
        played="QS",
    ),
    Position("Another spade does not", "2D 4H", "2D", options=QUEEN_BREAKS, played="KS"),
    Position(
        "Even with after-hearts, the queen forced out breaks them",
        "2D 4H",
        "2D 4H",
        options={**AFTER_HEARTS, **QUEEN_BREAKS},
        played="QS",
    ),
    # ---- the first trick ------------------------------------------------------------------------
    Position(
        "By default penalty cards may fall on the first trick",
        "2D QS 4H",
        "2D QS 4H",
        table="2C",
        first_trick=True,
    ),
    Position(
        "No blood: no heart and no queen of spades on the first trick",
        "2D KS QS 4H",
        "2D KS",
        table="2C",
        options=NO_BLOOD,
        first_trick=True,
    ),
    Position(
        "No blood: clubs are followed all the same",
        "5C QS 4H",
        "5C",
        table="2C",
        options=NO_BLOOD,
        first_trick=True,
    ),
    Position(
        "Unless the hand holds nothing else",
        "QS 4H 9H",
        "QS 4H 9H",
        table="2C",
        options=NO_BLOOD,
        first_trick=True,
    ),
    Position(
        "Unless the hand holds nothing else: thirteen hearts",
        "4H 9H",
        "4H 9H",
        table="2C",
        options=NO_BLOOD,
        first_trick=True,
    ),
    Position(
        "The jack of diamonds is no penalty card",
        "JD QS 4H",
        "JD",
        table="2C",
        options={**NO_BLOOD, **JACK},
        first_trick=True,
    ),
    Position(
        "No blood holds on the first trick only",
        "2D QS 4H",
        "2D QS 4H",
        table="5C",
        options=NO_BLOOD,
    ),
    Position(
        "After-hearts bars the queen on the first trick too",
        "2D QS 4H",
        "2D 4H",
        table="2C",
        options=AFTER_HEARTS,
        first_trick=True,
    ),
    Position(
        "Both bars together leave nothing but penalty cards: all are legal",
        "QS 4H",
        "QS 4H",
        table="2C",
        options={**NO_BLOOD, **AFTER_HEARTS},
        first_trick=True,
    ),
    # ---- later tricks ---------------------------------------------------------------------------
    Position(
        "In a later trick, a player void in the suit led may discard anything not barred",
        "2D JD QS KS 4H",
        "2D JD QS KS 4H",
        table="5C 9C",
    ),
    Position("The last card is always legal", "QS", "QS", options=AFTER_HEARTS),
]


@pytest.mark.parametrize("position", POSITIONS, ids=lambda position: position.says)
def test_legal_cards(position: Position) -> None:
    deal = position.reached()
    assert deal.turn == 3
    assert hand_texts(deal.legal_for(3)) == hand_texts(mask_of_texts(position.legal.split()))
    hand = mask_of_texts(position.hand.split())
    assert deal.legal() & ~hand == 0
    for text in hand_texts(hand):
        refusal = deal.refusal(3, parse_card(text))
        assert (refusal is None) == (text in position.legal.split())


REFUSALS = [
    ("must-follow", Position("", "2D 3S", "2D", table="5D"), "3S"),
    ("hearts-not-broken", Position("", "2D 4H", "2D"), "4H"),
    ("hearts-not-broken", Position("", "QS 4H", "QS"), "4H"),
    ("queen-barred", Position("", "2D QS", "2D", options=NO_LEAD), "QS"),
    ("queen-barred", Position("", "2D QS", "2D", table="5C", options=AFTER_HEARTS), "QS"),
    (
        "queen-barred",
        Position("", "2D QS", "2D", table="5C", options=AFTER_HEARTS, first_trick=True),
        "QS",
    ),
    (
        "no-points-first-trick",
        Position("", "2D QS", "2D", table="2C", options=NO_BLOOD, first_trick=True),
        "QS",
    ),
    (
        "no-points-first-trick",
        Position("", "2D QS", "2D", table="2C", options=NO_BLOOD | AFTER_HEARTS, first_trick=True),
        "QS",
    ),
    (
        "no-points-first-trick",
        Position("", "2D 4H", "2D", table="2C", options=NO_BLOOD, first_trick=True),
        "4H",
    ),
    ("not-in-hand", Position("", "2D 4H", "2D"), "3D"),
]


@pytest.mark.parametrize(("code", "position", "card"), REFUSALS)
def test_why_a_card_is_refused(code: str, position: Position, card: str) -> None:
    refusal = position.reached().refusal(3, parse_card(card))
    assert refusal is not None
    assert refusal.code == code
    assert refusal.detail["card"] in (card, parse_card(card))


# ---- rule 4: who takes a trick ------------------------------------------------------------------

TRICKS = [
    ("The highest card of the suit led takes the trick", "5C 9C 2C TC", "TC"),
    ("Ace is high", "KD AD 2D QD", "AD"),
    ("Two is low", "2S 3S 4H 5D", "3S"),
    ("A higher card of another suit takes nothing", "2C AD AS AH", "2C"),
    ("No trumps: hearts and spades are suits like the others", "KC AH QS 3C", "KC"),
    ("The second may take it", "3H 4H 2H AC", "4H"),
    ("The last may take it", "9S 2S AH TS", "TS"),
    ("The third may take it", "2S 5D 9S 3S", "9S"),
    ("The ace takes it wherever it falls", "2H QH AH KH", "AH"),
    ("The ace takes it also as the last", "2C QC KC AC", "AC"),
]


@pytest.mark.parametrize(("says", "cards", "taker"), TRICKS, ids=[says for says, _, _ in TRICKS])
@pytest.mark.parametrize("leader", [0, 1, 2, 3])
def test_who_takes_a_trick(says: str, cards: str, taker: str, leader: int) -> None:
    order = tuple(parse_card(text) for text in cards.split())
    trick = finished_trick(leader, order, card_points(Options()))
    seats = {card_text(card): seat for seat, card in trick.cards}
    assert list(seats) == cards.split()
    assert list(seats.values()) == [(leader + place) % 4 for place in range(4)]
    assert trick.winner == seats[taker], says
    assert trick.mask == mask_of_texts(cards.split())


TRICK_POINTS = [
    ("Each heart taken is 1 point", "5C 2H AH 9H", {}, 3),
    ("The queen of spades is 13", "5S QS 2S 3S", {}, 13),
    ("Nothing else is anything", "JD AS KS AC", {}, 0),
    ("The jack of diamonds is -10 where it counts", "JD AS 2H QS", JACK, 4),
    ("Only the jack of diamonds is", "JC JS JH TD", JACK, 1),
]


@pytest.mark.parametrize(("says", "cards", "options", "points"), TRICK_POINTS)
def test_what_a_trick_scores(
    says: str, cards: str, options: dict[str, object], points: int
) -> None:
    order = tuple(parse_card(text) for text in cards.split())
    trick = finished_trick(0, order, card_points(Options.from_dict(options)))
    assert trick.points == points, says


# ---- rules 6 and 7: points ----------------------------------------------------------------------

ALL_HEARTS = " ".join(hand_texts(HEARTS_MASK))
GAIN, LOSE = MoonRule.OTHERS_GAIN, MoonRule.SHOOTER_LOSES
POINTS = [
    ("A deal holds 26 points",
     ("2H 3H QS", "4H 5H 6H 7H", "8H 9H", "TH JH QH KH AH"), GAIN, {}, (15, 4, 2, 5)),
    ("Whoever takes all 26 scores 0, the others 26", ("", "QS " + ALL_HEARTS, "", ""), GAIN, {},
     (26, 0, 26, 26)),
    ("shooter-loses: the shooter scores -26, the others 0",
     ("", "", "QS " + ALL_HEARTS, ""), LOSE, {},
     (0, 0, -26, 0)),
    ("25 points is not the moon",
     ("QS 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH", "2H", "", ""), GAIN, {},
     (25, 1, 0, 0)),
    ("All hearts without the queen is not the moon", (ALL_HEARTS, "", "", "QS"), GAIN, {},
     (13, 0, 0, 13)),
    ("Neither under shooter-loses", (ALL_HEARTS, "", "", "QS"), LOSE, {}, (13, 0, 0, 13)),
    ("Taking the jack of diamonds is -10",
     ("QS JD", ALL_HEARTS, "", ""), GAIN, JACK, (3, 13, 0, 0)),
    ("The jack without the option is nothing", ("QS JD", ALL_HEARTS, "", ""), GAIN, {},
     (13, 13, 0, 0)),
    ("The jack plays no part in shooting the moon: another may take it",
     ("QS " + ALL_HEARTS, "JD", "", ""), GAIN, JACK, (0, 16, 26, 26)),
    ("The shooter's own -10 is applied besides", ("JD QS " + ALL_HEARTS, "", "", ""), GAIN, JACK,
     (-10, 26, 26, 26)),
    ("Also under shooter-loses", ("JD QS " + ALL_HEARTS, "", "", ""), LOSE, JACK, (-36, 0, 0, 0)),
    ("And another's", ("QS " + ALL_HEARTS, "", "", "JD"), LOSE, JACK, (-26, 0, 0, -10)),
]  # fmt: skip


@pytest.mark.parametrize(("says", "taken", "moon", "options", "points"), POINTS)
def test_points(
    says: str,
    taken: tuple[str, str, str, str],
    moon: MoonRule,
    options: dict[str, object],
    points: tuple[int, int, int, int],
) -> None:
    first, second, third, fourth = (mask_of_texts(cards.split()) for cards in taken)
    found = deal_points((first, second, third, fourth), Options.from_dict(options), moon)
    assert found == points, says
    assert sum(found) in {(26, 78, -26)[i] - (10 if options else 0) for i in range(3)}


def test_which_cards_count() -> None:
    assert hand_texts(counting_cards(Options())) == ["QS", *ALL_HEARTS.split()]
    assert hand_texts(counting_cards(Options.from_dict(JACK))) == ["JD", "QS", *ALL_HEARTS.split()]


# ---- rule 9: the end of the game ----------------------------------------------------------------

ENDS = [
    ("Nobody has reached the target", (99, 20, 30, 40), 100, None),
    ("Somebody has reached it exactly", (100, 20, 30, 40), 100, 1),
    ("106/45/45/20 is over: 20 stands alone", (106, 45, 45, 20), 100, 3),
    ("106/45/20/20 plays on", (106, 45, 20, 20), 100, None),
    ("Three tied for the fewest play on", (150, 0, 0, 0), 100, None),
    ("Four tied play on", (120, 120, 120, 120), 100, None),
    ("Ties above the lowest decide nothing", (110, 110, 110, 20), 100, 3),
    ("A total can be negative; the fewest points still wins", (101, -30, 0, 5), 100, 1),
    ("A target of 50", (10, 50, 30, 40), 50, 0),
    ("A target of 1", (0, 1, 2, 3), 1, 0),
    ("The leader may be the one who reached it", (100, 101, 102, 103), 100, 0),
]


@pytest.mark.parametrize(("says", "totals", "target", "winner"), ENDS)
def test_when_the_game_ends(
    says: str, totals: tuple[int, int, int, int], target: int, winner: int | None
) -> None:
    assert winner_of(totals, target) == winner, says


MOON_CHOICES = [
    ("others-gain by default", 0, (10, 10, 10, 10), GAIN),
    ("others-gain where it wins the game for the shooter", 0, (50, 80, 90, 99), GAIN),
    ("shooter-loses where others-gain would end the game with another winner",
     0, (70, 20, 80, 90), LOSE),
    ("others-gain where the game would go on, tied", 0, (46, 20, 99, 90), GAIN),
    ("for every seat", 3, (20, 80, 90, 70), LOSE),
]  # fmt: skip


@pytest.mark.parametrize(("says", "shooter", "totals", "choice"), MOON_CHOICES)
def test_moon_choice_for_bots_and_the_absent(
    says: str, shooter: int, totals: tuple[int, int, int, int], choice: MoonRule
) -> None:
    taken = [0, 0, 0, 0]
    taken[shooter] = HEARTS_MASK | QUEEN_MASK
    first, second, third, fourth = taken
    assert moon_choice_for(shooter, (first, second, third, fourth), totals, Options()) is choice, (
        says
    )


# ---- options that a game has by name ------------------------------------------------------------


def test_presets() -> None:
    from hearts_net.rules.options import PRESETS

    defaults = Options().to_dict()
    changes = {
        name: {key: value for key, value in preset.to_dict().items() if value != defaults[key]}
        for name, preset in PRESETS.items()
    }
    assert changes == {
        "standard": {},
        "classic-computer": {"first_trick_points": False},
        "omnibus": {"first_trick_points": False, "jack_of_diamonds": True},
        "wait-for-hearts": {"queen_of_spades": "after-hearts"},
    }
