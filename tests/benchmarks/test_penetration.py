"""What is inside a closed mesh, and how deep, computed from its faces."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("bpy")
pytest.importorskip("scipy")
pytestmark = pytest.mark.blender

import bmesh

from benchmarks.subspace_physics.inside_body import Surface

BOX = np.array([(x, y, z) for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)])
SIDES = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]


def ball(radius):
    shape = bmesh.new()
    bmesh.ops.create_icosphere(shape, subdivisions=4, radius=radius)
    positions = np.array([vertex.co for vertex in shape.verts])
    faces = [[vertex.index for vertex in face.verts] for face in shape.faces]
    shape.free()
    return Surface(positions, faces)


def test_depths_in_a_ball_are_what_is_left_of_its_radius():
    points = np.random.default_rng(0).uniform(-1.3, 1.3, (4000, 3))
    expected = np.maximum(1.0 - np.linalg.norm(points, axis=1), 0.0)
    assert ball(1.0).depths(points) == pytest.approx(expected, abs=5e-3)


def test_depths_are_right_where_rays_pass_through_edges_and_corners():
    grid = np.linspace(-0.5, 1.5, 9)
    points = np.stack(np.meshgrid(grid, grid, grid), -1).reshape(-1, 3)
    points = points[(np.abs(points % 1.0) > 1e-9).all(1)]  # none on a side's plane
    gaps = np.minimum(points, 1.0 - points).min(1)
    assert Surface(BOX, SIDES).depths(points) == pytest.approx(np.maximum(gaps, 0.0), abs=1e-6)


def test_what_is_inside_both_of_two_bodies_that_overlap_is_inside():
    shifted = BOX + np.array((0.5, 0.1, 0.1))
    sides = [*SIDES, *([corner + 8 for corner in side] for side in SIDES)]
    both = Surface(np.concatenate([BOX, shifted]), sides)
    inside = np.array([(0.75, 0.5, 0.5), (0.25, 0.5, 0.5), (1.25, 0.5, 0.5)])
    outside = np.array([(1.25, 0.05, 0.5), (0.25, 1.05, 0.5), (-0.1, 0.5, 0.5)])
    assert (both.depths(inside) > 0.2).all() and (both.depths(outside) == 0.0).all()
