"""Discrete elastic rods, held against closed forms, finite differences and torch's derivatives."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest
from made_rods import elliptic_stiffness, strands_of
from scipy.spatial.transform import Rotation

from neural_physics.energies.rods.frames import (
    ReferenceFrames,
    adapted_frames,
    joints_at,
    parallel_transport,
    transported_frames,
)
from neural_physics.energies.rods.rods import (
    bend_twist_energy,
    bend_twist_gradient,
    bend_twist_hessian,
    rod_strains,
)
from neural_physics.energies.rods.stretching import stretching_energy, stretching_gradient, stretching_hessian

STIFFNESS = np.array([2.0, 0.7, 1.3])
POSITIONS = [0, 1, 2, 4, 5, 6, 8, 9, 10]
THETAS = [3, 7]


def random_joints(count: int = 12, seed: int = 0, moved: float = 0.6):
    """States far from rest, and from the state of the kept frames by `moved`: all arguments."""
    rng = np.random.default_rng(seed)
    straight = np.array([[-1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1.2, 0.0, 0.0]])
    kept = straight + 0.5 * rng.normal(size=(count, 3, 3))
    strands = strands_of([3] * count, [False] * count)
    frames, _ = adapted_frames(kept.reshape(-1, 3), strands, rng.normal(size=(count, 3)))
    # Frames that have been through something: any reference twist, also beyond half a turn.
    turned = rng.uniform(-9.0, 9.0, count)
    d1 = frames.d1.copy()
    d1[:, 1] = [
        Rotation.from_rotvec(a * t).apply(d)
        for a, t, d in zip(turned, frames.tangents[:, 1], d1[:, 1], strict=True)
    ]
    frames = ReferenceFrames(frames.tangents, d1, turned)
    positions = kept + moved * rng.uniform(-1.0, 1.0, size=kept.shape)
    thetas = rng.normal(size=(count, 2)) * 3.0
    return positions, thetas, frames, rng.normal(size=(count, 5)), rng.uniform(0.5, 2.0, count), STIFFNESS


def moved_dofs(positions, thetas, step):
    """The state after a step (11,) in each joint's degrees of freedom."""
    return positions + step[POSITIONS].reshape(3, 3), thetas + step[THETAS]


def differences(function, positions, thetas, h):
    """Central differences of a function of positions and thetas by all 11, along a last axis."""
    slopes = []
    for step in h * np.eye(11):
        up, down = moved_dofs(positions, thetas, step), moved_dofs(positions, thetas, -step)
        slopes.append((function(*up) - function(*down)) / (2 * h))
    return np.stack(slopes, axis=-1)


def close(value, expected, tolerance):
    assert np.abs(value - expected).max() < tolerance * np.abs(expected).max()


@pytest.mark.parametrize("moved", [0.0, 0.6])
def test_forces_and_torques_are_the_energys_slope_wherever_the_frames_were_kept(moved):
    positions, thetas, *rest = random_joints(moved=moved)
    gradient = bend_twist_gradient(positions, thetas, *rest)
    close(gradient, differences(lambda x, a: bend_twist_energy(x, a, *rest), positions, thetas, 1e-6), 1e-7)


@pytest.mark.parametrize("moved", [0.0, 0.6])
@pytest.mark.parametrize("stiffness", [[1, 0, 0], [0, 1, 0], [0, 0, 1], STIFFNESS], ids=str)
def test_the_hessian_is_the_forces_slope_for_each_strain_and_for_all(moved, stiffness):
    positions, thetas, *rest, _ = random_joints(moved=moved, seed=1)
    rest.append(np.array(stiffness, float))
    hessian = bend_twist_hessian(positions, thetas, *rest)
    expected = differences(lambda x, a: bend_twist_gradient(x, a, *rest), positions, thetas, 1e-6)
    close(hessian, expected, 1e-7)
    assert hessian == pytest.approx(hessian.swapaxes(1, 2), rel=1e-12, abs=1e-9)


def test_stretching_forces_and_hessian_are_slopes_too():
    rng = np.random.default_rng(2)
    ends, lengths, stiffness = rng.normal(size=(9, 2, 3)), rng.uniform(0.5, 3.0, 9), rng.uniform(1.0, 5.0, 9)
    steps = 1e-6 * np.eye(6).reshape(6, 2, 3)
    for function, slope in (
        (stretching_energy, stretching_gradient),
        (stretching_gradient, stretching_hessian),
    ):
        expected = [
            (function(ends + s, lengths, stiffness) - function(ends - s, lengths, stiffness)) / 2e-6
            for s in steps
        ]
        close(slope(ends, lengths, stiffness), np.stack(expected, -1), 1e-8)


def test_projected_hessians_have_no_negative_eigenvalue_and_keep_what_was_positive():
    positions, thetas, *rest = random_joints(count=200, seed=3)
    exact, projected = (bend_twist_hessian(positions, thetas, *rest, projected=p) for p in (False, True))
    largest = np.abs(exact).max((1, 2))
    assert (np.linalg.eigvalsh(exact)[:, 0] < -1e-3 * largest).mean() > 0.5
    assert (np.linalg.eigvalsh(projected)[:, 0] > -1e-12 * largest).all()
    assert (np.linalg.eigvalsh(projected - exact)[:, 0] > -1e-12 * largest).all()

    rng = np.random.default_rng(4)
    ends, lengths = rng.normal(size=(50, 2, 3)), np.full(50, 2.0)
    exact, projected = (stretching_hessian(ends, lengths, 3.0, projected=p) for p in (False, True))
    values, vectors = np.linalg.eigh(exact)
    assert (values[:, 0] < -0.1).any()
    expected = (vectors * np.maximum(values, 0.0)[:, None]) @ vectors.swapaxes(1, 2)
    assert projected == pytest.approx(expected, abs=1e-12)


def test_where_nothing_is_strained_projecting_changes_nothing():
    positions, thetas, frames, _, voronoi, stiffness = random_joints(seed=5)
    rest = rod_strains(positions, thetas, frames)
    exact, projected = (
        bend_twist_hessian(
            positions, thetas, frames, rest, voronoi_lengths=voronoi, stiffness=stiffness, projected=p
        )
        for p in (False, True)
    )
    close(projected, exact, 1e-12)


def test_an_edge_of_no_length_is_pushed_nowhere_and_is_stiff_all_round():
    ends = np.ones((1, 2, 3))
    assert not stretching_gradient(ends, np.array([2.0]), 6.0).any()
    block = stretching_hessian(ends, np.array([2.0]), 6.0, projected=True)[0, :3, :3]
    assert block == pytest.approx(3.0 * np.eye(3))


def test_a_rigid_motion_that_takes_the_frames_with_it_changes_no_energy():
    positions, thetas, frames, *rest = random_joints(seed=6)
    turn = Rotation.from_rotvec([0.7, -2.0, 1.1]).as_matrix()
    turned = replace(frames, tangents=frames.tangents @ turn.T, d1=frames.d1 @ turn.T)
    before = bend_twist_energy(positions, thetas, frames, *rest)
    assert bend_twist_energy(positions @ turn.T + 5.0, thetas, turned, *rest) == pytest.approx(before)


def test_a_rod_turned_through_many_accepted_steps_ends_as_unstrained_as_it_began():
    rng = np.random.default_rng(7)
    strands = strands_of([9], [False])
    x = np.cumsum(rng.normal([3.0, 0.0, 0.0], size=(9, 3)), axis=0)
    thetas = rng.normal(size=8)
    frames, _ = adapted_frames(x, strands)
    rest = rod_strains(x[strands.corners], thetas[strands.joints], frames)
    for k in range(1, 201):
        turned = Rotation.from_rotvec(k / 200 * np.array([0.0, 0.0, 4 * np.pi])).apply(x)
        frames = transported_frames(frames, turned[strands.corners])
    # Round a fixed axis the tangents go round cones, and each frame lags behind by its cone's solid angle.
    lag = 2 * 2 * np.pi * (1.0 - frames.tangents[:, :, 2])
    followed = rod_strains(turned[strands.corners], thetas[strands.joints] - lag, frames)
    assert followed == pytest.approx(rest, abs=2e-3)


def test_reference_twist_counts_on_beyond_half_a_turn_as_an_edge_goes_round_a_cone():
    strands, x = strands_of([3], [False]), np.zeros((1, 3, 3))
    x[0, 0, 2] = -1.0
    angle, loops, steps = np.radians(60.0), 3, 400

    def at(k):
        turn = 2 * np.pi * k / steps
        x[0, 2] = [np.sin(angle) * np.cos(turn), np.sin(angle) * np.sin(turn), np.cos(angle)]
        return x.copy()

    frames, _ = adapted_frames(at(0)[0], strands)
    for k in range(1, loops * steps + 1):
        frames = transported_frames(frames, at(k))
    solid_angle = 2 * np.pi * (1.0 - np.cos(angle))
    assert abs(frames.twists[0]) == pytest.approx(loops * solid_angle, rel=1e-4)
    assert abs(frames.twists[0]) > 2 * np.pi


def test_accepting_a_state_changes_neither_its_strains_nor_what_a_frame_has_to_be():
    positions, thetas, frames, *_ = random_joints(seed=8)
    moved = transported_frames(frames, positions)
    before, after = (rod_strains(positions, thetas, f) for f in (frames, moved))
    assert after == pytest.approx(before, abs=1e-12)
    assert np.linalg.norm(moved.d1, axis=-1) == pytest.approx(1.0, abs=1e-14)
    assert np.abs((moved.d1 * moved.tangents).sum(-1)).max() < 1e-14


def test_whole_turns_of_all_thetas_change_nothing():
    positions, thetas, *rest = random_joints(seed=9)
    before = bend_twist_energy(positions, thetas, *rest)
    assert bend_twist_energy(positions, thetas + 2 * np.pi, *rest) == pytest.approx(before, rel=1e-12)


def test_turning_all_thetas_at_once_costs_nothing_on_a_round_straight_rod_and_something_on_a_flat_one():
    positions, thetas, frames, _, voronoi, _ = random_joints(seed=10)
    for stiffness, free in (([2.0, 2.0, 1.0], True), ([2.0, 1.0, 1.0], False)):
        rest = (frames, np.zeros((len(thetas), 5)), voronoi, np.array(stiffness))
        before, after = (bend_twist_energy(positions, thetas + turn, *rest) for turn in (0.0, 0.8))
        assert np.allclose(before, after, rtol=1e-12) is free


def test_a_round_straight_rod_that_is_bent_at_right_angles_has_no_reason_to_twist():
    strands = strands_of([3], [False])
    bent = np.array([[-1.0, 0.0, 0.0], [0.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    frames, _ = adapted_frames(bent, strands)
    round_rod = np.zeros((1, 5)), np.ones(1), np.array([1.0, 1.0, 0.3])
    energies = [
        bend_twist_energy(bent[strands.corners], np.array([[0.0, m]]), frames, *round_rod)[0]
        for m in (0.0, 0.5, 1.0)
    ]
    twisting = [0.5 * 0.3 * m**2 for m in (0.0, 0.5, 1.0)]
    assert np.subtract(energies, twisting) == pytest.approx([energies[0]] * 3, rel=1e-12)


def helix(turns: float = 1.5, count: int = 30):
    angle = np.linspace(0, 2 * np.pi * turns, count)
    return np.stack([np.cos(angle), np.sin(angle), 0.3 * angle], 1)


def test_a_curved_and_twisted_rest_shape_is_at_rest():
    x, strands = helix(), strands_of([30], [False])
    thetas = np.linspace(0.0, 7.0, 29)
    frames, _ = adapted_frames(x, strands)
    state = x[strands.corners], thetas[strands.joints], frames
    rest = rod_strains(*state)
    assert np.abs(rest).min() > 1e-4
    constants = rest, np.full(28, 0.2), STIFFNESS
    assert not bend_twist_energy(*state, *constants).any()
    assert not bend_twist_gradient(*state, *constants).any()
    # The same shape straightened or untwisted is not.
    assert bend_twist_energy(state[0], 0 * state[1], frames, *constants).min() > 0.0


def test_a_straight_rod_bent_to_a_circle_has_its_energy_to_second_order():
    bending, length, errors = 3.0, 2.5, []
    for count in (16, 32, 64):
        strands = strands_of([count], [True])
        angle = 2 * np.pi * np.arange(count) / count
        radius = length / count / (2 * np.sin(np.pi / count))
        x = radius * np.stack([np.cos(angle), np.sin(angle), 0 * angle], 1)
        frames, _ = adapted_frames(x, strands)
        energy = bend_twist_energy(
            x[strands.corners],
            np.full((count, 2), 0.3),
            frames,
            np.zeros(5),
            voronoi_lengths=np.full(count, length / count),
            stiffness=np.array([bending, bending, 5.0]),
        ).sum()
        errors.append(energy / (bending / 2 * (2 * np.pi) ** 2 / length) - 1.0)
    assert errors[-1] < 2e-3
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2.0, abs=0.05)
    assert np.log2(errors[1] / errors[2]) == pytest.approx(2.0, abs=0.05)


def test_a_straight_clamped_rod_turned_at_one_end_stores_what_saint_venant_says():
    edges, length, turn = 11, 0.8, 2.5
    strands = strands_of([edges + 1], [False])
    x = np.linspace([0.0, 0.0, 0.0], [0.5, -0.3, 0.4], edges + 1)
    frames, _ = adapted_frames(x, strands)
    thetas = np.linspace(0.0, turn, edges)[strands.joints]
    _, stiffness = elliptic_stiffness(1e6, 0.25, 0.02, 0.02)
    # Clamped by the middles of its first and last edge, it is one edge shorter than all its edges.
    voronoi = np.full(edges - 1, length / (edges - 1))
    energy = bend_twist_energy(
        x[strands.corners], thetas, frames, np.zeros(5), voronoi_lengths=voronoi, stiffness=stiffness
    ).sum()
    polar_moment = np.pi * 0.02**4 / 2
    assert energy == pytest.approx(1e6 / 2.5 * polar_moment * turn**2 / (2 * length), rel=1e-12)


def test_a_bend_towards_the_first_director_is_strained_in_the_first_curvature_alone():
    strands, bent = strands_of([3], [False]), np.array([[-1.0, 0, 0], [0, 0, 0], [1.0, 0.2, 0]])
    frames, d1 = adapted_frames(bent, strands, np.array([[0.0, 1.0, 0.0]]))
    strains = rod_strains(bent[strands.corners], np.zeros((1, 2)), frames)[0]
    assert d1[0] == pytest.approx([0.0, 1.0, 0.0]) and np.abs(strains[[1, 3]]).max() < 1e-15
    assert strains[[0, 2]] == pytest.approx(2 * np.tan(np.arctan(0.2) / 2))


def test_frames_along_strands_of_all_kinds_are_those_of_each_strand_alone():
    rng = np.random.default_rng(12)
    counts, closed = [2, 5, 3, 7], [False, True, False, True]
    together = strands_of(counts, closed, first_vertex=4)
    x = rng.normal(size=(4 + sum(counts), 3))
    frames, d1 = adapted_frames(x, together)
    start, edge, joint = 4, 0, 0
    for count, ring in zip(counts, closed, strict=True):
        alone = strands_of([count], [ring])
        its_frames, its_d1 = adapted_frames(x[start : start + count], alone)
        edges, joints = len(alone.edges), len(alone.joints)
        assert (together.corners[joint : joint + joints] == alone.corners + start).all()
        assert d1[edge : edge + edges] == pytest.approx(its_d1)
        assert frames.twists[joint : joint + joints] == pytest.approx(its_frames.twists)
        start, edge, joint = start + count, edge + edges, joint + joints
    assert (edge, joint) == (1 + 5 + 2 + 7, 0 + 5 + 1 + 7)


def test_frames_of_an_open_strand_have_no_twist_and_of_a_ring_what_it_writhes():
    x = helix()
    open_frames, _ = adapted_frames(x, strands_of([30], [False]))
    assert np.abs(open_frames.twists).max() < 1e-14
    # A curve's transported frame comes back turned by the solid angle of its tangents (Gauss-Bonnet):
    # these go round an octant of the sphere and back to themselves over a box's edges.
    box = np.array([[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 1], [0.0, 1, 1], [0, 0, 1]])
    ring, _ = adapted_frames(box, strands_of([6], [True]))
    assert np.abs(ring.twists[:-1]).max() < 1e-14
    t = np.roll(box, -1, axis=0) - box
    d = np.array([0.0, 1.0, 0.0])
    for here, there in zip(t, np.roll(t, -1, axis=0), strict=True):
        axis = np.cross(here, there)
        d = Rotation.from_rotvec(axis * np.pi / 2).apply(d)
    expected = np.arctan2(np.cross(d, [0.0, 1.0, 0.0]) @ t[0], d @ [0.0, 1.0, 0.0])
    assert np.cos(ring.twists[-1] - expected) == pytest.approx(1.0)


def test_transport_is_a_rotation_also_between_opposite_directions():
    rng = np.random.default_rng(13)
    start = rng.normal(size=(60, 3))
    start /= np.linalg.norm(start, axis=1, keepdims=True)
    end = -start
    end[20:] += rng.normal(size=(40, 3)) * np.geomspace(1e-12, 1.0, 40)[:, None]
    end /= np.linalg.norm(end, axis=1, keepdims=True)
    normal = np.cross(start, rng.normal(size=(60, 3)))
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    assert parallel_transport(start, start, end) == pytest.approx(end, abs=1e-6)
    moved = parallel_transport(normal, start, end)
    assert np.linalg.norm(moved, axis=1) == pytest.approx(1.0, abs=1e-6)
    assert np.abs((moved * end).sum(1)).max() < 1e-6


def test_shapes_without_a_direction_are_refused():
    with pytest.raises(ValueError, match="no length"):
        adapted_frames(np.zeros((3, 3)), strands_of([3], [False]))
    with pytest.raises(ValueError, match="along its edge"):
        adapted_frames(np.diag([1.0, 0.0]) @ np.eye(2, 3), strands_of([2], [False]), np.array([[2.0, 0, 0]]))


@pytest.mark.torch
def test_torch_finds_the_same_energies_and_forces_as_numpy_also_for_many_states_at_once():
    torch = pytest.importorskip("torch")
    positions, thetas, frames, *rest = random_joints(seed=14)
    theirs = ReferenceFrames(**{f.name: torch.tensor(getattr(frames, f.name)) for f in fields(frames)})
    x = torch.tensor(np.stack([positions, positions + 0.1]), requires_grad=True)
    a = torch.tensor(np.stack([thetas, thetas + 0.1]), requires_grad=True)
    energy = bend_twist_energy(x, a, theirs, *map(torch.tensor, rest))
    energy.sum().backward()
    for k, (p, angles) in enumerate([(positions, thetas), (positions + 0.1, thetas + 0.1)]):
        assert energy[k].detach().numpy() == pytest.approx(bend_twist_energy(p, angles, frames, *rest))
        gradient = bend_twist_gradient(p, angles, frames, *rest)
        assert x.grad[k].numpy().reshape(-1, 9) == pytest.approx(gradient[:, POSITIONS], rel=1e-9, abs=1e-9)
        assert a.grad[k].numpy() == pytest.approx(gradient[:, THETAS], rel=1e-9, abs=1e-9)

    ends = torch.tensor(positions[:, :2], requires_grad=True)
    stretching_energy(ends, torch.tensor(rest[1]), 3.0).sum().backward()
    expected = stretching_gradient(positions[:, :2], rest[1], 3.0)
    assert ends.grad.numpy().reshape(-1, 6) == pytest.approx(expected)


def test_curvature_of_a_joint_is_twice_the_tangent_of_half_its_angle():
    for angle in (1e-6, 0.5, 3.0):
        x = np.array([[-2.0, 0, 0], [0, 0, 0], [np.cos(angle), 0, np.sin(angle)]])
        strands = strands_of([3], [False])
        joints = joints_at(x[strands.corners], np.zeros((1, 2)), adapted_frames(x, strands)[0])
        assert joints.binormals[0] == pytest.approx([0.0, -2 * np.tan(angle / 2), 0.0], rel=1e-9)
