"""What the library in C says of a body is what NumPy says, of random bodies of all kinds."""

from __future__ import annotations

import numpy as np
import pytest
from random_bodies import made

from neural_physics.energies.colliders.box import Box
from neural_physics.energies.colliders.half_space import HalfSpace
from neural_physics.energies.colliders.polygon import Polygon
from neural_physics.energies.colliders.sphere import Sphere
from neural_physics.energies.solids import corotational, stable_neo_hookean, stvk
from neural_physics.methods.contact_corrections.compiled.step import CompiledEquations
from neural_physics.methods.contact_corrections.dynamics import Dynamics, Motion, PlainEquations
from neural_physics.native import finding
from neural_physics.native.finding import level_here, library_path, load

pytestmark = pytest.mark.skipif(library_path("v2") is None, reason="in C it is for Linux on x86-64 alone")
LIBRARIES = [path for level in sorted({"v2", level_here()}) if (path := library_path(level)) is not None]
BODIES = 30
DT = 1.0 / 48.0


def compiled(dynamics, path):
    twin = object.__new__(Dynamics)
    twin.__dict__.update(dynamics.__dict__)
    twin._equations = CompiledEquations(load(path))
    return twin


def near(found, expected):
    size = max(1.0, float(np.abs(expected).max(initial=0.0)))
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-10 * size)


def same_pose(found, expected):
    near(found.q, expected.q)
    near(found.c, expected.c)
    assert found.outside == pytest.approx(expected.outside) and found.too_deep == expected.too_deep
    assert (found.rest is None) == (expected.rest is None) and len(found.dents) == len(expected.dents)
    near(found.slopes, expected.slopes)
    by_c = np.linspace(-1.0, 1.0, len(expected.c))
    near(found.pulled(by_c), expected.pulled(by_c))


@pytest.fixture(params=LIBRARIES, ids=lambda path: path.stem[-2:])
def bodies(request):
    """Pairs of one body, by NumPy and by C."""
    random = np.random.default_rng(11)
    found = []
    for _ in range(BODIES):
        dynamics, around, q = made(random)
        found.append((dynamics, compiled(dynamics, request.param), around, q))
    return found


def steps_of(dynamics, twin, around, q):
    at = dynamics.at(q, around)
    v = np.random.default_rng(5).normal(size=at.x.shape)
    motion = Motion(at.q, at.x, v, np.zeros_like(at.q))
    return [each._equations.step(each, motion, DT, around) for each in (dynamics, twin)]


def residuals(bodies):
    return [steps_of(*body)[0].residual(body[3]) for body in bodies]


def test_bodies_of_all_kinds_are_among_them(bodies):
    """What is compared below: else it would be of one kind alone."""
    of = [dynamics for dynamics, _, _, _ in bodies]
    assert {each.handles.rest.shape[1] for each in of} == {2, 3}
    assert {each.cubature.energy for each in of} == {stable_neo_hookean, stvk, corotational}
    kinds = {type(shape) for each in of for shape in each.surface.shapes}
    assert kinds == {Sphere, Box, HalfSpace, Polygon}
    poses = [dynamics.pose(q, around) for dynamics, _, around, q in bodies]
    assert sum(bool(pose.dents) for pose in poses) > 5 and any(pose.too_deep for pose in poses)
    assert any(pose.rest is None for pose in poses) and any(pose.outside > 0.0 for pose in poses)
    assert {each.handles.loose for each in of} == {0, 1} and any(each.corrections.floats for each in of)
    assert any(each.corrections.oriented and pose.dents for each, pose in zip(of, poses, strict=True))
    assert sum(len(residual.pressed) > 1 for residual in residuals(bodies)) > 5, "and by themselves"


def test_poses_are_the_same(bodies):
    for dynamics, twin, around, q in bodies:
        same_pose(twin.pose(q, around), dynamics.pose(q, around))
        turned = dynamics.handles.placement(np.concatenate([q, around.frames]))[0].T
        same_pose(twin.pose(q, around, turned), dynamics.pose(q, around, turned))


def test_residuals_jacobians_and_hessians_are_the_same(bodies):
    for dynamics, twin, around, q in bodies:
        plain, ours = steps_of(dynamics, twin, around, q)
        expected, found = plain.residual(q), ours.residual(q)
        near(found.value, expected.value)
        near(found.x, expected.x)
        assert found.outside == pytest.approx(expected.outside) and found.too_deep == expected.too_deep
        other, beside = (
            ours.residual(q + 0.1),
            plain.residual(q + 0.1),
        )  # the library's room is of this one now
        jacobian, wanted = ours.jacobian(found), plain.jacobian(expected)
        for name in ("slopes", "changes", "masses"):
            near(getattr(jacobian, name), getattr(wanted, name))
        near(ours.hessian(found, jacobian), plain.hessian(expected, wanted))
        # A Jacobian is kept while handles move on.
        near(ours.hessian(other, jacobian), plain.hessian(beside, wanted))
        near(ours.jacobian(other).masses, plain.jacobian(beside).masses)


def test_stiffness_is_the_same_where_elements_are_inside_out(bodies):
    for dynamics, twin, around, q in bodies:
        plain, ours = steps_of(dynamics, twin, around, q)
        for size in (0.0, 0.3, 3.0):
            x = np.random.default_rng(3).normal(size=(9, q.shape[1])) * size
            for projected in (False, True):
                near(ours.stiffness(x, projected=projected), plain.stiffness(x, projected=projected))


def test_whole_steps_lead_to_the_same_place(bodies):
    for dynamics, twin, around, q in bodies:
        expected, found = dynamics.at(q, around), twin.at(q, around)
        for _ in range(3):
            expected = dynamics.step(expected, DT, around)
            found = twin.step(found, DT, around)
        assert found.settled == expected.settled
        # Rounding grows with each iteration, of which there are eighteen.
        assert found.q == pytest.approx(expected.q, abs=1e-5)
        assert found.x == pytest.approx(expected.x, abs=1e-5)


def test_a_library_of_another_version_is_not_used(tmp_path, monkeypatch):
    monkeypatch.setattr(finding, "VERSION", 99)
    with pytest.raises(OSError, match="another version"):
        load(LIBRARIES[0])
    (tmp_path / "broken.so").write_bytes(b"no library")
    with pytest.raises(OSError):
        load(tmp_path / "broken.so")


def test_numpy_is_there_without_a_library(monkeypatch):
    from neural_physics.methods.contact_corrections.compiled import step

    monkeypatch.setattr(step, "library_here", lambda: None)
    assert isinstance(step.equations_here(), PlainEquations)
