"""What training saw of the interaction y, for Play to say how far outside of it something is."""

from __future__ import annotations

import numpy as np

from learning.training.spans import Span
from learning.training.tensor_files import Tensors
from neural_physics.models.trained_range import HIGH, LOW


def range_tensors(training: list[Span]) -> Tensors:
    """The least and the largest of each number of y over these spans, both (e,) float32.

    For methods that y goes into as it is: one that only looks at differences knows no such range.
    """
    low = np.min([span.interaction.min(0) for span in training], axis=0)
    high = np.max([span.interaction.max(0) for span in training], axis=0)
    return {LOW: low.astype(np.float32), HIGH: high.astype(np.float32)}
