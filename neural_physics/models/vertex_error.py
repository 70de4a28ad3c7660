"""How far off each vertex of a model typically is on motion that its training had not seen."""

from __future__ import annotations

import numpy as np

from ..arrays import Floats
from .model_file import Model

VERTEX_ERROR = "vertex_error"  # the tensor's name
LARGEST = 1e6  # metres


def vertex_error(model: Model) -> Floats | None:
    """The root mean square distance of each vertex from the validation takes, (V,) float32, metres.

    None where a model does not say, or says what cannot be: it plays all the same.
    """
    error = model.tensors.get(VERTEX_ERROR)
    if error is None or error.shape != (model.info.vertex_count,):
        return None
    # Written so that what is not a number fails, too.
    if not ((error >= 0) & (error <= LARGEST)).all():
        return None
    return np.ascontiguousarray(error, np.float32)
