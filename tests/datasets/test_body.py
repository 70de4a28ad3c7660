"""The simulated body in a dataset: what is written is read, damage is refused, takes keep it in step."""

from __future__ import annotations

import os
from dataclasses import replace

import numpy as np
import pytest
import synthetic

from neural_physics.datasets.body import Body
from neural_physics.datasets.dataset_info import DatasetInfo, TakeInfo
from neural_physics.datasets.simulation_request import SimulationSettings
from neural_physics.datasets.takes import Dataset
from neural_physics.errors import Problem

RNG = np.random.default_rng(0)


def solid(vertices: int = 16) -> Body:
    """Two tetrahedra that carry a mesh."""
    weights = RNG.dirichlet(np.ones(4), vertices)
    corners = np.array([[0, 1, 2, 3], [1, 2, 3, 4]], np.int32)[RNG.integers(2, size=vertices)]
    return Body(
        SimulationSettings("solid", young=7e3),
        np.concatenate([np.zeros((1, 3)), np.eye(3), np.ones((1, 3))]),
        np.array([[0, 1, 2, 3], [1, 2, 3, 4]], np.int32),
        np.array([True, False, False, False, False]),
        masses=RNG.uniform(0.1, 1.0, 5),
        moduli=np.full((2, 2), 1e3),
        gravity=np.array([0.0, 0.0, -9.81]),
        embedding_corners=corners,
        embedding_weights=weights,
        bones=np.array([0, -1, -1, -1, -1], np.int32),
    )


def dataset_with(body: Body, path, mesh=None) -> Dataset:
    mesh = mesh or synthetic.sheet_mesh(4)
    info = DatasetInfo("Sheet", mesh.topology(), mesh.vertex_count, 24.0, channels=synthetic.LAYOUT)
    dataset = Dataset.create(path, info, mesh)
    assert dataset.body is None
    body.write(path / "body.npz")
    return dataset


def frame(number: int) -> tuple[np.ndarray, ...]:
    rng = np.random.default_rng(number)
    return rng.normal(size=(16, 3)), rng.normal(size=3), None, rng.normal(size=(5, 3))


def test_a_body_is_read_as_it_was_written(tmp_path):
    body = solid()
    body.write(tmp_path / "body.npz")
    read = Body.read(tmp_path / "body.npz")
    assert read.settings == body.settings
    for name in ("rest_positions", "elements", "pinned", "masses", "moduli", "gravity", "embedding_weights"):
        assert np.array_equal(getattr(read, name), getattr(body, name))
    moved = body.rest_positions @ np.array([[0.0, 2.0, 0], [1.0, 0, 0], [0, 0, 1.0]]) + 3.0
    each = [
        w @ moved[c] for w, c in zip(body.embedding_weights, np.asarray(body.embedding_corners), strict=True)
    ]
    assert read.carried(moved) == pytest.approx(np.array(each))


@pytest.mark.parametrize(
    "change",
    [
        {"elements": np.array([[0, 1, 2, 5]] * 2, np.int32)},
        {"elements": np.array([[0, 1, 2]] * 2, np.int32)},
        {"elements": np.array([[0, 1, 3, 2]] * 2, np.int32)},
        {"rest_positions": np.zeros((5, 3))},
        {"masses": np.full(5, np.nan)},
        {"masses": np.full(5, -1.0)},
        {"moduli": -np.ones((2, 2))},
        {"rest_positions": np.full((5, 3), 1e10)},
        {"moduli": np.ones((2, 3))},
        {"pinned": np.zeros(4, bool)},
        {"gravity": np.zeros(2)},
        {"embedding_corners": None},
        {"embedding_weights": np.ones((15, 4))},
        {"settings": SimulationSettings("shell")},
        {"settings": SimulationSettings("jelly")},  # type: ignore[arg-type]
        {"settings": SimulationSettings("solid", steps=0)},
        {"settings": SimulationSettings("solid", young=float("nan"))},
    ],
)
def test_an_invalid_body_is_refused(tmp_path, change):
    replace(solid(), **change).write(tmp_path / "body.npz")
    with pytest.raises(Problem, match=r"body\.npz") as raised:
        Body.read(tmp_path / "body.npz")
    assert raised.value.code == "dataset_damaged"


def test_a_truncated_body_is_refused(tmp_path):
    solid().write(tmp_path / "body.npz")
    os.truncate(tmp_path / "body.npz", 700)
    with pytest.raises(Problem):
        Body.read(tmp_path / "body.npz")


def test_the_body_of_another_mesh_is_refused(tmp_path):
    dataset = dataset_with(solid(17), tmp_path / "d")
    with pytest.raises(Problem, match="another mesh"):
        _ = dataset.body


@pytest.mark.parametrize("cut", [1, 60, 61, 150])
def test_torn_frames_of_the_body_are_dropped_from_all_files(tmp_path, cut):
    dataset = dataset_with(solid(), tmp_path / "d")
    with dataset.writer("take_000", TakeInfo(4)) as writer:
        for number in range(4):
            writer.append(*frame(number))
    path = dataset.path / "takes" / "take_000" / "body.pc2"
    os.truncate(path, path.stat().st_size - cut)
    left = 4 - -(-cut // 60)
    assert dataset.outline("take_000").frame_count == left
    assert len(dataset.take("take_000").positions) == len(dataset.take("take_000").body_positions) == left
    with dataset.writer("take_000", TakeInfo(4)) as writer:
        assert writer.count == left
        for number in range(left, 4):
            writer.append(*frame(number))
    take = dataset.take("take_000")
    for number in range(4):
        assert np.array_equal(take.positions[number], frame(number)[0].astype(np.float32))
        assert np.array_equal(take.body_positions[number], frame(number)[3].astype(np.float32))


def test_the_body_of_a_shell_is_the_mesh_itself(tmp_path):
    body = replace(
        solid(),
        settings=SimulationSettings("shell"),
        rest_positions=np.zeros((16, 3)),
        pinned=np.zeros(16, bool),
        masses=np.ones(16),
        elements=np.array([[0, 1, 2]], np.int32),
        moduli=np.ones((1, 3)),
        embedding_corners=None,
        embedding_weights=None,
    )
    dataset = dataset_with(body, tmp_path / "d")
    with dataset.writer("take_000", TakeInfo(1)) as writer:
        writer.append(*frame(0)[:2])
    assert not (dataset.path / "takes" / "take_000" / "body.pc2").exists()
    take = dataset.take("take_000")
    assert np.array_equal(take.body_positions, take.positions)
