"""What a person does in the lobby: seats, computer players, rules, ready."""

from __future__ import annotations

from dataclasses import replace

from hearts_client.full.intents import Intent, Want
from hearts_client.full.model import START, Do, Model, Page, Step, Tone, with_notice
from hearts_client.i18n import _
from hearts_client.sentences import error_sentence
from hearts_client.table_state import may
from hearts_net.bots.levels import level_names
from hearts_net.protocol.messages import (
    Act,
    AddBot,
    OptionValue,
    PublicView,
    Ready,
    RemoveBot,
    SetRules,
    Sit,
    Stand,
    Start,
)
from hearts_net.rules.options import OPTION_SPECS, PRESETS, OptionSpec


def press_lobby(model: Model, intent: Intent) -> Step:
    """Take a key in the lobby."""
    public = model.public
    if public is None:
        return model, ()
    match intent.want:
        case Want.UP | Want.LEFT:
            return replace(model, choice=(model.choice - 1) % 4), ()
        case Want.DOWN | Want.RIGHT:
            return replace(model, choice=(model.choice + 1) % 4), ()
        case Want.PICK:
            return replace(model, choice=intent.number % 4), ()
        case Want.ENTER:
            return _ready(model, public)
        case Want.POINT:
            return _sit_or_stand(model, public)
        case Want.BOT:
            return _bot(model, public)
        case Want.LEVEL:
            return _next_level(model)
        case Want.PRESET:
            return _open_rules(model)
        case Want.START:
            return _start(model, public)
    return model, ()


def _asked(model: Model, tag: str, act: Act) -> Step:
    """Send an act that this client may do, or say why not."""
    if tag not in may(model.table):
        hosts = tag in ("start", "add-bot", "remove-bot", "set-rules", "close", "give-seat")
        hosting = model.me is not None and model.public is not None
        hosting = hosting and bool(model.public and model.public.seats[model.me or 0].host)
        code = "not-allowed" if hosts and not hosting else "not-now"
        if tag == "start" and hosting:
            code = "seats-missing"
        return with_notice(model, error_sentence(code), Tone.ERROR)
    return replace(model, notice=None), (Do(act),)  # type: ignore[arg-type]


def _start(model: Model, public: PublicView) -> Step:
    """Start the game; where somebody is not ready, ask first."""
    step = _asked(model, "start", Start())
    unready = any(seat.kind == "person" and not seat.ready for seat in public.seats)
    if step[1] and unready:
        return replace(model, sure=START, notice=None), ()
    return step


def _ready(model: Model, public: PublicView) -> Step:
    if model.me is None:
        return _sit_or_stand(model, public)
    return replace(model, notice=None), (Do(Ready(not public.seats[model.me].ready)),)


def _sit_or_stand(model: Model, public: PublicView) -> Step:
    seat = model.choice
    if model.me == seat:
        return _asked(model, "stand", Stand())
    if public.seats[seat].kind == "person":
        return with_notice(model, error_sentence("seat-taken"), Tone.ERROR)
    return _asked(model, "sit", Sit(seat))


def press_between(model: Model, intent: Intent) -> Step:
    """Take a key that changes who sits where between deals and after the game."""
    public = model.public
    free = [n for n, seat in enumerate(public.seats) if seat.kind == "empty"] if public else []
    if intent.want not in (Want.POINT, Want.BOT):
        return model, ()
    if not free:
        return with_notice(model, _("All four seats are taken."), Tone.ERROR)
    if intent.want is Want.POINT:
        return _asked(model, "sit", Sit(free[0]))
    return _asked(model, "add-bot", AddBot(free[0], model.level))


def _bot(model: Model, public: PublicView) -> Step:
    """Take the chosen bot off, or put one on the chosen seat, or else on the first free one."""
    seat = model.choice
    if public.seats[seat].kind == "bot":
        return _asked(model, "remove-bot", RemoveBot(seat))
    free = [number for number, view in enumerate(public.seats) if view.kind == "empty"]
    if not free:
        return with_notice(model, _("All four seats are taken."), Tone.ERROR)
    seat = seat if seat in free else free[0]
    after = [number for number in free if number != seat]
    asked, effects = _asked(model, "add-bot", AddBot(seat, model.level))
    if not effects:
        return asked, effects
    # the next free seat is chosen, so that pressed again the key does not take this bot off
    return replace(asked, choice=(after or [model.me or 0])[0]), effects


def _next_level(model: Model) -> Step:
    names = level_names()
    at = names.index(model.level) if model.level in names else -1
    level = names[(at + 1) % len(names)]
    return with_notice(
        replace(model, level=level),
        _("The next bot you add plays at level “{level}”.").format(level=level),
    )


# ---- the rules form: every option, one line each ------------------------------------------------


def _open_rules(model: Model) -> Step:
    if "set-rules" not in may(model.table):
        return with_notice(
            model,
            _("Only the host's player sets the rules, before the game; i shows them."),
            Tone.ERROR,
        )
    draft = dict(model.public.rules) if model.public else {}
    return replace(model, page=Page.RULES_FORM, choice=0, draft=tuple(draft.items())), ()


def press_rules_form(model: Model, intent: Intent) -> Step:
    """Take a key on the form of rules; its first line is the preset."""
    lines = 1 + len(OPTION_SPECS)
    match intent.want:
        case Want.UP:
            return replace(model, choice=(model.choice - 1) % lines), ()
        case Want.DOWN:
            return replace(model, choice=(model.choice + 1) % lines), ()
        case Want.LEFT:
            return _turned(model, -1), ()
        case Want.RIGHT:
            return _turned(model, 1), ()
        case Want.BACK:
            return replace(model, page=None, choice=0), ()
        case Want.ENTER:
            closed = replace(model, page=None, choice=0, notice=None)
            return closed, (Do(SetRules(dict(model.draft))),)
    return model, ()


def _turned(model: Model, step: int) -> Model:
    draft = dict(model.draft)
    if model.choice == 0:
        names = list(PRESETS)
        at = names.index(preset_of(draft)) if preset_of(draft) else -step
        draft.update(PRESETS[names[(at + step) % len(names)]].to_dict())
    else:
        spec = OPTION_SPECS[model.choice - 1]
        draft[spec.name] = _next_value(spec, draft.get(spec.name, spec.default), step)
    return replace(model, draft=tuple(draft.items()))


def _next_value(spec: OptionSpec, value: OptionValue, step: int) -> OptionValue:
    choices = list(spec.choices)
    at = choices.index(value) if value in choices else -step
    return choices[(at + step) % len(choices)]


def preset_of(rules: dict[str, OptionValue]) -> str:
    """Name the preset that rules are, aids apart; empty when they are none."""
    for name, options in PRESETS.items():
        wanted = options.to_dict()
        if all(rules.get(key, value) == value for key, value in wanted.items() if key != "aids"):
            return name
    return ""
