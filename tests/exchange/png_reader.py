"""PNG files of 16 bits, read by a library."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest


def read_png(path: Path) -> np.ndarray:
    """(H, W, 3) uint16, the top row first."""
    library = pytest.importorskip("png")
    width, height, rows, info = library.Reader(filename=str(path)).read()
    assert (
        info["bitdepth"] == 16
        and info["planes"] == 3
        and not info["interlace"]
        and not {"gamma", "transparent"} & set(info)
    )
    return np.array(list(rows), np.uint16).reshape(height, width, 3)
