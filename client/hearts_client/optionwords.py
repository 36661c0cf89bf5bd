"""The options of the rules in words: what each value means, and what differs from the standard."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hearts_client.i18n import N_, _, ngettext
from hearts_client.safetext import safe_text
from hearts_net.rules.options import OPTION_SPECS, PRESETS

Value = bool | int | str

STANDARD: Mapping[str, Value] = {spec.name: spec.default for spec in OPTION_SPECS}
"""The standard game: every option at its default."""

_OPTIONS = {
    "target": N_("the score that ends the game, any whole number from 1 to 1000"),
    "queen_of_spades": N_("when the queen of spades may be played"),
    "queen_breaks_hearts": N_("whether the queen of spades breaks hearts"),
    "first_trick_points": N_("whether penalty cards may fall on the first trick"),
    "moon": N_("what shooting the moon does"),
    "jack_of_diamonds": N_("whether the jack of diamonds counts minus 10"),
    "passing": N_("in which directions three cards are passed"),
    "finish_early": N_("whether a deal ends as soon as every card that counts is taken"),
    "aids": N_("whether everybody may see which cards are still out and who is out of a suit"),
}

_VALUES: Mapping[tuple[str, Value], str] = {
    ("queen_of_spades", "always"): N_("the queen of spades may be played at any time"),
    ("queen_of_spades", "after-hearts"): N_(
        "the queen of spades may be neither led nor discarded until hearts are broken"
    ),
    ("queen_of_spades", "no-lead"): N_(
        "the queen of spades may not be led until hearts are broken"
    ),
    ("queen_breaks_hearts", False): N_("only a heart breaks hearts"),
    ("queen_breaks_hearts", True): N_("the queen of spades breaks hearts as well"),
    ("first_trick_points", True): N_("penalty cards may fall on the first trick"),
    ("first_trick_points", False): N_("no penalty cards on the first trick"),
    ("moon", "others-gain"): N_("shooting the moon gives 26 points to each of the others"),
    ("moon", "shooter-loses"): N_("shooting the moon takes 26 off the shooter's score"),
    ("moon", "shooter-chooses"): N_("who shoots the moon chooses: 26 to the others, or 26 off"),
    ("jack_of_diamonds", False): N_("the jack of diamonds counts nothing"),
    ("jack_of_diamonds", True): N_("the jack of diamonds counts minus 10"),
    ("passing", "left-right-across-hold"): N_(
        "three cards are passed left, right, across, then not at all"
    ),
    ("passing", "left-right-across"): N_(
        "three cards are passed left, right, across, in every deal"
    ),
    ("passing", "left"): N_("three cards are passed to the left in every deal"),
    ("passing", "none"): N_("no cards are passed"),
    ("finish_early", False): N_("every deal is played to its last trick"),
    ("finish_early", True): N_("a deal ends as soon as every card that counts is taken"),
    ("aids", False): N_("nobody is shown which cards are still out or who is out of a suit"),
    ("aids", True): N_("everybody may see which cards are still out and who is out of a suit"),
}

_PRESETS = {
    "standard": N_("the game most people know"),
    "classic-computer": N_("as most desktop versions play: no penalty cards on the first trick"),
    "omnibus": N_("classic-computer, and the jack of diamonds counts minus 10"),
    "wait-for-hearts": N_("the queen of spades waits until hearts are broken"),
}


def option_words(option: str) -> str:
    """Say what an option decides."""
    return _(_OPTIONS[option]) if option in _OPTIONS else safe_text(option)


def value_words(option: str, value: Value) -> str:
    """Say what an option at this value means."""
    if option == "target" and isinstance(value, int):
        return ngettext(
            "the game ends at {points} point", "the game ends at {points} points", value
        ).format(points=value)
    # Seen from a dict, True and 1 are one key: the type tells them apart.
    words = _VALUES.get((option, value)) if isinstance(value, bool | str) else None
    return _(words) if words else f"{safe_text(option)}={safe_text(str(value))}"


def preset_words(preset: str) -> str:
    """Say what a preset of rules is."""
    return _(_PRESETS[preset]) if preset in _PRESETS else safe_text(preset)


def differences(rules: Mapping[str, Value]) -> list[str]:
    """Say each option that differs from the standard game, in the order of the rules."""
    return [
        value_words(option, rules[option])
        for option, usual in STANDARD.items()
        if option in rules and rules[option] != usual
    ]


def rules_summary(rules: Mapping[str, Value]) -> str:
    """Say the rules of a game in one line: how they differ from the standard ones."""
    different = differences(rules)
    if not different:
        return _("Standard rules, to 100 points.")
    if rules.get("aids") and len(different) == 1:
        return _("Standard rules, with aids: {aids}.").format(aids=different[0])
    return _("Standard rules, but: {differences}.").format(differences="; ".join(different))


def option_lines() -> Iterator[str]:
    """Say every option with its values, and every preset; the first value is the default."""
    yield _("Options of the rules, for --set OPTION=VALUE; the first value is the usual one:")
    for spec in OPTION_SPECS:
        yield f"  {spec.name}: {option_words(spec.name)}"
        for value, text in zip(spec.choices, spec.choice_texts(), strict=True):
            yield f"    {text}: {value_words(spec.name, value)}"
    yield ""
    yield _("Presets, for --rules PRESET:")
    for name in PRESETS:
        yield f"  {name}: {preset_words(name)}"
