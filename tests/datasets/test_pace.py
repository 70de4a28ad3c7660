"""How long a simulation took is kept with its take."""

import json
from itertools import count

import numpy as np
import pytest
import synthetic

from neural_physics.datasets import take_writer
from neural_physics.datasets.dataset_info import TakeInfo
from neural_physics.datasets.takes import Dataset


@pytest.fixture
def clock(monkeypatch):
    """Each look at it is a quarter of a second later."""
    looks = count()
    monkeypatch.setattr(take_writer.time, "monotonic", lambda: 0.25 * next(looks))


def record(dataset, name, frames, **options):
    with dataset.writer(name, TakeInfo(9), **options) as writer:
        for _ in range(frames):
            take_writer.time.monotonic()  # simulating
            writer.append(np.ones((36, 3), np.float32), np.ones(dataset.info.channels.size, np.float32))
    return json.loads((dataset.path / "takes" / name / "take.json").read_text())["seconds_per_frame"]


def test_the_time_of_a_frame_is_that_between_frames_and_not_what_came_before(tmp_path, clock):
    dataset = Dataset.open(synthetic.make_dataset(tmp_path, roles=()).path)
    assert record(dataset, "whole", 5) == pytest.approx(0.25 * 5 / 4)  # 4 after the first one, and the end
    assert record(dataset, "resumed", 2) == pytest.approx(0.25 * 2)
    assert record(dataset, "resumed", 5) == pytest.approx(0.25 * 5 / 4)


def test_a_take_that_was_imported_or_has_one_frame_has_none(tmp_path, clock):
    dataset = Dataset.open(synthetic.make_dataset(tmp_path, roles=()).path)
    assert record(dataset, "imported", 5, timed=False) == 0.0
    assert record(dataset, "one", 1) == 0.0
    record(dataset, "a", 2), record(dataset, "b", 2), record(dataset, "c", 5)
    assert dataset.seconds_per_frame() == pytest.approx(0.5)
