"""While a job runs, its progress is drawn without drawing viewports, and not more often than can be read."""

from __future__ import annotations

from collections.abc import Callable

import pytest

pytestmark = pytest.mark.blender


def test_progress_is_drawn_twice_a_second_and_an_end_at_once(in_blender: Callable[..., str]) -> None:
    in_blender(
        """
from types import SimpleNamespace
from inside_blender import part
host, redrawing = part("neural_physics.blender.jobs.host"), part("neural_physics.blender.jobs.redrawing")
state = part("neural_physics.jobs.life_cycle").JobState

now, drawn = [100.0], []
redrawing.time = SimpleNamespace(monotonic=lambda: now[0])
redrawing.redraw_panels = lambda: drawn.append(("panels", round(now[0], 1)))
host.redraw = lambda: drawn.append(("all", round(now[0], 1)))

class Job:
    files, waits_for_delivery = "job", False
    state = state(phase="running")
    def __init__(self, coming):
        self.coming = iter(coming)
    def poll(self):
        self.state = next(self.coming)

steps = [state(phase="running", done=float(k)) for k in range(9)]
host._jobs.clear()
host._jobs["job"] = Job([*steps, steps[-1], steps[-1], state(phase="finished")])
for _ in range(12):
    host._tick()
    now[0] += 0.2
host._jobs.clear()
host._ended.clear()
panels = [("panels", at) for at in (100.0, 100.6, 101.2, 101.8)]
assert drawn == [*panels, ("all", 102.2)], drawn
"""
    )
