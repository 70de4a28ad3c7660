"""Contact corrections of a body with a stiff core: a frame that is simulated, held, and let go of."""

from __future__ import annotations

import numpy as np
import pytest
from bake_requests import round_ball
from flat_jellies import bake_flat
from scipy.spatial.transform import Rotation
from test_flat_contact import rollout, train

from ml_backend.methods.contact_corrections.handle_fitting import fit_handles
from neural_physics.datasets.simulation_request import Core
from neural_physics.errors import Problem
from neural_physics.methods.registry import load_method
from neural_physics.models.model_file import read_model

pytestmark = pytest.mark.torch
BONE = Core("Rig/bone", np.array([[-0.06, 0.0, 0.3], [0.06, 0.0, 0.3]]), 0.05)
POINTS = ["--handle=Left=-0.17,0,0.35", "--handle=Right=0.17,0,0.35", "--handle=Rig/bone=core"]


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    folder = tmp_path_factory.mktemp("core") / "dataset"
    ball = round_ball(0.1, 32, 16)
    return bake_flat(folder, type(ball)("Presser", ball.vertices, ball.triangles), 0.1, cores=(BONE,))


@pytest.fixture(scope="module")
def trained(dataset, tmp_path_factory):
    out = tmp_path_factory.mktemp("core_model") / "model.safetensors"
    return train(dataset, out, words=POINTS), read_model(out)


def test_a_core_goes_along_with_its_corners_and_the_body_with_all(dataset):
    body = dataset.body
    (group,) = body.core_groups
    head = body.coordinates.of(BONE.ends[0])
    handles = fit_handles(body.rest, body.elements, np.zeros(0, np.intp), [], loose=[(group, head)])
    assert handles.free == 3 and np.allclose(handles.rest[0], head)
    turn = Rotation.from_euler("z", 0.7).as_matrix()[:2, :2]
    q = handles.rest @ turn.T + [0.3, -0.1]
    assert handles.positions(q) == pytest.approx(body.rest @ turn.T + [0.3, -0.1], abs=1e-8)
    shear = np.random.default_rng(0).normal(size=handles.rest.shape)
    inside = handles.positions(handles.rest + shear)[group]
    given = np.column_stack([body.rest[group], np.ones(len(group))])
    assert np.linalg.lstsq(given, inside, rcond=None)[1].max() < 1e-15, "affine"


def test_the_core_is_a_frame_and_stays_stiff_as_it_plays(dataset, trained):
    result, model = trained
    assert result["handles"] == [2, 2]
    method, body = load_method(model), dataset.body
    assert method.handles.free == 2 + 3 and model.info.channels.channels[-1].source == "Rig/bone"
    (take,) = dataset.takes("validation")
    (group,) = body.core_groups
    plane = body.coordinates.of(rollout(method, take))
    truth = body.coordinates.of(np.asarray(take.body_positions, float)[2:])
    rest = body.rest[group] - body.rest[group].mean(0)
    size = np.linalg.norm(rest, axis=1).max()
    for shapes, allowed in ((truth, 0.02), (plane, 0.1)):
        for shape in shapes:
            moved = shape[group] - shape[group].mean(0)
            left, _, right = np.linalg.svd(moved.T @ rest)
            assert np.abs(moved - rest @ (left @ right).T).max() < allowed * size, "it only turns and shifts"
    moves = np.sqrt(((truth - body.rest) ** 2).sum(-1).mean())
    assert np.sqrt(((plane - truth) ** 2).sum(-1).mean()) < moves


def test_a_core_is_held_where_y_puts_it(dataset, trained):
    _, model = trained
    method, (take,) = load_method(model), dataset.takes("validation")
    y = np.concatenate([take.interaction[0], np.ones(1, np.float32), np.zeros(12, np.float32)])
    state, holding = method.start(y), y.copy()
    place = BONE.ends[0] + [0.03, 0.0, 0.02]
    holding[-4:] = *place, 1.0
    for _ in range(5):
        state = method.step(state, holding)
    held = dataset.body.coordinates.of(place[None])[0]
    assert state.q[2] == pytest.approx(held, abs=1e-6)
    again = method.step(state, y)
    assert np.abs(again.q[2] - state.q[2]).max() > 1e-4, "it is let go of"


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["--handle=Other=core"], "contact_core_unknown"),
        (["--handle=Rig/bone=0.1,0,0.2"], "contact_handles_named_alike"),
    ],
)
def test_handles_that_contradict_the_takes_are_named(dataset, tmp_path, words, code):
    with pytest.raises(Problem) as raised:
        train(dataset, tmp_path / "m.safetensors", words=words)
    assert raised.value.code == code
