from dataclasses import replace

import numpy as np
import pytest
from motion_data import make_dataset

from learning.commands.check import describe
from learning.training.spans import split, split_poses
from neural_physics.datasets.dataset_info import Exclusion, read_take_info, write_take_info
from neural_physics.datasets.frame_checks import AFTER, BEFORE, NOT_FINITE
from neural_physics.errors import Problem
from neural_physics.evaluation.rollouts import held_out_takes


def frames_of(spans):
    return {(span.take.name, frame) for span in spans for frame in range(span.start, span.stop)}


def test_excluded_frames_split_a_take_and_test_takes_are_left_alone(tmp_path):
    roles = ("training", "validation", "test")
    dataset = make_dataset(tmp_path, 120, roles, excluded=(Exclusion(40, 49, "torn"),))
    training, validation = split(dataset)
    assert [(s.start, s.stop) for s in training] == [(0, 40), (50, 120)]
    assert {s.take.name for s in validation} == {"take_001"}


def test_without_a_validation_take_the_tails_of_the_training_takes_are_held_out(tmp_path):
    training, validation = split(make_dataset(tmp_path, 200, ("training", "training")))
    assert len(frames_of(training) & frames_of(validation)) == 0
    assert [(s.start, s.stop) for s in validation] == [(180, 200), (180, 200)]


def test_chunks_hold_the_frames_of_the_span_in_order(tmp_path):
    dataset = make_dataset(tmp_path, 700, ("training", "validation"))
    span = split(dataset)[0][0]
    positions = dataset.take("take_000").positions.reshape(700, -1)
    assert np.array_equal(np.concatenate(list(span.chunks())), positions)
    assert np.array_equal(np.concatenate(list(span.chunks(3))), positions[::3])


def refused(dataset):
    with pytest.raises(Problem) as caught:
        training, validation = split(dataset)
        for span in (*training, *validation):
            list(span.chunks())
    return caught.value


def test_a_take_with_a_number_that_is_none_is_named_with_its_frame(tmp_path):
    dataset = make_dataset(tmp_path, 100)
    path = tmp_path / "takes" / "take_001" / "positions.pc2"
    positions = np.memmap(path, "<f4", "r+", 32, (100, 36, 3))
    positions[77, 5, 1] = np.nan
    positions.flush()
    problem = refused(dataset)
    assert problem.code == "dataset_not_numbers"
    assert (problem.names["take"], problem.names["frame"]) == ("take_001", 77)


def test_an_interaction_that_is_no_number_is_refused(tmp_path):
    dataset = make_dataset(tmp_path, 100)
    path = tmp_path / "takes" / "take_000" / "interaction.npy"
    rows = np.load(path)
    rows[3, 1] = np.inf
    np.save(path, rows)
    assert refused(dataset).names["frame"] == 3


def test_of_a_take_that_is_not_complete_the_bad_frames_are_found_here(tmp_path):
    """A bake that was stopped has not looked for them yet."""
    dataset = make_dataset(tmp_path, 200, ("training", "validation"), excluded=(Exclusion(0, 1, "resumed"),))
    for name in ("take_000", "take_001"):
        folder = tmp_path / "takes" / name
        write_take_info(folder, replace(read_take_info(folder), complete=False))
        positions = np.memmap(folder / "positions.pc2", "<f4", "r+", 32, (200, 36, 3))
        positions[100, 5, 1] = np.nan
        positions[150:] = 0.0
        positions.flush()
    training, validation = split(dataset)
    kept = [(2, 100 - BEFORE), (100 + AFTER + 1, 150 - BEFORE)]
    for spans in (training, validation):
        assert [(span.start, span.stop) for span in spans] == kept
        assert all(
            np.isfinite(chunk).all() and chunk.any(1).all() for span in spans for chunk in span.chunks()
        )
    (held_out,) = held_out_takes(dataset)
    assert held_out.segments() == kept


def test_many_frames_in_runs_too_short_to_train_from_are_refused_as_such(tmp_path):
    every = tuple(Exclusion(first, first, "torn") for first in range(0, 400, 30))
    problem = refused(make_dataset(tmp_path, 400, ("training", "validation"), excluded=every))
    assert problem.code == "dataset_too_short"
    assert "has 0 usable frames in runs of at least 32" in problem.message


@pytest.mark.parametrize(
    "frames,roles,excluded,code",
    [
        (100, ("test",), (), "dataset_empty"),
        (100, ("training",), (Exclusion(0, 99, "exploded"),), "dataset_empty"),
        (20, ("training",), (), "dataset_too_short"),
    ],
)
def test_too_little_to_learn_from_has_its_sentence(tmp_path, frames, roles, excluded, code):
    problem = refused(make_dataset(tmp_path, frames, roles, excluded=excluded))
    assert problem.code == code
    assert str(tmp_path) in problem.message


def hold(dataset, *names):
    """Say of takes that each of their frames is a pose by itself."""
    for name in names:
        folder = dataset.path / "takes" / name
        write_take_info(folder, replace(read_take_info(folder), kind="quasistatic"))


def test_held_poses_are_no_motion_and_motion_is_no_held_pose(tmp_path):
    roles = ("training", "training", "validation", "validation", "test", "test")
    dataset = make_dataset(tmp_path, 120, roles)
    hold(dataset, "take_001", "take_003", "take_005")
    names = [[{s.take.name for s in spans} for spans in found(dataset)] for found in (split, split_poses)]
    assert names == [[{"take_000"}, {"take_002"}], [{"take_001"}, {"take_003"}]]
    assert [take.name for take in held_out_takes(dataset)] == ["take_004"]
    assert [take.name for take in dataset.takes(kind="quasistatic")] == ["take_001", "take_003", "take_005"]
    assert "120 poses" in describe(dataset.take("take_001"))


def test_the_last_tenth_of_held_poses_chooses_the_best_model_however_often_they_are_cut(tmp_path):
    bad = tuple(Exclusion(frame, frame, "no equilibrium") for frame in range(1, 200, 3))
    dataset = make_dataset(tmp_path, 200, ("training", "training"), excluded=bad)
    hold(dataset, "take_001")
    training, validation = split_poses(dataset)
    good = {("take_001", frame) for frame in range(200) if frame % 3 != 1}
    assert frames_of(training) == {(take, frame) for take, frame in good if frame < 180}
    assert frames_of(validation) == {(take, frame) for take, frame in good if frame >= 180}


def test_a_bad_pose_of_a_bake_under_way_takes_none_of_its_neighbours_along(tmp_path):
    dataset = make_dataset(tmp_path, 120, ("training", "training"))
    hold(dataset, "take_001")
    folder = dataset.path / "takes" / "take_001"
    write_take_info(folder, replace(read_take_info(folder), complete=False))
    positions = np.memmap(folder / "positions.pc2", "<f4", "r+", 32, (120, 36, 3))
    positions[60, 5, 1] = np.nan
    positions.flush()
    excluded = {exclusion for span in split_poses(dataset)[0] for exclusion in span.take.info.excluded}
    assert excluded == {Exclusion(60, 60, NOT_FINITE)}


def test_poses_alone_are_refused_in_a_sentence_of_their_own(tmp_path):
    dataset = make_dataset(tmp_path, 120, ("training", "validation"))
    hold(dataset, "take_000", "take_001")
    with pytest.raises(Problem) as refusal:
        split(dataset)
    assert refusal.value.code == "dataset_without_motion"
