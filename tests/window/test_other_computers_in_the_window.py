"""A bake is submitted by clicks; two computers of other names bake it; the window shows what they are at."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from blender_window import HOME, LAUNCHER, ROOT, Window
from three_buttons import Example

pytestmark = [
    pytest.mark.window,
    pytest.mark.slow,
    pytest.mark.skipif(not shutil.which("unshare"), reason="computers of other names need unshare"),
]

QUICK = "settings.take_count, settings.take_frames = 6, 400"
TASKS = "from bl_ext.user_default.neural_physics.neural_physics.blender.tasks import watched_bakes\n"
FOLDER = """
from bl_ext.user_default.neural_physics.neural_physics.blender.settings import paths
folder = paths.dataset_folder(body)
"""
# What the panel has seen, without asking it to look.
SEEN = (
    TASKS
    + FOLDER
    + """
seen = watched_bakes._watched[folder].seen if folder in watched_bakes._watched else None
left = None if seen is None else seen.seconds_left
failed = [] if seen is None else [state.take.name for state in seen.failed]
result = None if seen is None else (sorted(seen.workers), seen.frames, left, failed)
"""
)


class Computers:
    """Blenders without a window, each as on a computer of its own name."""

    def __init__(self, words: list[str]) -> None:
        self._words, self.running = words, []

    def start(self, name: str) -> subprocess.Popen[bytes]:
        named = ["unshare", "--uts", "sh", "-c", 'hostname "$0"; exec "$@"', name]
        command = [*named, str(LAUNCHER), "bg", str(HOME), *self._words, "--at-once", "1"]
        process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.running.append(process)
        return process

    def end(self) -> None:
        for process in self.running:
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
        for process in self.running:
            process.wait(60)


@pytest.fixture
def submitted(window: Window) -> Iterator[tuple[Example, Computers]]:
    """An example whose bake was submitted by clicks, and the computers that its command is for."""
    example = Example(window, "BALL_AND_SHEET", "Sheet", QUICK)
    window.open_step("bake")
    window.press("neural_physics.submit_bake")
    window.shot("submit_dialog")
    window.launcher("x", "key", "Return")
    plan = Path(example.ask(FOLDER + "result = str(folder)")) / "bake" / "bake.json"
    window.wait(plan.is_file, 200)
    blender, background, *words = shlex.split(window.ask("result = bpy.context.window_manager.clipboard"))
    assert (blender, background) == ("blender", "-b")
    computers = Computers(words)
    yield example, computers
    computers.end()


def seen(example: Example) -> Any:
    return example.ask(SEEN)


def bakers(process: subprocess.Popen[bytes]) -> list[int]:
    """The processes that bake takes for a computer."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    return [int(word) for word in children.read_text().split()]


def test_the_window_shows_what_other_computers_are_at(
    window: Window, submitted: tuple[Example, Computers]
) -> None:
    example, computers = submitted
    window.shot("submitted")
    assert seen(example) is None or seen(example)[0] == []
    first = computers.start("render-1")
    computers.start("render-2")
    # Nothing is clicked or moved: the panel looks by itself.
    window.wait(lambda: seen(example) and seen(example)[0] == ["render-1", "render-2"], 300)
    window.wait(lambda: bakers(first), 200)
    os.kill(bakers(first)[0], signal.SIGKILL)
    window.wait(lambda: seen(example)[3], 200)
    window.wait(lambda: seen(example)[0] == ["render-1", "render-2"] and seen(example)[2], 300)
    before = seen(example)[1]
    window.wait(lambda: seen(example)[1] > before + 40, 300)
    for _ in range(3):  # panels move to where they belong
        window.shot("bake_elsewhere")
    assert not example.ask("result = bpy.ops.neural_physics.delete_dataset.poll()"), "under those that bake"
    computers.end()
    window.wait(lambda: seen(example) is None or seen(example)[0] == [], 200)
    window.shot("bake_elsewhere_stopped")
