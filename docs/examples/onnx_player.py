"""Plays what `export-onnx` has written, with NumPy and ONNX Runtime and nothing of Neural Physics.

    player = OnnxPlayer(Path("exported"))
    player.start(player.y(Ball=[0.0, 0.0, 1.0]))
    positions = player.step(player.y(Ball=[0.1, 0.0, 1.0]))    # (V, 3), metres

One step is `player.dt` seconds. See docs/engines/onnx.md.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnxruntime
from numpy.typing import ArrayLike, NDArray

Tensors = dict[str, NDArray[np.float32]]


class OnnxPlayer:
    """Start, then step after step; channels: what y is made of. fast: by the second opinion of a model."""

    def __init__(self, folder: Path, *, fast: bool = False) -> None:
        names = ("start", "fast_step" if fast else "step", "decoder")
        self._start, self._step, self._decoder = (
            onnxruntime.InferenceSession(folder / f"{name}.onnx", providers=["CPUExecutionProvider"])
            for name in names
        )
        told = [each.get_modelmeta().custom_metadata_map for each in (self._start, self._step, self._decoder)]
        if len({each["model"] for each in told}) > 1:
            raise ValueError(f"the files in {folder} are of different models")
        self.dt, self.channels = float(told[1]["dt"]), json.loads(told[1]["channels"])
        self._follows, self._state = json.loads(told[1]["state"]), Tensors()

    def y(self, **values: ArrayLike) -> NDArray[np.float32]:
        """What the object reacts to, by the names of the channels; `y(**{"Rig/hip": ...})` for others."""
        parts = [np.ravel(np.asarray(values[each["name"]], np.float32)) for each in self.channels]
        if [len(part) for part in parts] != [each["size"] for each in self.channels]:
            raise ValueError(f"the channels have {[each['size'] for each in self.channels]} numbers")
        return np.concatenate(parts)[None]

    def start(self, y: NDArray[np.float32]) -> NDArray[np.float32]:
        """The shape before the first step, (V, 3) m."""
        self._state = _run(self._start, {"y": y})
        return self._positions(y)

    def step(self, y: NDArray[np.float32]) -> NDArray[np.float32]:
        """The shape a step later, with y at that time: (V, 3) m."""
        said = self._state | _run(self._step, self._state | {"y": y})
        # Each part of the state follows from what the step gave, or from another part of the last state.
        self._state = {name: said[source] for name, source in self._follows.items()}
        return self._positions(y)

    def _positions(self, y: NDArray[np.float32]) -> NDArray[np.float32]:
        return _run(self._decoder, self._state | {"y": y})["positions"][0]


def _run(session: onnxruntime.InferenceSession, given: Tensors) -> Tensors:
    names = [each.name for each in session.get_outputs()]
    feed = {each.name: given[each.name] for each in session.get_inputs()}
    return dict(zip(names, session.run(names, feed), strict=True))
