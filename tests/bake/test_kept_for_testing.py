"""A bake in which one of a rig's actions is kept for testing."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("bpy")
pytestmark = [pytest.mark.blender, pytest.mark.once]

from bakes import (
    command_for,
    contents,
    frames_on_disk,
    run,
    start,
    wait_for,
)
from scenes import add_cloth, empty_scene, react_to, rig_with_actions, settings_of
from workplaces import planned

from neural_physics.datasets.takes import Dataset

FRAMES = 40


@pytest.fixture(autouse=True)
def four_takes_can_spare_one_for_testing(monkeypatch):
    """Each take starts a Blender."""
    for module in ("baking.plan", "blender.scene.rigs.rig_actions"):
        monkeypatch.setattr(f"neural_physics.{module}.FEWEST_FOR_TEST", 4)


def cloth_and_rig(kept):
    empty_scene()
    cloth = add_cloth(points=9)
    react_to(cloth, rig_with_actions(), "ACTIONS").test_action = kept
    return cloth


def notes_of(command):
    return planned(command).notes


def lifts(take):
    """How far the tip of the upper bone goes along it, and how far it is carried sideways."""
    moved = np.abs(take.interaction - take.interaction[0]).max(0).reshape(-1, 3)[-1]
    return moved[2], moved[1]


@pytest.mark.slow
def test_only_the_test_take_plays_it_and_a_stopped_bake_goes_on_as_if_it_had_not_been(tmp_path):
    cloth, folder = cloth_and_rig("lift"), tmp_path / "d"
    run(command_for(cloth, tmp_path / "whole", 4, FRAMES))
    takes = Dataset.open(tmp_path / "whole").takes()
    assert [take.info.role for take in takes] == ["training"] * 2 + ["validation", "test"]
    for take in takes:
        up, aside = lifts(take)
        assert (up > 0.8 and aside < 1e-5) if take.info.role == "test" else aside > 0.1
    command = command_for(cloth, folder, 4, FRAMES, parallel_takes=1)
    bake = start([*command, "--stop-file", str(tmp_path / "stop")])
    wait_for(lambda: sum(frames_on_disk(folder, f"take_00{i}", 81) for i in range(4)) >= FRAMES + 10)
    (tmp_path / "stop").touch()
    bake.wait(30)
    run(command_for(cloth, folder, 4, FRAMES))
    assert contents(folder) == contents(tmp_path / "whole")


def test_that_takes_which_are_there_may_have_played_it_is_said(tmp_path):
    cloth, folder = cloth_and_rig(""), tmp_path / "d"
    run(command_for(cloth, folder, 4, 5))
    settings_of(cloth).interactions[0].test_action = "lift"
    notes = notes_of(command_for(cloth, folder, 5, 5))
    assert any(
        "baked with no action reserved for testing, which is now lift of Rig" in note for note in notes
    )
    settings_of(cloth).interactions[0].test_action = ""
    assert notes_of(command_for(cloth, folder, 5, 5)) == ()
