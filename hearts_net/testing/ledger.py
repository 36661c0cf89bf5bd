"""What one player was told in the course of a game, and whether the table has kept all of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from hearts_net.host.facts import Began, Dealt, Entry, Laid, PassedOn, decode_entry
from hearts_net.protocol.messages import Reply, View


@dataclass(slots=True)
class Ledger:
    """Keeps what a player was told, and refuses at once what takes something of it back."""

    key: str
    """The player's public key (Z85)."""
    accepted: dict[int, tuple[int, int]] = field(default_factory=dict)
    """By request id, the epoch and seq in the answer."""
    seen: dict[tuple[str, int], list[str]] = field(default_factory=dict)
    """By game and deal, the cards played as far as they were seen."""

    def note_reply(self, reply: Reply) -> None:
        """Keep an answer; the same request never has another one."""
        if reply.ok:
            told = (reply.epoch, reply.seq)
            assert self.accepted.setdefault(reply.id, told) == told, reply

    def note_view(self, view: View) -> None:
        """Keep what a view shows; no card that was on the table is ever taken back."""
        self.note_cards(view.public.game, view.public.deal, view.public.seen)

    def note_cards(self, game: str, deal: int, seen: list[str]) -> None:
        """Keep the cards played in a deal."""
        before = self.seen.get((game, deal), [])
        assert seen[: len(before)] == before, (deal, before, seen)
        self.seen[game, deal] = seen

    def check(self, journal: Iterable[bytes]) -> None:
        """Hold the ledger against the table's stored journal.

        Every command that was accepted is stored once, every card that was seen was played, and no
        bot has touched a card.
        """
        entries = [decode_entry(body, number) for number, body in enumerate(journal, start=1)]
        stored = _accepted_in(entries)
        for request, told in self.accepted.items():
            assert stored.get((self.key, request)) == told, (request, told)
        played = _cards_in(entries)
        for deal, seen in self.seen.items():
            assert played.get(deal, [])[: len(seen)] == seen, deal


def check_no_bot(journal: Iterable[bytes]) -> None:
    """Hold that every card of a stored game was chosen by its player."""
    for number, body in enumerate(journal, start=1):
        for fact in decode_entry(body, number).facts:
            if isinstance(fact, Laid | PassedOn):
                assert not fact.by_bot, (number, fact)


def _accepted_in(entries: Iterable[Entry]) -> dict[tuple[str, int], tuple[int, int]]:
    found: dict[tuple[str, int], tuple[int, int]] = {}
    for entry in entries:
        if entry.accepted is not None:
            asked = (entry.accepted.key, entry.accepted.id)
            assert asked not in found, f"done twice: {asked}"
            found[asked] = (entry.accepted.epoch, entry.accepted.seq)
    return found


def _cards_in(entries: Iterable[Entry]) -> dict[tuple[str, int], list[str]]:
    found: dict[tuple[str, int], list[str]] = {}
    game, deal = "", 0
    for entry in entries:
        for fact in entry.facts:
            match fact:
                case Began(started):
                    game, deal = started, 0
                case Dealt():
                    deal += 1
                    found[game, deal] = []
                case Laid(_, card):
                    found[game, deal].append(card)
    return found
