"""How far a model is off on the validation takes: the one form in which every trainer says it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from neural_physics.arrays import Doubles


@dataclass(frozen=True)
class ValidationError:
    """relative: to the simplest answer, which is 1.0: see `MethodSpecification.simplest`.

    metres: the root mean square distance of a vertex. metres_90: what that of a frame stays below in nine
    frames of ten. floor: the relative error that the bases allow at best. of_each:
    the mean over all frames of the relative error of one. Not a number where not known.
    """

    relative: float
    metres: float = math.nan
    metres_90: float = math.nan
    floor: float = math.nan
    of_each: float = math.nan

    @property
    def choice(self) -> float:
        """What the best model has least of.

        Each frame counts once in it: in the relative error, which is of squares, a sheet that has fallen off
        the other side of a ball for a few seconds outweighs all else, and chance would choose.
        """
        return self.of_each if math.isfinite(self.of_each) else self.relative

    def summary(self) -> dict[str, float]:
        """What model files and "result" events say of it: what is known."""
        named = {
            "validation_error": self.relative,
            "validation_metres": self.metres,
            "validation_metres_90": self.metres_90,
            "validation_of_each": self.of_each,
            "basis_error": self.floor,
        }
        return {name: value for name, value in named.items() if math.isfinite(value)}


def of_frames(squares: Doubles, simplest: float, floor: float = math.nan) -> ValidationError:
    """squares (T,): the mean over the vertices of the squared distance in each frame, m^2.

    simplest: the mean of the same over all frames for the simplest answer. floor: see `ValidationError`.
    """
    mean = float(squares.mean())
    return ValidationError(
        relative=math.sqrt(mean / max(simplest, 1e-30)),
        metres=math.sqrt(mean),
        metres_90=math.sqrt(float(np.quantile(squares, 0.9))),
        floor=floor,
        of_each=float(np.sqrt(squares).mean() / math.sqrt(max(simplest, 1e-30))),
    )
