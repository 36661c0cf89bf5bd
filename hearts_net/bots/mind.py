"""What a bot does next: views, replies and time go in, acts come out; no socket and no clock.

A mind plays one seat. It has at most one command under way; whatever was refused is decided anew,
from the newest view. It keeps nothing that a view does not give again, so a bot that was killed
goes on with its seat as soon as it has seen one view.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, TypeAlias

from hearts_net.bots.player import Player
from hearts_net.protocol import orders
from hearts_net.protocol.messages import (
    AnyAct,
    ChooseMoon,
    Claim,
    Pass,
    Play,
    PublicView,
    Ready,
    Reply,
    Sit,
    View,
)

RETRY: Final = 2000
"""Milliseconds after which a refused act is tried again although no newer view has come."""
LONELY: Final = 3000
"""Milliseconds after the game's end before a guest leaves a table without people."""
NO_PAUSE: Final = (0, 0)


def pauses(longest: int) -> tuple[int, int]:
    """Say how many milliseconds, from and to, a bot seems to think when people are at the table."""
    return longest // 3, longest


PAUSE: Final = pauses(orders.PAUSE)


class Kind(StrEnum):
    """What a player is asked."""

    PASS = "pass"  # noqa: S105 - no password
    PLAY = "play"
    MOON = "moon"


@dataclass(frozen=True, slots=True)
class Question:
    """A choice to be made by the player for the seat of ``view``."""

    kind: Kind
    view: View
    seed: str
    """The player's randomness, the same whenever the same question is asked."""
    plain: bool
    """An earlier answer was refused: any legal one will do."""


@dataclass(frozen=True, slots=True)
class Deed:
    """An act to be sent now; ``seat`` is named when it is done for somebody else."""

    act: AnyAct
    seat: int | None


Wish: TypeAlias = Question | Deed
Moment: TypeAlias = tuple[int, str, int, str, int, int]
Stamp: TypeAlias = tuple[int, int]
"""Epoch and number of a state."""


def people_at(public: PublicView) -> bool:
    """Say whether somebody of flesh and blood sits at the table and is there."""
    return any(
        seat.kind == "person" and seat.presence in ("present", "slow") for seat in public.seats
    )


def answer(question: Question, player: Player) -> AnyAct:
    """Let the player choose; this may take as long as the player needs."""
    view, rng = question.view, random.Random(question.seed)  # noqa: S311 - play, not secrets
    match question.kind:
        case Kind.PASS:
            hand = view.own.hand if view.own else []
            return Pass(hand[-3:] if question.plain else player.choose_pass(view, rng))
        case Kind.PLAY:
            legal = view.own.legal if view.own else []
            return Play(rng.choice(legal) if question.plain else player.choose_play(view, rng))
        case Kind.MOON:
            return ChooseMoon(player.choose_moon(view, rng))


class Mind:
    """One seat's play.

    Attributes:
        view: the newest view, once there is one.
        leaves: the bot has no more business here (only a ``guest`` ever does).

    """

    __slots__ = (
        "_after",
        "_asked",
        "_begun",
        "_deputy",
        "_from",
        "_guest",
        "_moment",
        "_over_since",
        "_pause",
        "_plain",
        "_retry_at",
        "_seed",
        "leaves",
        "view",
    )

    def __init__(
        self,
        seed: str,
        pause: tuple[int, int] = PAUSE,
        *,
        deputy: bool = False,
        guest: bool = False,
    ) -> None:
        """Make a mind; a ``deputy`` plays for somebody else, a ``guest`` may leave by itself."""
        self.view: View | None = None
        self.leaves = False
        self._seed, self._pause = seed, pause
        self._deputy, self._guest = deputy, guest
        self._asked: int | None = None
        self._from: Stamp = (0, 0)
        self._after: Stamp = (-1, -1)
        self._retry_at: int | None = None
        self._moment: Moment | None = None
        self._begun = 0
        self._plain: Moment | None = None
        self._over_since: int | None = None

    def saw(self, view: View, now: int) -> None:
        """Take the newest view."""
        self.view = view
        moment = _moment(view)
        if moment != self._moment:
            self._moment = moment
            self._begun = now + self._think(view, moment)
        alone = view.public.phase == "game-over" and not people_at(view.public)
        if not (self._guest and alone and not view.public.watchers):
            self._over_since = None
        elif self._over_since is None:
            self._over_since = now

    def sent(self, request: int) -> None:
        """Note the id of the command that was sent for the last wish."""
        self._asked = request
        self._from = _stamp(self.view)

    def heard(self, request: int, reply: Reply, now: int) -> None:
        """Take the answer to a command; others than the last one are of no interest."""
        if request != self._asked:
            return
        self._asked, self._retry_at = None, None
        if reply.ok:
            self._after = (reply.epoch, reply.seq - 1)
        else:
            self._refused(reply.code, now)

    def could_not_send(self, code: str, now: int) -> None:
        """Note that the last wish was not even a command."""
        self._from = _stamp(self.view)
        self._refused(code, now)

    def _refused(self, code: str, now: int) -> None:
        self._after = self._from
        self._retry_at = now + RETRY
        if not code.startswith("stale-"):
            self._plain = self._moment

    def due(self, now: int) -> Wish | None:
        """Return what is to be done now, if anything; answer with :meth:`sent`."""
        if self._over_since is not None and now >= self._over_since + LONELY:
            self.leaves = True
            return None
        if self.view is None or self._asked is not None or not self._fresh(now):
            return None
        wish = self._wish(self.view)
        return wish if now >= self._earliest(wish) else None

    def deadline(self) -> int | None:
        """Return when :meth:`due` may say something new without a view or a reply."""
        times = []
        if self._over_since is not None:
            times.append(self._over_since + LONELY)
        wish = self._wish(self.view) if self.view is not None and self._asked is None else None
        if wish is not None and _stamp(self.view) > self._after:
            times.append(self._earliest(wish))
        elif wish is not None and self._retry_at is not None:
            times.append(max(self._retry_at, self._earliest(wish)))
        return min(times, default=None)

    def holds(self, question: Question) -> bool:
        """Say whether a question is still the one to answer, now that it has been thought about."""
        return self._asked is None and self._moment == _moment(question.view)

    def _fresh(self, now: int) -> bool:
        """Say whether the view is newer than what was acted on, or the refusal old enough."""
        if _stamp(self.view) > self._after:
            return True
        return self._retry_at is not None and now >= self._retry_at

    def _earliest(self, wish: Wish | None) -> int:
        """Return when a wish may be acted on: cards take a person's time, the rest none."""
        cards = isinstance(wish, Question) or (wish is not None and isinstance(wish.act, Claim))
        return self._begun if cards else 0

    def _think(self, view: View, moment: Moment) -> int:
        if not people_at(view.public):
            return 0
        rng = random.Random(f"{self._seed} pause {moment}")  # noqa: S311 - play, not secrets
        return rng.randint(*self._pause)

    def _wish(self, view: View) -> Wish | None:
        own, public = view.own, view.public
        if own is None:
            return None if self._deputy else _seat_to_take(view)
        if own.can_claim and "claim" in own.may and not self._deputy:
            return Deed(Claim(), None)
        for kind, tag in ((Kind.PASS, "pass"), (Kind.PLAY, "play"), (Kind.MOON, "choose-moon")):
            if tag in own.may:
                plain = self._plain == self._moment
                return Question(kind, view, f"{self._seed} {kind} {self._moment}", plain)
        if self._deputy or "ready" not in own.may or public.seats[own.seat].ready:
            return None
        if public.phase == "game-over" and not people_at(public):
            return None  # bots alone would play for ever
        return Deed(Ready(), None)

    def deed(self, act: AnyAct, view: View) -> Deed:
        """Wrap a player's answer for the seat of ``view``."""
        return Deed(act, view.own.seat if self._deputy and view.own else None)


def _seat_to_take(view: View) -> Deed | None:
    if "sit" not in view.may:
        return None
    for number, seat in enumerate(view.public.seats):
        if seat.kind == "empty":
            return Deed(Sit(number), None)
    return None


def _moment(view: View) -> Moment:
    public = view.public
    seat = view.own.seat if view.own else -1
    return (seat, public.game, public.deal, public.phase, public.trick_number, len(public.trick))


def _stamp(view: View | None) -> Stamp:
    return (view.epoch, view.seq) if view is not None else (-1, -1)
