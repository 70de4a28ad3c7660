"""Takes of a mesh with shape keys: what is learned is about the keyed shape (Jin 2022, section 3)."""

from __future__ import annotations

import argparse
from dataclasses import replace

import jiggling
import numpy as np
import pytest

from neural_physics.datasets.dataset_info import DatasetInfo, TakeInfo
from neural_physics.datasets.frame_checks import TORN, find_bad_frames
from neural_physics.datasets.takes import Dataset
from neural_physics.errors import Problem
from neural_physics.interaction.channels import Channel, ChannelLayout
from neural_physics.jobs.events import StopRequest
from neural_physics.methods.registry import load_method
from neural_physics.models.model_file import Model, read_model
from neural_physics.skinning.shape_keys import ShapeKeys

pytest.importorskip("torch")

FRAMES = 100
LAYOUT = ChannelLayout((*jiggling.LAYOUT.channels, Channel("Shape Keys", "shape_keys", 2, parts=("a", "b"))))
MOVED = np.array([0, 3, 5, 9, 2, 3, 11])
KEYS = ShapeKeys(
    ("a", "b"),
    np.array([4, 3], np.int32),
    MOVED.astype(np.int32),
    np.random.default_rng(3).normal(scale=0.1, size=(7, 3)).astype(np.float32),
)


def keyed_rests(mesh, values):
    """(frames, V, 3): the shape at rest, changed by keys."""
    rests = np.tile(mesh.rest_positions.astype(float), (len(values), 1, 1))
    for part, value in ((slice(0, 4), values[:, :1, None]), (slice(4, 7), values[:, 1:, None])):
        rests[:, MOVED[part]] += value * KEYS.offsets[part]
    return rests


def shapes(mesh, matrices, values):
    """(frames, V, 3), world space: the keyed shape where bones take it."""
    rests = keyed_rests(mesh, values)
    weights = np.column_stack([1.0 - mesh.skin.weights.sum(1, dtype=float), mesh.skin.weights])
    square = np.concatenate([rests, np.ones((*rests.shape[:2], 1))], -1)
    return np.einsum("vb,nbij,nvj->nvi", weights, matrices[:, 1:], square)[..., :3]


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    plain = jiggling.strip()
    mesh = replace(plain, skin=replace(plain.skin, keys=KEYS))
    info = DatasetInfo(
        "Strip", mesh.topology(), mesh.vertex_count, jiggling.FPS, channels=LAYOUT, reference_frame="Rig/tip"
    )
    dataset = Dataset.create(tmp_path_factory.mktemp("keyed") / "dataset", info, mesh)
    for number, role in enumerate(("training", "validation")):
        matrices, t = jiggling.moves(FRAMES, number), np.arange(FRAMES) / jiggling.FPS
        values = np.stack([np.sin(3.0 * t + number), 1.5 * np.sin(2.0 * t) ** 2], 1)
        targets = shapes(mesh, matrices, values)
        swung = jiggling.swung(targets, jiggling.central_slopes(targets), *jiggling.springs(mesh))
        x, y = jiggling.seen(matrices, swung), np.hstack([jiggling.interaction(matrices), values])
        with dataset.writer(f"take_{number}", TakeInfo(FRAMES, role=role, seed=number)) as writer:
            for positions, row, matrix in zip(x, y, matrices, strict=True):
                writer.append(positions, row, np.linalg.inv(matrix[0]))
    return dataset


@pytest.fixture(scope="module")
def trained(dataset, tmp_path_factory):
    from ml_backend.commands.train import add_arguments, run

    out = tmp_path_factory.mktemp("keyed_model") / "model.safetensors"
    parser = argparse.ArgumentParser()
    add_arguments(parser)
    words = [str(dataset.path), "--out", str(out), "--method=quasistatic_springs"]
    words += ["--set=minutes=0", "--set=settled=false"]  # the shape at rest is known
    return run(parser.parse_args(words), lambda _: None, StopRequest()), read_model(out)


def test_springs_swing_about_the_keyed_shape(dataset, trained):
    result, model = trained
    k_s, _ = jiggling.springs(dataset.mesh)
    assert np.abs(np.log(model.tensors["stiffness"] / k_s)).mean() < 0.05
    assert result["validation_error"] < 0.05 and result["skinning_error"] > 4.0 * result["validation_error"]


def test_a_pose_that_is_held_is_where_keys_and_bones_take_the_mesh(dataset, trained):
    method, take = load_method(trained[1]), dataset.takes("validation")[0]
    values = take.interaction[:, -2:].astype(float)
    wanted = shapes(dataset.mesh, jiggling.moves(FRAMES, 1), values)
    found = np.stack([method.start(y).target for y in np.asarray(take.interaction)])
    assert np.abs(found - wanted).max() < 1e-5


def test_what_keys_stretch_is_not_torn_and_what_nothing_stretches_is(dataset):
    mesh, layout, take = dataset.mesh, dataset.info.channels, dataset.takes("training")[0]
    positions, y = np.array(take.positions), np.array(take.interaction)
    far = replace(KEYS, offsets=40.0 * KEYS.offsets)
    stretched = replace(mesh, skin=replace(mesh.skin, keys=far))
    positions[50, MOVED[0]] += np.float32([4.0, 0.0, 0.0])
    assert [found.reason for found in find_bad_frames(positions, mesh, layout, y)] == [TORN]
    assert not find_bad_frames(positions, stretched, layout, y)
    y[:, -2:] = 0.0
    assert [found.reason for found in find_bad_frames(positions, stretched, layout, y)] == [TORN]


def test_keys_of_a_model_that_do_not_fit_are_refused(trained):
    model = trained[1]
    broken = {
        "keys.counts": np.array([5, 3], np.int32),
        "keys.vertices": MOVED[::-1].astype(np.int32),
        "keys.offsets": np.full((7, 3), np.inf, np.float32),
    }
    for name, values in broken.items():
        tensors = {**model.tensors, name: values}
        with pytest.raises(Problem) as raised:
            load_method(Model(model.info, tensors, "model"))
        assert raised.value.code == "model_damaged"
