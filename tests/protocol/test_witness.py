"""A peer's part in the shuffle, and what it finds about a deal, against a host made of values."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest
from msgspec.structs import replace

from hearts_net.protocol.messages import (
    Commit,
    Commitments,
    DealSummary,
    Fetch,
    OwnView,
    Proof,
    Reveal,
    ShareView,
    Shuffling,
    View,
)
from hearts_net.protocol.peer_outputs import DealChecked
from hearts_net.protocol.witness import Witness
from hearts_net.rules.cards import CARD_TEXTS, SEATS, hand_texts, random_card
from hearts_net.rules.deal import Deal, new_deal
from hearts_net.rules.errors import FairCode
from hearts_net.rules.fair import HOST, Share, commitment_to, gathered
from hearts_net.rules.options import Options

MakeView = Callable[..., View]
GAME = "g1"
ME = 2


def drawn(rng: Random) -> Share:
    return Share(rng.randbytes(32), rng.randbytes(32))


class Table:
    """One deal of an honest host, with three other players who are honest too."""

    def __init__(self, make_view: MakeView, number: int = 1, seed: int = 1) -> None:
        self.make_view, self.number = make_view, number
        self.rng = Random(seed)
        self.host = drawn(self.rng)
        self.others = {seat: drawn(self.rng) for seat in SEATS if seat != ME}
        self.commitments = [
            "" if seat == ME else commitment_to(GAME, number, seat, self.others[seat])
            for seat in SEATS
        ]
        self.mine: Share | None = None
        self.deal: Deal | None = None
        self.passes: list[list[str]] = [[], [], [], []]

    def shuffling(self) -> Shuffling:
        return Shuffling(GAME, self.number, ME, commitment_to(GAME, self.number, HOST, self.host))

    def take(self, commit: Commit | None) -> Commitments:
        if commit is not None:
            self.commitments[ME] = commit.commitment
        return Commitments(GAME, self.number, self.shuffling().host, list(self.commitments))

    def open(self, reveal: Reveal | None, *, late: tuple[int, ...] = ()) -> None:
        """Deal; the shares of some seats come too late."""
        if reveal is not None:
            self.mine = Share(bytes.fromhex(reveal.seed), bytes.fromhex(reveal.nonce))
        shares = [None if seat in late else self.others.get(seat, self.mine) for seat in SEATS]
        self.shuffle = gathered(GAME, self.number, self.host, self.commitments, shares)
        self.deal = new_deal(Options(), self.number, self.shuffle.hands(GAME, self.number))

    def view(self, phase: str, *, watches: bool = False) -> View:
        """The state as this seat sees it; ``phase`` as the table has it."""
        deal = self.deal
        assert deal is not None
        summary = DealSummary(self.number, [0, 0, 0, 26], [0, 0, 0, 26], None)
        view = self.make_view(
            own=None,
            game=GAME,
            phase=phase,
            deal=self.number,
            direction=deal.direction.value,
            seen=[CARD_TEXTS[card] for _, card, _ in deal.plays],
            rules=Options().to_dict(),
            last_deal=summary if phase == "deal-over" else None,
        )
        passed = hand_texts(deal.passes[ME])
        hand = [] if phase == "deal-over" else hand_texts(deal.hands[ME])
        own = None if watches else OwnView(ME, hand, [], passed, [], [], False)
        return replace(view, own=own)

    def pass_on(self) -> None:
        assert self.deal is not None
        for seat in SEATS:
            hand = hand_texts(self.deal.hands[seat])
            self.passes[seat] = sorted(self.rng.sample(hand, 3))
        for seat in SEATS:
            mask = sum(1 << CARD_TEXTS.index(card) for card in self.passes[seat])
            self.deal = self.deal.pass_cards(seat, mask)

    def play(self, cards: int = 52) -> None:
        assert self.deal is not None
        for _ in range(cards):
            self.deal = self.deal.play(random_card(self.deal.legal(), self.rng))

    def proof(self) -> Proof:
        assert self.deal is not None
        return Proof(
            GAME,
            self.number,
            ShareView("host", self.shuffle.commitment, *shown(self.host)),
            [
                ShareView(each.origin.value, each.commitment, *shown(each.share))
                for each in self.shuffle.seats
            ],
            [hand_texts(hand) for hand in self.deal.dealt],
            self.passes,
        )


def shown(share: Share | None) -> tuple[str, str]:
    return ("", "") if share is None else (share.seed.hex(), share.nonce.hex())


@pytest.fixture
def table(make_view: MakeView) -> Table:
    return Table(make_view)


@pytest.fixture
def witness() -> Witness:
    return Witness(Random(7).randbytes)


def dealt(table: Table, witness: Witness) -> None:
    """Shuffle honestly; the peer has a share in it."""
    commit = witness.shuffling(table.shuffling())
    table.open(witness.commitments(table.take(commit)))


def play_out(table: Table, witness: Witness) -> None:
    """Let the peer see the deal from the first view to its end, and ask for the proof."""
    views = [table.view("passing")]
    table.pass_on()
    views.append(table.view("playing"))
    table.play()
    views.append(table.view("deal-over"))
    before = None
    for view in views[:-1]:
        assert witness.saw(view, before) == []
        before = view
    assert witness.saw(views[-1], before) == [Fetch("proof", table.number - 1)]


def checked(witness: Witness, proof: Proof) -> DealChecked:
    found = witness.proof(proof)
    assert found is not None
    return found


def found(witness: Witness, proof: Proof) -> tuple[str, dict[str, str | int | bool]]:
    checked = witness.proof(proof)
    assert isinstance(checked, DealChecked)
    assert (checked.game, checked.deal) == (GAME, proof.deal)
    assert not witness.awaits_proof
    return checked.code, checked.detail


# ---- an honest host ------------------------------------------------------------------------------


def test_an_honest_deal_is_verified(table: Table, witness: Witness) -> None:
    dealt(table, witness)
    assert table.mine is not None
    play_out(table, witness)
    assert witness.awaits_proof
    assert found(witness, table.proof()) == ("", {})
    assert witness.proof(table.proof()) is None  # it was asked for once


def test_a_deal_after_another_is_verified_too(make_view: MakeView, witness: Witness) -> None:
    for number in (1, 2, 3, 4):  # the fourth is a hold deal
        table = Table(make_view, number, seed=number)
        dealt(table, witness)
        if number < 4:
            play_out(table, witness)
        else:
            first = table.view("playing")
            witness.saw(first, None)
            table.play()
            assert witness.saw(table.view("deal-over"), first) == [Fetch("proof", 3)]
        assert found(witness, table.proof()) == ("", {})


def test_the_same_share_is_promised_as_often_as_it_is_asked_for(
    table: Table, witness: Witness
) -> None:
    commit = witness.shuffling(table.shuffling())
    assert commit is not None
    assert witness.shuffling(table.shuffling()) == commit
    reveal = witness.commitments(table.take(commit))
    assert reveal is not None
    assert commit.commitment == commitment_to(
        GAME, 1, ME, Share(bytes.fromhex(reveal.seed), bytes.fromhex(reveal.nonce))
    )
    assert witness.commitments(table.take(commit)) == reveal  # back after a lost connection
    assert witness.shuffling(table.shuffling()) == commit
    table.open(reveal)
    witness.saw(table.view("passing"), None)
    assert witness.shuffling(table.shuffling()) == commit  # back at a host that lost the deal
    assert witness.commitments(table.take(commit)) == reveal


def test_every_deal_has_a_share_of_its_own(make_view: MakeView, witness: Witness) -> None:
    shares = set()
    for number in range(1, 6):
        table = Table(make_view, number)
        reveal = witness.commitments(table.take(witness.shuffling(table.shuffling())))
        assert reveal is not None
        shares |= {reveal.seed, reveal.nonce}
    assert len(shares) == 10


def test_who_puts_nothing_in_checks_all_the_same(table: Table) -> None:
    witness = Witness(None)
    assert witness.shuffling(table.shuffling()) is None
    assert witness.commitments(table.take(None)) is None
    table.open(None)
    play_out(table, witness)
    assert found(witness, table.proof()) == ("", {})


def test_a_watcher_checks_what_it_sees(table: Table) -> None:
    witness = Witness(None)
    assert witness.commitments(table.take(None)) is None
    table.open(None)
    first = table.view("passing", watches=True)
    witness.saw(first, None)
    table.pass_on()
    table.play()
    witness.saw(table.view("deal-over", watches=True), first)
    assert found(witness, table.proof()) == ("", {})


def test_who_comes_in_the_middle_of_a_deal_says_so(table: Table, witness: Witness) -> None:
    table.open(None)
    table.pass_on()
    table.play(30)
    first = table.view("playing")
    witness.saw(first, None)
    table.play(22)
    witness.saw(table.view("deal-over"), first)
    assert found(witness, table.proof()) == (FairCode.NOT_WITNESSED, {})


def test_a_deal_of_which_the_end_was_not_seen_is_checked_as_far_as_it_was(
    table: Table, witness: Witness
) -> None:
    dealt(table, witness)
    table.pass_on()
    table.play(40)
    seen = table.view("playing")
    witness.saw(seen, None)
    table.play(12)
    later = replace(table.view("deal-over"), public=replace(table.view("deal-over").public, deal=2))
    assert witness.saw(later, seen) == [Fetch("proof", 0)]
    assert found(witness, table.proof()) == ("", {})


def test_a_game_that_is_broken_off_proves_nothing(
    table: Table, witness: Witness, make_view: MakeView
) -> None:
    dealt(table, witness)
    witness.saw(table.view("passing"), None)
    lobby = make_view(own=None, game="", phase="lobby", deal=0, last_deal=None)
    assert witness.saw(lobby, table.view("passing")) == []
    assert not witness.awaits_proof


def test_a_proof_that_does_not_come_is_missed(table: Table, witness: Witness) -> None:
    assert witness.no_proof() is None
    dealt(table, witness)
    play_out(table, witness)
    assert witness.no_proof() == DealChecked(GAME, 1, FairCode.NO_PROOF, {})
    assert not witness.awaits_proof
    assert witness.proof(table.proof()) is None


def test_another_table_under_the_same_key_is_a_new_start(table: Table, witness: Witness) -> None:
    dealt(table, witness)
    play_out(table, witness)
    witness.forget()
    assert not witness.awaits_proof
    assert witness.proof(table.proof()) is None


def test_whose_share_came_too_late_is_told_with_the_verdict(table: Table, witness: Witness) -> None:
    table.open(witness.commitments(table.take(witness.shuffling(table.shuffling()))), late=(0, 3))
    play_out(table, witness)
    assert checked(witness, table.proof()) == DealChecked(GAME, 1, "", {}, (0, 3))


def test_it_is_told_too_to_whoever_came_later(table: Table, witness: Witness) -> None:
    table.commitments[ME] = "2" * 64
    table.open(None, late=(0, ME))
    table.pass_on()
    first = table.view("playing")
    witness.saw(first, None)
    table.play()
    witness.saw(table.view("deal-over"), first)
    late = DealChecked(GAME, 1, FairCode.NOT_WITNESSED, {}, (0, ME))
    assert checked(witness, table.proof()) == late


# ---- hosts that are not honest -------------------------------------------------------------------


def test_a_share_is_not_opened_to_a_list_without_it(table: Table, witness: Witness) -> None:
    witness.shuffling(table.shuffling())
    assert witness.commitments(table.take(None)) is None
    table.open(None)
    play_out(table, witness)
    assert found(witness, table.proof()) == (FairCode.SHARE_LEFT_OUT, {"seat": ME})


def test_a_share_is_not_opened_to_a_list_with_another(table: Table, witness: Witness) -> None:
    witness.shuffling(table.shuffling())
    assert witness.commitments(table.take(Commit(GAME, 1, "0" * 64))) is None
    table.open(None)
    play_out(table, witness)
    assert found(witness, table.proof()) == (FairCode.SHARE_REPLACED, {})


def test_a_share_is_not_opened_once_the_host_has_changed_its_own(
    table: Table, witness: Witness
) -> None:
    commit = witness.shuffling(table.shuffling())
    table.host = drawn(table.rng)
    assert witness.commitments(table.take(commit)) is None
    table.open(None)
    play_out(table, witness)
    assert found(witness, table.proof()) == (FairCode.COMMITMENTS_CHANGED, {})


def test_a_share_is_not_opened_to_two_lists(table: Table, witness: Witness) -> None:
    commit = witness.shuffling(table.shuffling())
    assert witness.commitments(table.take(commit)) is not None
    table.commitments[0] = "1" * 64
    assert witness.commitments(table.take(commit)) is None


def test_a_share_that_the_host_knows_is_not_put_in_again(table: Table, witness: Witness) -> None:
    commit = witness.shuffling(table.shuffling())
    reveal = witness.commitments(table.take(commit))
    table.host = drawn(table.rng)  # now that it knows all shares, one that suits it
    assert witness.shuffling(table.shuffling()) is None
    table.open(reveal)
    play_out(table, witness)
    assert found(witness, table.proof()) == (FairCode.SHUFFLED_AGAIN, {})


def test_a_shuffle_that_begins_anew_before_anything_was_opened_has_a_new_share(
    table: Table, witness: Witness
) -> None:
    first = witness.shuffling(table.shuffling())
    table.host = drawn(table.rng)
    second = witness.shuffling(table.shuffling())
    assert first is not None
    assert second is not None
    assert first.commitment != second.commitment
    table.open(witness.commitments(table.take(second)))
    play_out(table, witness)
    assert found(witness, table.proof()) == ("", {})


@pytest.mark.parametrize("is_there", [True, False])
def test_a_share_that_the_hosts_own_player_holds_back_is_an_alarm(
    table: Table, witness: Witness, *, is_there: bool
) -> None:
    """The host has all opened shares first, and could deal with its player's or without."""
    if is_there:
        reveal = witness.commitments(table.take(witness.shuffling(table.shuffling())))
        table.open(reveal, late=(0, 3))
    else:
        table.commitments[ME] = ""
        table.open(None, late=(0, 3))
    witness.host_key = table.view("passing").public.seats[3].key
    assert witness.host_key
    play_out(table, witness)
    late = DealChecked(GAME, 1, FairCode.SHARE_WITHHELD, {"seat": 3}, (0, 3))
    assert checked(witness, table.proof()) == late


@pytest.mark.parametrize("field", ["hand", "passed"])
def test_a_hand_that_is_not_the_one_of_the_shuffle_is_noticed(
    table: Table, witness: Witness, field: str
) -> None:
    dealt(table, witness)
    honest = table.view

    def another_hand(phase: str, *, watches: bool = False) -> View:
        view = honest(phase, watches=watches)
        assert view.own is not None
        assert table.deal is not None
        if field == "hand" and phase == "passing":
            return replace(view, own=replace(view.own, hand=hand_texts(table.deal.dealt[0])))
        if field == "passed" and phase == "deal-over":
            return replace(view, own=replace(view.own, passed=["2C", "3C", "4C"]))
        return view

    table.view = another_hand  # type: ignore[method-assign]
    play_out(table, witness)
    assert found(witness, table.proof()) == (FairCode.HAND_CHANGED, {})


def test_a_hand_seen_in_the_middle_is_compared_too(table: Table, witness: Witness) -> None:
    dealt(table, witness)
    table.pass_on()
    table.play(8)
    view = table.view("playing")
    assert view.own is not None
    assert table.deal is not None
    wrong = replace(view, own=replace(view.own, hand=hand_texts(table.deal.hands[0])))
    witness.saw(wrong, None)
    table.play(44)
    witness.saw(table.view("deal-over"), view)
    assert found(witness, table.proof()) == (FairCode.HAND_CHANGED, {})


def test_a_card_that_its_player_did_not_have_is_noticed(table: Table, witness: Witness) -> None:
    dealt(table, witness)
    first = table.view("passing")
    witness.saw(first, None)
    table.pass_on()
    table.play()
    last = table.view("deal-over")
    seen = list(last.public.seen)
    seen[4], seen[41] = seen[41], seen[4]
    witness.saw(replace(last, public=replace(last.public, seen=seen)), first)
    code, detail = found(witness, table.proof())
    assert code == FairCode.CARD_CHANGED
    assert detail["rule"]


def test_commitments_other_than_those_published_are_noticed(table: Table, witness: Witness) -> None:
    dealt(table, witness)
    play_out(table, witness)
    table.host = drawn(table.rng)
    table.open(None)  # all is in order, but for what was promised
    assert found(witness, table.proof()) == (FairCode.COMMITMENTS_CHANGED, {})


def test_what_is_no_proof_is_refused(table: Table, witness: Witness) -> None:
    dealt(table, witness)
    play_out(table, witness)
    right = table.proof()
    shares, one = right.shares, right.shares[0]

    def with_first(share: ShareView) -> Proof:
        return replace(right, shares=[share, *shares[1:]])

    wrong = [
        replace(right, host=replace(right.host, seed="")),
        with_first(replace(one, by="nobody")),
        with_first(replace(one, by="host")),
        with_first(replace(one, by="late")),
        with_first(replace(one, seed="")),
        replace(right, hands=[right.hands[0]] * 4),
        replace(right, hands=[[], *right.hands[1:]]),
    ]
    codes = []
    for proof in wrong:
        again = Witness(Random(7).randbytes)
        again._ended = witness._ended
        codes.append(found(again, proof)[0])
    assert codes[:5] == [FairCode.BAD_SHUFFLE] * 5
    assert codes[5:] == [FairCode.DECK_STACKED] * 2


def test_proofs_of_other_deals_are_not_looked_at(table: Table, witness: Witness) -> None:
    dealt(table, witness)
    play_out(table, witness)
    assert witness.proof(replace(table.proof(), deal=2)) is None
    assert witness.proof(replace(table.proof(), game="another")) is None
    assert witness.awaits_proof
