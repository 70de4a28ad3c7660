"""Objects that are baked together: each take is what it would be if each had been baked alone."""

from __future__ import annotations

import json

import numpy as np
import pytest

pytest.importorskip("bpy")
pytestmark = [pytest.mark.blender, pytest.mark.once]

import shutil

from bakes import command_for, contents, frames_on_disk, kill_all, run, start, wait_for
from scenes import add_ball, add_cloth, add_empty, bpy, empty_scene, react_to, settings_of

from neural_physics.baking.plan import BakePlan
from neural_physics.baking.together import give_each_its_own
from neural_physics.blender.baking.preparing import prepare_bake
from neural_physics.blender.scene.companions import companions
from neural_physics.blender.settings.own_folders import unsaved_folder
from neural_physics.blender.settings.paths import dataset_folder, keep_together
from neural_physics.blender.tasks.moving_files import move_files
from neural_physics.blender.tasks.object_tasks import bake_anew_command
from neural_physics.datasets.takes import Dataset
from neural_physics.errors import Problem

FRAMES = 160
HELD = "takes/take_000/together/Lining/takes"
BOX = {"box_low": (-0.8, -0.9, -0.8), "box_high": (0.8, 0.9, 0.4)}


@pytest.fixture
def clothes(tmp_path):
    """A lining, and an outer cloth behind it that collides with it; a ball moves both, in a saved scene."""
    empty_scene()
    lining, outer, ball = add_cloth("Lining"), add_cloth("Outer"), add_ball()
    outer.location.y = 0.06
    collider = lining.modifiers.new("Collision", "COLLISION")
    assert collider is not None
    for name, cloth, others in (("A", lining, [ball]), ("B", outer, [ball, lining])):
        seen = bpy.data.collections.new(name)
        for other in others:
            seen.objects.link(other)
        cloth.modifiers["Cloth"].collision_settings.collection = seen
        react_to(cloth, ball, **BOX)
    lining.modifiers.new("Thicker", "SUBSURF").levels = 1
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    return lining, outer


def of(dataset, take):
    found = Dataset.open(dataset).take(take)
    return found.info, found.positions, found.interaction


def test_each_take_is_as_if_it_had_been_baked_alone(clothes, tmp_path):
    lining, outer = clothes
    alone = {obj.name: tmp_path / f"{obj.name}_alone" for obj in clothes}
    for obj in clothes:
        assert run(command_for(obj, alone[obj.name], 2, FRAMES))["frames"] == 2 * FRAMES
    settings_of(lining).dataset_folder = ""
    settings_of(outer).bake_together = True
    result = run(command_for(outer, tmp_path / "both", 2, FRAMES))
    assert any("Baked together with it" in note and "Lining" in note for note in result["notes"])
    assert dataset_folder(lining) == tmp_path / "both" / "together" / "Lining"
    moved = 0.0
    for obj in clothes:
        for take in ("take_000", "take_001"):
            info, positions, y = of(dataset_folder(obj), take)
            alone_info, alone_positions, alone_y = of(alone[obj.name], take)
            assert info == alone_info and info.complete and len(positions) == FRAMES
            assert np.array_equal(positions, alone_positions) and np.array_equal(y, alone_y)
            moved = max(moved, np.abs(positions - positions[0]).max())
    assert moved > 0.1
    assert not list((tmp_path / "both" / "takes").glob("*/together"))


def test_what_the_lower_one_does_is_felt_by_the_upper_one_and_not_the_other_way_round(clothes, tmp_path):
    lining, outer = clothes
    settings_of(outer).bake_together = True
    run(command_for(outer, tmp_path / "both", 1, FRAMES))
    with_outer = of(dataset_folder(lining), "take_000")[1]
    with_lining = of(dataset_folder(outer), "take_000")[1]
    lining.modifiers.remove(lining.modifiers["Collision"])
    settings_of(lining).dataset_folder = ""
    run(command_for(outer, tmp_path / "unseen", 1, FRAMES))
    assert np.array_equal(of(dataset_folder(lining), "take_000")[1], with_outer)
    assert not np.array_equal(of(dataset_folder(outer), "take_000")[1], with_lining)


def test_a_killed_bake_ends_as_if_it_had_never_been_interrupted(clothes, tmp_path):
    lining, outer = clothes
    settings_of(outer).bake_together = True
    run(command_for(outer, tmp_path / "whole", 2, FRAMES))
    settings_of(lining).dataset_folder = ""
    broken = tmp_path / "broken"
    bake = start(command_for(outer, broken, 2, FRAMES))
    wait_for(lambda: frames_on_disk(broken, "take_000", len(outer.data.vertices)) >= 30)
    kill_all(bake, broken)
    assert run(command_for(outer, broken, 2, FRAMES))["frames"] == 2 * FRAMES
    for part in ("takes", "together/Lining/takes"):
        assert contents(broken / part) == contents(tmp_path / "whole" / part)


def test_only_what_reacts_to_nothing_else_is_baked_together(clothes):
    lining, outer = clothes
    layer = bpy.context.view_layer
    assert companions(layer, outer) == [lining] and companions(layer, lining) == [outer]
    react_to(lining, add_empty("Hand"))
    assert companions(layer, outer) == [] and companions(layer, lining) == [outer]
    settings_of(outer).simulation.kind = "SHELL"
    assert companions(layer, outer) == [] and companions(layer, lining) == []


def test_in_a_scene_that_gets_a_file_later_the_datasets_move_with_it(tmp_path):
    empty_scene()
    ball = add_ball()
    one, two = add_cloth("One"), add_cloth("Two")
    for cloth in (one, two):
        react_to(cloth, ball, **BOX)
        settings_of(cloth).enabled = True
    settings_of(two).bake_together = True
    settings_of(two).take_count, settings_of(two).take_frames = 1, 20
    keep_together(two)
    assert run(prepare_bake(bpy.context.scene, two))["frames"] == 20
    assert dataset_folder(one).is_relative_to(unsaved_folder())
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    move_files(two)
    for cloth in (one, two):
        assert dataset_folder(cloth).is_relative_to(tmp_path)
        assert len(of(dataset_folder(cloth), "take_000")[1]) == 20


@pytest.mark.parametrize(
    "together",
    [
        [{"object": "Lining", "folder": "../Lining"}],
        [{"object": "Lining", "folder": "CON"}],
        [{"object": "Lining", "folder": ""}],
        [{"object": "Lining", "folder": 3}],
        [{"object": 3, "folder": "Lining"}],
        [{"object": "A", "folder": "Lining"}, {"object": "B", "folder": "lining"}],
        [{"object": "A", "folder": f"f{n}"} for n in range(51)],
        [{"folder": "Lining"}],
        "Lining",
    ],
)
def test_a_plan_that_names_other_places_is_refused(clothes, tmp_path, together):
    _, outer = clothes
    settings_of(outer).bake_together = True
    command_for(outer, tmp_path / "d", 1, FRAMES)
    path = tmp_path / "d" / "bake" / "bake.json"
    plan = json.loads(path.read_text())
    assert plan["together"] == [{"object": "Lining", "folder": "Lining"}]
    path.write_text(json.dumps(plan | {"together": together}))
    with pytest.raises(Problem) as raised:
        BakePlan.of_dataset(tmp_path / "d")
    assert raised.value.code == "dataset_damaged"


@pytest.mark.parametrize("link", ["together", "together/Lining", "takes/take_000/together", HELD])
def test_nothing_is_moved_through_a_link(clothes, tmp_path, link):
    _, outer = clothes
    settings_of(outer).bake_together = True
    run(command_for(outer, tmp_path / "d", 1, FRAMES))
    elsewhere = tmp_path / "elsewhere"
    (elsewhere / "Lining" / "takes" / "take_000").mkdir(parents=True)
    (elsewhere / "kept").write_text("mine")
    shutil.copytree(tmp_path / "d" / "takes" / "take_000", elsewhere / "take_000")
    place = tmp_path / "d" / link
    place.parent.mkdir(parents=True, exist_ok=True)
    if place.exists():
        place.rename(tmp_path / "was_there")
    place.symlink_to(elsewhere)
    if not HELD.startswith(link):
        (tmp_path / "d" / HELD).mkdir(parents=True)
    before = contents(elsewhere)
    with pytest.raises(Problem) as raised:
        give_each_its_own(tmp_path / "d", ["take_000"])
    assert raised.value.code == "place_is_link" and contents(elsewhere) == before


@pytest.mark.parametrize(
    ("file", "name", "value"),
    [
        ("bake/bake.json", "together", [{"object": "Hand", "folder": "Lining"}]),
        ("bake/bake.json", "together", [{"object": "Nobody", "folder": "Lining"}]),
        ("bake/bake.json", "view_layer", "None of them"),
        ("together/Lining/dataset.json", "reference_frame", "Hand"),
        ("dataset.json", "reference_frame", "Hand"),
    ],
)
def test_a_plan_or_dataset_that_fits_no_scene_ends_in_a_sentence(clothes, tmp_path, file, name, value):
    _, outer = clothes
    add_empty("Hand")
    settings_of(outer).bake_together = True
    command = command_for(outer, tmp_path / "d", 1, 5)
    path = tmp_path / "d" / file
    path.write_text(json.dumps(json.loads(path.read_text()) | {name: value}))
    assert run(command)["code"] in {"bake_scene_lost", "dataset_damaged"}


def test_where_a_dataset_has_folders_without_end_that_are_called_like_an_object_a_bake_is_refused(
    clothes, tmp_path
):
    _, outer = clothes
    settings_of(outer).bake_together = True
    for number in range(1, 100):
        (tmp_path / "d" / "together" / (f"Lining_{number}" if number > 1 else "Lining")).mkdir(parents=True)
    with pytest.raises(Problem, match="too many folders"):
        command_for(outer, tmp_path / "d", 1, 5)


def test_bake_anew_replaces_the_takes_of_all_also_through_a_linked_folder(clothes, tmp_path):
    lining, outer = clothes
    (tmp_path / "link").symlink_to(tmp_path, target_is_directory=True)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "link" / "scene.blend"))
    lining, outer = bpy.data.objects["Lining"], bpy.data.objects["Outer"]
    for obj in (lining, outer):
        settings_of(obj).enabled = True
    settings_of(outer).bake_together = True
    run(command_for(outer, tmp_path / "link" / "d", 1, 5))
    assert settings_of(lining).dataset_folder.startswith("//")
    lining.modifiers["Cloth"].settings.mass *= 2.0
    assert run(bake_anew_command(bpy.context.scene, outer))["frames"] == 5
