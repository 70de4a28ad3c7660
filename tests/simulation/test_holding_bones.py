"""The inside of a solid goes with its bones, and the flesh around follows (Jin et al. 2022, section 3.1)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from bake_requests import cuboid, jelly, request, tracks
from scipy.spatial.transform import Rotation

from ml_backend.simulation.bodies import made_of, make_body
from ml_backend.simulation.simulation import Simulation
from neural_physics.datasets.body import Body

CUBE = cuboid((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
SPEED = 2.0  # rad/s


def limb(radius: float = 0.3):
    """A cube with a bone up its middle."""
    asked = request(jelly(bone_radius=radius, tetrahedra=600), CUBE, gravity=(0.0, 0.0, 0.0))
    low, high = CUBE[0].min(0), CUBE[0].max(0)
    middle = 0.5 * (low + high)
    ends = np.array([[[middle[0], middle[1], low[2]], [middle[0], middle[1], high[2]]]])
    return replace(asked, bones=ends), middle


def turning(time: float, middle: np.ndarray) -> np.ndarray:
    matrix = np.eye(4)
    matrix[:3, :3] = Rotation.from_rotvec([0.0, 0.0, SPEED * time]).as_matrix()
    matrix[:3, 3] = middle - matrix[:3, :3] @ middle
    return matrix


def test_what_is_near_the_bone_is_held_and_nothing_else():
    asked, middle = limb()
    body = make_body(asked)
    distances = np.linalg.norm((body.rest_positions - middle)[:, :2], axis=1)
    inside = np.abs(body.rest_positions[:, 2] - middle[2]) <= 0.5 * np.ptp(CUBE[0][:, 2])
    assert np.array_equal(body.bones[inside] == 0, distances[inside] < 0.3)
    assert np.array_equal(body.pinned, body.bones >= 0) and 3 < body.pinned.sum() < 0.5 * len(body.pinned)
    assert made_of(body, asked)
    assert not made_of(body, replace(asked, bones=asked.bones + 0.2))


def test_the_inside_turns_with_the_bone_and_the_flesh_comes_after():
    asked, middle = limb()
    body, frames = make_body(asked), 12
    motion = tracks(asked, frames, bones=lambda t: turning(t, middle)[None])
    simulation = Simulation(asked, body, motion, air_density=0.0)
    for _ in range(frames - 1):
        assert simulation.advance()
    turned = turning((frames - 1) / motion.fps, middle)
    goals = body.rest_positions @ turned[:3, :3].T + turned[:3, 3]
    held = body.pinned
    assert simulation.positions[held] == pytest.approx(goals[held], abs=1e-9)
    # The flesh has come along, if later: by less than the bone, the same way about.
    spokes = (body.rest_positions - middle)[~held, :2]
    now = (simulation.positions - middle)[~held, :2]
    angles = np.arctan2(spokes[:, 0] * now[:, 1] - spokes[:, 1] * now[:, 0], (spokes * now).sum(1))
    turned_by = SPEED * (frames - 1) / motion.fps
    assert 0.3 * turned_by < np.median(angles) < 1.2 * turned_by


def test_a_body_remembers_its_bones(tmp_path):
    body = make_body(limb()[0])
    body.write(tmp_path / "body.npz")
    assert np.array_equal(Body.read(tmp_path / "body.npz").bones, body.bones)
