"""Motion as few shapes that are blended."""

from __future__ import annotations

import numpy as np
import pytest

from neural_physics.models.shape_keys import MOST_FRAMES, fewest_shapes


def off(blend, shapes):
    found = blend.rest + np.einsum("tk,kvi->tvi", blend.values, blend.offsets)
    return np.linalg.norm(found - shapes, axis=2).max()


@pytest.fixture
def motion(rng):
    """Five shapes, each with less in it, and a little noise."""
    size = 0.3 ** np.arange(5)
    shapes = rng.normal(size=(5, 40, 3)) * size[:, None, None]
    turns = rng.normal(size=(60, 5))
    return (np.einsum("tk,kvi->tvi", turns, shapes) + 1e-6 * rng.normal(size=(60, 40, 3)) + 7.0).astype(
        np.float32
    )


def test_as_many_shapes_as_there_are_say_all_of_a_motion(motion):
    blend = fewest_shapes(motion, 1e-4, 100)
    assert len(blend.offsets) == 5
    assert blend.error < 1e-4 and off(blend, motion) == pytest.approx(blend.error, abs=3e-6)
    assert (blend.values.min(axis=0) == 0.0).all() and (blend.values.max(axis=0) == 1.0).all()


@pytest.mark.parametrize("error", [1.0, 0.1, 0.01, 1e-3])
def test_the_error_that_is_asked_for_is_kept_and_with_one_shape_less_is_not(motion, error):
    blend = fewest_shapes(motion, error, 100)
    assert off(blend, motion) <= error + 3e-6
    fewer = fewest_shapes(motion, 0.0, len(blend.offsets) - 1)
    assert len(fewer.offsets) == len(blend.offsets) - 1 and off(fewer, motion) > error


def test_what_stands_still_needs_no_shape():
    blend = fewest_shapes(np.ones((9, 4, 3), np.float32), 0.0, 100)
    assert blend.offsets.shape == (0, 4, 3) and blend.values.shape == (9, 0) and blend.error == 0.0


def test_no_more_shapes_than_are_allowed(motion):
    blend = fewest_shapes(motion, 0.0, 3)
    assert len(blend.offsets) == 3 and blend.error > 0.0
    with pytest.raises(ValueError, match="more than"):
        fewest_shapes(np.zeros((MOST_FRAMES + 1, 1, 3), np.float32), 0.1, 3)
