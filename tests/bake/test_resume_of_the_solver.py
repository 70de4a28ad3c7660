"""A bake with the bundled solver, killed at any moment, goes on and ends the same, bit for bit."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest

pytest.importorskip("bpy")
pytestmark = [
    pytest.mark.blender,
    pytest.mark.slow,
    pytest.mark.once,
    pytest.mark.usefixtures("a_python_that_simulates"),
]

from bakes import command_for, contents, processes, run, start, wait_for
from lengths import at_length
from scenes import add_ball, bpy, empty_scene, react_to, settings_of

TAKES, FRAMES, KILLS = 2, *at_length((80, 6), (200, 10))
# The stage of each kill, and how many seconds into it at most; then LAST. A stage takes longer than
# its first wait even where the machine is quick: Python and Blender have to start.
STAGES = [("body", 0.3), ("body", 0.6), ("tracks", 0.2), ("tracks", 1.5), ("simulate", 0.5)]
LAST = ("simulate", 1.5)


def jelly_and_ball() -> bpy.types.Object:
    """A cube that stands fast, filled alike each time, and a ball that wanders into it."""
    empty_scene()
    bpy.ops.mesh.primitive_cube_add(size=0.6)
    cube = bpy.context.object
    group = cube.vertex_groups.new(name="Pins")
    group.add([v.index for v in cube.data.vertices if v.co.z < 0.0], 1.0, "REPLACE")
    simulation = settings_of(cube).simulation
    simulation.kind, simulation.pins = "SOLID", "Pins"
    simulation.young, simulation.filling, simulation.tetrahedra = 5e4, "cage", 300
    react_to(
        cube, add_ball("Ball", (0.0, -0.9, 0.2), 0.2), box_low=(-0.6, -0.9, 0.0), box_high=(0.6, 0.9, 0.8)
    )
    return cube


def running(folder: Path) -> dict[str, list[int]]:
    """The processes of a bake into a folder, by what they do: body, tracks, simulate."""
    found: dict[str, list[int]] = {}
    for kind, pid in processes(folder):
        stage = {"simulation": "simulate", "blender": "tracks"}.get(kind, kind)
        found.setdefault(stage, []).append(pid)
    return found


def kill_everything(coordinator: subprocess.Popen, folder: Path) -> set[str]:
    """`kill -9`; what was being done. Some notice that the coordinator is gone before they are killed."""
    stages = set(running(folder))
    os.kill(coordinator.pid, signal.SIGKILL)
    coordinator.wait()
    killed = running(folder)
    for pid in (pid for pids in killed.values() for pid in pids):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    wait_for(lambda: not running(folder))
    return stages


def test_kill_9_at_random_moments_of_every_stage_changes_nothing(tmp_path):
    cube, chance = jelly_and_ball(), random.Random(11)
    assert run(command_for(cube, tmp_path / "whole", TAKES, FRAMES))["frames"] == TAKES * FRAMES
    broken, hits = tmp_path / "broken", Counter()
    for kill in range(KILLS):
        stage, longest = STAGES[kill] if kill < len(STAGES) else LAST
        bake = start(command_for(cube, broken, TAKES, FRAMES))
        wait_for(lambda stage=stage, bake=bake: stage in running(broken) or bake.poll() is not None)
        time.sleep(chance.uniform(0.0, longest))
        if bake.poll() is not None:  # a quick machine had nothing left to be interrupted
            break
        hits.update(kill_everything(bake, broken))
    assert set(hits) == {"body", "tracks", "simulate"}, hits
    result = run(command_for(cube, broken, TAKES, FRAMES))
    assert result.get("frames") == TAKES * FRAMES, result
    assert contents(broken) == contents(tmp_path / "whole")
    assert not (broken / "bake").exists()
