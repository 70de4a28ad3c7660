"""NumPy or torch, whichever an array belongs to, so that an energy is written once for both."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np


def module_of(array: Any) -> Any:  # noqa: ANN401 (one of two modules with the same functions)
    """The module whose functions take this array: numpy, or torch where it is a tensor of its."""
    return sys.modules["torch"] if type(array).__module__.partition(".")[0] == "torch" else np
