"""What training saw of the interaction y, for Play to say how far outside of it something is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from learning.training.mirror import Mirror
from learning.training.spans import Span
from learning.training.tensor_files import Tensors
from neural_physics.models.trained_range import HIGH, LOW


def range_tensors(training: list[Span], mirrors: Sequence[Mirror] = ()) -> Tensors:
    """The least and the largest of each number of y over these spans and their mirror images, (e,) float32.

    For methods that y goes into as it is: one that only looks at differences knows no such range.
    """
    low = np.min([span.interaction.min(0) for span in training], axis=0)
    high = np.max([span.interaction.max(0) for span in training], axis=0)
    corners = np.stack([low, high])
    every = np.concatenate([corners, *(mirror.interaction(corners) for mirror in mirrors)])
    return {LOW: every.min(0).astype(np.float32), HIGH: every.max(0).astype(np.float32)}
