"""What the errors of a model mean, in words: how good it is, and what would make it better.

Errors are relative to the simplest answer, a shape that stands still for most methods, which is 1.0. What is
right of the motion is 1 - error^2 of its mean square:

- good, below GOOD = 0.35: nine tenths of the motion are right. Ball & Sheet's best models are at 0.18, those
  of its first few takes at about 0.4; two simulations whose sheets differ in size by 0.01 % are 0.09 apart,
  so that much less cannot be had of cloth.
- fair, below FAIR = 0.7, where half of it is right: it is where the object should be, and folds as it likes.
- poor, else; and no better than the simplest answer, or a good one at most fair, where another simple answer
  that is known (linear regression, skinning alone) matches it: little was gained by training it.

What helps, in this order:

- nothing more is asked of a good model;
- more bases, where these alone account for FLOOR = 0.7 of the error, half of its square: no training and no
  take makes it better than its bases;
- longer training, where the best model was found in the last tenth (LATE = 0.9) of it and the error still
  fell noticeably in its second half (FALLING = 0.5): it still improved. A later model is kept where it is
  about as good as an earlier one, so that the first alone says little;
- else more takes. Of Ball & Sheet's takes 46,000 frames in place of 14,000 leave two thirds of the error, so
  that as many again as there are is the least whose gain can be seen.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Literal, Self

from ..wording import distance, plural

GOOD, FAIR = 0.35, 0.7
NOTHING_GAINED = 0.95  # of the error of a simple answer: a model this near to it is no better
FLOOR = 0.7
LATE, FALLING = 0.9, 0.5

SIMPLEST, SIMPLER = "a shape that stands still", "plain linear regression"

Grade = Literal["good", "fair", "poor"]
Advice = Literal["", "takes", "bases", "training"]

LARGEST = 1e18  # of what a model says of its training: whole numbers may be larger than any float


@dataclass(frozen=True)
class Errors:
    """What was measured of a model on motion it has not seen; None where it is not known.

    error: relative. metres: the root mean square distance; metres_90: what a frame's stays below in nine
    frames of ten. simpler: the relative error of the best other simple answer. floor: that of the bases.
    frames: how many it was trained on. takes: of motion, how many there were then for all purposes.
    late: when in the training the best model was found, 0 to 1. fell: when the error last fell noticeably.
    of_each: the relative error of the average frame, which is what charts of trainings show.
    """

    error: float
    metres: float | None = None
    metres_90: float | None = None
    simpler: float | None = None
    floor: float | None = None
    frames: int | None = None
    takes: int | None = None
    late: float | None = None
    fell: float | None = None
    of_each: float | None = None

    @classmethod
    def of_training(cls, training: Mapping[str, Any]) -> Self | None:
        """Those of a model file's summary, which may come from anybody; None where it says no error."""

        def number(name: str) -> float | None:
            value = training.get(name)
            known = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < LARGEST
            return float(value) if known else None  # type: ignore[arg-type]

        error, steps, best = number("validation_error"), number("steps"), number("best_step")
        if error is None:
            return None
        frames, takes = number("training_frames"), number("takes")
        fell = number("fell_until")
        return cls(
            error,
            number("validation_metres"),
            number("validation_metres_90"),
            simpler=number("simpler_error"),
            floor=number("basis_error"),
            frames=None if frames is None else int(frames),
            takes=None if takes is None else int(takes),
            late=best / steps if best is not None and steps else None,
            fell=fell / steps if fell is not None and steps else None,
            of_each=number("validation_of_each"),
        )


@dataclass(frozen=True)
class Verdict:
    """said: the grade, and how far off. detail: the rest of what is known, "" if nothing is.

    takes: how many more to bake where the advice is that, 0 where it is not known how many there are.
    """

    grade: Grade
    said: str
    detail: str
    advice: Advice = ""
    takes: int = 0

    @property
    def sentence(self) -> str:
        """What is said, and what to do."""
        if not self.advice:
            return self.said
        return f"{self.said}{';' if ':' in self.said else ':'} {_words(self.advice, self.takes)}"

    def to_json(self) -> dict[str, Any]:
        """What reports and the "result" events of evaluations hold."""
        return {**asdict(self), "sentence": self.sentence}


def judge(
    errors: Errors,
    simplest: str = SIMPLEST,
    simpler: str = SIMPLER,
) -> Verdict:
    """See the module. simplest: what has a relative error of 1.0; simpler: what has `errors.simpler`."""
    matched = errors.simpler is not None and not errors.error < NOTHING_GAINED * errors.simpler
    beaten_by = simplest if gains_nothing(errors.error) else simpler if matched else ""
    grade: Grade = "poor"
    if errors.error < GOOD:
        grade = "fair" if beaten_by else "good"
    elif errors.error < FAIR and not beaten_by:
        grade = "fair"
    advice = "" if grade == "good" else _advice(errors)
    takes = (errors.takes or 0) if advice == "takes" else 0
    off = f"{_off(errors)} off on motion it has not seen"
    stated = grade != "poor" or not beaten_by
    said = f"{grade.capitalize()}: {off}" if stated else f"Poor, no better than {beaten_by}"
    if stated and beaten_by:
        said += f", no better than {beaten_by}"
    return Verdict(grade, said, _detail(errors, simplest, simpler, stated=stated), advice, takes)


def gains_nothing(error: float) -> bool:
    """Whether a model of this relative error is no better than the simplest answer."""
    return not error < NOTHING_GAINED


def _advice(errors: Errors) -> Advice:
    if errors.floor is not None and errors.floor > FLOOR * errors.error:
        return "bases"
    still_fell = errors.fell is None or errors.fell >= FALLING
    if errors.late is not None and errors.late >= LATE and still_fell:
        return "training"
    return "takes"


def _words(advice: Advice, takes: int) -> str:
    if advice == "takes":
        return f"bake {takes} more take{'' if takes == 1 else 's'}" if takes else "bake more takes"
    return {"bases": "train with more bases", "training": "train longer, with a larger preset"}.get(
        advice, ""
    )


def _off(errors: Errors) -> str:
    """Without metres, as old models are, in percent of what the simplest answer is off."""
    far = f"{100 * errors.error:.0f} %" if errors.metres is None else distance(errors.metres)
    return f"about {far}"


def _detail(errors: Errors, simplest: str, simpler: str, *, stated: bool) -> str:
    parts = []
    if errors.metres is not None:
        if not stated:
            parts.append(f"about {distance(errors.metres)} off")
        if errors.of_each is not None and errors.error > 0:
            mean = distance(errors.metres * errors.of_each / errors.error)
            parts.append(f"{mean} in the average frame, which the chart shows")
        if errors.metres_90 is not None:
            parts.append(f"within {distance(errors.metres_90)} in nine frames of ten")
        if errors.error > 0:
            parts.append(f"{simplest} would be {distance(errors.metres / errors.error)} off")
            if errors.simpler is not None:
                parts[-1] += f", {simpler} {distance(errors.metres * errors.simpler / errors.error)}"
    if errors.frames:
        parts.append(f"trained on {plural(errors.frames, 'frame')}")
    sentence = "; ".join(parts)
    return sentence[:1].upper() + sentence[1:]
