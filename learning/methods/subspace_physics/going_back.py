"""A training that begins to diverge goes back to where it did not, and on in smaller steps.

A recurrence is stable or it is not: a step too far, and from one batch to the next all windows run into the
limits of z, where gradients say nothing of the way back.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from learning.training.tensor_files import Tensors

EVERY = 50  # steps from one state that is kept to the next
LATELY, USUALLY = 10, 50  # steps over which losses are averaged, about
TOO_MUCH = 4.0  # times the loss that was usual at the older of two states that are kept
SMALLER = 0.5  # learning rate after each time
MOST_TIMES = 6  # then it diverges
KEPT, NUMBERS, USUAL = "going_back.", "going_back_numbers", "usual_loss"  # in a checkpoint


class GoingBack:
    """Keeps states of a training from before its latest losses, and says when to go back to one."""

    def __init__(self, state: Tensors) -> None:
        """state: where the training begins."""
        self._older, self._newer = state, state
        self._steps, self._times, self._lately, self._usually = 0, 0, 0.0, 0.0

    @property
    def rate(self) -> float:
        """What learning rates are to be multiplied by."""
        return SMALLER**self._times

    @property
    def usual(self) -> float:
        """The loss that was usual before."""
        return self._usually

    def after(self, loss: float, state: Callable[[], Tensors]) -> Tensors | None:
        """The state to go on from after a step with this loss; none: from where it is, which is `state()`."""
        self._steps += 1
        bad = not math.isfinite(loss)
        if not bad:
            lately = self._lately + (loss - self._lately) / min(LATELY, self._steps)
            bad = lately > TOO_MUCH * float(self._older.get(USUAL, math.inf))
        if bad and self._times < MOST_TIMES:
            self._times += 1
            self._newer = self._older
            self._lately = self._usually = float(self._older.get(USUAL, self._usually))
            return self._older
        if not bad:
            self._lately = lately
            self._usually += (loss - self._usually) / min(USUALLY, self._steps)
        if self._steps % EVERY == 0:
            self._older, self._newer = self._newer, state() | {USUAL: np.array(self._usually)}
        return None

    def state(self) -> Tensors:
        """What the next steps depend on."""
        kept = {f"{KEPT}{k}.{name}": a for k in (0, 1) for name, a in (self._older, self._newer)[k].items()}
        numbers = [float(self._steps), float(self._times), self._lately, self._usually]
        return kept | {NUMBERS: np.array(numbers)}

    def restore(self, state: Tensors) -> None:
        """Go on from what `state` gave; other entries are passed over."""
        self._older, self._newer = (
            {name.removeprefix(of): array for name, array in state.items() if name.startswith(of)}
            for of in (f"{KEPT}0.", f"{KEPT}1.")
        )
        steps, times, self._lately, self._usually = map(float, state[NUMBERS])
        self._steps, self._times = int(steps), int(times)
