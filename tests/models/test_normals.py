"""Vertex normals, held against Blender's own and against a sphere's."""

from __future__ import annotations

import numpy as np
import pytest

from neural_physics.evaluation.measures import normal_angle
from neural_physics.models.normals import normalised, normals_from_faces, regress_normals, triangulate


def sphere(turns: int = 24, lifts: int = 16):
    """Points on a unit ball with quads between and triangles at the poles: positions, corners, sizes."""
    lift = np.linspace(-np.pi / 2, np.pi / 2, lifts + 1)[1:-1]
    turn = np.linspace(0, 2 * np.pi, turns, endpoint=False)
    rings = [[np.cos(b) * np.cos(a), np.cos(b) * np.sin(a), np.sin(b)] for b in lift for a in turn]
    points = np.array([*rings, [0, 0, -1], [0, 0, 1]])
    bottom, top = len(points) - 2, len(points) - 1
    faces = []
    for i in range(turns):
        j = (i + 1) % turns
        faces += [[bottom, j, i], [top, (lifts - 2) * turns + i, (lifts - 2) * turns + j]]
        for ring in range(lifts - 2):
            a, b = ring * turns, (ring + 1) * turns
            faces.append([a + i, a + j, b + j, b + i])
    return points, np.concatenate(faces).astype(np.int32), np.array([len(f) for f in faces], np.int32)


def test_normals_of_a_ball_point_away_from_its_middle_wherever_it_is():
    points, corners, sizes = sphere()
    for centre in (np.zeros(3), np.array([100.0, -50.0, 20.0])):
        assert normal_angle(normals_from_faces(points + centre, corners, sizes), points) < 0.5


def test_many_frames_at_once_are_the_same_as_one_by_one(dataset):
    mesh, shapes = dataset.mesh, dataset.take("take_000").positions[:7]
    together = normals_from_faces(shapes, mesh.corners, mesh.face_sizes)
    for shape, normals in zip(shapes, together, strict=True):
        alone = normals_from_faces(shape, mesh.corners, mesh.face_sizes)
        assert normals == pytest.approx(alone, abs=1e-6)
        assert np.linalg.norm(alone, axis=1) == pytest.approx(1.0, abs=1e-5)


def test_a_vertex_without_faces_and_a_face_without_area_give_no_nonsense():
    points = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [5, 5, 5], [2, 2, 2]], float)
    normals = normals_from_faces(points, np.array([0, 1, 2, 4, 4, 4], np.int32), np.array([3, 3], np.int32))
    assert normals[:3] == pytest.approx(np.array([[0, 0, 1]] * 3))
    assert not normals[3:].any()


@pytest.mark.blender
def test_normals_are_blenders_own_for_a_crumpled_mesh_of_triangles_quads_and_hexagons():
    bpy = pytest.importorskip("bpy")
    points, corners, sizes = sphere()
    # One hexagon of two quads that share an edge, so that larger faces are tried as well.
    faces = [list(f) for f in np.split(corners, np.cumsum(sizes)[:-1])]
    a = next(i for i, f in enumerate(faces) if len(f) == 4)
    b = next(i for i, f in enumerate(faces) if len(f) == 4 and len(set(f) & set(faces[a])) == 2)
    first, second = faces[a], faces[b]
    k = next(i for i in range(4) if {first[i], first[(i + 1) % 4]} <= set(second))
    first = first[k + 1 :] + first[: k + 1]
    start = second.index(first[-1])
    joined = [*first, *[second[(start + i) % 4] for i in (1, 2)]]
    faces = [f for i, f in enumerate(faces) if i not in (a, b)] + [joined]
    points = points + 0.05 * np.random.default_rng(1).normal(size=points.shape)
    mesh = bpy.data.meshes.new("Crumpled")
    mesh.from_pydata(points.tolist(), [], faces)
    theirs = np.empty(3 * len(points), np.float32)
    mesh.vertex_normals.foreach_get("vector", theirs)
    corners = np.concatenate(faces).astype(np.int32)
    ours = normals_from_faces(points, corners, np.array([len(f) for f in faces], np.int32))
    assert ours == pytest.approx(theirs.reshape(-1, 3), abs=2e-4)


def test_triangles_of_a_face_cover_it_once():
    square = np.array([[0, 0, 0], [2, 0, 0], [3, 1, 0], [2, 2, 0], [0, 2, 0]], float)
    triangles = square[triangulate(np.arange(5, dtype=np.int32), np.array([5], np.int32))]
    areas = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])[:, 2] / 2
    assert areas.sum() == pytest.approx(5.0) and (areas > 0).all()


def test_regressed_normals_are_the_mean_and_the_regression_made_unit():
    rng = np.random.default_rng(2)
    mean, q, z = rng.normal(size=(9, 3)), rng.normal(size=(4, 9, 3)), rng.normal(size=4)
    expected = [mean[v] + sum(z[i] * q[i, v] for i in range(4)) for v in range(9)]
    expected = [n / np.sqrt(n @ n) for n in expected]
    assert regress_normals(z, mean, q) == pytest.approx(np.array(expected), abs=1e-6)
    assert not normalised(np.zeros((2, 3))).any()


def test_angles_between_normals_are_precise_down_to_a_thousandth_of_a_degree():
    for degrees in (0.001, 1.0, 60.0, 179.0):
        a = np.radians(degrees)
        turned = np.array([[np.cos(a), np.sin(a), 0.0]])
        assert normal_angle(np.array([[1.0, 0.0, 0.0]]), turned) == pytest.approx(degrees, rel=1e-6)
