"""What a search varies: settings of a training, with the values that they may have."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from learning.training.presets import NAMES, Preset, changed
from neural_physics.errors import Problem

# Beside the settings of a preset: options of `train` of their own.
PRESET, BASES, SEED = "preset", "bases", "seed"
WHOLE = {BASES: 1, SEED: 0}  # and their least values
FORM = "values as in NAME=A,B,C or a range as in NAME=A..B"

Value = str | int | float
Values = Mapping[str, Value]


@dataclass(frozen=True)
class Varied:
    """A setting that is one of `words` or, where there are none, a number from `least` to `most`.

    whole: only whole numbers.
    """

    name: str
    words: tuple[str, ...] = ()
    least: float = 0.0
    most: float = 0.0
    whole: bool = False

    @property
    def by_factors(self) -> bool:
        """Whether a number matters by how many times as large it is, and not by how much larger."""
        return 0.0 < 10.0 * self.least <= self.most

    def allows(self, value: Value) -> bool:
        """Whether it may have this value."""
        if self.words:
            return str(value) in self.words
        return isinstance(value, int | float) and self.least <= value <= self.most

    def __str__(self) -> str:
        return f"{self.name}=" + (",".join(self.words) or f"{self.least:.15g}..{self.most:.15g}")


def varied(texts: Iterable[str], preset: Preset) -> tuple[Varied, ...]:
    """The settings that these texts say, each once; of one that is said twice the last.

    Raises Problem("setting_unknown" | "setting_unusable").
    """
    found = [_varied(text, preset) for text in texts]
    return tuple({each.name: each for each in found}.values())


def combinations(space: Sequence[Varied]) -> list[dict[str, Value]]:
    """All that there are, in order; none where a setting is any number of a range."""
    if not all(each.words for each in space):
        return []
    names = [each.name for each in space]
    return [dict(zip(names, words, strict=True)) for words in product(*(each.words for each in space))]


def usual(space: Iterable[Varied], preset: Preset, others: Values) -> dict[str, Value]:
    """What a training has that varies nothing, as far as that is in the space. others: `PRESET` and so on."""
    values = {}
    for each in space:
        value = others[each.name] if each.name in others else getattr(preset, each.name)
        value = str(value).lower() if each.words else value
        if each.allows(value):
            values[each.name] = value
    return values


def words_of(values: Values) -> list[str]:
    """Values as `train` takes them on its command line."""
    apart = (PRESET, BASES, SEED)
    texts = {name: value if isinstance(value, str) else repr(value) for name, value in values.items()}
    return [f"--{name}={text}" if name in apart else f"--set={name}={text}" for name, text in texts.items()]


def in_words(values: Values) -> str:
    """Values for a person."""
    return ", ".join(f"{n} {v:.3g}" if isinstance(v, float) else f"{n} {v}" for n, v in values.items())


def _varied(text: str, preset: Preset) -> Varied:
    name, _, values = text.partition("=")
    least, dots, most = values.partition("..")
    words = [least, most] if dots else values.split(",")
    for word in words:
        _check(name, word, preset)
    if not dots:
        return Varied(name, tuple(dict.fromkeys(word.lower() for word in words)))
    try:
        first, last = float(least), float(most)
    except ValueError:
        first, last = 1.0, 0.0
    if not first < last:
        raise Problem("setting_unusable", setting=name, value=values, allowed=FORM)
    whole = name in WHOLE or type(getattr(preset, name)) is int
    return Varied(name, least=first, most=last, whole=whole)


def _check(name: str, word: str, preset: Preset) -> None:
    if name == PRESET:
        if word not in NAMES:
            raise Problem("setting_unusable", setting=name, value=word, allowed=" or ".join(NAMES))
    elif name in WHOLE:
        if not (word.isascii() and word.isdecimal() and int(word) >= WHOLE[name]):
            allowed = f"a whole number of at least {WHOLE[name]}"
            raise Problem("setting_unusable", setting=name, value=word, allowed=allowed)
    else:
        changed(preset, [f"{name}={word}"])
