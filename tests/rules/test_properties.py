"""Properties that every game has, whatever the options and whatever the players do.

A state machine plays games step by step: it deals, passes, plays any legal card, claims where that
stands, chooses moons, and now and then tries what is not allowed. After every step all that must
always hold is looked at. At the end the same actions give the same game, and its record gives it
back.
"""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO
from itertools import pairwise
from random import Random
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import Phase as Part
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from hearts_net.host.projection import Viewer, project
from hearts_net.host.table import Role, Stage, Table
from hearts_net.protocol.codec import decode_to_peer, encode
from hearts_net.protocol.messages import View
from hearts_net.rules.actions import Action, ChooseMoon, ClaimRest, DealCards, PassCards, PlayCard
from hearts_net.rules.cards import (
    FULL_DECK,
    HEARTS_MASK,
    JACK_MASK,
    PENALTY_MASK,
    QUEEN_MASK,
    SEATS,
    TWO_OF_CLUBS_MASK,
    cards_in,
    mask_of,
    mask_of_texts,
    parse_card,
)
from hearts_net.rules.check import check_file, replay_file
from hearts_net.rules.deal import Deal
from hearts_net.rules.errors import RuleCode, RuleError
from hearts_net.rules.game import Game, Phase
from hearts_net.rules.options import OPTION_SPECS, MoonRule, Options
from hearts_net.rules.record import Header, Player, PlayerType, record_lines
from hearts_net.rules.shuffle import deal_hands

STAGES = {
    Phase.DEALING: Stage.DEAL_OVER,
    Phase.PASSING: Stage.PASSING,
    Phase.PLAYING: Stage.PLAYING,
    Phase.MOON: Stage.MOON,
    Phase.OVER: Stage.GAME_OVER,
}
BOT = Player("bot", PlayerType.BOT, "random")


def option_sets(*, targets: st.SearchStrategy[int]) -> st.SearchStrategy[Options]:
    """Return any options at all, with targets of one kind."""
    choices: dict[str, st.SearchStrategy[Any]] = {
        spec.name: st.sampled_from(spec.choices) for spec in OPTION_SPECS
    }
    choices["target"] = targets
    return st.fixed_dictionaries(choices).map(Options.from_dict)


# ---- what must always hold -----------------------------------------------------------------------


def cards_are_conserved(deal: Deal) -> None:
    places = [mask_of(deal.table), *deal.taken]
    if deal.claimed_by is None:
        places += deal.hands
    assert sum(mask.bit_count() for mask in places) == 52
    assert sum(places) == FULL_DECK  # 52 cards in disjoint places
    assert deal.played | deal.unplayed == FULL_DECK
    assert deal.played & deal.unplayed == 0
    assert [bit for bit in deal.dealt if bit.bit_count() != 13] == []


def hands_have_as_many_cards_as_they_should(deal: Deal) -> None:
    if deal.passing or not deal.plays:
        assert [hand.bit_count() for hand in deal.hands] == [13] * 4
        return
    laid = {seat for seat, _ in deal.trick}
    for seat in SEATS:
        assert deal.hands[seat].bit_count() == 13 - len(deal.tricks) - (seat in laid)


def legal_cards_are_sound(deal: Deal) -> None:
    legal = deal.legal()
    for seat in SEATS:
        assert deal.legal_for(seat) == (legal if seat == deal.turn else 0)
    if deal.turn is None:
        assert legal == 0
        return
    hand = deal.hands[deal.turn]
    assert legal != 0
    assert legal & ~hand == 0
    if deal.table:
        suit = 0x1FFF << deal.table[0] // 13 * 13
        if hand & suit:
            assert legal == hand & suit  # no option ever overrides following suit
    elif not deal.tricks:
        assert legal == TWO_OF_CLUBS_MASK
    for card in range(52):
        refusal = deal.refusal(deal.turn, card)
        assert (refusal is None) == bool(legal >> card & 1)


def hearts_are_broken_by_what_was_played(deal: Deal) -> None:
    breakers = HEARTS_MASK | (QUEEN_MASK if deal.options.queen_breaks_hearts else 0)
    assert deal.hearts_broken == bool(deal.played & breakers)


def points_are_those_of_the_cards(deal: Deal) -> None:
    jack = JACK_MASK if deal.options.jack_of_diamonds else 0
    for seat, cards in enumerate(deal.taken):
        points = (cards & HEARTS_MASK).bit_count() + 13 * bool(cards & QUEEN_MASK)
        assert deal.points()[seat] == points - 10 * bool(cards & jack)


def penalties(deal: Deal) -> int:
    """Count the penalty points that somebody has taken."""
    taken = sum(deal.taken)
    return (taken & HEARTS_MASK).bit_count() + 13 * bool(taken & QUEEN_MASK)


def the_deal_ends_when_it_should(deal: Deal) -> None:
    if deal.passing:
        assert not deal.over
        return
    counting = PENALTY_MASK | (JACK_MASK if deal.options.jack_of_diamonds else 0)
    gone = not deal.unplayed & counting
    early = deal.options.finish_early and gone and not deal.table and len(deal.tricks) < 13
    assert deal.settled == (early and deal.claimed_by is None)
    assert deal.over == (deal.claimed_by is not None or early or len(deal.tricks) == 13)


def results_add_up(game: Game) -> None:
    totals = [0, 0, 0, 0]
    for number, result in enumerate(game.results, start=1):
        assert result.number == number
        totals = [total + more for total, more in zip(totals, result.points, strict=True)]
        assert list(result.totals) == totals
        ten = 10 if game.options.jack_of_diamonds else 0
        if result.moon is None:
            assert sum(result.points) == 26 - ten
        else:
            assert sum(result.points) in (78 - ten, -26 - ten)
            if game.options.moon is not MoonRule.SHOOTER_CHOOSES:
                gain = game.options.moon is MoonRule.OTHERS_GAIN
                assert (sum(result.points) == 78 - ten) == gain
        ends = max(totals) >= game.options.target and totals.count(min(totals)) == 1
        assert ends == (number == len(game.results) and game.phase is Phase.OVER)
    assert list(game.totals) == totals
    if game.phase is Phase.OVER:
        assert game.winner is not None
        assert game.totals[game.winner] == min(totals)
    else:
        assert game.winner is None


def views_cross_the_wire(game: Game) -> None:
    """What each seat sees goes over the wire unharmed, and is what the rules say."""
    assert game.deal is not None
    deal = game.deal
    table = Table("t", "t", options=game.options, game_id="g", game=game, stage=STAGES[game.phase])
    for seat in SEATS:
        view = project(table, Viewer("", Role.PLAYER, seat), 0)
        assert decode_to_peer(encode(view)) == view
        assert isinstance(view, View)
        assert view.own is not None
        if not deal.over:
            assert mask_of_texts(view.own.hand) == deal.hands[seat]
        assert mask_of_texts(view.own.legal) == deal.legal_for(seat)
        assert view.own.can_claim == deal.can_claim(seat)
        public = view.public
        assert [(card.seat, parse_card(card.card)) for card in public.trick] == list(deal.trick)
        assert [parse_card(text) for text in public.seen] == [card for _, card, _ in deal.plays]
        assert public.hearts_broken == deal.hearts_broken
        assert public.points_out == 26 - penalties(deal)
        assert tuple(seen.total for seen in public.seats) == game.totals
        assert Options.from_dict(public.rules) == game.options


# ---- games step by step --------------------------------------------------------------------------


class Games(RuleBasedStateMachine):
    """Plays games by every way that the rules leave open."""

    @initialize(options=option_sets(targets=st.integers(1, 30)))
    def begin(self, options: Options) -> None:
        self.options = options
        self.game = Game.start(options)
        self.actions: list[Action] = []
        self.states = [self.game]

    def _do(self, action: Action) -> None:
        self.game = self.game.apply(action)
        self.actions.append(action)
        self.states.append(self.game)

    @property
    def deal(self) -> Deal:
        assert self.game.deal is not None
        return self.game.deal

    @precondition(lambda self: self.game.phase is Phase.DEALING)
    @rule(key=st.integers(0, 10**6), shuffle=st.sampled_from([None, "how"]))
    def deal_cards(self, key: int, shuffle: str | None) -> None:
        self._do(DealCards(deal_hands(b"%d" % key), shuffle))

    @precondition(lambda self: self.game.phase is Phase.PASSING)
    @rule(seed=st.integers(0, 1000))
    def pass_cards(self, seed: int) -> None:
        rng = Random(seed)
        seat = rng.choice([seat for seat in SEATS if not self.deal.passes[seat]])
        self._do(PassCards(seat, mask_of(rng.sample(cards_in(self.deal.hands[seat]), 3))))

    @precondition(lambda self: self.game.phase is Phase.PLAYING)
    @rule(places=st.lists(st.integers(0, 12), min_size=1, max_size=30), by_bot=st.booleans())
    def play(self, places: list[int], by_bot: bool) -> None:
        for place in places:
            if self.game.phase is Phase.PLAYING:
                legal = cards_in(self.deal.legal())
                assert self.deal.turn is not None
                self._do(PlayCard(self.deal.turn, legal[place % len(legal)], by_bot))
                self._look()

    @precondition(lambda self: self.game.phase is Phase.PLAYING)
    @rule(seat=st.integers(0, 3))
    def claim(self, seat: int) -> None:
        if self.deal.can_claim(seat):
            self._do(ClaimRest(seat))
        else:
            self._refused(ClaimRest(seat), {RuleCode.NOT_ON_LEAD, RuleCode.CLAIM_REFUSED})

    @precondition(lambda self: self.game.phase is Phase.MOON)
    @rule(choice=st.sampled_from([MoonRule.OTHERS_GAIN, MoonRule.SHOOTER_LOSES]))
    def choose_moon(self, choice: MoonRule) -> None:
        assert self.game.shooter is not None
        self._refused(ChooseMoon((self.game.shooter + 1) % 4, choice), {RuleCode.NOT_THE_SHOOTER})
        self._do(ChooseMoon(self.game.shooter, choice))

    @precondition(lambda self: self.game.phase is Phase.PLAYING)
    @rule(card=st.integers(-1, 52), seat=st.integers(-1, 4))
    def play_anything(self, card: int, seat: int) -> None:
        if seat != self.deal.turn or card not in cards_in(self.deal.legal()):
            self._refused(PlayCard(seat, card), set(RuleCode))

    @precondition(lambda self: self.game.phase is Phase.OVER)
    @rule(seat=st.integers(0, 3), card=st.integers(0, 51))
    def nothing_after_the_end(self, seat: int, card: int) -> None:
        for action in (
            DealCards(deal_hands(b"more")),
            PassCards(seat, 0b111),
            PlayCard(seat, card),
            ClaimRest(seat),
            ChooseMoon(seat, MoonRule.OTHERS_GAIN),
        ):
            self._refused(action, {RuleCode.GAME_OVER})

    def _refused(self, action: Action, codes: set[RuleCode]) -> None:
        before = replace(self.game)
        with pytest.raises(RuleError) as refusal:
            self.game.apply(action)
        assert refusal.value.code in codes
        assert self.game == before

    @invariant()
    def look(self) -> None:
        if hasattr(self, "game"):
            self._look()

    def _look(self) -> None:
        results_add_up(self.game)
        if self.game.deal is None:
            return
        deal = self.game.deal
        cards_are_conserved(deal)
        hands_have_as_many_cards_as_they_should(deal)
        legal_cards_are_sound(deal)
        hearts_are_broken_by_what_was_played(deal)
        points_are_those_of_the_cards(deal)
        the_deal_ends_when_it_should(deal)

    @invariant()
    def wire(self) -> None:
        if hasattr(self, "game") and self.game.deal is not None:
            views_cross_the_wire(self.game)

    def teardown(self) -> None:
        if not hasattr(self, "game"):
            return
        again = Game.start(self.options)
        for action, state in zip(self.actions, self.states[1:], strict=True):
            again = again.apply(action)
            assert again == state
        the_record_gives_it_back(self.options, self.states)


def the_record_gives_it_back(options: Options, states: list[Game]) -> None:
    """A record of some states is right, and its replay goes through the same ends of deals."""
    header = Header("g", "2026-01-01T00:00:00Z", options, (BOT, BOT, BOT, BOT))
    data = "\n".join(record_lines(header, states, legal=True)).encode()
    (checked,) = check_file(BytesIO(data))
    last = states[-1]
    assert checked.header == header
    assert (checked.deals, checked.totals) == (len(last.results), last.totals)
    assert checked.winner == last.winner
    ends = [
        (state.deal, state.results[-1])
        for before, state in pairwise(states)
        if len(state.results) > len(before.results)
    ]
    replayed = [
        (step.game.deal, step.game.results[-1])
        for step in replay_file(BytesIO(data))
        if type(step.line).__name__ == "DealEndLine"
    ]
    assert replayed == ends


TestGames = Games.TestCase
TestGames.settings = settings(
    max_examples=20,
    stateful_step_count=40,
    phases=[Part.explicit, Part.generate],
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)


@settings(max_examples=25, deadline=None, derandomize=True, phases=[Part.generate])
@given(options=option_sets(targets=st.integers(1, 1000)), seed=st.integers(0, 10**6))
def test_one_deal_from_beginning_to_end(options: Options, seed: int) -> None:
    rng = Random(seed)
    states = [Game.start(options).apply(DealCards(deal_hands(b"%d" % seed)))]
    while not (deal := states[-1].deal) or not deal.over:
        assert deal is not None
        action: Action
        if deal.passing:
            seat = deal.passes.index(0)
            action = PassCards(seat, mask_of(rng.sample(cards_in(deal.hands[seat]), 3)))
        else:
            assert deal.turn is not None
            action = PlayCard(deal.turn, rng.choice(cards_in(deal.legal())), rng.random() < 0.1)
        states.append(states[-1].apply(action))
        assert states[-1].deal is not None
        legal_cards_are_sound(states[-1].deal)
        cards_are_conserved(states[-1].deal)
        the_deal_ends_when_it_should(states[-1].deal)
    if states[-1].phase is Phase.MOON:
        assert states[-1].shooter is not None
        choice = states[-1].default_moon_choice()
        states.append(states[-1].apply(ChooseMoon(states[-1].shooter, choice)))
    assert states[-1].deal is not None
    points_are_those_of_the_cards(states[-1].deal)
    results_add_up(states[-1])
    the_record_gives_it_back(options, states)
