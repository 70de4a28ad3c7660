# ruff: noqa: T201 (a tool that is watched)
"""What the benchmark needs of Blender: `python -m benchmarks.quasistatic_springs.bakes [NAME ...]`.

Of each character held poses, and the two actions of the benchmark as takes of their own, simulated by the
bundled solver as the Bake button has it done; of the examples also what Blender's soft body makes of both.
All is kept in build/bench/springs, and what was stopped goes on where it was.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from unittest.mock import patch

import bpy

from benchmarks.quasistatic_springs import human, soft_body
from benchmarks.quasistatic_springs.scenes import (
    AFTER,
    CHARACTERS,
    FINE,
    FITTED,
    HUMAN,
    JUDGED,
    MOST,
    SCENES,
    STANDING,
    UNSEEN,
    Character,
    baked,
    is_whole,
    soft_body_file,
    take_of,
)
from neural_physics.baking.plan import PlannedTake, scene_copy
from neural_physics.baking.pose_plan import plan_poses
from neural_physics.blender.baking.scene_copy import first_frame, save_copy
from neural_physics.blender.examples import build
from neural_physics.blender.examples.characters import soft_character
from neural_physics.blender.scene.rigs.rig_actions import actions_of, with_unused_actions
from neural_physics.blender.settings.properties import settings_of
from neural_physics.datasets.dataset_info import Exclusion, Role, read_take_info, write_take_info
from tools import workshop

FINE_RESOLUTION = 0.017  # metres: 13,588 vertices, where the paper's character has 13,575
SEED = 1  # of the poses
STANDS = "it stands, and sinks into its weight"  # why frames are left out
ROLES: dict[str, Role] = {FITTED: "training", UNSEEN: "test"}


def staged(character: Character, use: str) -> tuple[bpy.types.Object, int]:
    """A character in an empty scene, which stands for a while and does one action; its body, and the frames.

    use: what the action is for.
    """
    body = _built(character, workshop.empty_scene())
    settings = settings_of(body)
    (item,) = settings.interactions
    rig, item.motion, item.test_action = item.object, "KEEP", character.unseen
    frames = _play(rig, character.actions[use], first_frame(body) + STANDING)
    settings.take_count, settings.take_frames = 1, frames
    settings.pose_count, settings.pose_source, settings.seed = character.poses, "BOTH", SEED
    settings.dataset_folder = str(character.folder)
    return body, frames


def _built(character: Character, scene: bpy.types.Scene) -> bpy.types.Object:
    if character is HUMAN:
        return human.build(scene)
    fine = patch.object(soft_character, "RESOLUTION", FINE_RESOLUTION)
    with fine if character is FINE else nullcontext():
        return build(character.example.removesuffix("_fine"), scene)


def _play(rig: bpy.types.Object, name: str, start: int) -> int:
    """Let a rig do nothing but one action, from frame `start` on; how many frames that makes of a take."""
    animation = rig.animation_data
    assert animation is not None  # the examples' rigs have actions
    for track in list(animation.nla_tracks):
        animation.nla_tracks.remove(track)
    action = next(action for action in actions_of(rig) if action.name == name)
    strip = animation.nla_tracks.new().strips.new(name, start, action)
    if strip.action_slot is None:
        strip.action_slot = action.slots[0]
    length = round(strip.frame_end - strip.frame_start) + 1
    return STANDING + min(length + AFTER, MOST)


def bake(character: Character) -> None:
    """A character's dataset: its poses and the action to fit to, then the one that is unseen."""
    # Together: a bake that leaves no motion behind is a failed one.
    _bake_action(character, FITTED, plan_poses({}, character.poses, SEED))
    if character.unseen:
        _bake_action(character, UNSEEN, ())


def _bake_action(character: Character, use: str, poses: Sequence[PlannedTake]) -> None:
    body, frames = staged(character, use)
    take = PlannedTake(take_of(character.actions[use]), frames, 0, ROLES[use])
    planned = [*poses, take]
    if not all(is_whole(character.folder, each.name) for each in planned):
        SCENES.mkdir(parents=True, exist_ok=True)
        name = f"{character.example}_{take.name}"
        bpy.ops.wm.save_as_mainfile(filepath=str(SCENES / f"{name}.blend"))
        # Each action is baked in a copy of its own scene.
        copy = scene_copy(character.folder)
        copy.parent.mkdir(parents=True, exist_ok=True)
        with with_unused_actions(body):
            save_copy(copy)
        workshop.bake(body, f"Bake {name}", planned)
    _leave_out_standing(character, take.name)


def _leave_out_standing(character: Character, take: str) -> None:
    folder = character.folder / "takes" / take
    info, mark = read_take_info(folder), Exclusion(0, STANDING - 1, STANDS)
    if mark not in info.excluded:
        write_take_info(folder, replace(info, excluded=(mark, *info.excluded)))


def bake_soft_bodies(character: Character) -> None:
    """What Blender's soft body makes of both actions, with the goal that is best on the one to fit to."""
    dataset = baked(character)
    assert dataset is not None  # it was just baked
    for use in character.actions:
        path = soft_body_file(character, character.actions[use])
        if not path.is_file():
            goal = soft_body.chosen_goal(character, dataset, lambda: staged(character, FITTED))
            body, frames = staged(character, use)
            soft_body.save(path, goal, soft_body.simulated(body, goal, frames))


def main() -> None:
    """Bake the characters named on the command line, or all."""
    os.environ["NEURAL_PHYSICS_PYTHON"] = sys.executable  # the one that simulates
    os.environ["PYTHONPATH"] = str(workshop.ROOT)
    known = {character.example: character for character in (*JUDGED, FINE)}
    for name in sys.argv[1:] or known:
        if name not in known:
            sys.exit(f"{name} is none of them: {', '.join(known)}")
        bake(known[name])
        if known[name] in CHARACTERS:
            bake_soft_bodies(known[name])
        print(f"{name} is in {SCENES}")


if __name__ == "__main__":
    workshop.run_and_exit(main)
