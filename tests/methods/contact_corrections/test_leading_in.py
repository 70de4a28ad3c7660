"""Where colliders are put so that they press so deep, and which of them are of one shape."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from ml_backend.methods.contact_corrections.ways_in import distance_of
from neural_physics.energies.colliders.box import Box
from neural_physics.energies.colliders.polygon import Polygon
from neural_physics.energies.colliders.same_shape import of_one_shape
from neural_physics.energies.colliders.sphere import Sphere

BOARD = Box((0.5, 0.5, 0.02))
COMB = np.array(
    [[0.0, 0.0], [1.0, 0.0], [1.0, 0.2], [0.6, 0.2], [0.6, 0.1], [0.4, 0.1], [0.4, 0.2], [0.0, 0.2]]
)

pytestmark = pytest.mark.torch  # `data` is training's


@pytest.mark.parametrize("shape", [BOARD, Box((0.2, 0.3, 0.25)), Sphere(0.2)])
def test_a_collider_is_as_deep_behind_a_place_as_was_asked_for(shape):
    """Flat on and edge on, however thin a board is."""
    rng = np.random.default_rng(3)
    ways = [*np.eye(3), *rng.normal(size=(20, 3))]
    for normal in ways:
        normal = normal / np.linalg.norm(normal)
        turn = Rotation.from_rotvec(rng.normal(size=3) * rng.integers(2)).as_matrix()
        for depth in (0.0, 0.004, 0.015):
            away = distance_of(shape, turn, normal, rng)(depth)
            assert np.cross(away, normal) == pytest.approx(np.zeros(3), abs=1e-12)
            assert away @ normal >= 0.0
            place_in_its_axes = -away @ turn
            assert shape.distance(place_in_its_axes[None])[0] == pytest.approx(-depth, abs=1e-9)


@pytest.mark.parametrize(
    ("shapes", "same"),
    [
        ([Sphere(0.1), Sphere(0.4)], True),
        ([Box((0.1, 0.2, 0.3)), Box((0.1, 0.2 * (1 + 2e-7), 0.3))], True),
        ([Box((0.1, 0.2, 0.3)), Box((0.1, 0.3, 0.2))], False),
        ([Polygon(COMB), Polygon(COMB.copy())], True),
        ([Polygon(COMB), Polygon(1.1 * COMB)], False),
        ([Polygon(COMB), Polygon(COMB[[0, 1, 2, 7]])], False),
        ([Sphere(0.1, 2), Polygon(COMB)], False),
        ([Box((0.1, 0.2))], True),
        ([], True),
    ],
)
def test_balls_and_copies_are_alike(shapes, same):
    assert of_one_shape(shapes) is same
