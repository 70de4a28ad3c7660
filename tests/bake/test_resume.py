"""A bake killed at any moment goes on and ends the same, bit for bit."""

from __future__ import annotations

import random
import time

import pytest

pytest.importorskip("bpy")
pytestmark = pytest.mark.blender

from bakes import (  # noqa: E402
    cloth_and_ball,
    command_for,
    contents,
    frames_on_disk,
    kill_all,
    run,
    soft_body_and_ball,
    start,
    wait_for,
)

from neural_physics.takes import Dataset  # noqa: E402

FRAMES = 60


def tear_newest_cached_frames(dataset, share: float) -> None:
    """Cut the newest frame of each take's cache short, as a kill in the middle of a write does."""
    for cache in (dataset / "bake").glob("take_*/blendcache_take"):
        for newest in sorted(cache.glob("*.bphys"))[-1:]:
            newest.write_bytes(newest.read_bytes()[: int(share * newest.stat().st_size)])


@pytest.mark.parametrize("make", [cloth_and_ball, soft_body_and_ball])
def test_a_killed_bake_with_a_torn_cache_ends_as_if_it_had_never_been_interrupted(make, tmp_path):
    obj = make()
    assert run(command_for(obj, tmp_path / "whole", 1, FRAMES))["frames"] == FRAMES
    broken, vertices = tmp_path / "broken", len(obj.data.vertices)
    bake = start(command_for(obj, broken, 1, FRAMES))
    wait_for(lambda: frames_on_disk(broken, "take_000", vertices) >= 25)
    kill_all(bake, broken)
    before = frames_on_disk(broken, "take_000", vertices)
    assert before < FRAMES
    tear_newest_cached_frames(broken, 0.5)
    with (broken / "takes/take_000/positions.pc2").open("ab") as file:
        file.write(b"torn")
    result = run(command_for(obj, broken, 1, FRAMES))
    assert result["frames"] == FRAMES
    assert contents(broken) == contents(tmp_path / "whole")


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
@pytest.mark.parametrize(("make", "kills"), [(cloth_and_ball, 12), (soft_body_and_ball, 8)])
def test_kill_9_at_random_moments_changes_nothing(make, kills, tmp_path):
    """Twenty kills in all: at start-up, while resuming, and while frames are written."""
    obj, chance = make(), random.Random(7)
    takes, frames = ("take_000", "take_001"), 500
    assert run(command_for(obj, tmp_path / "whole", 2, frames))["frames"] == 2 * frames
    broken, vertices = tmp_path / "broken", len(obj.data.vertices)

    def frames_there() -> int:
        return sum(frames_on_disk(broken, take, vertices) for take in takes)

    reached = 0
    for kill in range(kills):
        bake = start(command_for(obj, broken, 2, frames))
        if kill % 3 == 0:
            time.sleep(chance.uniform(0.0, 2.0))
        else:
            aim = reached + chance.randrange(1, 2 * frames // kills)
            wait_for(lambda aim=aim: frames_there() >= aim)
        kill_all(bake, broken)
        if chance.random() < 0.5:
            tear_newest_cached_frames(broken, chance.random())
        assert frames_there() >= reached, "whole frames were lost"
        reached = frames_there()
    assert reached < 2 * frames, "the last kills found nothing left to interrupt"
    assert run(command_for(obj, broken, 2, frames))["frames"] == 2 * frames
    assert contents(broken) == contents(tmp_path / "whole")
