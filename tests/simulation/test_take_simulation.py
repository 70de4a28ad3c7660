"""What is simulated, against closed forms and against what must hold whatever the mesh."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from bake_requests import FPS, cloth, cuboid, grid, ground, hair, jelly, moved, request, round_ball, tracks
from scipy.spatial.transform import Rotation

from ml_backend.simulation.bodies import make_body
from ml_backend.simulation.contact_points import contact_carrier
from ml_backend.simulation.simulation import SavedState, Simulation
from neural_physics.errors import Problem

CUBE = cuboid((-0.2, -0.2, 0.25), (0.2, 0.2, 0.65))
UP = np.array([0.0, 0.0, 2.0])


def simulated(asked, of_take, air_density=1.225):
    body = make_body(asked)
    return body, Simulation(asked, body, of_take, air_density)


def frames_of(simulation, count):
    """Positions (count, B, 3) from the first frame on."""
    found = [simulation.positions.copy()]
    for _ in range(count - 1):
        assert simulation.advance()
        found.append(simulation.positions.copy())
    return np.array(found)


def strand(points):
    """One strand through points (k, 3)."""
    return (np.asarray(points, float), [], []), [(k, k + 1) for k in range(len(points) - 1)]


def test_a_solid_in_a_vacuum_falls_as_implicit_euler_does():
    asked = request(jelly(steps=3), CUBE)
    body, simulation = simulated(asked, tracks(asked, 13), air_density=0.0)
    fallen = frames_of(simulation, 13) - body.rest_positions
    n = 3 * np.arange(13)  # after n steps of h the sum of 1 to n, times g h^2
    expected = -9.81 * (1 / (3 * FPS)) ** 2 * n * (n + 1) / 2
    assert fallen[:, :, 2] == pytest.approx(np.repeat(expected[:, None], len(body.masses), 1), abs=1e-6)
    assert np.abs(fallen[:, :, :2]).max() < 1e-9


def test_air_brakes_a_falling_sheet_to_the_speed_at_which_it_bears_it():
    """Light and stiff, it falls flat: m g = rho C_d v^2 / 2."""
    asked = request(cloth(area_density=0.05, young=1e6, steps=10), grid((2, 2), (1.0, 1.0)))
    _, simulation = simulated(asked, tracks(asked, 49))
    heights = frames_of(simulation, 49)[:, :, 2].mean(1)
    terminal = np.sqrt(2 * 0.05 * 9.81 / (1.225 * 1.28))
    assert (heights[-2] - heights[-1]) * FPS == pytest.approx(terminal, rel=0.02)


def test_a_jelly_rests_on_the_ground():
    asked = request(jelly(damping=0.1), CUBE, colliders=[ground(height=-0.1)])
    body, simulation = simulated(asked, tracks(asked, 120))
    at = frames_of(simulation, 120)
    reach = 1e-3 * np.linalg.norm(np.ptp(body.rest_positions, axis=0))
    lowest = body.carried(at[-1])[:, 2].min() + 0.1
    assert 0.0 < lowest < reach
    assert np.abs(at[-1] - at[-2]).max() * FPS < 0.01
    # Under its own weight it is lower than at rest by some of rho g h^2 / (2 E).
    height, sag = np.ptp(body.rest_positions[:, 2]), np.ptp(body.rest_positions[:, 2]) - np.ptp(at[-1, :, 2])
    assert 0.3 < sag / (1000 * 9.81 * height**2 / (2 * 2e4)) < 1.5


def test_pins_of_a_sheet_are_where_the_tracks_have_them_in_every_frame():
    asked = request(cloth(), grid((4, 4), (1.0, 1.0)), pins=[0, 4])
    of_take = tracks(asked, 20, pins=lambda held, t: held + np.array([0.3 * np.sin(9 * t), t, 0.0]))
    body, simulation = simulated(asked, of_take)
    at = frames_of(simulation, 20)
    assert np.array_equal(at[:, body.pinned], of_take.pins)
    assert np.abs(at[-1, -1] - at[0, -1]).max() > 0.01


def test_a_solid_is_carried_by_its_pinned_side_as_a_whole_and_turned_with_it():
    asked = request(replace(jelly(), tetrahedra=300), CUBE, pins=[0, 2, 4, 6], gravity=np.zeros(3))
    middle = asked.rest_positions[asked.pins].mean(0)

    def pins(held, t):
        return (held - middle) @ Rotation.from_rotvec([0, 0, 3 * t]).as_matrix().T + middle + [t, 0, 0]

    of_take = tracks(asked, 10, pins=pins)
    body, simulation = simulated(asked, of_take)
    for positions, held in zip(frames_of(simulation, 10), of_take.pins, strict=True):
        assert body.carried(positions)[asked.pins] == pytest.approx(held, abs=1e-9)


def test_a_body_stands_where_its_object_does():
    turn = np.eye(4)
    turn[:3, :3] = Rotation.from_rotvec([0.4, 1.0, -0.3]).as_matrix()
    turn[:3, 3] = 3.0, -2.0, 1.0
    curl = [[0.02 * np.cos(k), 0.02 * np.sin(k), -0.01 * k] for k in range(12)]
    for kind in (jelly(), cloth(), hair()):
        mesh, edges = (
            strand(curl)
            if kind.kind == "rod"
            else ((CUBE if kind.kind == "solid" else grid((3, 3), (1, 1))), ())
        )
        asked = request(kind, mesh, pins=[0, 1], edges=edges, gravity=np.zeros(3))
        body, simulation = simulated(asked, tracks(asked, 4, place=turn))
        placed = body.rest_positions @ turn[:3, :3].T + turn[:3, 3]
        # Without weight it stays there, a curl too: its frames are turned with it.
        for _ in range(3):
            assert simulation.positions == pytest.approx(placed, abs=1e-7)
            simulation.advance()


def test_a_body_whose_pins_begin_elsewhere_begins_there_in_its_own_shape():
    asked = request(jelly(), CUBE, pins=[0, 2, 4], gravity=np.zeros(3))
    turn = Rotation.from_rotvec([0.0, 0.0, 1.2]).as_matrix()
    of_take = tracks(asked, 3, pins=lambda held, t: held @ turn.T + [0.5, 0.0, 1.0])
    body, simulation = simulated(asked, of_take)
    expected = body.rest_positions @ turn.T + [0.5, 0.0, 1.0]
    assert frames_of(simulation, 3) == pytest.approx(np.tile(expected, (3, 1, 1)), abs=1e-6)


def test_a_bar_whose_ends_begin_further_apart_begins_stretched():
    asked = request(
        replace(jelly(), tetrahedra=400),
        cuboid((0, 0, 0), (1.0, 0.2, 0.2)),
        pins=range(8),
        gravity=np.zeros(3),
    )
    pull = lambda held, t: held + np.where(held[:, :1] > 0.5, [[0.1, 0.0, 0.0]], 0.0)  # noqa: E731
    body, simulation = simulated(asked, tracks(asked, 3, pins=pull))
    at = frames_of(simulation, 3)
    inner = (body.rest_positions[:, 0] > 0.35) & (body.rest_positions[:, 0] < 0.65)
    assert inner.any()
    moved_by = at[0, inner, 0] - body.rest_positions[inner, 0]
    assert moved_by.min() > 0.02 and moved_by.max() < 0.08
    assert np.abs(at[2] - at[0]).max() < 1e-4  # it is at rest there


def test_what_rests_on_the_ground_is_the_mesh_and_not_the_cage_around_it():
    block = cuboid((-0.2, -0.3, 0.05), (0.2, 0.3, 0.35))
    asked = request(jelly(tetrahedra=300, young=1e5, damping=0.02), block, colliders=[ground()])
    body, simulation = simulated(asked, tracks(asked, 60))
    assert body.rest_positions[:, 2].min() < 0.0, "the cage itself begins in the ground"
    body_at = frames_of(simulation, 60)
    mesh_at = np.array([body.carried(positions) for positions in body_at])
    assert mesh_at[..., 2].min() > -1e-3
    assert 0.0 < mesh_at[-1, :, 2].min() < 2e-3
    assert np.ptp(np.sort(mesh_at[-1, :, 2])[:4]) < 5e-3


def test_between_the_corners_of_large_faces_there_is_contact_with_a_cage():
    """A ball is pressed into the middle of a top that has vertices at its corners only."""
    block = cuboid((-0.3, -0.3, 0.0), (0.3, 0.3, 0.3))
    asked = request(jelly(tetrahedra=300, young=1e5), block, pins=[0, 2, 4, 6], colliders=[round_ball(0.15)])
    pressing = tracks(asked, 24, colliders=lambda t: [moved(0.0, 0.0, 0.5 - 0.4 * t)])
    body, simulation = simulated(asked, pressing)
    last = frames_of(simulation, 24)[-1]
    ball = pressing.colliders[-1, 0, :3, 3]
    assert ball[2] - 0.15 < 0.3 - 0.03, "it has gone deeper than the top was"
    points = contact_carrier(body, asked).apply(last.ravel()).reshape(-1, 3)
    assert (np.linalg.norm(points - ball, axis=1) > 0.15).all()


def test_a_mesh_far_larger_than_the_body_that_is_said_to_be_its_own_is_refused():
    asked = request(jelly(tetrahedra=300), cuboid((-0.3, -0.3, 0.0), (0.3, 0.3, 0.3)))
    body, _ = simulated(asked, tracks(asked, 2))
    far = replace(asked, rest_positions=1e7 * asked.rest_positions)
    with pytest.raises(Problem, match="far too large") as raised:
        contact_carrier(body, far)
    assert raised.value.code == "body_unusable"


def test_pins_on_a_line_do_not_turn_a_sheet_about_it():
    asked = request(cloth(), grid((4, 4), (1.0, 1.0)), pins=range(5), gravity=np.zeros(3))
    of_take = tracks(asked, 2, pins=lambda held, t: held + UP)
    body, simulation = simulated(asked, of_take)
    assert simulation.positions == pytest.approx(body.rest_positions + UP, abs=1e-6)


def test_a_sheet_hangs_from_its_edge_as_long_as_its_weight_makes_it():
    """With air and damping it comes to hang; it is stretched by g rho L / (2 E h) on average."""
    asked = request(cloth(young=2e4, damping=0.01), grid((6, 2), (1.0, 0.3)), pins=range(3))
    hanging = replace(asked, rest_positions=asked.rest_positions[:, [1, 2, 0]] * [1.0, 1.0, -1.0])
    _, simulation = simulated(hanging, tracks(hanging, 100))
    at = frames_of(simulation, 100)
    stretch = -at[-1, :, 2].min() - 1.0
    assert stretch == pytest.approx(0.15 * 9.81 / (2 * 2e4 * 1e-3), rel=0.15)


def test_a_hair_that_is_held_level_sags_by_its_weight_as_a_beam():
    """w L^4 / (8 E I); the two vertices held clamp it at the second."""
    mesh, edges = strand([[0.01 * k, 0, 0] for k in range(22)])
    settings = hair(damping=0.02, young=1e9)
    asked = request(settings, mesh, pins=[0, 1], edges=edges)
    _, simulation = simulated(asked, tracks(asked, 150))
    at = frames_of(simulation, 150)
    line, bending = 1000.0 * np.pi * 1e-6, 1e9 * np.pi * 1e-12 / 4
    # The clamp is the middle of the first edge: half an edge more hangs.
    assert -at[-1, -1, 2] == pytest.approx(line * 9.81 * 0.205**4 / (8 * bending), rel=0.03)


def test_wind_blows_cloth_and_hair_its_own_way():
    sheet = request(cloth(), grid((4, 4), (1.0, 1.0)), pins=[0, 1, 2, 3, 4])
    standing = replace(sheet, rest_positions=sheet.rest_positions[:, [2, 1, 0]] * [1.0, 1.0, -1.0])
    mesh, edges = strand([[0.0, 0, -0.02 * k] for k in range(10)])
    for asked in (standing, request(hair(), mesh, pins=[0, 1], edges=edges)):
        ends = []
        for wind in (-300.0, 0.0, 300.0):
            _, simulation = simulated(asked, tracks(asked, 12, wind=(wind, 0.0, 0.0)))
            ends.append(frames_of(simulation, 12)[-1, :, 0].mean())
        assert ends[0] < -1e-3 and abs(ends[1]) < 1e-6 and ends[2] > 1e-3


def test_colliders_go_on_between_frames():
    """A ball that crosses a sheet's place within two frames pushes it along and does not pass it."""
    asked = request(
        cloth(steps=2),
        grid((8, 8), (1.0, 1.0)),
        pins=[0, 8, 72, 80],
        colliders=[round_ball(0.2)],
        gravity=np.zeros(3),
    )
    of_take = tracks(asked, 8, colliders=lambda t: [moved(0.5, 0.5, -0.4 + 8.0 * min(t, 0.08))])
    _, simulation = simulated(asked, of_take)
    for positions, ball in zip(frames_of(simulation, 8), of_take.colliders[:, 0], strict=True):
        assert (np.linalg.norm(positions - ball[:3, 3], axis=1) > 0.2 + 0.5e-3 - 1e-9).all()
    assert simulation.positions[40, 2] > 0.3


def test_a_body_that_begins_inside_a_collider_is_refused_with_both_names():
    asked = request(jelly(), CUBE, colliders=[round_ball(0.3)])
    with pytest.raises(Problem, match=r"Thing starts with \d+ .* inside Ball") as raised:
        simulated(asked, tracks(asked, 3, colliders=lambda t: [moved(0.0, 0.0, 0.45)]))
    assert raised.value.code == "starts_inside"


def test_a_collider_that_is_scaled_is_refused():
    asked = request(jelly(), CUBE, colliders=[round_ball(0.1)])
    with pytest.raises(Problem) as raised:
        simulated(asked, tracks(asked, 3, colliders=lambda t: [np.diag([1 + t, 1, 1, 1])]))
    assert raised.value.code == "collider_scales"


def test_what_begins_passing_through_itself_is_refused_and_what_folds_is_kept_apart():
    pytest.importorskip("ipctk")
    sheets = grid((2, 2), (1.0, 1.0))
    both = np.concatenate([sheets[0], sheets[0] * 0.6 + [0.1, 0.2, 0.2]])
    mesh = both, np.concatenate([sheets[1], sheets[1] + 9]), np.concatenate([sheets[2], sheets[2]])
    asked = request(cloth(self_contact=True), mesh, pins=range(9))
    _, simulation = simulated(asked, tracks(asked, 24))
    assert frames_of(simulation, 24)[-1, 9:, 2].min() > 0.0  # 0.2 m are fallen in 10 frames
    crossing = both.copy()
    crossing[9:, 2] = crossing[9:, 0] - 0.4
    wrong = replace(asked, rest_positions=crossing)
    with pytest.raises(Problem) as raised:
        simulated(wrong, tracks(wrong, 3))
    assert raised.value.code == "touches_itself"


def going_on(asked, of_take, frames):
    """What is saved after so many frames, and 7 positions from there: gone on with, and taken up.

    They are those that follow where nothing is saved, but for rounding.
    """
    body, simulation = simulated(asked, of_take)
    frames_of(simulation, frames + 1)
    saved = simulation.save()
    undisturbed = Simulation(asked, body, of_take)
    frames_of(undisturbed, frames + 1)
    other = Simulation(asked, body, of_take)
    assert other.fits(saved)
    other.take_up(saved)
    gone_on = frames_of(simulation, 7)
    assert gone_on == pytest.approx(frames_of(undisturbed, 7), abs=1e-9)
    return saved, gone_on, frames_of(other, 7)


def test_contacts_that_have_become_stiffer_are_so_when_last_holder():
    """A hard jelly in a press."""
    cube = cuboid((-0.2, -0.2, 0.12), (0.2, 0.2, 0.52))
    asked = request(jelly(young=1e7), cube, colliders=[ground(height=0.1), round_ball(0.3)])
    press = tracks(asked, 24, colliders=lambda t: [np.eye(4), moved(0.0, 0.0, 0.95 - 0.25 * np.sin(6 * t))])
    saved, gone_on, taken_up = going_on(asked, press, 16)
    assert saved.factors.max() > 1.0
    assert np.array_equal(gone_on, taken_up)


def test_a_twisted_curl_is_as_twisted_when_last_holder():
    """Its held end is moved so that its edges turn about themselves."""
    turns = np.arange(16)
    mesh, edges = strand(np.stack([0.03 * np.cos(turns), 0.03 * np.sin(turns), -0.02 * turns], 1))
    asked = request(hair(), mesh, pins=[0, 1, 14, 15], edges=edges)

    def pins(held, t):
        swing = Rotation.from_rotvec([0.0, 0.0, 5 * t]) * Rotation.from_rotvec([4 * t, 0.0, 0.0])
        return np.concatenate([swing.apply(held[:2] - held[0]) + held[0], held[2:]])

    saved, gone_on, taken_up = going_on(asked, tracks(asked, 30, pins=pins), 20)
    assert np.abs(saved.twists).max() > 0.1
    assert np.array_equal(gone_on, taken_up)


OF_NO_SIMULATION = {
    "a text": lambda field: np.full(field.shape, "x"),
    "complex": lambda field: field.astype(complex),
    "dates": lambda field: np.zeros(field.shape, "M8[s]"),
    "whole numbers": lambda field: np.ones(field.shape, int),
    "not a number": lambda field: np.full(field.shape, np.nan),
    "without end": lambda field: np.full(field.shape, np.inf),
    "another shape": lambda field: np.zeros((*field.shape, 2)),
    "fewer": lambda field: field[1:],
}


@pytest.mark.parametrize("field", ["q", "velocity", "factors", "tangents", "d1", "twists", "time"])
def test_a_saved_state_of_anything_else_is_not_taken_up(tmp_path, field):
    turns = np.arange(6)
    mesh, edges = strand(np.stack([0.03 * np.cos(turns), 0.03 * np.sin(turns), -0.02 * turns], 1))
    asked = request(hair(), mesh, pins=[0, 1], edges=edges, colliders=[ground(height=-2.0)])
    _, simulation = simulated(asked, tracks(asked, 4))
    simulation.advance()
    simulation.save().write(tmp_path / "state.npz")
    assert simulation.fits(SavedState.read(tmp_path / "state.npz"))
    whole = dict(np.load(tmp_path / "state.npz"))
    for change in OF_NO_SIMULATION.values() if field != "time" else (lambda time: np.inf, lambda time: "x"):
        np.savez(tmp_path / "state.npz", **{**whole, field: change(whole[field])})
        saved = SavedState.read(tmp_path / "state.npz")
        assert saved is None or not simulation.fits(saved)


@pytest.mark.parametrize("frame", [-5, np.inf, np.nan, "x"])
def test_a_saved_state_of_no_frame_is_not_taken_up(tmp_path, frame):
    SavedState(3, 0.1, *(np.zeros(3),) * 6).write(tmp_path / "state.npz")
    assert SavedState.read(tmp_path / "state.npz") is not None
    np.savez(tmp_path / "state.npz", **{**np.load(tmp_path / "state.npz"), "frame": frame})
    assert SavedState.read(tmp_path / "state.npz") is None


def sag_of_a_strip(bending_model, one_way):
    """How far a stiff strip, clamped at one end, hangs at rest; its diagonals run one way, or both."""
    vertices, quads, _ = grid((6, 3), (0.3, 0.15))
    # What is clamped is narrow: half of it bends with the rest.
    vertices[:, 0] = np.where(vertices[:, 0] < 0.01, 0.0499, vertices[:, 0])
    quads = quads.reshape(-1, 4)
    if not one_way:
        quads[::3] = np.roll(quads[::3], 1, axis=1)
    shape = vertices, np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]]).ravel(), np.full(36, 3)
    made_of = cloth(
        area_density=0.05, young=3e7, poisson=0.0, thickness=1e-3, bending=2.5e-2, damping=0.2, steps=4
    )
    asked = request(
        replace(made_of, bending_model=bending_model), shape, pins=np.flatnonzero(vertices[:, 0] < 0.06)
    )
    body, simulation = simulated(asked, tracks(asked, 90), air_density=0.0)
    at = frames_of(simulation, 90)[-1]
    return -at[body.rest_positions[:, 0] > 0.29, 2].mean()


def test_mid_edge_normals_bend_the_same_whichever_way_the_diagonals_run_and_as_a_beam_does():
    """w g L^4 / (8 D) of a clamped beam, small deflections; hinges differ by the way of the diagonals."""
    same, turned = (sag_of_a_strip("midedges", way) for way in (True, False))
    beam = 0.05 * 9.81 * 0.25**4 / (8 * 2.5e-2)
    assert same == pytest.approx(turned, rel=0.01)
    assert same == pytest.approx(beam, rel=0.1)
    same, turned = (sag_of_a_strip("hinges", way) for way in (True, False))
    assert same != pytest.approx(turned, rel=0.05) and same != pytest.approx(beam, rel=0.1)
