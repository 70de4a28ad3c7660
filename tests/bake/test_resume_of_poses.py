"""A bake of poses by the real job, killed while it settles them, goes on and ends the same, bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("bpy")
pytestmark = [
    pytest.mark.blender,
    pytest.mark.slow,
    pytest.mark.once,
    pytest.mark.usefixtures("a_python_that_simulates"),
]

from bakes import command_for, contents, frames_on_disk, kill_all, run, start, wait_for
from flesh import limb
from scenes import settings_of

from neural_physics.datasets.takes import Dataset

POSES, VERTICES = 24, 8


def flesh():
    body = limb(poses=POSES)
    settings_of(body).simulation.tetrahedra = 600  # that a kill meets some poses done and some not
    return body


def test_a_kill_among_the_poses_changes_nothing(tmp_path):
    result = run(command_for(flesh(), tmp_path / "whole", 1, 3), timeout=300.0)
    assert result["event"] == "result", result
    assert (result["takes"], result["frames"]) == (4, 3 + POSES)
    broken = tmp_path / "broken"
    bake = start(command_for(flesh(), broken, 1, 3))
    done = lambda: frames_on_disk(broken, "poses_000", VERTICES)  # noqa: E731
    wait_for(lambda: done() >= 3 or bake.poll() is not None, 300.0)
    assert bake.poll() is None and done() < POSES - 4, "the kill came too late"
    kill_all(bake, broken)
    run(command_for(flesh(), broken, 1, 3), timeout=300.0)
    assert contents(broken) == contents(tmp_path / "whole")
    assert not (broken / "bake").exists()
    take = Dataset.open(broken).take("poses_000")
    assert take.info.kind == "quasistatic" and take.info.complete and take.usable_frames > POSES // 2
    usable = np.concatenate([take.positions[a:b] for a, b in take.segments()])
    assert np.isfinite(usable).all() and np.ptp(usable, axis=0).max() > 0.1


def test_more_poses_are_added_to_those_there(tmp_path):
    body = flesh()
    settings_of(body).simulation.tetrahedra = 150
    settings_of(body).pose_count = 4
    run(command_for(body, tmp_path / "d", 1, 3), timeout=300.0)
    before = contents(tmp_path / "d")
    settings_of(body).pose_count = 203
    result = run([*command_for(body, tmp_path / "d", 1, 3)], timeout=300.0)
    assert result["frames"] == 3 + 4 + 3, result
    after = contents(tmp_path / "d")
    assert all(after[name] == data for name, data in before.items())
