"""Takes of a mesh with shape keys: what is learned is about the keyed shape (Jin 2022, section 3)."""

from __future__ import annotations

import argparse
from dataclasses import replace

import jiggling
import keyed
import numpy as np
import pytest

from neural_physics.datasets.frame_checks import TORN, find_bad_frames
from neural_physics.errors import Problem
from neural_physics.jobs.events import StopRequest
from neural_physics.methods.registry import load_method
from neural_physics.models.model_file import Model, read_model

pytest.importorskip("torch")

FRAMES = 100


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    return keyed.make_dataset(tmp_path_factory.mktemp("keyed") / "dataset", FRAMES)


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
    wanted = keyed.shapes(dataset.mesh, jiggling.moves(FRAMES, 1), values)
    found = np.stack([method.start(y).target for y in np.asarray(take.interaction)])
    assert np.abs(found - wanted).max() < 1e-5


def test_what_keys_stretch_is_not_torn_and_what_nothing_stretches_is(dataset):
    mesh, layout, take = dataset.mesh, dataset.info.channels, dataset.takes("training")[0]
    positions, y = np.array(take.positions), np.array(take.interaction)
    far = replace(keyed.KEYS, offsets=40.0 * keyed.KEYS.offsets)
    stretched = replace(mesh, skin=replace(mesh.skin, keys=far))
    positions[50, keyed.MOVED[0]] += np.float32([4.0, 0.0, 0.0])
    assert [found.reason for found in find_bad_frames(positions, mesh, layout, y)] == [TORN]
    assert not find_bad_frames(positions, stretched, layout, y)
    y[:, -2:] = 0.0
    assert [found.reason for found in find_bad_frames(positions, stretched, layout, y)] == [TORN]


def test_keys_of_a_model_that_do_not_fit_are_refused(trained):
    model = trained[1]
    broken = {
        "keys.counts": np.array([5, 3], np.int32),
        "keys.vertices": keyed.MOVED[::-1].astype(np.int32),
        "keys.offsets": np.full((7, 3), np.inf, np.float32),
    }
    for name, values in broken.items():
        tensors = {**model.tensors, name: values}
        with pytest.raises(Problem) as raised:
            load_method(Model(model.info, tensors, "model"))
        assert raised.value.code == "model_damaged"
