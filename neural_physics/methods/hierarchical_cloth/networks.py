"""All finer levels from level 0, each by its own network (Oh 2018, section 3.3 and Algorithm 1)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ...arrays import Floats
from ...models.model_file import Model, damaged
from ...subdivision.levels import Hierarchy
from .batched_perceptron import BatchedPerceptron, Layers, layers_of
from .triangle_forms import FORMS, OUTPUTS, TriangleForm

MOST_WORK = 1 << 31  # multiplications of a shape: a second, where what is trained takes thousandths of it


class LevelNetworks:
    """Level 0 in, the finest level out; everything in the order of the levels.

    The inference of Algorithm 1 (Oh 2018).
    """

    def __init__(
        self,
        hierarchy: Hierarchy,
        rest: NDArray[np.floating],
        forms: list[str],
        networks: list[Layers],
    ) -> None:
        """rest (V, 3), in the order of the levels. forms: names in `FORMS`. Both lists are for levels 1 to N.

        Raises ValueError where they do not fit.
        """
        initial = np.ascontiguousarray(np.asarray(rest, np.float32).T)
        finer = [level.vertex_count for level in hierarchy.levels[1:]]
        self._counts = [level.vertex_count for level in hierarchy.levels]
        self._steps: list[tuple[TriangleForm, BatchedPerceptron]] = []
        for level, count, form, layers in zip(hierarchy.levels, finer, forms, networks, strict=False):
            of_level: TriangleForm = FORMS[form](level, initial[:, :count])
            if layers.inputs != of_level.inputs or layers.outputs != OUTPUTS:
                raise ValueError(f"A network of the form “{form}” leads from {of_level.inputs} to {OUTPUTS}.")
            self._steps.append((of_level, BatchedPerceptron(layers, len(level.triangles))))
        if not len(self._steps) == len(finer) == len(forms) == len(networks):
            raise ValueError("There must be one network for each level but the coarsest.")
        self._x = np.empty((3, self._counts[-1]), np.float32)

    @classmethod
    def of_model(cls, model: Model, hierarchy: Hierarchy, rest: NDArray[np.floating]) -> LevelNetworks:
        """The networks in `levels.L.K.weight` and `.bias`, L from 1, of the form in the setting "form".

        Raises Problem("model_damaged").
        """
        form = str(model.info.settings.get("form", "paper"))
        if form not in FORMS:
            raise damaged(model.path, f"the form “{form}” is unknown")
        count = len(hierarchy.levels) - 1
        networks = [layers_of(model, f"levels.{k + 1}", FORMS[form].inputs, OUTPUTS) for k in range(count)]
        sizes = [sum(weight.size for weight, _ in network.layers) for network in networks]
        triangles = [len(level.triangles) for level in hierarchy.levels]
        if sum(size * times for size, times in zip(sizes, triangles, strict=False)) > MOST_WORK:
            raise damaged(model.path, "its networks are too large for so many triangles")
        return cls(hierarchy, rest, [form] * count, networks)

    def __call__(self, coarse: NDArray[np.floating]) -> Floats:
        """x (3, V) float32 of level 0's (n, 3), metres (Oh 2018, Algorithm 1); reused by the next call."""
        x = self._x
        x[:, : self._counts[0]] = coarse.T
        for (form, network), count, finer in zip(self._steps, self._counts, self._counts[1:], strict=False):
            x[:, count:finer] = form.middles(network(form.features(x[:, :count])))
        return x
