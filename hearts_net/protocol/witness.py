"""A peer's part in the shuffle, and its check of each deal afterwards; no I/O.

It puts in a share where it is asked to, keeps what was committed to before the deal, the hand that
it got and the cards that it saw, and when the deal is over, compares all that with the proof.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from hearts_net.protocol.messages import (
    Commit,
    Commitments,
    Fetch,
    Proof,
    Reveal,
    ShareView,
    Shuffling,
    View,
)
from hearts_net.protocol.peer_outputs import DealChecked
from hearts_net.rules.cards import Hands, Mask, mask_of_texts, parse_card
from hearts_net.rules.deal import Deal, Direction, new_deal
from hearts_net.rules.errors import CardError, FairCode, FairError, HeartsError, OptionError
from hearts_net.rules.fair import (
    SECRET_BYTES,
    Origin,
    SeatShare,
    Share,
    Shuffle,
    check_shuffle,
    commitment_to,
)
from hearts_net.rules.options import Options

_IN_DEAL: Final = frozenset({"passing", "playing", "moon"})


class _Case:
    """What is known of one deal."""

    __slots__ = (
        "deal",
        "fault",
        "game",
        "hand",
        "hand_seat",
        "host",
        "host_seat",
        "is_dealt_hand",
        "listed",
        "opened",
        "passed",
        "rules",
        "seat",
        "seen",
        "share",
        "witnessed",
    )

    def __init__(self, game: str, deal: int) -> None:
        self.game, self.deal = game, deal
        self.host = ""
        """The host's commitment, as it was told first."""
        self.seat = 0
        """Whose share is drawn here."""
        self.share: Share | None = None
        self.opened = False
        self.listed: Commitments | None = None
        self.witnessed = False
        """The commitments were here before the cards."""
        self.fault = ""
        self.rules: dict[str, bool | int | str] = {}
        self.host_seat: int | None = None
        """Where the host's own player sat."""
        self.hand_seat: int | None = None
        self.hand: Mask = 0
        self.is_dealt_hand = False
        """Whether ``hand`` is the whole hand as dealt, or what was seen of it later."""
        self.passed: Mask = 0
        self.seen: Sequence[str] = ()

    def is_of(self, game: str, deal: int) -> bool:
        return (self.game, self.deal) == (game, deal)

    @property
    def commitment(self) -> str:
        """What this peer has committed to, "" for nothing."""
        if self.share is None:
            return ""
        return commitment_to(self.game, self.deal, self.seat, self.share)


class Witness:
    """Draws a share for each deal, and checks each deal."""

    __slots__ = ("_about", "_case", "_ended", "_entropy", "_next", "host_key")

    def __init__(self, entropy: Callable[[int], bytes] | None) -> None:
        """``entropy(n)`` gives n random bytes; None: no share is put in, but deals are checked."""
        self.host_key = ""
        """The key (Z85) that the host has proved in the handshake; its player has the same."""
        self._entropy = entropy
        self._next: _Case | None = None
        """The deal that is being shuffled."""
        self._case: _Case | None = None
        """The deal that is being played."""
        self._ended: _Case | None = None
        """The deal whose proof is awaited."""
        self._about = ("", 0, "")

    @property
    def awaits_proof(self) -> bool:
        """Whether a proof was asked for and has not come."""
        return self._ended is not None

    def forget(self) -> None:
        """Know nothing any more: this is another table."""
        self._next = self._case = self._ended = None
        self._about = ("", 0, "")

    # ---- the shuffle

    def shuffling(self, message: Shuffling) -> Commit | None:
        """Draw a share and commit to it; asked again, to the same one."""
        case = self._known(message.game, message.deal)
        if case is not None and case.host not in ("", message.host):
            if case.opened:  # a share that the host knows must not be used again
                case.fault = FairCode.SHUFFLED_AGAIN
                return None
            case = None
        if case is None:
            case = self._next = _Case(message.game, message.deal)
        case.host = message.host
        if self._entropy is None:
            return None
        if case.share is None or case.seat != message.seat:
            case.seat, case.opened = message.seat, False
            case.share = Share(self._entropy(SECRET_BYTES), self._entropy(SECRET_BYTES))
        return Commit(case.game, case.deal, case.commitment)

    def commitments(self, message: Commitments) -> Reveal | None:
        """Open the share, once everybody is bound and ours is among what is."""
        case = self._known(message.game, message.deal)
        if case is None:
            case = self._next = _Case(message.game, message.deal)
        if case.host not in ("", message.host) or case.listed not in (None, message):
            case.fault = FairCode.COMMITMENTS_CHANGED
            return None
        case.host, case.listed = message.host, message
        ours = message.seats[case.seat]
        if case.share is None or not ours:
            return None
        if ours != case.commitment:
            case.fault = FairCode.SHARE_REPLACED
            return None
        case.opened = True
        return Reveal(case.game, case.deal, case.share.seed.hex(), case.share.nonce.hex())

    def _known(self, game: str, deal: int) -> _Case | None:
        for case in (self._next, self._case):
            if case is not None and case.is_of(game, deal):
                return case
        return None

    # ---- the deal

    def saw(self, view: View, before: View | None) -> list[DealChecked | Fetch]:
        """Look at a new view; when a deal is over, ask for its proof."""
        public = view.public
        about = (public.game, public.deal, public.phase)
        if about == self._about:
            return []
        self._about = about
        news = self._look_back(view, before)
        if self._case is None and public.phase in _IN_DEAL:
            self._case = self._begin(view)
        return news

    def _look_back(self, view: View, before: View | None) -> list[DealChecked | Fetch]:
        """See whether the deal that was being played is over."""
        case, public = self._case, view.public
        if case is None:
            return []
        for each in (view, before):
            if each is not None and case.is_of(each.public.game, each.public.deal):
                case.seen = each.public.seen
                if each.own is not None and each.own.seat == case.hand_seat:
                    case.passed = mask_of_texts(each.own.passed)
                break
        if public.game == case.game and public.last_deal and public.last_deal.deal >= case.deal:
            missing = self.no_proof()  # of the deal before, had it come it would be here
            self._case, self._ended = None, case
            asked = Fetch("proof", case.deal - 1)
            return [asked] if missing is None else [missing, asked]
        if not case.is_of(public.game, public.deal):
            self._case = None  # a game that was broken off proves nothing
        return []

    def _begin(self, view: View) -> _Case:
        public, own = view.public, view.own
        case = self._next
        if case is None or not case.is_of(public.game, public.deal):
            case = _Case(public.game, public.deal)
        self._next = None
        case.witnessed = case.listed is not None
        case.rules = public.rules
        for number, seat in enumerate(public.seats):
            if seat.key and seat.key == self.host_key:
                case.host_seat = number
        if own is not None:
            case.hand_seat, case.hand = own.seat, mask_of_texts(own.hand)
            held = public.direction == Direction.HOLD and not public.seen
            case.is_dealt_hand = public.phase == "passing" or held
        return case

    # ---- the proof

    def no_proof(self) -> DealChecked | None:
        """Give up waiting for a proof."""
        case, self._ended = self._ended, None
        return DealChecked(case.game, case.deal, FairCode.NO_PROOF, {}) if case else None

    def proof(self, proof: Proof) -> DealChecked | None:
        """Check a deal; None where that proof was not asked for."""
        case = self._ended
        if case is None or not case.is_of(proof.game, proof.deal):
            return None
        self._ended = None
        code, detail = "", {}
        try:
            _judge(case, proof)
        except FairError as error:
            code, detail = error.code, error.detail
        return DealChecked(case.game, case.deal, code, {**detail}, _late(proof))


def _judge(case: _Case, proof: Proof) -> None:
    """Raise :class:`FairError` with what does not agree, the worst first."""
    if case.fault:
        raise FairError(case.fault)
    listed = case.listed
    shown = [each.commitment for each in proof.shares]
    if listed and (listed.host, listed.seats) != (proof.host.commitment, shown):
        raise FairError(FairCode.COMMITMENTS_CHANGED)
    hands = _masks(proof.hands)
    check_shuffle(case.game, case.deal, _shuffle_of(proof), hands)
    _judge_own_share(case, proof)
    _judge_cards(case, hands, _masks(proof.passes))
    if case.host_seat in _late(proof):
        raise FairError(FairCode.SHARE_WITHHELD, seat=case.host_seat)
    if not case.witnessed:
        raise FairError(FairCode.NOT_WITNESSED)


def _late(proof: Proof) -> tuple[int, ...]:
    """Return the seats whose share was promised and then, as the host shows it, not opened."""
    return tuple(seat for seat, each in enumerate(proof.shares) if each.by == Origin.LATE)


def _judge_own_share(case: _Case, proof: Proof) -> None:
    if case.share is None:
        return
    ours = proof.shares[case.seat]
    if ours.by != Origin.PLAYER:
        raise FairError(FairCode.SHARE_LEFT_OUT, seat=case.seat)
    if ours.commitment != case.commitment:
        raise FairError(FairCode.SHARE_REPLACED)


def _judge_cards(case: _Case, hands: Hands, passes: Hands) -> None:
    """Play what was seen once more, with the hands of the proof."""
    seat = case.hand_seat
    if seat is not None and case.is_dealt_hand and case.hand != hands[seat]:
        raise FairError(FairCode.HAND_CHANGED)
    try:
        options = Options.from_dict(case.rules)
    except OptionError:
        return  # rules of a later version
    try:
        deal = _passed_on(new_deal(options, case.deal, hands), passes)
        kept_cards = seat is None or not case.hand & ~deal.start.hands[seat]
        if seat is not None and not (case.is_dealt_hand or kept_cards):
            raise FairError(FairCode.HAND_CHANGED)
        if seat is not None and case.passed not in (0, passes[seat]):
            raise FairError(FairCode.HAND_CHANGED)
        for card in case.seen:
            deal = deal.play(parse_card(card))
    except FairError:
        raise
    except HeartsError as error:
        raise FairError(FairCode.CARD_CHANGED, rule=error.code) from None


def _passed_on(deal: Deal, passes: Hands) -> Deal:
    if deal.direction is Direction.HOLD:
        return deal
    for seat, cards in enumerate(passes):
        deal = deal.pass_cards(seat, cards)
    return deal


def _shuffle_of(proof: Proof) -> Shuffle:
    host = _opened(proof.host)
    if host is None:
        raise FairError(FairCode.BAD_SHUFFLE)
    first, second, third, fourth = map(_seat_share, proof.shares)
    return Shuffle(proof.host.commitment, host, (first, second, third, fourth))


def _seat_share(shown: ShareView) -> SeatShare:
    share = _opened(shown)
    if (shown.by == Origin.PLAYER) != (share is not None) or shown.by not in list(Origin):
        raise FairError(FairCode.BAD_SHUFFLE)
    if bool(shown.commitment) != (shown.by != Origin.HOST):
        raise FairError(FairCode.BAD_SHUFFLE)
    return SeatShare(Origin(shown.by), shown.commitment, share)


def _opened(shown: ShareView) -> Share | None:
    if not (shown.seed and shown.nonce):
        return None
    return Share(bytes.fromhex(shown.seed), bytes.fromhex(shown.nonce))


def _masks(hands: Sequence[Sequence[str]]) -> Hands:
    try:
        first, second, third, fourth = map(mask_of_texts, hands)
    except CardError:
        raise FairError(FairCode.BAD_SHUFFLE) from None
    return first, second, third, fourth
