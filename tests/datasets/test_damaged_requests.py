"""What the solver is asked for, and how things moved: read as written, refused where it cannot be."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from bake_requests import cuboid, hair, jelly, request, round_ball, tracks

from neural_physics.datasets.simulation_request import (
    ColliderMesh,
    SimulationRequest,
    Tracks,
    check_tracks,
)
from neural_physics.errors import Problem

BALL = round_ball(0.1)
ASKED = request(jelly(), cuboid((0, 0, 0), (1, 1, 1)), pins=(0, 1), colliders=[BALL])
MOVED = tracks(ASKED, 4)


def test_strands_without_faces_are_read_as_written(tmp_path):
    strand = np.array([[0.0, 0, 0], [0, 0, -1], [0, 0, -2]]), np.empty(0), np.empty(0)
    asked = request(hair(), strand, pins=(0,), edges=[(0, 1), (1, 2)])
    asked.write(tmp_path / "request.npz")
    found = SimulationRequest.read(tmp_path / "request.npz")
    assert np.array_equal(found.edges, asked.edges) and not len(found.face_sizes)
    tracks(asked, 3).write(tmp_path / "tracks.npz")
    check_tracks(found, Tracks.read(tmp_path / "tracks.npz"))


@pytest.mark.parametrize(
    "change",
    [
        {"rest_positions": np.full((8, 3), np.nan)},
        {"rest_positions": np.full((8, 3), 1e30)},
        {"rest_positions": ASKED.rest_positions[:, :2]},
        {"corners": np.full(24, 8, np.int32)},
        {"face_sizes": np.full(6, 5, np.int32)},
        {"edges": np.array([[0, -1]], np.int32)},
        {"pins": ASKED.pins[:3]},
        {"gravity": np.array([0.0, np.inf, 0.0])},
        {"softness": np.ones(3)},
        {"bones": np.zeros((2, 3))},
        {"colliders": (ColliderMesh("Ball", BALL.vertices, BALL.triangles + 200),)},
        {"colliders": (replace(BALL, width=-1.0),)},
        {"settings": replace(ASKED.settings, steps=10**9)},
        {"settings": replace(ASKED.settings, steps=1.5)},
        {"settings": replace(ASKED.settings, steps=0)},
        {"settings": replace(ASKED.settings, tetrahedra=10**12)},
    ],
)
def test_a_request_that_fits_nothing_is_refused(tmp_path, change):
    replace(ASKED, **change).write(tmp_path / "request.npz")
    with pytest.raises(Problem, match=r"request\.npz"):
        SimulationRequest.read(tmp_path / "request.npz")


@pytest.mark.parametrize(
    "change",
    [
        {"fps": 0.0},
        {"fps": float("nan")},
        {"wind": np.zeros((3, 3))},
        {"pins": np.full((4, 2, 3), np.nan)},
        {"colliders": np.zeros((4, 1, 3, 3))},
        {"world_from_rest": np.eye(3)},
        {"frame_from_world": np.zeros((4, 4, 4))},
        {"object_from_frame": np.zeros((4, 4))},
    ],
)
def test_tracks_that_fit_nothing_are_refused(tmp_path, change):
    replace(MOVED, **change).write(tmp_path / "tracks.npz")
    with pytest.raises(Problem, match=r"tracks\.npz"):
        Tracks.read(tmp_path / "tracks.npz")


def test_tracks_of_another_request_are_told():
    check_tracks(ASKED, MOVED)
    with pytest.raises(ValueError, match="not those of the request"):
        check_tracks(replace(ASKED, colliders=()), MOVED)
