"""The exported network of held poses says what the run time's says, and its vectors add up to the shape."""

import json
from dataclasses import replace

import jiggling
import numpy as np
import posing
import pytest

pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

from fuzzing.springs_model import network_of_poses_model_file
from onnx_sessions import SAME, STEPS, sessions

from ml_backend.methods.exporters import exporter_of
from neural_physics.interaction.poses import Pose
from neural_physics.methods.quasistatic_springs.pose_network import PoseNetwork
from neural_physics.methods.quasistatic_springs.skin_tensors import skin_in
from neural_physics.methods.registry import load_method
from neural_physics.models.model_file import parse_model


@pytest.fixture(scope="module", params=[False, True], ids=["linear", "preserving volume"])
def model(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("poses")
    return parse_model(network_of_poses_model_file(folder / "dataset", request.param), "Test model")


@pytest.fixture(scope="module")
def network(model):
    skin = skin_in(model, posing.NAMES, ())
    return PoseNetwork(model, skin, model.tensors["rest"])


def moves(count, seed=5):
    """(count, K + 1, 3, 4), in and beyond the range of the poses it was made from; matrices, too."""
    matrices, _ = posing.motion(count, seed)
    angles = 1.5 * posing.random_angles(count, seed)
    matrices[::2] = [posing.placed((0.3, -0.2), (1.0, 2.0, 3.0), each) for each in angles[::2]]
    return matrices[:, 1:, :3].astype(np.float32), matrices


def test_coefficients_are_those_of_the_run_time(model, network):
    session = sessions(model)["pose_network"]
    size, largest, clipped = 0.0, 0.0, 0.0
    for each in moves(STEPS)[0]:
        true, outside = network.coefficients(each)
        said = session(moves=each)
        largest = max(largest, float(np.abs(said["coefficients"][0] - true).max()))
        size += float(np.square(true).mean()) / STEPS
        clipped += outside / STEPS
        assert abs(said["outside"].item() - outside) < 0.011, "one more or less, at a limit"
    print(f"largest difference over the size: {largest / size**0.5:.2g}")
    assert largest < SAME * size**0.5
    assert 0.01 < clipped < 0.5, "some are clipped, and not all"


def test_displacements_turned_by_their_bones_and_added_to_skinning_are_the_target(model):
    """x = skinning(rest) + sum_b R_b d_b, with a skinning that is not the library's where that is linear."""
    session, method, mesh = sessions(model)["pose_network"], load_method(model), posing.strip()
    bones = ("", *posing.NAMES)
    parts = json.loads(session.metadata["displaced"])
    for own, matrices in zip(*moves(20), strict=True):
        if model.info.settings["preserve_volume"]:
            skinned = method._skinning(own)
        else:
            skinned = jiggling.skinned(mesh, matrices[None])[0]
        found, first = skinned.astype(float), 0
        displacements = session(moves=own)["displacements"][0]
        for part in parts:
            last = first + len(part["vertices"])
            turned = displacements[first:last] @ own[bones.index(part["bone"]), :, :3].T
            np.add.at(found, part["vertices"], turned)
            first = last
        assert first == len(displacements)
        true, _ = method.targets(Pose(matrices[0, :3], own))
        assert np.abs(true - skinned).max() > 1e-3, "it displaces"
        assert found == pytest.approx(true, abs=1e-5)


def test_its_file_says_that_it_is_a_part_of_a_step(model):
    told = sessions(model)["pose_network"].metadata
    assert told["kind"] == "network" and json.loads(told["state"]) == {}
    low, high = (np.array(json.loads(told["clip"])["seen"][end]) for end in ("low", "high"))
    assert low.shape == model.tensors["network.low"].shape and (low <= high).all()


def test_a_bone_that_is_squeezed_flat_gives_numbers(model, network):
    session, own = sessions(model)["pose_network"], moves(2)[0][1].copy()
    own[2] = 0.0
    true, _ = network.coefficients(own)
    assert session(moves=own)["coefficients"][0] == pytest.approx(true, abs=1e-5)


def test_a_model_without_the_network_has_nothing_to_export(model):
    export = exporter_of("quasistatic_springs")
    tensors = {name: each for name, each in model.tensors.items() if not name.startswith("network.")}
    assert export is not None and export(replace(model, tensors=tensors)) == []


def test_bones_without_bases_displace_by_their_mean_alone(model):
    sizes = {name: each for name, each in model.tensors.items() if name.startswith("network.")}
    none = np.zeros_like(sizes["network.modes"])
    tensors = model.tensors | {"network.modes": none, "network.basis": sizes["network.basis"][:0]}
    session = sessions(replace(model, tensors=tensors))["pose_network"]
    assert np.array_equal(session(moves=moves(1)[0][0])["displacements"][0], sizes["network.mean"])
