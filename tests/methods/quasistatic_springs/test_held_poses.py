"""The network of held poses, from takes to what plays, held against the formula that made the poses."""

from __future__ import annotations

import argparse
import shutil
from dataclasses import replace

import jiggling
import numpy as np
import posing
import pytest

from learning.training.spans import split_poses
from neural_physics.datasets.point_caches import write_pc2
from neural_physics.datasets.takes import Dataset
from neural_physics.errors import Problem
from neural_physics.evaluation.rollouts import rollout, rollout_errors, tile
from neural_physics.interaction.poses import pose_in
from neural_physics.jobs.events import StopRequest
from neural_physics.methods.quasistatic_springs.pose_network import NETWORK, PoseNetwork
from neural_physics.methods.registry import load_method
from neural_physics.models.model_file import read_model

pytest.importorskip("torch")

from ml_backend.methods.quasistatic_springs.rig_takes import RigTakes

QUICK = ("--set=steps=500", "--set=generations=1", "--set=minutes=0")


def train(dataset, out, *words, emit=lambda _: None, stop=None):
    from ml_backend.commands.train import add_arguments, run

    parser = argparse.ArgumentParser()
    add_arguments(parser)
    arguments = [str(dataset.path), "--out", str(out), "--method=quasistatic_springs", *QUICK, *words]
    return run(parser.parse_args(arguments), emit, stop or StopRequest())


@pytest.fixture(scope="module")
def dataset(tmp_path_factory):
    return posing.make_dataset(tmp_path_factory.mktemp("posing") / "dataset", bad=(3, 100, 101))


@pytest.fixture(scope="module")
def trained(dataset, tmp_path_factory):
    out = tmp_path_factory.mktemp("posed_model") / "model.safetensors"
    return train(dataset, out), read_model(out)


def targets_of(method, matrices):
    """(n, V, 3) world space, and the shares of inputs that were clipped."""
    found = [method.targets(pose_in(y)) for y in jiggling.interaction(matrices).astype(np.float32)]
    return np.stack([x for x, _ in found]), np.array([outside for _, outside in found])


def rms(x):
    return float(np.sqrt(np.square(x).sum(-1).mean()))


def test_poses_that_were_never_seen_are_met_to_a_seventh_of_what_skinning_is_off(dataset, trained):
    result, model = trained
    matrices, angles = posing.poses(60, 9)
    truth = posing.shapes(dataset.mesh, matrices, angles)
    bones = rms(jiggling.skinned(dataset.mesh, matrices) - truth)
    off = rms(targets_of(load_method(model), matrices)[0] - truth)
    assert bones > 0.01 and off < bones / 7.0  # metres
    # What is reported is of the poses for validation, drawn alike.
    assert result["poses"] == 237
    assert result["pose_error_mm"] == pytest.approx(1e3 * off, rel=0.3)
    assert result["pose_skinning_mm"] == pytest.approx(1e3 * bones, rel=0.2)


def test_springs_about_the_network_beat_springs_about_skinning(dataset, trained, tmp_path):
    """On motion they have not seen, of springs about a shape that goes with the pose."""
    result, model = trained
    plain = train(dataset, tmp_path / "plain.safetensors", "--set=network=false")
    without = read_model(tmp_path / "plain.safetensors")
    assert not any(name.startswith(NETWORK) for name in without.tensors) and "poses" not in plain
    assert result["validation_error"] < 0.5 * plain["validation_error"]
    take = dataset.takes("validation")[0]
    method = load_method(model)
    errors = rollout_errors(rollout(method), tile([take]), method.mean_shape)
    assert result["validation_error"] == pytest.approx(errors.error, rel=1e-6)
    k_s, _ = jiggling.springs(dataset.mesh)
    found = [np.abs(np.log(each.tensors["stiffness"] / k_s)).mean() for each in (model, without)]
    assert found[0] < 0.1 and found[0] < 0.5 * found[1]


def test_the_budget_is_spent_where_the_most_is_shown(trained):
    """Bones at the ends, which one joint bends, have fewer components than those between two joints."""
    tensors = trained[1].tensors
    counts, vertices = tensors["network.modes"], posing.strip().vertex_count
    assert len(tensors["network.basis"]) <= 3 * 16 * vertices
    assert counts[[0, -1]].max() < counts[1:-1].min()
    assert len(tensors["network.shares"]) < np.count_nonzero(tensors["weights"])


def test_a_far_bone_changes_nothing_and_a_near_one_does(trained):
    method = load_method(trained[1])
    angles = posing.random_angles(1, 12)[0]
    bent = angles.copy()
    bent[4] += 0.4
    here, there = (
        targets_of(method, posing.placed((0.1, 0.2), (0.0, 0.0, 0.0), each)[None])[0][0]
        for each in (angles, bent)
    )
    place = posing.strip().rest_positions[:, 0]
    far = place <= 1.5 * posing.LENGTH  # of the first two bones, which see no more than the two after them
    assert np.array_equal(here[far], there[far])
    assert np.abs(here - there)[place > 5.2 * posing.LENGTH].max() > 0.05


def test_the_share_of_inputs_beyond_what_was_trained_is_reported(dataset, trained):
    method = load_method(trained[1])
    inside = np.concatenate([take.interaction for take in dataset.takes("training", kind="quasistatic")])
    kept = np.delete(np.arange(240), [3, 100, 101])
    assert all(method.start(y).outside == 0.0 for y in inside[kept][:40])
    far = posing.placed((0.0, 0.0), (0.0, 0.0, 0.0), np.full((posing.BONES - 1, 2), 2.5))
    y = jiggling.interaction(far[None])[0].astype(np.float32)
    state = method.start(y)
    assert 0.05 < state.outside <= 1.0
    assert method.step(state, y).outside == state.outside
    rest = jiggling.skinned(dataset.mesh, far[None])[0]
    assert np.abs(state.target - rest).max() < 0.3  # clipped, it goes nowhere


def test_what_plays_is_what_the_trainer_measured(dataset, tmp_path):
    from learning.training.spans import split_poses
    from ml_backend.methods.quasistatic_springs.pose_data import prepare
    from ml_backend.methods.quasistatic_springs.pose_learner import PoseLearner
    from ml_backend.methods.quasistatic_springs.presets import PRESETS
    from ml_backend.methods.quasistatic_springs.rig_takes import RigTakes
    from neural_physics.models.model_file import Model

    rig, (training, held) = RigTakes.of(dataset), split_poses(dataset)
    preset = replace(PRESETS["preview"], modes=5, width=8)
    data = prepare(rig, training, held, preset.modes, bones=preset.bones_seen, seed=0, report=lambda _: None)
    learner = PoseLearner(data, preset, 0)
    for number in range(30):
        learner.step(number, number / 30)
    tensors = {NETWORK + name: tensor for name, tensor in {**data.tensors(), **learner.weights()}.items()}
    info = read_info(dataset)
    network = PoseNetwork(Model(info, tensors, "network"), rig.skin, rig.rest)
    frames = [frame for span in held for frame in rig.frames(span)]
    shown = np.stack([network.coefficients(pose.moves)[0] for pose, _ in frames])
    off = np.square(shown - data.held_wanted, dtype=np.float64).sum() + data.left.sum()
    assert np.sqrt(off / data.far.sum()) == pytest.approx(learner.validate().relative, rel=1e-4)
    # What the bones of a vertex say is blended: the blend is no further off than they are.
    blended = sum(np.square(network(pose.moves)[0] - x).sum() for pose, x in frames)
    assert blended <= 1.001 * off


def read_info(dataset):
    from ml_backend.methods.quasistatic_springs.train import _info

    return _info(dataset, dataset.mesh.skin, {})


def test_a_stopped_training_goes_on_and_ends_the_same(dataset, trained, tmp_path):
    out, stop = tmp_path / "model.safetensors", StopRequest()

    def stopping(event):
        if event.get("stage") == "Learning the poses" and event.get("step", 0) > 100:
            stop._on_signal()

    with pytest.raises(Problem) as stopped:
        train(dataset, out, emit=stopping, stop=stop)
    assert stopped.value.code == "stopped" and not out.exists()
    stages = []
    train(dataset, out, emit=stages.append)
    learning = [event for event in stages if event.get("stage") == "Learning the poses"]
    assert min(event["step"] for event in learning if "step" in event) > 100
    bar = [event["done"] for event in stages if event["event"] == "progress"]
    assert bar == sorted(bar) and bar[-1] == stages[0]["total"], "one bar from the first stage to the last"
    again = read_model(out).tensors
    assert all(np.array_equal(tensor, again[name]) for name, tensor in trained[1].tensors.items())


def test_no_more_poses_are_used_than_asked_for_however_they_are_cut():
    from learning.training.spans import Span
    from ml_backend.methods.quasistatic_springs.pose_training import at_most

    spans = [Span(None, 10 * k, 10 * k + 1 + k % 3) for k in range(30)]
    kept = [at_most(spans, most) for most in (1, 20, 59, 60, 1000)]
    assert [sum(len(span) for span in some) for some in kept] == [1, 20, 59, 60, 60]
    assert kept[-1] == spans and kept[1][0].start < 40 and kept[1][-1].start > 200


def test_a_few_poses_are_no_lesson(tmp_path):
    few = posing.make_dataset(tmp_path / "few", counts=(6, 2), frames=(80, 20))
    result = train(few, tmp_path / "model.safetensors")
    assert "poses" not in result
    load_method(read_model(tmp_path / "model.safetensors"))


def rewrite(path, shapes):
    path.unlink()
    write_pc2(path, shapes)


def test_a_network_that_is_further_off_than_bones_is_left_out(tmp_path):
    """Its poses say nothing of the shapes, which it learns by heart."""
    dataset = posing.make_dataset(tmp_path / "d", counts=(20, 20), frames=(80, 20))
    shapes = np.array(dataset.take("poses_training").positions)
    rewrite(dataset.path / "takes" / "poses_training" / "positions.pc2", np.roll(shapes, 7, axis=0))
    result = train(Dataset.open(dataset.path), tmp_path / "model.safetensors")
    assert "poses" not in result
    assert any("it is left out. Raise Poses" in note for note in result["notes"])
    model = read_model(tmp_path / "model.safetensors")
    assert not any(name.startswith(NETWORK) for name in model.tensors)
    assert result["validation_error"] <= 1.1 * result["skinning_error"]


def test_a_network_that_is_further_off_in_motion_than_bones_is_left_out_however_well_it_poses(tmp_path):
    """Its poses, those for validation as well, bulge inwards where in motion the strip bulges outwards."""
    dataset = posing.make_dataset(tmp_path / "d", frames=(80, 40))
    for number, role in enumerate(("training", "validation")):
        take = dataset.take(f"poses_{role}")
        matrices, _ = posing.poses(len(take.interaction), number)
        bones = jiggling.seen(matrices, jiggling.skinned(dataset.mesh, matrices))
        inwards = 2.0 * bones - np.array(take.positions)
        rewrite(dataset.path / "takes" / take.name / "positions.pc2", inwards.astype(np.float32))
    result = train(Dataset.open(dataset.path), tmp_path / "model.safetensors")
    assert "poses" not in result
    assert any(note.startswith("On the validation frames, the pose network is") for note in result["notes"])
    model = read_model(tmp_path / "model.safetensors")
    assert not any(name.startswith(NETWORK) for name in model.tensors)
    assert result["validation_error"] <= 1.1 * result["skinning_error"]


def test_poses_without_motion_are_refused_in_a_sentence(dataset, tmp_path):
    still = posing.make_dataset(tmp_path / "still", counts=(20, 5), frames=(8, 8))
    for name in ("motion_training", "motion_validation"):
        folder = still.path / "takes" / name
        for path in folder.iterdir():
            path.unlink()
        folder.rmdir()
    with pytest.raises(Problem, match="holds only poses, and no motion"):
        train(Dataset.open(still.path), tmp_path / "model.safetensors")


def test_bones_that_preserve_volume_are_learned_from_as_well(tmp_path):
    dataset = posing.make_dataset(
        tmp_path / "volume", counts=(120, 20), frames=(64, 20), preserve_volume=True
    )
    result = train(dataset, tmp_path / "model.safetensors")
    assert result["pose_error_mm"] < 0.3 * result["pose_skinning_mm"]


def changed(name, change):
    """Damage that changes one tensor of the network."""

    def damage(tensors):
        tensors[f"network.{name}"] = change(tensors[f"network.{name}"].copy())

    return damage


def with_last(value):
    def change(tensor):
        tensor.reshape(-1)[-1] = value
        return tensor

    return change


DAMAGE = {
    "no mean": lambda t: t.pop("network.mean"),
    "no seen": lambda t: t.pop("network.seen"),
    "no layers": lambda t: t.pop("network.0.weight"),
    "no shares": lambda t: t.pop("network.shares"),
    "no modes": lambda t: t.pop("network.modes"),
    "a layer too few": lambda t: t.pop("network.2.weight"),
    "seen by nobody": changed("seen", lambda t: t + 100),
    "seen as fractions": changed("seen", lambda t: t.astype(np.float32)),
    "a share twice": changed("shares", lambda t: t[[0, *range(len(t) - 1)]]),
    "shares that fall": changed("shares", lambda t: t[::-1]),
    "a share that is not there": changed("shares", with_last(10_000)),
    "a share before the first": changed("shares", lambda t: t - 1 - t[0]),
    "a bone's shares left out": changed("shares", lambda t: t[t > t[0] + 40]),
    "shares of none": changed("shares", lambda t: t[:0]),
    "shares as fractions": changed("shares", lambda t: t.astype(np.float32)),
    "another mean": changed("mean", lambda t: t[1:]),
    "more modes than numbers": changed("modes", with_last(10_000)),
    "modes below none": changed("modes", with_last(-1)),
    "one mode fewer than the basis has": changed("modes", lambda t: np.where(t == t.max(), t - 1, t)),
    "modes of fewer bones": changed("modes", lambda t: t[1:]),
    "a shorter basis": changed("basis", lambda t: t[1:]),
    "a longer basis": changed("basis", lambda t: np.append(t, t[:3])),
    "a basis without numbers": changed("basis", lambda t: t[:0]),
    "a basis of another shape": changed("basis", lambda t: t[None]),
    "a basis that is not a number": changed("basis", with_last(np.inf)),
    "fewer coefficients": changed("linear", lambda t: t[:, 1:]),
    "no number": changed("1.bias", with_last(np.nan)),
    "short limits": changed("high", lambda t: t[:, 1:]),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_file_with_a_damaged_network_is_refused(trained, name):
    tensors = dict(trained[1].tensors)
    DAMAGE[name](tensors)
    with pytest.raises(Problem) as refused:
        load_method(replace(trained[1], tensors=tensors))
    assert refused.value.code == "model_damaged"


def test_poses_that_throw_vertices_out_of_reach_are_named(dataset, tmp_path):
    copy = tmp_path / "dataset"
    shutil.copytree(dataset.path, copy)
    path = copy / "takes" / "poses_training" / "interaction.npy"
    rows = np.load(path)
    rows[7, :12] = 0.0
    rows[7, [0, 5, 10]] = 1e-11  # all is 1e11 times as large as it is seen
    np.save(path, rows)
    damaged = Dataset.open(copy)
    training, _ = split_poses(damaged)
    with pytest.raises(Problem) as caught:
        for span in training:
            list(RigTakes.of(damaged).frames(span))
    assert caught.value.code == "dataset_not_numbers" and caught.value.names["frame"] == 7
