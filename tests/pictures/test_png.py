"""PNG files against another reader, pypng."""

from __future__ import annotations

import numpy as np
import pytest

from neural_physics.pictures.png import png

SIZES = [(1, 1), (7, 5), (257, 40), (600, 130)]


@pytest.mark.parametrize("height, width", SIZES)
@pytest.mark.parametrize("bits, channels", [(8, 4), (16, 3)])
def test_another_reader_finds_the_same_pixels_and_no_colour_space(rng, height, width, bits, channels):
    library = pytest.importorskip("png")
    pixels = rng.integers(0, 2**bits, (height, width, channels), dtype=f"u{bits // 8}")
    found = library.Reader(bytes=png(pixels))
    *size, rows, info = found.read()
    assert size == [width, height] and (found.bitdepth, found.planes) == (bits, channels)
    assert np.array_equal(np.array(list(rows)).reshape(pixels.shape), pixels)
    assert "gamma" not in info
