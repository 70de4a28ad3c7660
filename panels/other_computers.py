"""A bake that other computers are at, as it is seen in the folder that all of them share."""

from __future__ import annotations

import bpy

from ..neural_physics.baking.gathering import TakeState
from ..neural_physics.baking.watching import Seen
from ..neural_physics.blender.settings.paths import dataset_folder, jobs_folder
from ..neural_physics.blender.tasks.watched_bakes import seen_of, silence_of, workers_besides
from ..neural_physics.jobs.life_cycle import JobState
from ..neural_physics.plain_text import one_line
from ..neural_physics.wording import duration, plural
from ..operators.tasks.other_computers import NEURALPHYSICS_OT_show_take_log
from .support import sentences

MOST_SHOWN = 4  # computers, and takes that failed
MOST_NAMED = 3  # takes in a row
LONGEST = 40, 200  # characters of a computer's name, and of a reason
THEN = {
    "set aside": "was set aside: Bake tries it again",
    "under way": "is being tried again",
    "waiting": "waits to be tried again",
}


def draw_other_computers(
    layout: bpy.types.UILayout, context: bpy.types.Context, obj: bpy.types.Object, *, bake: JobState
) -> None:
    """How far others are with a bake, and what has failed on any computer. bake: that of this computer."""
    folder = dataset_folder(obj)
    seen, silence = seen_of(folder), silence_of(folder)
    if silence:
        text = f"The folder {folder} has not answered for {duration(silence)}: is the share still there?"
        sentences(layout, context, text, "ERROR")
    if seen is None:
        return
    others = workers_besides(seen, bake, jobs_folder(obj))
    if others and not bake.active:
        _draw_progress(layout, context, seen)
    for host, takes in list(others.items())[:MOST_SHOWN]:
        sentences(layout, context, f"{one_line(host, LONGEST[0])}: {_some(takes)}", "NETWORK_DRIVE")
    if len(others) > MOST_SHOWN:
        sentences(layout, context, f"and {plural(len(others) - MOST_SHOWN, 'more computer')}", "BLANK1")
    for state in seen.failed[:MOST_SHOWN]:
        _draw_failed(layout, context, state)
    if len(seen.failed) > MOST_SHOWN:
        more = plural(len(seen.failed) - MOST_SHOWN, "more take")
        sentences(layout, context, f"and {more} that failed", "BLANK1")


def _draw_progress(layout: bpy.types.UILayout, context: bpy.types.Context, seen: Seen) -> None:
    left = "" if seen.seconds_left is None else f", {duration(seen.seconds_left)} left"
    text = f"Baking on {plural(len(seen.workers), 'computer')}{left}"
    layout.progress(factor=min(1.0, seen.frames / max(1, seen.planned)), text=text)
    frames = f"{seen.frames:,} of {plural(seen.planned, 'frame')}"
    sentences(layout, context, f"{seen.complete} of {plural(len(seen.takes), 'take')}, {frames}", "BLANK1")


def _draw_failed(layout: bpy.types.UILayout, context: bpy.types.Context, state: TakeState) -> None:
    last = state.failures[-1]
    times = "once" if len(state.failures) == 1 else f"{len(state.failures)} times, last"
    where = f" on {one_line(last.host, LONGEST[0])}" if last.host else ""
    reason = one_line(last.reason, LONGEST[1])
    text = f"{state.take.name} failed {times}{where}, and {THEN[state.phase]}. {reason}"
    sentences(layout, context, text, "ERROR")
    label = f"Show Log of {state.take.name}"
    layout.operator(NEURALPHYSICS_OT_show_take_log.bl_idname, text=label, icon="TEXT").take = state.take.name


def _some(takes: list[str]) -> str:
    named = ", ".join(one_line(take, LONGEST[0]) for take in takes[:MOST_NAMED])
    return named if len(takes) <= MOST_NAMED else f"{named} and {len(takes) - MOST_NAMED} more"
