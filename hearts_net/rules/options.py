"""The options of a game: one table of names, values and defaults, which everything else reads.

The host chooses them before the game; everyone sees them; they are fixed once it starts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final, TypeAlias

from hearts_net.rules.errors import OptionCode, OptionError

Plain: TypeAlias = bool | int | str
"""An option's value as records, messages and the command line write it."""


class QueenRule(StrEnum):
    """When the queen of spades may be played by someone who is not forced to."""

    ALWAYS = "always"
    """No restriction of its own."""
    AFTER_HEARTS = "after-hearts"
    """Neither led nor discarded until hearts are broken."""
    NO_LEAD = "no-lead"
    """Not led until hearts are broken; it may be discarded."""


class MoonRule(StrEnum):
    """What happens to the points of a player who takes all 26 (rule 7)."""

    OTHERS_GAIN = "others-gain"
    """The shooter 0, each of the others 26."""
    SHOOTER_LOSES = "shooter-loses"
    """The shooter -26, the others 0."""
    SHOOTER_CHOOSES = "shooter-chooses"
    """The shooter picks one of the two after the deal."""


class PassingRule(StrEnum):
    """The cycle of passing directions over the deals (rule 2)."""

    LEFT_RIGHT_ACROSS_HOLD = "left-right-across-hold"
    LEFT_RIGHT_ACROSS = "left-right-across"
    LEFT = "left"
    NONE = "none"


MIN_TARGET: Final = 1
MAX_TARGET: Final = 1000


@dataclass(frozen=True, slots=True)
class Options:
    """The rules of one game; every field is one option, its default the standard game."""

    target: int = 100
    """The total that ends the game (rule 9), 1 to 1000."""
    queen_of_spades: QueenRule = QueenRule.ALWAYS
    queen_breaks_hearts: bool = False
    """The queen of spades breaks hearts as a heart does (rule 5)."""
    first_trick_points: bool = True
    """Penalty cards may fall on the first trick; false is "no blood"."""
    moon: MoonRule = MoonRule.OTHERS_GAIN
    jack_of_diamonds: bool = False
    """Taking the jack of diamonds is -10."""
    passing: PassingRule = PassingRule.LEFT_RIGHT_ACROSS_HOLD
    finish_early: bool = False
    """A deal ends as soon as every card that counts has been taken."""
    aids: bool = False
    """Everyone's client may show the cards not seen yet and the voids shown."""

    @classmethod
    def from_dict(cls, values: Mapping[str, object]) -> Options:
        """Build options from plain values by name; what is not named has its default.

        Raises :class:`OptionError`: ``unknown-option``, ``bad-option-value``.
        """
        return cls().changed(values)

    def changed(self, values: Mapping[str, object]) -> Options:
        """Return these options with some set, plain values by name; errors as :meth:`from_dict`."""
        changes: dict[str, Any] = {
            name: spec_of(name).checked(value) for name, value in values.items()
        }
        return replace(self, **changes)

    def to_dict(self) -> dict[str, Plain]:
        """Return every option's plain value by name."""
        return {spec.name: _plain(getattr(self, spec.name)) for spec in OPTION_SPECS}


def _plain(value: Plain) -> Plain:
    return value.value if isinstance(value, StrEnum) else value


@dataclass(frozen=True, slots=True)
class OptionSpec:
    """One option: its name and the values to choose from, the default first."""

    name: str
    choices: tuple[Plain, ...]
    enum: type[StrEnum] | None = None

    @property
    def default(self) -> Plain:
        """The value in the standard game."""
        return self.choices[0]

    def checked(self, value: object) -> Plain:
        """Return a plain value as :class:`Options` holds it.

        Raises :class:`OptionError` ``bad-option-value`` if it is no value of this option.
        """
        if self.enum is not None:
            if isinstance(value, str) and value in self.choices:
                return self.enum(value)
        elif isinstance(self.default, bool):
            if isinstance(value, bool):
                return value
        elif (
            isinstance(value, int)
            and not isinstance(value, bool)
            and MIN_TARGET <= value <= MAX_TARGET
        ):
            return value
        raise OptionError(OptionCode.BAD_VALUE, option=self.name, value=_shown(value))

    def parsed(self, text: str) -> Plain:
        """Return the value that a text names: ``true``, ``50``; errors as :meth:`checked`."""
        for choice in self.choices:
            if text == _text(choice):
                return self.checked(choice)
        number = text.isascii() and text.isdecimal() and len(text) <= len(str(MAX_TARGET))
        if self.name == "target" and number:
            return self.checked(int(text))
        raise OptionError(OptionCode.BAD_VALUE, option=self.name, value=_shown(text))

    def choice_texts(self) -> tuple[str, ...]:
        """Return the choices as somebody would type them, the default first."""
        return tuple(_text(choice) for choice in self.choices)


def _text(value: Plain) -> str:
    """Return a value as somebody would type it: ``true``, ``50``, ``after-hearts``."""
    return str(value).lower()


def _shown(value: object) -> str:
    """Return what an error says of a refused value: short, whatever it was."""
    return (value if isinstance(value, str) else repr(value))[:40]


OPTION_SPECS: Final = (
    OptionSpec("target", (100, 50, 150)),
    OptionSpec("queen_of_spades", tuple(rule.value for rule in QueenRule), QueenRule),
    OptionSpec("queen_breaks_hearts", (False, True)),
    OptionSpec("first_trick_points", (True, False)),
    OptionSpec("moon", tuple(rule.value for rule in MoonRule), MoonRule),
    OptionSpec("jack_of_diamonds", (False, True)),
    OptionSpec("passing", tuple(rule.value for rule in PassingRule), PassingRule),
    OptionSpec("finish_early", (False, True)),
    OptionSpec("aids", (False, True)),
)
"""Every option, in the order in which the rules tell them."""
_SPECS_BY_NAME: Final = {spec.name: spec for spec in OPTION_SPECS}

PRESETS: Final[Mapping[str, Options]] = {
    "standard": Options(),
    "classic-computer": Options(first_trick_points=False),
    "omnibus": Options(first_trick_points=False, jack_of_diamonds=True),
    "wait-for-hearts": Options(queen_of_spades=QueenRule.AFTER_HEARTS),
}


def spec_of(name: str) -> OptionSpec:
    """Return the option of that name; :class:`OptionError` ``unknown-option``."""
    spec = _SPECS_BY_NAME.get(name)
    if spec is None:
        raise OptionError(OptionCode.UNKNOWN_OPTION, option=_shown(name))
    return spec


def preset(name: str) -> Options:
    """Return the options of a preset; :class:`OptionError` ``unknown-preset``."""
    options = PRESETS.get(name)
    if options is None:
        raise OptionError(OptionCode.UNKNOWN_PRESET, preset=_shown(name))
    return options


def parse_option(setting: str, base: Options) -> Options:
    """Return ``base`` with one option set from text, ``target=50``; errors as :meth:`from_dict`."""
    name, text = (part.strip() for part in setting.partition("=")[::2])
    change: dict[str, Any] = {name: spec_of(name).parsed(text)}
    return replace(base, **change)
