"""Players for tests: they do what their view says they may, and nothing else."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import TypeAlias

from hearts_net.protocol.messages import AnyAct, ChooseMoon, Pass, Play, Ready, View

Chooser: TypeAlias = Callable[[View], AnyAct | None]
"""What a player does about a view, if anything."""


def moment_of(view: View) -> tuple[int, str, str, int, int, bool, int]:
    """Return what a choice is made about; a new one of these needs a new choice."""
    public, own = view.public, view.own
    passed = own is not None and bool(own.passed)
    ready = own is not None and public.seats[own.seat].ready
    seated = public.seats[own.seat].since if own is not None and public.phase == "lobby" else 0
    return (
        view.epoch,
        public.game,
        public.phase,
        public.deal,
        len(public.seen),
        passed or ready or bool(public.paused),
        seated,
    )


def eager(rng: random.Random, *, says_ready: bool = True) -> Chooser:
    """Return a player that picks among what is legal by chance, and is ready whenever asked."""

    def choose(view: View) -> AnyAct | None:
        own = view.own
        if own is None:
            return None
        if "pass" in own.may:
            return Pass(rng.sample(own.hand, 3))
        if "play" in own.may:
            return Play(rng.choice(own.legal))
        if "choose-moon" in own.may:
            return ChooseMoon(rng.choice(("others-gain", "shooter-loses")))
        waits = says_ready and view.public.phase in ("lobby", "deal-over")
        if waits and "ready" in own.may and not view.public.seats[own.seat].ready:
            return Ready()
        return None

    return choose
