"""Bodies at rest in poses: against the simulation that has come to rest, and against themselves, turned."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from bake_requests import FPS, cuboid, ground, jelly, request, tracks
from scipy.spatial.transform import Rotation

from ml_backend.simulation.bodies import make_body
from ml_backend.simulation.poses.interior_skin import InteriorSkin
from ml_backend.simulation.poses.posing import PosedBody
from ml_backend.simulation.simulation import Simulation
from neural_physics.skinning.skin import Skin
from neural_physics.solver.quasistatic import INSIDE

LIMB = cuboid((-0.1, -0.1, 0.0), (0.1, 0.1, 1.0))
JOINT = np.array([0.0, 0.0, 0.5])
BONES = np.array([[[0.0, 0.0, 0.0], JOINT], [JOINT, [0.0, 0.0, 1.0]]])


def limb(gravity=(0.0, 0.0, -9.81), colliders=(), **settings):
    """A limb of two bones, its lower half following the one and its upper half the other."""
    made = jelly(tetrahedra=400, bone_radius=0.06, **settings)
    asked = replace(request(made, LIMB, gravity=gravity, colliders=colliders), bones=BONES)
    share = asked.rest_positions[:, 2]
    return asked, Skin(("lower", "upper"), np.stack([1.0 - share, share], 1).astype(np.float32))


def bends(angles, turn=None):
    """(T, 3, 4, 4): of the object and the bones where the upper one is bent by so many radians."""
    found = np.tile(np.eye(4), (len(angles), 3, 1, 1))
    for matrices, angle in zip(found, angles, strict=True):
        matrices[2, :3, :3] = Rotation.from_rotvec([angle, 0.0, 0.0]).as_matrix()
        matrices[2, :3, 3] = JOINT - matrices[2, :3, :3] @ JOINT
    if turn is not None:
        found[:, :, :3] = turn @ found[:, :, :3]
    return found


def posed(asked, skin, moves, body=None):
    body = make_body(asked) if body is None else body
    of_take = tracks(asked, len(moves), bones=lambda t: moves[round(t * FPS), 1:])
    return body, PosedBody(asked, body, of_take, skin, moves=moves[:, :, :3].astype(np.float32))


def test_a_pose_is_where_the_simulation_comes_to_rest():
    asked, skin = limb(damping=0.05)
    body, poses = posed(asked, skin, bends([0.0, 0.9]))
    frames = 70
    angles = 0.9 * np.clip(np.arange(frames) / 20, 0.0, 1.0)
    moves = bends(angles)
    of_take = tracks(asked, frames, bones=lambda t: moves[round(t * FPS), 1:])
    simulation = Simulation(asked, body, of_take, air_density=0.0)
    for _ in range(frames - 1):
        simulation.advance()
    there, settled = poses.settle(1)
    assert settled.failure == ""
    moved_by = np.abs(there - body.rest_positions).max()
    assert np.abs(there - simulation.positions).max() < 2e-3 * moved_by
    # Which is not where skinning has it.
    skinned = InteriorSkin(asked, body, skin).carried(moves[-1, :, :3], 1.0)
    assert np.abs(there - skinned).max() > 0.02 * moved_by


def test_a_limb_that_lies_on_the_ground_is_pressed_but_not_through_it():
    asked, skin = limb(colliders=[ground(height=-0.105)], young=3e3)
    lying = np.eye(4)
    lying[:3, :3] = Rotation.from_rotvec([np.pi / 2, 0.0, 0.0]).as_matrix()
    moves = lying @ bends([0.0, 0.0])
    body, poses = posed(asked, skin, moves)
    there, settled = poses.settle(0)
    assert settled.failure == ""
    lowest = body.carried(there)[:, 2].min()
    assert -0.105 < lowest < -0.1


def test_a_pose_that_begins_inside_a_collider_fails_with_that_reason():
    asked, skin = limb(colliders=[ground(height=0.5)])
    _, poses = posed(asked, skin, bends([0.0]))
    assert poses.settle(0)[1].failure == INSIDE


def test_poses_do_not_depend_on_each_other_nor_on_where_the_whole_is():
    asked, skin = limb(gravity=(0.0, 0.0, 0.0))
    angles = [0.3, 1.1, 0.7]
    body, poses = posed(asked, skin, bends(angles))
    shapes = [poses.settle(k)[0] for k in range(3)]
    assert np.array_equal(poses.settle(0)[0], shapes[0])
    turn = Rotation.from_rotvec([1.0, 2.0, -0.5]).as_matrix()
    _, turned = posed(asked, skin, bends(angles, turn), body)
    for k, shape in enumerate(shapes):
        assert turned.settle(k)[0] == pytest.approx(shape @ turn.T, abs=1e-5)


def test_skinning_reaches_inside_and_its_way_begins_at_rest_and_turns_about_the_joint():
    asked, skin = limb()
    body = make_body(asked)
    inside = InteriorSkin(asked, body, skin)
    moves = bends([1.2])[0, :, :3]
    assert inside.carried(moves, 0.0) == pytest.approx(body.rest_positions, abs=1e-12)
    ends = inside.carried(moves, 1.0)
    half = inside.carried(moves, 0.5)
    assert half == pytest.approx(inside.carried(bends([0.6])[0, :, :3], 1.0), abs=1e-9)
    # Weights are the height here, harmonic and exact inside.
    share = np.clip(body.rest_positions[:, 2:], 0.0, 1.0)
    upper = body.rest_positions @ moves[2, :, :3].T + moves[2, :, 3]
    outside = (body.rest_positions[:, 2] < 0.0) | (body.rest_positions[:, 2] > 1.0)
    expected = (1.0 - share) * body.rest_positions + share * upper
    assert ends[~outside] == pytest.approx(expected[~outside], abs=0.05)


def test_an_object_that_is_scaled_and_mirrored_is_carried_as_large_as_it_is():
    """Moves take the mesh's own coordinates; the body is at rest as large as it is in the world."""
    asked, skin = limb()
    body = make_body(asked)
    size = np.diag([2.0, -0.5, 1.5])
    placed = Rotation.from_rotvec([0.3, 0.1, -2.0]).as_matrix()
    moves = bends([0.0], None)[0, :, :3].copy()
    moves[:, :3, :3] = placed @ size
    moves[:, :, 3] = 1.0, 2.0, 3.0
    at = InteriorSkin(asked, body, skin).carried(moves, 1.0)
    first, second = body.elements[:, 0], body.elements[:, 1]
    lengths = [np.linalg.norm(x[second] - x[first], axis=1) for x in (at, body.rest_positions)]
    assert lengths[0] == pytest.approx(lengths[1])


def inside_elements(positions, elements):
    """(V,) which vertices are inside of an element that they are no corner of."""
    corners = positions[elements]
    sides = np.linalg.inv(np.swapaxes(corners[:, 1:] - corners[:, :1], 1, 2))
    shares = np.einsum("mij,vmj->vmi", sides, positions[:, None] - corners[None, :, 0])
    within = (shares > 1e-6).all(2) & (shares.sum(2) < 1.0 - 1e-6)
    own = (elements[None] == np.arange(len(positions))[:, None, None]).any(2)
    return (within & ~own).any(1)


def test_a_limb_that_is_folded_rests_on_itself_where_it_is_not_to_pass_through():
    pytest.importorskip("ipctk")
    folded = bends([2.0])
    for self_contact in (False, True):
        asked, skin = limb(gravity=(0.0, 0.0, 0.0), self_contact=self_contact)
        body, poses = posed(asked, skin, folded)
        there, settled = poses.settle(0)
        assert settled.failure == ""
        assert inside_elements(there, body.elements).any() != self_contact


def test_a_pose_that_presses_flesh_together_is_found_where_it_does_not_pass_through_itself():
    pytest.importorskip("ipctk")
    asked, skin = limb(gravity=(0.0, 0.0, 0.0), self_contact=True)
    body, poses = posed(asked, skin, bends([2.3]))
    there, settled = poses.settle(0)
    assert settled.failure == "" and not inside_elements(there, body.elements).any()
