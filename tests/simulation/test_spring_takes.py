"""Takes of spring cloth: held against the cloth stepped by itself, closed forms, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from bake_requests import FPS, LAYOUT, cuboid, grid, moved, plan_for, request, round_ball, springs, tracks
from workplaces import simulated

from ml_backend.simulation.preparing import prepare_body
from ml_backend.simulation.shapes.round_shapes import round_shape
from neural_physics.datasets.simulation_request import ColliderMesh
from neural_physics.datasets.takes import Dataset
from neural_physics.energies.air import wind_velocity
from neural_physics.errors import Problem
from neural_physics.interaction.channels import Channel, ChannelLayout
from neural_physics.projective_dynamics.cloth import Cloth, Fabric, Load
from neural_physics.projective_dynamics.round_colliders import balls

LIVE_LAYOUT = ChannelLayout(
    (*LAYOUT.channels, Channel("stretch", "value", 1), Channel("bending", "value", 1))
)
FABRIC = Fabric(200.0, 1e-4, density=0.15, friction=0.3, thickness=0.004)


def bake(folder, asked, of_take, layout=LAYOUT):
    """Its positions (T, V, 3)."""
    plan = plan_for(folder, asked, of_take, layout)
    prepare_body(plan, lambda event: None)
    simulated(plan)
    take = Dataset.open(folder).take("take_000")
    assert take.info.complete and not take.info.excluded
    return np.asarray(take.positions)


def sheet_with_a_ball():
    asked = request(springs(), grid((8, 6), (0.8, 0.6)), pins=[0, 6], colliders=[round_ball(0.15)])
    of_take = tracks(
        asked,
        40,
        pins=lambda held, time: held + np.array([0.1 * np.sin(5 * time), 0.0, 0.2 * time]),
        colliders=lambda time: [moved(0.5, 0.3, -0.3 + 0.4 * time)],
        wind=(300.0, 0.0, 100.0),
    )
    return asked, of_take


def stepped(asked, of_take, fabrics):
    """The same by the simulator itself, with dense factors: (T, V, 3)."""
    faces = asked.corners.reshape(-1, 4)
    turned = np.array([np.roll(face, -int(np.argmin(face))) for face in faces])
    triangles = np.concatenate([turned[:, [0, 1, 2]], turned[:, [0, 2, 3]]])
    cloth = Cloth(asked.rest_positions, triangles, np.flatnonzero(asked.pins), 1 / FPS)
    x = asked.rest_positions.copy()
    v, shapes = np.zeros_like(x), [x]
    for t in range(1, len(of_take.wind)):
        centres = of_take.colliders[t, :, :3, 3]
        speeds = (centres - of_take.colliders[t - 1, :, :3, 3]) * FPS
        ball = balls(centres, np.array([0.15 + FABRIC.thickness]), speeds)
        load = Load(wind_velocity(of_take.wind[t]), asked.gravity, of_take.pins[t], ball)
        x, v = cloth.step(x, v, fabrics[t], load)
        shapes.append(x)
    return np.array(shapes)


def test_a_take_is_the_cloth_stepped_by_itself(tmp_path):
    asked, of_take = sheet_with_a_ball()
    direct = stepped(asked, of_take, [FABRIC] * 40)
    assert np.abs(bake(tmp_path / "d", asked, of_take) - direct).max() < 1e-5
    without = bake(tmp_path / "w", *(replace_colliders(asked, of_take)))
    assert np.abs(without - direct).max() > 0.02  # the ball was met


def replace_colliders(asked, of_take):
    return replace(asked, colliders=()), replace(of_take, colliders=np.zeros((40, 0, 4, 4)))


def test_the_fabric_is_what_the_channels_say_frame_by_frame(tmp_path):
    asked, of_take = sheet_with_a_ball()
    asked = replace(asked, settings=springs(stretch_low=20.0, stretch_high=2000.0, bending_high=1e-3))
    values = np.array([[50.0, 1e-4]] * 20 + [[1000.0, 8e-4]] * 20, np.float32)
    of_take = replace(of_take, interaction=np.hstack([of_take.interaction, values]))
    fabrics = [replace(FABRIC, stretch=float(s), bending=float(b)) for s, b in values]
    baked = bake(tmp_path / "d", asked, of_take, LIVE_LAYOUT)
    assert np.abs(baked - stepped(asked, of_take, fabrics)).max() < 1e-5
    assert np.abs(baked - stepped(asked, of_take, fabrics[:1] * 40)).max() > 0.01


def test_a_sheet_that_falls_edge_on_falls_as_implicit_euler_lets_a_stone_fall(tmp_path):
    """No air stops it: z = -g dt^2 n (n + 1) / 2."""
    vertices, corners, sizes = grid((4, 4), (0.4, 0.4))
    upright = vertices[:, [0, 2, 1]]
    asked = request(springs(), (upright, corners, sizes))
    positions = bake(tmp_path / "d", asked, tracks(asked, 20))
    n = np.arange(20)
    fallen = -9.81 / FPS**2 * n * (n + 1) / 2
    assert positions == pytest.approx(upright + fallen[:, None, None] * np.array([0, 0, 1.0]), abs=1e-5)


def test_a_take_is_stored_in_the_axes_it_is_seen_in_and_begins_where_the_object_stands(tmp_path):
    asked, place = request(springs(), grid((4, 4), (0.4, 0.4)), pins=[0, 4]), np.eye(4)
    place[:3, :3] = [[0, 0, 1], [1, 0, 0], [0, 1, 0]]
    place[:3, 3] = 1.0, 2.0, 3.0
    of_take = tracks(asked, 6, place=place)
    inside = replace(of_take, frame_from_world=np.tile(np.linalg.inv(place), (6, 1, 1)))
    world, own = bake(tmp_path / "w", asked, of_take), bake(tmp_path / "o", asked, inside)
    assert own[0] == pytest.approx(asked.rest_positions, abs=1e-6)
    assert world == pytest.approx(own @ place[:3, :3].T + place[:3, 3], abs=1e-5)


def capsule(radius=0.2, half=0.3, turn=None, away=(0.0, 0.0, 0.0)):
    """A ball's two halves drawn apart."""
    ball = round_ball(radius)
    vertices = ball.vertices + np.where(ball.vertices[:, 2:] >= -1e-9, half, -half) * [0, 0, 1]
    vertices = vertices if turn is None else vertices @ turn.T
    return replace(ball, name="Limb", vertices=vertices + np.asarray(away))


def test_balls_and_capsules_are_recognised_by_their_meshes():
    turn = np.linalg.qr(np.random.default_rng(1).normal(size=(3, 3)))[0]
    ball = round_shape(round_ball(0.3, centre=(1.0, 2.0, -0.5)))
    assert (ball.start == ball.end).all() and ball.radius == pytest.approx(0.3, abs=1e-6)
    assert ball.start == pytest.approx([1.0, 2.0, -0.5], abs=1e-6)
    for half in (0.02, 0.3, 2.0):
        limb = round_shape(capsule(half=half, turn=turn, away=(0.3, -1.0, 2.0)))
        ends = np.array([limb.start, limb.end]) - (0.3, -1.0, 2.0)
        assert np.linalg.norm(ends[1] - ends[0]) == pytest.approx(2 * half, rel=0.05, abs=1e-3)
        assert np.abs(ends @ turn[:, :2]).max() < 2e-3 and limb.radius == pytest.approx(0.2, rel=0.02)


def cylinder():
    around = 2 * np.pi * np.arange(32) / 32
    ring = np.stack([0.2 * np.cos(around), 0.2 * np.sin(around), 0 * around], 1)
    at, after = np.arange(32), (np.arange(32) + 1) % 32
    side = [[at, after, 32 + after], [at, 32 + after, 32 + at], [0 * at + 64, after, at]]
    side.append([0 * at + 65, 32 + at, 32 + after])
    low, high = np.array([0, 0, -0.5]), np.array([0, 0, 0.5])
    vertices = np.concatenate([ring + low, ring + high, [low, high]])
    return ColliderMesh("Pillar", vertices, np.concatenate([np.stack(s, 1) for s in side]).astype(np.int32))


def box():
    vertices, corners, _ = cuboid((0, 0, 0), (1, 1, 1))
    quads = corners.reshape(-1, 4)
    triangles = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]]).astype(np.int32)
    return ColliderMesh("Crate", vertices, triangles)


def egg():
    ball = round_ball(0.3)
    return replace(ball, name="Egg", vertices=ball.vertices * [1.0, 1.0, 1.4])


@pytest.mark.parametrize("shape", [box, cylinder, egg])
def test_other_shapes_are_refused_with_what_is_allowed(shape, tmp_path):
    asked = request(springs(), grid((4, 4), (0.4, 0.4)), colliders=[shape()])
    plan = plan_for(tmp_path / "d", asked, tracks(asked, 3))
    with pytest.raises(Problem, match=f"{shape().name} is neither a ball nor a capsule") as raised:
        prepare_body(plan, lambda event: None)
    assert raised.value.code == "collider_not_round"


def test_cloth_that_begins_inside_a_ball_is_refused(tmp_path):
    asked = request(springs(), grid((4, 4), (0.4, 0.4)), colliders=[round_ball(0.15)])
    with pytest.raises(Problem, match="vertices inside Ball") as raised:
        bake(tmp_path / "d", asked, tracks(asked, 3))
    assert raised.value.code == "starts_inside"


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"pins": np.ones(25, bool)}, "nothing_free"),
        ({"corners": np.arange(5), "face_sizes": np.array([5])}, "levels_loose"),
        ({"rest_positions": np.zeros((25, 3))}, "body_unusable"),
    ],
)
def test_meshes_that_cannot_be_springs_are_refused_before_anything_is_simulated(change, code, tmp_path):
    asked = request(springs(), grid((4, 4), (0.4, 0.4)))
    plan = plan_for(tmp_path / "d", asked, tracks(asked, 3))
    replace(asked, **change).write(plan.request)
    with pytest.raises(Problem) as raised:
        prepare_body(plan, lambda event: None)
    assert raised.value.code == code


def test_other_fabrics_or_solvers_do_not_get_into_a_dataset(tmp_path):
    asked, of_take = sheet_with_a_ball()
    bake(tmp_path / "d", asked, of_take)
    plan = plan_for(tmp_path / "d", asked, of_take)
    prepare_body(plan, lambda event: None)
    others = [
        replace(asked, settings=springs(stretch_high=300.0)),
        replace(asked, rest_positions=asked.rest_positions * 1.01),
        replace(asked, pins=~asked.pins),
        replace(asked, settings=replace(asked.settings, kind="shell")),
    ]
    for other in others:
        other.write(plan.request)
        with pytest.raises(Problem) as raised:
            prepare_body(plan, lambda event: None)
        assert raised.value.code == "dataset_other_material"
