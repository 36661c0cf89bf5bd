"""Tells the events of a table in order, each once, one a line.

Pure: views and pages of the log in, lines out. Where a view came that does not follow on the last
one, :attr:`Teller.missing` says after which event the log must be asked for; telling goes on when
the page arrives, so nothing is left out and nothing is told twice.
"""

from __future__ import annotations

from collections.abc import Sequence

from hearts_client import plain_answers as answers
from hearts_client.i18n import _
from hearts_client.safetext import safe_text
from hearts_client.savingwords import saving_changed
from hearts_client.sentences import SlowTurns, event_sentence, tie_words
from hearts_client.speech import Style
from hearts_net.protocol import messages as m


class Teller:
    """The voice of one client at one table."""

    def __init__(self, style: Style = Style.SPOKEN, *, by_trick: bool = False) -> None:
        """Speak in a style; ``by_trick`` tells a whole trick in one line, for who only listens."""
        self.style = style
        self._by_trick = by_trick
        self.view: m.View | None = None
        self.tells_chat = True
        """Tell what others say as well."""
        self.missing: int | None = None
        """Ask for the log after this event; None when nothing is missing."""
        self._told = 0
        self._slow_turns = SlowTurns()
        self._cards_in_trick = 0
        self._trick = 0

    def first(self, view: m.View) -> list[str]:
        """Say where the game stands; what happened before is not told."""
        self.view = view
        self._told = view.public.newest_event
        self._slow_turns = SlowTurns(view.public.seats)
        self._cards_in_trick = len(view.public.trick)
        self._trick = view.public.trick_number
        return answers.where_we_are(view)

    def news(self, view: m.View) -> list[str]:
        """Say what a newer view brings."""
        before = self.view
        return [
            *self._saving(view),
            *self._news(view),
            *answers.wishes_for_another(before, view),
        ]

    def _saving(self, view: m.View) -> list[str]:
        """Say whether the game is saved, where that has changed: no event tells it."""
        before = self.view.public.saving if self.view is not None else ""
        how = answers.how_to_go_unsaved(view)
        said = saving_changed(before, view.public.saving, goes_unsaved=how)
        return [said] if said else []

    def _news(self, view: m.View) -> list[str]:
        self.view = view
        events = [event for event in view.events if event.n > self._told]
        newest = view.public.newest_event
        if newest < self._told:  # another table under the same name: nothing follows on
            return self.first(view)
        if events and events[0].n == self._told + 1 and self.missing is None:
            return self._tell(events)
        if newest > self._told:
            self.missing = self._told
        return []

    def page(self, page: m.LogPage) -> list[str]:
        """Say what a page of the log adds; :attr:`missing` tells whether more must be asked for."""
        lines = self._tell([event for event in page.events if event.n > self._told])
        assert self.view is not None
        behind = self._told < self.view.public.newest_event
        self.missing = self._told if behind and page.events else None
        return lines

    def _tell(self, events: Sequence[m.AnyEvent]) -> list[str]:
        assert self.view is not None
        lines: list[str] = []
        for event in events:
            self._told = event.n
            if self._slow_turns.is_end_of_one(event):
                continue
            lines += self._lines(event, self.view)
        return [line for line in lines if line]

    def _lines(self, event: m.AnyEvent, view: m.View) -> list[str]:
        me = view.own.seat if view.own else None
        leads = isinstance(event, m.Played) and self._cards_in_trick == 0
        said = event_sentence(event, view.public.seats, me, self.style, leads=leads)
        match event:
            case m.DealStarted():
                self._trick, self._cards_in_trick = 1, 0
                if event.direction == "hold":
                    return [said, *self._hand_at_start(view)]
                if answers.asked(view) is answers.Ask.PASS:  # the question says the rest
                    return [_("Deal {deal}.").format(deal=event.deal)]
                return [said]
            case m.Passed() if event.seat == me and view.own and not self._by_trick:
                return [answers.passed(view.own, self.style) or said]
            case m.PlayStarted() if not self._by_trick:
                self._trick, self._cards_in_trick = 1, 0
                got = answers.received(view.own, self.style) if view.own else ""
                return [got, said]
            case m.Played():
                self._cards_in_trick += 1
                if self._by_trick:
                    return []
                if not leads:
                    return [said]
                numbered = _("Trick {number}. {sentence}")
                return [numbered.format(number=self._trick, sentence=said)]
            case m.TrickTaken():
                self._trick, self._cards_in_trick = event.trick.number + 1, 0
                if self._by_trick:
                    return [answers.finished_trick(event.trick, view, self.style)]
                last = view.public.last_trick
                if event.trick.points and last is not None and last.number == event.trick.number:
                    return [f"{said} {answers.deal_score(view)}"]
                return [said]
            case m.Said() if not self.tells_chat and event.seat != me:
                return []
            case m.HeartsBroken() | m.Passed() | m.PlayStarted() if self._by_trick:
                return []
            case m.DealEnded():
                return [said, tie_words(view.public, me)]
            case m.GameEnded() if view.public.phase == "game-over":
                return [said, answers.final_table(view)]
            case m.PresenceChanged():
                return [said, self._how_to_vote(event, view)]
            case _:
                return [said]

    @staticmethod
    def _how_to_vote(event: m.PresenceChanged, view: m.View) -> str:
        if event.presence != "away" or event.deputy or view.own is None:
            return ""
        if "vote" not in view.own.may or view.public.seats[event.seat].presence != "away":
            return ""
        name = safe_text(event.name)
        return _(
            "Type vote bot to let a bot play for {name} now, or vote wait to wait longer."
        ).format(name=name)

    def _hand_at_start(self, view: m.View) -> list[str]:
        return [answers.hand(view.own, self.style)] if view.own else []
