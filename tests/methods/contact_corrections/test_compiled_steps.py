"""What the library in C says of a body is what NumPy says, of random bodies of all kinds."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from neural_physics.energies.colliders.box import Box
from neural_physics.energies.colliders.half_space import HalfSpace
from neural_physics.energies.colliders.polygon import Polygon
from neural_physics.energies.colliders.sphere import Sphere
from neural_physics.energies.solids import corotational, stable_neo_hookean, stvk
from neural_physics.energies.solids.deformation import rest_shapes
from neural_physics.methods.contact_corrections.compiled.step import CompiledEquations
from neural_physics.methods.contact_corrections.contact import Contact, Placed
from neural_physics.methods.contact_corrections.corrections import Correction, Corrections, Surface
from neural_physics.methods.contact_corrections.cubature import Cubature
from neural_physics.methods.contact_corrections.dynamics import Dynamics, Motion, PlainEquations
from neural_physics.methods.contact_corrections.handles import Handles, nearest_rotation
from neural_physics.methods.contact_corrections.locator import feature_count
from neural_physics.methods.contact_corrections.networks import TanhNetwork
from neural_physics.methods.contact_corrections.surroundings import Surroundings
from neural_physics.native import finding
from neural_physics.native.finding import level_here, library_path, load

pytestmark = pytest.mark.skipif(library_path("v2") is None, reason="in C it is for Linux on x86-64 alone")
LIBRARIES = [path for level in sorted({"v2", level_here()}) if (path := library_path(level)) is not None]
BODIES = 30
DT = 1.0 / 48.0


def network(random, inputs, outputs, layers):
    sizes = [inputs, *random.integers(2, 9, layers - 1), outputs]
    weights = [random.normal(size=(b, a)) / np.sqrt(a) for a, b in pairwise(sizes)]
    scale = np.where(random.random(inputs) < 0.8, 1.5, 0.0)
    bounds = np.sort(random.normal(size=(2, inputs)), axis=0)
    biases = [0.1 * random.normal(size=len(weight)) for weight in weights]
    return TanhNetwork(
        0.1 * random.normal(size=inputs), scale, *bounds, layers=[*zip(weights, biases, strict=True)]
    )


def outline(random):
    """A star, as a polygon that is not convex; now and then a container."""
    count = int(random.integers(3, 9))
    at = 2.0 * np.pi * np.arange(count) / count
    corners = random.uniform(0.3, 1.0, (count, 1)) * np.stack([np.cos(at), np.sin(at)], 1)
    return Polygon(corners[::-1] if random.random() < 0.2 else corners)


def shapes_of(random, d):
    """Those that move, all alike, and those that stand."""
    kinds = [
        Sphere(0.5, d),
        Box(tuple(random.uniform(0.2, 0.7, d))),
        outline(random) if d == 2 else Sphere(0.8, 3),
    ]
    moving = [kinds[random.integers(3)]] * int(random.integers(0, 4))
    standing = [outline(random) if d == 2 else HalfSpace(3), HalfSpace(d), kinds[0], kinds[1]]
    return moving, standing[: random.integers(0, 5)]


def made(random):
    """A body with all that may belong to one: its dynamics by NumPy, and what acts on it."""
    d, energy = int(random.integers(2, 4)), (stable_neo_hookean, stvk, corotational)[random.integers(3)]
    points, loose, pinned = int(random.integers(0, 4)), int(random.integers(0, 2)), int(random.integers(0, 2))
    if not pinned or not (points or loose):
        points = max(points, 3)  # of fewer it is up to rounding how they are turned
    free = points + loose * (d + 1)
    rows, count = free + pinned * (d + 1), 14
    rest = random.normal(size=(count, d))
    weights = random.dirichlet(np.ones(rows), count)
    handles = Handles(
        weights, 0.3 * random.normal(size=(count, d, rows)), random.normal(size=(rows, d)), free, loose=loose
    )
    moving, standing = shapes_of(random, d)
    shapes, oriented = [*moving, *standing], bool(random.integers(2))
    inputs = 1 + (feature_count(moving[0], oriented=oriented) if moving else d)
    layers = int(random.integers(1, 4))
    internal = external = None
    if random.random() < 0.8:
        found = network(random, rows * d, 3, layers)
        internal = Correction(found, 0.05 * random.normal(size=(3, count, d)))
    if moving and random.random() < 0.8:
        external = Correction(network(random, inputs, 4, layers), 0.05 * random.normal(size=(4, count, d)))
    surface, chosen = random.permutation(count)[:6], random.permutation(count)[:9]
    contact = Contact(
        random.integers(0, 6, (11, d + 1)), random.dirichlet(np.ones(d + 1), 11), 300.0, 0.3, shapes=shapes
    )
    corrections = Corrections(
        handles,
        internal,
        external,
        Surface(contact, surface),
        reference_depth=0.2,
        oriented=oriented,
        deepest=0.25 if random.random() < 0.5 else np.inf,
    )
    elements = np.array([random.permutation(9)[: d + 1] for _ in range(7)])
    corners = rest[chosen][elements]
    flipped = np.linalg.det(corners[:, 1:] - corners[:, :1]) < 0.0
    elements[flipped, :2] = elements[flipped, 1::-1]
    inverse, volumes = rest_shapes(rest[chosen][elements])
    moduli = random.uniform(50.0, 200.0, (7, 2))
    cubature = Cubature(elements, inverse, volumes, moduli, random.uniform(0.5, 1.5, 9), energy)
    dynamics = Dynamics(
        handles,
        corrections,
        cubature,
        chosen,
        surface=Surface(contact, surface),
        gravity=random.normal(size=d),
        damping=0.02 if random.random() < 0.7 else 0.0,
        tolerance=1e-6,
        most_iterations=6,
    )
    turns = [nearest_rotation(random.normal(size=(d, d))) for _ in shapes]
    scales = random.uniform(0.7, 1.3, len(shapes)) if random.random() < 0.5 else None
    placed = Placed(0.8 * random.normal(size=(len(shapes), d)), np.array(turns).reshape(-1, d, d), scales)
    frames = handles.rest[free:] + 0.1 * random.normal(size=(rows - free, d))
    held = np.array([0] if random.random() < 0.3 else [], np.intp)
    around = Surroundings(
        frames, placed, random.uniform(0.3, 0.6, len(moving)), held, random.normal(size=(len(held), d))
    )
    q = handles.rest[:free] + 0.2 * random.normal(size=(free, d))
    return dynamics, around, q


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
    motion = Motion(at.q, at.x, np.random.default_rng(5).normal(size=at.x.shape))
    return [each._equations.step(each, motion, DT, around) for each in (dynamics, twin)]


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
