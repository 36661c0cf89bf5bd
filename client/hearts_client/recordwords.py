"""What is wrong with a game record, in a sentence for each code."""

from __future__ import annotations

from collections.abc import Mapping

from hearts_client.fairwords import FAIR_WORDS
from hearts_client.i18n import N_, _

RECORD_WORDS: Mapping[str, str] = {
    "empty-record": N_("The file is empty: give a game record."),
    "line-too-long": N_("The line is longer than any line of a record: give a game record."),
    "not-text": N_("This is no text: give a game record, which is lines of JSON."),
    "not-utf8": N_("The line is not UTF-8: save the file in that encoding."),
    "not-json": N_("The line is no whole JSON: give a game record that is complete."),
    "not-an-object": N_("The line is JSON, but no object: each line of a record is one."),
    "unknown-kind": N_("There is no such kind of line: a newer version may have written it."),
    "missing-key": N_("The line lacks something that it must have."),
    "bad-field": N_("The line has a value of the wrong kind."),
    "unknown-format": N_("The record has a later format: update hearts-net."),
    "unknown-option": N_("The record's rules have an option that does not exist."),
    "bad-option-value": N_("An option of the record's rules has a value that it cannot have."),
    "missing-option": N_("The record's rules lack an option: all of them must be there."),
    "not-a-card": N_("The line has a card that does not exist."),
    "wrong-number-of-cards": N_("The line has too many cards, or too few."),
    "duplicate-card": N_("The line has a card twice."),
    "no-header": N_("The record must begin with a line of the kind game."),
    "unexpected-line": N_("This line cannot come here."),
    "after-the-end": N_("The game is over before this line."),
    "cut-short": N_("The record stops in the middle of a deal."),
    "wrong-deal-number": N_("The deal has the wrong number."),
    "wrong-direction": N_("Cards are not passed in this direction in this deal."),
    "wrong-passer": N_("This player has already passed."),
    "illegal-pass": N_("These cards may not be passed."),
    "out-of-turn": N_("It is not this player's turn."),
    "illegal-play": N_("This card may not be played here."),
    "wrong-legal": N_("The list of legal cards is not what the rules say."),
    "illegal-claim": N_("The rest may not be claimed here."),
    "illegal-choice": N_("The moon may not be chosen so here."),
    "not-settled": N_("Cards that count are still out, so the deal is not settled."),
    "wrong-points": N_("The points of the deal are not what was played."),
    "wrong-moon": N_("Somebody else shot the moon, or nobody."),
    "wrong-totals": N_("The totals are not the sum of the deals."),
    "game-not-over": N_("The game does not end here."),
    "wrong-winner": N_("Somebody else has the fewest points."),
    "record-unreadable": N_("The file cannot be read: check its name and who may read it."),
}


def record_sentence(code: str) -> str:
    """Say what is wrong with a record; "" for a code that is no record's."""
    words = RECORD_WORDS.get(code) or FAIR_WORDS.get(code)
    return _(words) if words else ""
