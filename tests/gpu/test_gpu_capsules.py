"""Capsules on the graphics card do to vertices what they do on the processor."""

from __future__ import annotations

import numpy as np
import pytest
from gpu_models import RandomModel, capsules_at, coefficients
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from neural_physics.blender.gpu.decoder import GpuDecoder
from neural_physics.capsules.projection import Bodies, Capsules, push_out

pytestmark = [pytest.mark.blender, pytest.mark.usefixtures("graphics")]

numbers = st.floats(-2.0, 2.0, width=32, allow_subnormal=False)
rows_of_capsules = arrays(np.float32, st.tuples(st.integers(1, 6), st.just(8)), elements=numbers).map(
    lambda rows: np.concatenate([rows[:, :6], np.abs(rows[:, 6:]) / 2], 1)
)


def shapes_as_they_are(points):
    """A decoder that gives back points (n, 3) bit for bit."""
    return GpuDecoder("Points", points, np.zeros((1, len(points), 3), np.float32))


def union(capsules, points):
    return np.min([capsules.distance(k, points)[0] for k in range(len(capsules))], axis=0)


@pytest.mark.parametrize(("vertices", "instances", "count"), [(2601, 1, 12), (162, 256, 3), (1, 9, 1)])
def test_vertices_are_pushed_as_on_the_processor(vertices, instances, count):
    model, z = RandomModel.of_size(vertices, 64), coefficients(instances, 64)
    bodies = [Bodies(capsules_at(seed, count), 0.05) for seed in range(instances)]
    made = GpuDecoder("Sheet", model.mean, model.basis, model.normals).decode(z, bodies)
    positions, left = made.read_pushed()
    moved = 0
    for i, shape in enumerate(model.positions(z)):
        capsules, limit = bodies[i]
        expected = push_out(shape, capsules, limit)
        # At the limit itself, rounding decides whether a vertex is left alone.
        sure = np.abs(union(capsules, shape) + limit) > 1e-5
        off = np.linalg.norm(positions[i] - expected.positions, axis=1)
        assert off[sure].max(initial=0.0) < 1e-5 * model.size
        assert abs(left[0, i] - expected.deep.sum()) <= (~sure).sum()
        assert left[1, i] == expected.wedged.sum()
        moved += (expected.positions != shape).any(axis=1).sum()
    assert moved > 5 or vertices == 1


def test_instances_with_and_without_capsules_go_together():
    model, z = RandomModel.of_size(400, 16), coefficients(5, 16)
    bodies = [None, Bodies(capsules_at(1, 2), 1.0), None, Bodies(capsules_at(2, 7), 1.0), None]
    made = GpuDecoder("Sheet", model.mean, model.basis).decode(z, bodies).read_positions()
    for i, (shape, body) in enumerate(zip(model.positions(z), bodies, strict=True)):
        expected = push_out(shape, *body).positions if body else shape
        assert made[i] == pytest.approx(expected, abs=1e-5)


def test_capsules_leave_the_normals_alone():
    model, z = RandomModel.of_size(400, 16), coefficients(1, 16)
    decoder = GpuDecoder("Sheet", model.mean, model.basis, model.normals)
    before = decoder.decode(z).read_normals().copy()
    after = decoder.decode(z, [Bodies(capsules_at(1, 5), 1.0)])
    assert np.array_equal(after.read_normals(), before)


def test_a_body_is_wanted_for_each_instance_or_for_none():
    model = RandomModel.of_size(10, 4)
    with pytest.raises(ValueError, match="1 bodies for 2"):
        GpuDecoder("Sheet", model.mean, model.basis).decode(coefficients(2, 4), [None])


@settings(deadline=None, max_examples=60)
@given(rows_of_capsules, st.integers(0, 2**31), st.floats(0.015625, 3.0, width=32))
def test_nothing_within_the_limit_stays_inside_and_nothing_outside_moves(rows, seed, limit):
    capsules = Capsules(rows[:, :3], rows[:, 3:6], rows[:, 6], rows[:, 7])
    points = np.random.default_rng(seed).uniform(-3, 3, (200, 3)).astype(np.float32)
    before = union(capsules, points)
    made = shapes_as_they_are(points).decode(np.zeros((1, 1), np.float32), [Bodies(capsules, limit)])
    (positions,), ((deep,), (wedged,)) = made.read_pushed()
    inside = union(capsules, positions) < -2 * capsules.tolerance
    assert inside.sum() <= deep + wedged
    clear = capsules.tolerance
    untouched = (before > clear) | (before < -limit - clear)
    assert positions[untouched].tobytes() == points[untouched].tobytes()
    assert ((before < -limit - clear).sum()) <= deep <= (before < -limit + clear).sum()
    if len(capsules) == 1:
        assert wedged == 0
