"""A bake killed at any moment goes on and ends the same, bit for bit."""

from __future__ import annotations

import os
import random
import subprocess
import time
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("bpy")
pytestmark = pytest.mark.blender

from bakes import (
    cloth_and_ball,
    cloth_on_a_moving_pin,
    command_for,
    contents,
    events_of,
    folding_cloth_and_ball,
    frames_on_disk,
    kill_all,
    run,
    soft_body_and_ball,
    start,
    wait_for,
)
from lengths import at_length
from workplaces import take_folder

from neural_physics.baking.plan import BakePlan
from neural_physics.blender.baking.local_programs import local_programs
from neural_physics.blender.settings.own_folders import EXTENSION_ROOT
from neural_physics.datasets.takes import Dataset

FRAMES = 300


def tear_newest_cached_frames(dataset, share: float) -> None:
    """Cut the newest frame of each take's cache short, as a kill in the middle of a write does."""
    for cache in (dataset / "bake").glob("take_*/*/blendcache_take"):
        for newest in sorted(cache.glob("*.bphys"))[-1:]:
            newest.write_bytes(newest.read_bytes()[: int(share * newest.stat().st_size)])


@pytest.mark.parametrize(
    ("make", "from_cache"),
    [
        pytest.param(folding_cloth_and_ball, True, marks=pytest.mark.once),
        (cloth_on_a_moving_pin, True),
        pytest.param(soft_body_and_ball, False, marks=pytest.mark.once),
    ],
)
def test_a_killed_bake_with_a_torn_cache_ends_as_if_it_had_never_been_interrupted(make, from_cache, tmp_path):
    obj = make()
    assert run(command_for(obj, tmp_path / "whole", 1, FRAMES))["frames"] == FRAMES
    broken, vertices = tmp_path / "broken", len(obj.data.vertices)
    bake = start(command_for(obj, broken, 1, FRAMES))
    wait_for(lambda: frames_on_disk(broken, "take_000", vertices) >= 25)
    kill_all(bake, broken)
    there = frames_on_disk(broken, "take_000", vertices)
    assert there < FRAMES
    tear_newest_cached_frames(broken, 0.5)
    with (take_folder(broken) / "positions.pc2").open("ab") as file:
        file.write(b"torn")
    plan = BakePlan.read(broken / "bake" / "bake.json")
    blender, core = local_programs(by_solver=False).blender, str(min(os.sched_getaffinity(0)))
    said = events_of([*blender, str(plan.path), "take_000", "--holder", "1", "--core", core])
    assert f"take_000 continues at frame {there if from_cache else 0}" in [e.get("text") for e in said]
    assert run(command_for(obj, broken, 1, FRAMES))["frames"] == FRAMES
    assert contents(broken) == contents(tmp_path / "whole")


@pytest.mark.once
def test_frames_that_cannot_be_repeated_are_kept_apart_by_a_gap(tmp_path):
    """As after an update of Blender: what is there stays, and no window crosses to what follows."""
    cloth, folder = cloth_and_ball(), tmp_path / "d"
    bake = start(command_for(cloth, folder, 1, FRAMES))
    wait_for(lambda: frames_on_disk(folder, "take_000", 81) >= 25)
    kill_all(bake, folder)
    there = frames_on_disk(folder, "take_000", 81)
    path = take_folder(folder) / "positions.pc2"
    other = np.memmap(path, "<f4", "r+", 32, (there, 81, 3))
    other[2:] += 0.01
    other.flush()
    kept = other.copy()
    assert run(command_for(cloth, folder, 1, FRAMES))["frames"] == FRAMES
    take = Dataset.open(folder).take("take_000")
    assert np.array_equal(take.positions[:there], kept)
    assert take.segments() == [(0, there - 1), (there + 1, FRAMES)]
    assert "resumed" in take.info.excluded[0].reason


@pytest.mark.slow
@pytest.mark.once
def test_a_coordinator_killed_and_started_again_at_once_takes_over_from_its_workers(tmp_path):
    cloth, folder = cloth_and_ball(), tmp_path / "d"
    run(command_for(cloth, tmp_path / "whole", 1, 300))
    command = command_for(cloth, folder, 1, 300)
    for frames in (20, 60, 100):
        bake = start(command)
        wait_for(lambda least=frames: frames_on_disk(folder, "take_000", 81) >= least)
        bake.kill()
        bake.wait()
    assert run(command)["frames"] == 300
    assert contents(folder) == contents(tmp_path / "whole")


@pytest.mark.once
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a file that is always full")
def test_a_worker_whose_log_has_no_room_for_its_error_ends_all_the_same(tmp_path):
    """It hung in a destructor of Blender's, and the bake waited for it for ever."""
    command_for(cloth_and_ball(), tmp_path / "d", 1, 50)
    plan = BakePlan.read(tmp_path / "d" / "bake" / "bake.json")
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*local_programs(by_solver=False).blender, str(plan.path), "take_000"],
            stdout=full,
            stderr=full,
            timeout=60,
            check=False,
        )
    assert done.returncode == 1


DIES_WITHOUT_A_WORD = """
import os, sys
sys.path.insert(0, {root!r})
from neural_physics.baking import work
from neural_physics.jobs import process
process.JobProcess._write_about = lambda *_: os.kill(os.getpid(), 9)
sys.argv = {command!r}
work.main()
"""


@pytest.mark.once
def test_a_worker_whose_coordinator_died_before_noting_it_is_waited_for(tmp_path):
    cloth = cloth_and_ball()
    command = command_for(cloth, tmp_path / "d", 1, 300)
    script = DIES_WITHOUT_A_WORD.format(root=str(EXTENSION_ROOT), command=["work", *command[-3:]])
    assert subprocess.run([command[0], "-c", script], check=False).returncode == -9
    assert run(command)["frames"] == 300


@pytest.mark.once
def test_a_bake_asked_to_stop_keeps_its_frames_and_resumes(tmp_path):
    cloth = cloth_and_ball()
    folder, vertices = tmp_path / "stopped", len(cloth.data.vertices)
    command = command_for(cloth, folder, 1, 400)
    stop_file = tmp_path / "stop"
    bake = start([*command, "--stop-file", str(stop_file)])
    wait_for(lambda: frames_on_disk(folder, "take_000", vertices) >= 20)
    stop_file.touch()
    assert bake.wait(30) == 1
    kept = frames_on_disk(folder, "take_000", vertices)
    assert 20 <= kept < 400
    take = Dataset.open(folder).take("take_000")
    assert len(take.positions) == kept and not take.info.complete
    stop_file.unlink()
    assert run(command)["frames"] == 400


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "kills", "frames"),
    [
        (folding_cloth_and_ball, *at_length((5, 125), (12, 300))),
        pytest.param(soft_body_and_ball, *at_length((3, 300), (8, 900)), marks=pytest.mark.once),
    ],
)
def test_kill_9_at_random_moments_changes_nothing(make, kills, frames, tmp_path):
    """At start-up, while resuming, and while frames are written."""
    obj, chance, takes = make(), random.Random(7), ("take_000", "take_001")
    assert run(command_for(obj, tmp_path / "whole", 2, frames))["frames"] == 2 * frames
    broken, vertices = tmp_path / "broken", len(obj.data.vertices)

    def frames_there() -> int:
        return sum(frames_on_disk(broken, take, vertices) for take in takes)

    # Half of the frames are shared out: a fast machine writes some more before each kill lands.
    reached, share = 0, frames // kills
    for kill in range(kills):
        bake = start(command_for(obj, broken, 2, frames))
        aim = reached + chance.randrange(1, share)
        patience = chance.uniform(0.0, 2.0) if kill % 3 == 0 else float("inf")
        deadline = time.monotonic() + patience
        wait_for(lambda aim=aim, at=deadline: frames_there() >= aim or time.monotonic() >= at)
        kill_all(bake, broken)
        if chance.random() < 0.5:
            tear_newest_cached_frames(broken, chance.random())
        assert frames_there() >= reached, "whole frames were lost"
        reached = frames_there()
    assert reached < 2 * frames, "the last kills found nothing left to interrupt"
    result = run(command_for(obj, broken, 2, frames))
    assert result.get("frames") == 2 * frames, result
    assert contents(broken) == contents(tmp_path / "whole")
