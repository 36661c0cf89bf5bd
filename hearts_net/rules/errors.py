"""The exception tree, and every code of the rules.

    HeartsError
    ├── CardError      text or a number that is no card
    ├── OptionError    an option, a value or a preset that does not exist
    ├── RuleError      an action that the rules do not allow here
    ├── RecordError    a game record that is not one, or does not agree with the rules
    └── FairError      a deal that is not what everybody's shares have shuffled

A code is for programs and never changes; the sentence that a person reads belongs to the client.
"""

from __future__ import annotations

from enum import StrEnum

Detail = dict[str, str | int]


class HeartsError(Exception):
    """What hearts-net refuses: a stable ``code``, and the facts around it in ``detail``."""

    def __init__(self, code: str, **detail: str | int) -> None:
        self.code = str(code)
        self.detail: Detail = detail
        facts = ", ".join(f"{name}={value}" for name, value in detail.items())
        super().__init__(f"{self.code} ({facts})" if facts else self.code)


class CardError(HeartsError):
    """Not a card."""


class OptionError(HeartsError):
    """Not an option, or not a value of it."""


class RuleError(HeartsError):
    """An action that the rules do not allow in this state; the state is unchanged."""


class RecordError(HeartsError):
    """A game record that is not one, or does not agree with the rules."""


class FairError(HeartsError):
    """A deal that is not what everybody's shares have shuffled, or cannot be shown to be."""


class CardCode(StrEnum):
    """Codes of :class:`CardError`."""

    NOT_A_CARD = "not-a-card"


class OptionCode(StrEnum):
    """Codes of :class:`OptionError`."""

    UNKNOWN_OPTION = "unknown-option"
    BAD_VALUE = "bad-option-value"
    UNKNOWN_PRESET = "unknown-preset"


class RuleCode(StrEnum):
    """Codes of :class:`RuleError`."""

    WRONG_PHASE = "wrong-phase"
    GAME_OVER = "game-over"
    BAD_DEAL = "bad-deal"
    WRONG_SEAT = "wrong-seat"
    HOLD_DEAL = "hold-deal"
    PASS_THREE = "pass-three"  # noqa: S105 - no password
    ALREADY_PASSED = "already-passed"
    NOT_IN_HAND = "not-in-hand"
    NOT_YOUR_TURN = "not-your-turn"
    LEAD_TWO_OF_CLUBS = "lead-two-of-clubs"
    MUST_FOLLOW = "must-follow"
    HEARTS_NOT_BROKEN = "hearts-not-broken"
    QUEEN_BARRED = "queen-barred"
    NO_POINTS_FIRST_TRICK = "no-points-first-trick"
    NOT_ON_LEAD = "not-on-lead"
    CLAIM_REFUSED = "claim-refused"
    NOT_THE_SHOOTER = "not-the-shooter"
    NOT_A_CHOICE = "not-a-choice"


class RecordCode(StrEnum):
    """Codes of :class:`RecordError`; its detail always has the ``line``."""

    # bytes that are no lines of JSON
    EMPTY = "empty-record"
    LINE_TOO_LONG = "line-too-long"
    NOT_TEXT = "not-text"
    NOT_UTF8 = "not-utf8"
    NOT_JSON = "not-json"
    # lines that are none of a record
    NOT_AN_OBJECT = "not-an-object"
    UNKNOWN_KIND = "unknown-kind"
    MISSING_KEY = "missing-key"
    BAD_FIELD = "bad-field"
    BAD_FORMAT = "unknown-format"
    UNKNOWN_OPTION = "unknown-option"
    BAD_OPTION = "bad-option-value"
    MISSING_OPTION = "missing-option"
    BAD_CARD = "not-a-card"
    CARD_COUNT = "wrong-number-of-cards"
    DUPLICATE_CARD = "duplicate-card"
    # lines in an order that cannot be
    NO_HEADER = "no-header"
    UNEXPECTED_LINE = "unexpected-line"
    AFTER_THE_END = "after-the-end"
    CUT_SHORT = "cut-short"
    # lines that the rules disagree with
    WRONG_NUMBER = "wrong-deal-number"
    WRONG_DIRECTION = "wrong-direction"
    WRONG_PASSER = "wrong-passer"
    ILLEGAL_PASS = "illegal-pass"  # noqa: S105 - no password
    OUT_OF_TURN = "out-of-turn"
    ILLEGAL_PLAY = "illegal-play"
    WRONG_LEGAL = "wrong-legal"
    ILLEGAL_CLAIM = "illegal-claim"
    ILLEGAL_CHOICE = "illegal-choice"
    NOT_SETTLED = "not-settled"
    WRONG_POINTS = "wrong-points"
    WRONG_MOON = "wrong-moon"
    WRONG_TOTALS = "wrong-totals"
    NOT_OVER = "game-not-over"
    WRONG_WINNER = "wrong-winner"


class FairCode(StrEnum):
    """Codes of :class:`FairError`."""

    # what anybody finds who has the record
    NOT_CHECKABLE = "not-checkable"
    BAD_SHUFFLE = "bad-shuffle"
    HOST_SHARE_CHANGED = "host-share-changed"
    SHARE_CHANGED = "share-changed"
    SHARE_LEFT_OUT = "share-left-out"
    DECK_STACKED = "deck-stacked"
    SHARE_WITHHELD = "share-withheld"
    # what only somebody finds who was there
    COMMITMENTS_CHANGED = "commitments-changed"
    SHARE_REPLACED = "share-replaced"
    SHUFFLED_AGAIN = "shuffled-again"
    HAND_CHANGED = "hand-changed"
    CARD_CHANGED = "card-changed"
    NO_PROOF = "no-proof"
    NOT_WITNESSED = "not-witnessed"
