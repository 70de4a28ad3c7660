"""From shapes to coefficients, of bases that are hardly any."""

from __future__ import annotations

import numpy as np
import pytest

from neural_physics.models.decoding import LinearDecoder
from neural_physics.models.model_file import LARGEST_NUMBER


@pytest.mark.parametrize("size", [0.0, 1e-44, 1e-30, 1e15])
def test_coefficients_are_numbers_however_small_or_large_the_bases_are(size):
    basis = np.full((2, 4, 3), size, np.float32)
    found = LinearDecoder(np.zeros((4, 3), np.float32), basis).project(np.ones((4, 3), np.float32))
    assert np.isfinite(found).all() and np.abs(found).max() <= LARGEST_NUMBER


def test_shapes_that_are_no_numbers_have_coefficients_that_are():
    decoder = LinearDecoder(np.zeros((4, 3), np.float32), np.ones((2, 4, 3), np.float32))
    for value in (np.nan, np.inf, 3e38):
        with np.errstate(all="ignore"):
            assert np.isfinite(decoder.project(np.full((4, 3), value, np.float32))).all()
