"""Capsules that takes record: where they are, which are met, and that evaluated cloth lies on them."""

from __future__ import annotations

import json
from argparse import Namespace
from dataclasses import replace

import numpy as np
import pytest
import synthetic
from bake_requests import cuboid, moved, request, round_ball, springs, tracks, triangles_of
from cloth_models import FABRIC, LAYOUT, cloth_model_file

pytest.importorskip("matplotlib")
pytest.importorskip("scipy")
pytestmark = pytest.mark.torch

from learning.commands import evaluate
from ml_backend.commands import evaluate as command
from ml_backend.evaluation.recorded_colliders import NOT_RECORDED, recorded_capsules
from neural_physics.datasets.dataset_info import DatasetInfo, TakeInfo
from neural_physics.datasets.point_caches import read_pc2
from neural_physics.datasets.simulation_request import ColliderMesh
from neural_physics.datasets.takes import REQUEST, Dataset
from neural_physics.jobs.events import StopRequest
from neural_physics.models.model_file import parse_model

FRAMES, RADIUS, HALF = 70, 0.2, 0.6
HANGING = synthetic.sheet_mesh(17)
FLAT = replace(
    HANGING,
    rest_positions=np.ascontiguousarray(
        (HANGING.rest_positions + np.array([0, 0, 0.5]))[:, [0, 2, 1]], np.float32
    ),
    pins=np.zeros(len(HANGING.pins), np.float32),
)
TURN = np.array([[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 0.0]])  # the capsule's z along x


def limb(name="Limb"):
    """A capsule along its z: a ball's two halves drawn apart."""
    ball = round_ball(RADIUS, segments=32, rings=16)
    apart = np.where(ball.vertices[:, 2:] >= -1e-9, HALF, -HALF) * [0, 0, 1]
    return replace(ball, name=name, vertices=ball.vertices + apart)


def crate():
    vertices, corners, sizes = cuboid((0, 0, 0), (1, 1, 1))
    return ColliderMesh("Crate", vertices, triangles_of(corners, sizes))


def lying(time):
    """Half a metre below the sheet, on its way along x."""
    matrix = moved(0.5 * time, 0.0, -0.5)
    matrix[:3, :3] = TURN
    return matrix


def dataset_in(folder, colliders, places, frame_from_world=None):
    """Of one take in which the sheet stays where it is, a little off its mean shape, and of which the solver
    says what was around it.
    """
    info = DatasetInfo("Sheet", FLAT.topology(), FLAT.vertex_count, 24.0, channels=LAYOUT)
    dataset = Dataset.create(folder, info, FLAT)
    y = np.float32([0, 0, 0, FABRIC["stretch"], FABRIC["bending"]])
    with dataset.writer("take_000", TakeInfo(FRAMES, role="test")) as writer:
        for _ in range(FRAMES):
            writer.append(FLAT.rest_positions + np.float32([0, 0, 0.01]), y)
    mesh = FLAT.rest_positions, FLAT.corners, FLAT.face_sizes
    asked = request(springs(), mesh, colliders=colliders)
    of_take = tracks(asked, FRAMES, colliders=lambda time: [place(time) for place in places])
    if frame_from_world is not None:
        of_take = replace(of_take, frame_from_world=np.tile(frame_from_world, (FRAMES, 1, 1)))
    dataset.keep_surroundings("take_000", asked, of_take)
    return dataset


def met(dataset, **settings):
    model = parse_model(cloth_model_file(FLAT, weights=0.0, **settings), "sheet").info
    return recorded_capsules(model, dataset, dataset.takes("test"))


def test_a_capsule_is_where_it_was_as_large_as_it_was_in_the_axes_of_the_take(tmp_path):
    seen_from = np.eye(4)
    seen_from[:3] = 2.0 * np.eye(4)[[1, 2, 0]]  # turned, and its metre half as long
    seen_from[:3, 3] = 1.0, 2.0, 3.0
    found = met(dataset_in(tmp_path / "d", [limb()], [lying], seen_from))
    assert [(c.name, c.kind, c.source) for c in found.channels] == [("Capsule 1", "capsule", "Limb")]
    rows = found.takes[0].interaction[:, LAYOUT.size :]
    time = np.arange(FRAMES) / 48.0
    for sign, ends in ((1.0, rows[:, 0:3]), (-1.0, rows[:, 3:6])):
        true = np.stack([0.5 * time + sign * HALF, 0 * time, 0 * time - 0.5], 1)
        wanted = 2.0 * true[:, [1, 2, 0]] + [1.0, 2.0, 3.0]
        other = wanted - 4.0 * sign * HALF * np.float64([0, 0, 1])  # an end may be either
        assert min(np.abs(ends - wanted).max(), np.abs(ends - other).max()) < 0.01
    assert rows[:, 6:] == pytest.approx(2.0 * RADIUS, rel=0.02)


def test_a_ball_that_the_model_knows_is_not_met_twice_and_a_box_is_noted(tmp_path):
    ball = replace(round_ball(0.3), name="Hand")
    dataset = dataset_in(tmp_path / "d", [ball, crate(), limb()], [lambda _: moved(0, 0, -2)] * 2 + [lying])
    assert [c.source for c in met(dataset).channels] == ["Hand", "Limb"]
    found = met(dataset, colliders={"Hand": 0.3})
    assert [c.source for c in found.channels] == ["Limb"]
    assert len(found.notes) == 1 and "Crate is neither a ball nor a capsule" in found.notes[0]


def test_a_take_without_a_capsule_of_another_meets_none(tmp_path):
    dataset = dataset_in(tmp_path / "d", [limb()], [lying])
    with dataset.writer("take_001", TakeInfo(2, role="test")) as writer:
        for _ in range(2):
            writer.append(FLAT.rest_positions, np.zeros(5, np.float32))
    found = met(dataset)
    assert found.notes == [NOT_RECORDED]
    row = found.takes[1].interaction[0, LAYOUT.size :]
    assert np.linalg.norm(row[:3]) > 1e5 and (row[6:] == 0.0).all()


def test_other_methods_see_what_they_were_trained_on(tmp_path):
    dataset = dataset_in(tmp_path / "d", [limb()], [lying])
    found = recorded_capsules(synthetic.make_model_info(FLAT), dataset, dataset.takes("test"))
    assert found.channels == () and found.takes[0].interaction.shape[1] == LAYOUT.size


def test_evaluated_cloth_comes_to_lie_on_the_capsule_or_says_why_not(tmp_path, monkeypatch):
    monkeypatch.setattr(evaluate, "time_model", lambda path: {"step_us": 1.0, "decode_us": 1.0})
    dataset = dataset_in(tmp_path / "d", [limb()], [lambda _: lying(0.0)])
    (tmp_path / "m").write_bytes(cloth_model_file(FLAT, weights=0.0))
    args = Namespace(model=tmp_path / "m", dataset=dataset.path, out=tmp_path / "out", frames=FRAMES)

    def shown():
        command.run(args, lambda event: None, StopRequest())
        report = json.loads((tmp_path / "out" / "report.json").read_text())
        return np.array(read_pc2(tmp_path / "out" / "prediction.pc2")), report["notes"]

    lies, notes = shown()
    off = np.hypot(lies[..., 1], lies[..., 2] + 0.5)
    off[np.abs(lies[..., 0]) > HALF] = np.inf
    assert off.min() > RADIUS and off[-1].min() < RADIUS + 0.02 and notes == []
    (dataset.path / "takes" / "take_000" / REQUEST).unlink()
    falls, notes = shown()
    assert falls[-1, :, 2].max() < -1.0 and notes == [NOT_RECORDED]
    assert NOT_RECORDED in (tmp_path / "out" / "report.html").read_text()
