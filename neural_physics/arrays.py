"""Names for NumPy arrays in annotations; docstrings give their shapes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]  # what is stored and played
Doubles = NDArray[np.float64]  # what is simulated and fitted
Indices = NDArray[np.intp]
StoredIndices = NDArray[np.int32]  # as datasets hold them
Mask = NDArray[np.bool_]
