"""Contact corrections of a flat solid: a jelly in its plane that a star or a circle presses."""

from __future__ import annotations

import argparse

import numpy as np
import pytest
import torch
from bake_requests import jelly, request, round_ball
from flat_jellies import bake_flat
from flat_meshes import UPRIGHT, extruded, polygon, star
from pressed_blocks import silent
from scipy.spatial.transform import Rotation

from learning.training.presets import changed
from learning.training.spans import split
from ml_backend.commands.train import add_arguments, run
from ml_backend.methods.contact_corrections.data import solve_corrections
from ml_backend.methods.contact_corrections.handle_fitting import (
    fit_handles,
    gradient_jumps,
    pin_groups,
    spread_points,
)
from ml_backend.methods.contact_corrections.presets import PRESETS
from ml_backend.methods.contact_corrections.scene import contact_scene, normals_of
from ml_backend.simulation.bodies import make_body
from ml_backend.training.cubature import fit_masses
from neural_physics.errors import Problem
from neural_physics.jobs.events import StopRequest
from neural_physics.methods.contact_corrections.part import Part
from neural_physics.methods.registry import load_method
from neural_physics.models.model_file import read_model
from neural_physics.timeline.timeline import Timeline

pytestmark = pytest.mark.torch
QUICK = ["handles=7", "poses=40", "traverses=4", "depths=2", "cubature=60", "epochs=400", "batch=128"]
QUICK += ["minutes=0", "learning_rate=3e-3", "validate_every=150", "external_width=250"]
TILTED = Rotation.from_euler("xyz", [0.4, -0.7, 1.1]).as_matrix()


def train(dataset, out, *settings, words=()):
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    words = ["--method", "contact_corrections", "--bases", "24", *words, str(dataset.path), "--out", str(out)]
    torch.set_num_threads(1)
    words += [f"--set={s}" for s in (*QUICK, *settings)]
    return run(parser.parse_args(words), silent, StopRequest())


@pytest.fixture(scope="module")
def pressed(tmp_path_factory):
    """A star's tip is led into the jelly, in a plane that is no axis'; the dataset, and the model."""
    folder = tmp_path_factory.mktemp("star")
    spiky = extruded("Presser", star(5, 0.15, 0.07) @ np.array([[0, -1], [1, 0]]), turn=TILTED)
    dataset = bake_flat(folder / "dataset", spiky, 0.15, turn=TILTED)
    result = train(dataset, folder / "model.safetensors")
    return dataset, result, read_model(folder / "model.safetensors")


def body_with_handles(points=6, pins=(0, 1)):
    square = polygon([(-0.2, 0.0), (0.2, 0.0), (0.2, 0.4), (-0.2, 0.4)])
    body = make_body(request(jelly(tetrahedra=120), square, pins))
    groups = pin_groups(body.elements, body.pinned)
    chosen = spread_points(body.rest, points, body.pinned)
    return body, chosen, fit_handles(body.rest, body.elements, chosen, groups)


@pytest.mark.parametrize("pins", [(), (0, 1)])
def test_affine_maps_of_the_plane_are_reproduced_and_handles_interpolated(pins):
    body, chosen, handles = body_with_handles(pins=pins)
    affine = np.random.default_rng(0).normal(size=(2, 2))
    q = handles.rest @ affine.T + [3.0, -1.0]
    assert handles.positions(q) == pytest.approx(body.rest @ affine.T + [3.0, -1.0], abs=1e-8)
    assert handles.deformation(q) == pytest.approx(np.tile(affine, (body.vertex_count, 1, 1)), abs=1e-8)
    assert handles.weights[chosen] == pytest.approx(np.eye(6, len(handles.rest)), abs=1e-9)
    jumps = gradient_jumps(body.rest, body.elements)
    assert np.abs(jumps @ np.column_stack([body.rest, np.ones(len(body.rest))])).max() < 1e-9
    assert len(handles.rest) == 6 + (3 if pins else 0)  # the side between the pins is a frame


def test_the_reduced_mass_is_the_bodys():
    body, _, handles = body_with_handles()
    vertices = np.unique(body.elements[::3])
    assert fit_masses(handles.weights, body.masses, vertices).sum() == pytest.approx(body.masses.sum())


def test_facets_are_turned_outwards(pressed):
    body, _, _ = body_with_handles()
    from neural_physics.solver.meshing.element_sides import boundary

    edges = body.rest[boundary(body.elements)[0]]
    outwards = edges.mean(1) - body.rest.mean(0)
    assert (np.einsum("md,md->m", normals_of(edges), outwards) > 0.0).all()


def test_what_was_learned_is_of_the_plane(pressed):
    dataset, result, model = pressed
    assert result["handles"] == [7, 1] and 0 < result["cubature"] <= 60 and result["cubature_error"] < 0.2
    assert result["training_frames"]["external"] > 150
    (shape,) = model.info.settings["colliders"]
    assert shape["kind"] == "polygon" and len(shape["sizes"]) == 20
    method = load_method(model)
    assert method.handles.rest.shape == (10, 2) and method.basis_count == 14
    (take,) = dataset.takes("validation")
    state = method.start(take.interaction[0])
    assert method.positions(state, take.interaction[0]) == pytest.approx(take.positions[0], abs=0.01)
    tensors = model.tensors
    assert tensors["cubature.masses"].sum() == pytest.approx(dataset.body.masses.sum(), rel=1e-5)


def share_met(dataset, out, met):
    """Of the ways in that end where the takes have the star."""
    spans = split(dataset)[0]
    scene = contact_scene(dataset, dataset.body, spans, 7)
    preset = changed(
        PRESETS["preview"], [f"met={met}", "pressed=240", "depths=1", "traverses=10", "depth=0.2"]
    )
    kept = out / f"solved_{met}.safetensors", "star"
    data = solve_corrections(
        scene, spans, 5, preset, seed=0, kept=kept, stage="", emit=silent, stop=StopRequest()
    )
    centres = data.external.centres[~data.external.recorded]
    assert len(centres) > 20
    low, high = scene.places_met[:, 0]
    reach = 0.2 * 0.15  # how deep they go at most: they are not all the way in
    return ((centres > low - reach) & (centres < high + reach)).all(1).mean()


def test_colliders_are_led_in_where_the_takes_have_them(pressed, tmp_path):
    assert share_met(pressed[0], tmp_path, 1.0) > 0.9  # of a few no way in is found there
    assert share_met(pressed[0], tmp_path, 0.0) < 0.3


def test_jacobians_agree_with_differences(pressed):
    """Of x by the handles: equation 3."""
    _, _, model = pressed
    method = load_method(model)
    y = np.zeros(3, np.float32)
    around = method.surroundings(y)
    rng = np.random.default_rng(0)
    q = method.handles.rest[:7] + 0.01 * rng.normal(size=(7, 2))
    part = Part(method.handles, method.dynamics.corrections.basis, np.arange(len(method.handles.weights)))
    pose = method.dynamics.pose(q, around)

    def moved(k, by):
        flat = q.ravel().copy()
        flat[k] += by
        return part.positions(method.dynamics.pose(flat.reshape(-1, 2), around))

    jacobian = part.jacobian(pose, pose.slopes)
    for k in (0, 5, 13):
        slope = (moved(k, 1e-6) - moved(k, -1e-6)) / 2e-6
        assert jacobian[:, :, k] == pytest.approx(slope, abs=2e-6)


def rollout(method, take):
    """(T - 2, V, 3) from the true first two frames."""
    x, y = take.positions, take.interaction
    state = method.state_from(np.asarray(x[1]), np.asarray(x[0]), y[1], y[0])
    found = []
    for t in range(2, len(x)):
        state = method.step(state, y[t])
        found.append(method.body_positions(state, y[t]))
    return np.array(found)


def test_what_handles_lack_is_learned_and_rollouts_stay_in_the_plane(pressed):
    """Dents of so sharp a tip are not learned from so few shapes, as the method's page says."""
    dataset, result, model = pressed
    assert result["internal_error"] < 0.2
    (take,) = dataset.takes("validation")
    truth = np.asarray(take.body_positions[2:], float)
    shown = rollout(load_method(model), take)
    error, moved = (float(np.sqrt((off**2).sum(-1).mean())) for off in (shown - truth, truth - truth[0]))
    assert error < 0.4 * moved
    assert np.abs(shown @ (TILTED @ [0.0, 0.0, 1.0])).max() < 1e-6


def test_handles_that_move_nothing_seen_are_where_rest_has_them(pressed):
    """The jelly's mesh has its foot and three more corners, which say little of seven handles."""
    dataset, _, model = pressed
    method = load_method(model)
    (take,) = dataset.takes("validation")
    x, y = take.positions, take.interaction
    state = method.state_from(np.asarray(x[1]), np.asarray(x[0]), y[1], y[0])
    assert method.body_positions(state, y[1]) == pytest.approx(np.asarray(take.body_positions[1]), abs=1e-2)
    assert method.positions(state, y[1]) == pytest.approx(np.asarray(x[1]), abs=1e-3)


def square(half, turn=UPRIGHT):
    return extruded("Presser", half * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]), turn=turn)


@pytest.mark.slow
def test_a_square_that_turns_is_learned_and_played_as_it_is_turned(tmp_path):
    """In a plane that is no axis'; its corners are where y puts them, whatever their orientation."""
    dataset = bake_flat(tmp_path / "dataset", square(0.1, TILTED), 0.13, turn=TILTED, spin=0.8)
    result = train(dataset, tmp_path / "model.safetensors", "poses=60")
    assert result["training_frames"]["external"] > 150 and result["external_error"] < 0.9
    method = load_method(read_model(tmp_path / "model.safetensors"))
    plane = method._coordinates
    for t, y in enumerate(dataset.take("take_000").interaction[20:80:20]):
        placed, (shape,) = method.surroundings(y).placed, method._settings.shapes
        rotation = np.column_stack([y[3:6], y[6:9], np.cross(y[3:6], y[6:9])])
        corners = np.asarray(square(0.1, TILTED).vertices) @ rotation.T + y[:3]
        gaps = shape.distance((plane.of(corners) - placed.centres[0]) @ placed.turns[0])
        assert np.abs(gaps).max() < 1e-4, t
        halfway = (plane.of(corners) + placed.centres[0]) / 2.0
        assert (shape.distance((halfway - placed.centres[0]) @ placed.turns[0]) < -0.01).all()
    # Scrubbed or played, at the same frames it is the same.
    (take,) = dataset.takes("validation")
    shown = rollout(method, take)
    truth = np.asarray(take.body_positions[2:], float)
    error, moved = (np.sqrt((off**2).sum(-1).mean()) for off in (shown - truth, truth - truth[0]))
    assert error < 0.4 * moved


def test_a_collider_whose_rotation_is_not_recorded_is_refused(tmp_path):
    dataset = bake_flat(tmp_path / "dataset", square(0.1), 0.13, frames=70, spin=0.8, recorded=False)
    message = "Presser of Thing rotates, which no channel records: switch on Rotation"
    with pytest.raises(Problem, match=message):
        train(dataset, tmp_path / "model.safetensors")


def far_away():
    """A square that never touches the jelly."""
    far = square(0.1, TILTED)
    return type(far)(far.name, far.vertices + TILTED @ [0.0, 2.0, 0.0], far.triangles)


def test_a_foot_that_is_turned_is_where_y_puts_it(tmp_path):
    dataset = bake_flat(tmp_path / "d", far_away(), 0.1, rock=0.6, turn=TILTED, tetrahedra=60)
    body, spans = dataset.body, split(dataset)[0]
    scene = contact_scene(dataset, body, spans, 3)
    (take,) = dataset.takes("training")
    n, pins = scene.handles.free, np.flatnonzero(body.pinned)
    turned = 0.0
    for y, shape in zip(np.asarray(take.interaction), take.body_positions, strict=True):
        frame = scene.frames.rows(y)
        held = scene.handles.weights[pins, n:] @ frame
        assert held == pytest.approx(scene.coordinates.of(shape[pins]), abs=2e-5)
        along = frame[1] - frame[0]
        turned = max(turned, abs(np.arctan2(along[1], along[0])))
    assert turned > 0.5


def test_a_foot_whose_rotation_is_not_recorded_is_refused(tmp_path):
    dataset = bake_flat(tmp_path / "d", far_away(), 0.1, rock=0.6, turn=TILTED, recorded=False, tetrahedra=60)
    with pytest.raises(Problem) as raised:
        contact_scene(dataset, dataset.body, split(dataset)[0], 3)
    assert raised.value.code == "contact_pins_unseen"


def test_a_circle_and_a_handle_in_the_hand(tmp_path):
    ball = round_ball(0.1, 32, 16)
    dataset = bake_flat(tmp_path / "dataset", type(ball)("Presser", ball.vertices, ball.triangles), 0.1, 70)
    out = tmp_path / "model.safetensors"
    places = ["--handle", "Tip=0.0,0.0,0.35", "--handle", "Side=0.15,0.0,0.2", "--handle", "Low=-0.1,0,0.1"]
    train(dataset, out, "poses=10", "epochs=20", words=places)
    model = read_model(out)
    (shape,) = model.info.settings["colliders"]
    assert shape == {"kind": "sphere", "sizes": [pytest.approx(0.1, rel=1e-4)]}
    method = load_method(model)
    line = Timeline(method, 30.0, 1)
    y = np.zeros(method.channels.size, np.float32)
    y[:4] = [*dataset.take("take_000").interaction[0], 1.0]  # where the ball is, and its size
    goal = np.array([0.05, 0.0, 0.38])
    held = y.copy()
    held[4:8] = [*goal, 1.0]
    line.record(1, y)
    for frame in range(2, 6):
        line.record(frame, held)
    for frame in range(1, 6):
        positions = np.array(line.positions(frame))
    state = method.start(y)
    state = method.step(state, held)
    places = method._coordinates.places
    off = places(method.handles.rest)[0] - [0.0, 0.0, 0.35]
    assert places(state.q)[0] - goal == pytest.approx(off, abs=1e-5)
    assert np.isfinite(positions).all() and np.abs(positions[:, 1]).max() < 1e-6


def test_upright_is_a_rotation():
    assert np.linalg.det(UPRIGHT) == pytest.approx(1.0)
