"""The module whose functions take an array or a tensor, so that an energy is written once for both."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np


def module_of(array: Any) -> Any:  # noqa: ANN401 (one of several modules with the same functions)
    """NumPy for its arrays and for numbers; for a tensor the library that it is of."""
    if isinstance(array, np.ndarray | np.generic | float | int):
        return np
    return sys.modules[type(array).__module__.partition(".")[0]]
