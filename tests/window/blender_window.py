"""A Blender with its window on a virtual screen, driven by real clicks.

NEURAL_PHYSICS_WINDOW names a launcher that understands: setup DIR, run DIR ARGS, stop DIR, shot DIR PNG,
click DIR X Y, x DIR XDOTOOL-ARGS, log DIR, and bg DIR ARGS (Blender without its window). If nothing is
named, one beside this checkout is looked for. NEURAL_PHYSICS_PICTURES=1: presets are trained to their end,
as for the pictures of the documents.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from whole_ways import TRAINING_PYTHON, python_that_trains

ROOT = Path(__file__).resolve().parents[2]
LAUNCHER = Path(os.environ.get("NEURAL_PHYSICS_WINDOW", ROOT.parent / "shared" / "tools" / "blender-gui"))
HOME = Path(os.environ.get("NEURAL_PHYSICS_WINDOW_FOLDER", "/var/tmp/neural-physics-window"))
OUT = ROOT / "build" / "window"
PICTURES = bool(os.environ.get("NEURAL_PHYSICS_PICTURES"))
# The processor draws it, point by point: large where somebody looks at it, small where only tests do.
SIZE = "1600x1100" if PICTURES else "1100x1000"
ROW = 16  # pixels, less than a button is high
# Seconds that Blender is given to see the pointer and the key, while rows are scanned and once one is found.
BRIEFLY, SURELY = 0.04, 0.15
LOOK_EVERY = 3.0  # seconds, whether Blender is there, while its answer is waited for
# How many rows at once, and how long each. A busy Blender handles several keys before anybody can read what
# the first of them has copied: then each row is waited for.
WAYS = (8, BRIEFLY), (1, SURELY)
# Pixels from the tab's left to a checkbox in the header of a panel inside another one.
CHECKBOX = 52 if PICTURES else 42
BESIDE_A_LIST = 0.83 if PICTURES else 0.86  # of the tab's width, which ends with the names of the tabs

# Runs in that Blender: takes Python from files in a folder, answers with files.
DRIVER = """
import bpy, json, traceback
from pathlib import Path
FOLDER = Path({folder!r})
bpy.context.preferences.view.show_splash = False
bpy.context.preferences.view.show_playback_fps = False  # this machine's, and red
bpy.context.preferences.system.use_region_overlap = {pictures}  # what is drawn twice takes twice as long
def poll():
    for request in sorted(FOLDER.glob("*.request")):
        names = {{}}
        try:
            code = request.read_text()
            request.unlink()
            exec(code, names)
            answer = {{"result": names.get("result")}}
        except BaseException:
            answer = {{"error": traceback.format_exc()}}
        scratch = request.with_suffix(".new")
        scratch.write_text(json.dumps(answer))
        scratch.rename(request.with_suffix(".answer"))
    return 0.02
bpy.app.timers.register(poll, persistent=True)
"""


class BlenderEnded(Exception):
    """Blender ended by itself, as by a segmentation fault."""


class Window:
    """A running Blender. home: where it is installed. newcomer: without another Python, and no network.

    size: of the screen, in pixels.
    """

    def __init__(self, folder: Path, home: Path = HOME, *, newcomer: bool = False, size: str = SIZE) -> None:
        self.folder, self._home, self._newcomer, self._size = folder, home, newcomer, size
        self.train_quickly()

    def train_quickly(self, *settings: str) -> None:
        """From now on presets are trained with these settings changed, such as `steps=300`."""
        python_that_trains(self.folder, *settings)

    def launcher(self, *words: object, timeout: float = 600) -> str:
        status, said = self.run(*words, timeout=timeout)
        assert status == 0, said
        return said

    def run(self, *words: object, timeout: float = 600) -> tuple[int, str]:
        """The exit status of one of the launcher's commands, and what it printed."""
        base = sys.base_prefix  # of the Python that trains; its environment is inside the checkout
        python = TRAINING_PYTHON if PICTURES else self.folder / "python"
        chosen = {} if self._newcomer else {"NEURAL_PHYSICS_PYTHON": str(python)}
        command = [*self._network(str(words[0])), LAUNCHER, words[0], self._home, *words[1:]]
        done = subprocess.run(
            list(map(str, command)),
            check=False,
            capture_output=True,
            text=True,
            timeout=timeout,
            cwd=ROOT,
            env={
                **os.environ,
                "BLENDER_GUI_BIND": base,
                "BLENDER_GUI_SIZE": self._size,
                **chosen,
            },
        )
        return done.returncode, done.stdout + done.stderr

    def _network(self, command: str) -> list[str]:
        """What puts a command into the network that this Blender is in: a newcomer's is one of its own."""
        pid = self._home / "var" / "lib" / "blender-gui" / "pid"
        if not self._newcomer or command == "setup":
            return []
        if command == "run":
            return ["unshare", "--net"]
        # X clients find their screen in the network, too.
        session = pid.read_text().split()[0] if pid.is_file() else ""
        return ["nsenter", "--net", "--target", session] if Path(f"/proc/{session}/ns").exists() else []

    def ask(self, code: str, timeout: float = 60) -> Any:
        """Run Python in Blender's main thread; the value it leaves in `result`."""
        request = self.folder / f"{time.time_ns()}.request"
        scratch = request.with_suffix(".writing")
        scratch.write_text("import bpy\n" + code)
        scratch.rename(request)
        answer = request.with_suffix(".answer")
        self.wait(answer.exists, timeout)
        said = json.loads(answer.read_text())
        answer.unlink()
        assert "error" not in said, said["error"]
        return said["result"]

    def wait(self, done: Callable[[], object], timeout: float) -> None:
        begun, pause, looked = time.monotonic(), 0.02, 0
        while not done():
            waited = time.monotonic() - begun
            assert waited < timeout, self.launcher("log")[-2000:]
            if waited // LOOK_EVERY > looked:
                looked = waited // LOOK_EVERY
                if self.has_ended():
                    raise BlenderEnded(self.launcher("log")[-2000:])
            time.sleep(pause)
            pause = min(1.1 * pause, 0.3)  # what takes minutes is not asked for all the time

    def has_ended(self) -> bool:
        """Whether Blender is there no more."""
        return "still running" not in self.run("wait", 0)[1]

    def open_tab(self) -> None:
        """Show the Neural Physics tab; Blender knows a sidebar's tabs only once it has drawn them."""
        self.ask(REGION + "area.spaces.active.show_region_ui = True")
        self.wait(
            lambda: self.ask(DRAW + REGION + "result = region.active_panel_category != 'UNSUPPORTED'"), 30
        )
        self.ask(REGION + "region.active_panel_category = 'Neural Physics'; area.tag_redraw()")

    def shot(self, name: str) -> Path:
        OUT.mkdir(parents=True, exist_ok=True)
        self.ask(DRAW)
        self.launcher("shot", OUT / f"{name}.png")
        return OUT / f"{name}.png"

    def press(self, operator: str, across: float = 0.5) -> None:
        """Click a button of the Neural Physics tab, found by hovering and copying its Python command.

        across: where in the tab's width it is sought, for buttons side by side.
        """
        x, y = self.find(operator, across)
        self.launcher("click", x, y)
        left, _, _, _, screen = self.tab()
        self.launcher("x", "mousemove", left // 2, screen // 2)

    def click_until(self, x: int, y: int, done: Callable[[], object]) -> None:
        """Click there, and once more where nothing has come of it: a busy Blender misses a click."""
        for seconds in (20, 60):
            self.launcher("click", x, y)
            with suppress(AssertionError):
                return self.wait(done, seconds)
        pytest.fail(f"nothing comes of a click at {x}, {y}: {self.shot('clicked')}")

    def find(self, operator: str, across: float = 0.5) -> tuple[int, int]:
        """Where on the screen a button is; see `press`."""
        left, top, width, height, _ = self.tab()
        x, asked = left + int(across * width), f"bpy.ops.{operator}("
        for way in WAYS:
            rows = list(range(top + 10, top + height, ROW))
            y = self._row_with(x, rows, "ctrl+c", lambda copied: copied.startswith(asked), *way)
            if y is not None:
                return x, y
            self.scroll_to_the_end()
        pytest.fail(f"no button {operator} is in sight: {self.shot('missing')}")

    def tab(self) -> tuple[int, int, int, int, int]:
        """Left, top, width and height of the sidebar on the screen, and the screen's height; pixels."""
        left, bottom, width, height, screen = self.ask(
            REGION + "result = region.x, region.y, region.width, region.height, window.height"
        )
        return left, screen - bottom - height, width, height, screen

    def open_step(self, step: str) -> None:
        """Open one of the tab's sections, as a click on its header does."""
        self.ask(
            f"bpy.context.window_manager.neural_physics_steps.{step} = True\n" + REGION + "area.tag_redraw()"
        )

    def pause(self) -> None:
        """Stop the animation where it is: Play has started it."""
        self.ask(
            "with bpy.context.temp_override(window=bpy.context.window_manager.windows[0]):\n"
            "    bpy.ops.screen.animation_cancel(restore_frame=False)"
        )

    def call(self, operator: str, **settings: object) -> None:
        """Run an operator of the tab as its button does, without looking for the button."""
        self.ask(
            REGION
            + "with bpy.context.temp_override(window=window, area=area):\n"
            + f"    bpy.ops.{operator}('INVOKE_DEFAULT', **{settings!r})"
        )

    def open_panel(self, setting: str) -> None:
        """Open the panel with this checkbox in its header, found by hovering and copying its data path."""
        self.scroll_to_the_end()
        where = self.ask(REGION + "result = region.x, region.y, region.width, region.height, window.height")
        left, bottom, width, height, screen = where
        x, copy = left + CHECKBOX, "ctrl+shift+alt+c"
        rows = list(range(screen - bottom - 6, screen - bottom - height, -10))
        for way in WAYS:
            y = self._row_with(x, rows, copy, lambda copied: copied.endswith(setting), *way)
            if y is not None:
                self.launcher("click", left + width // 2, y)
                self.scroll_to_the_end()
                return
        pytest.fail(f"no panel with {setting} is in sight: {self.shot('missing')}")

    def scroll_to_the_end(self) -> None:
        """Of the Neural Physics tab."""
        left, bottom, width, height = self.ask(
            REGION + "result = region.x, window.height - region.y, region.width, region.height"
        )
        self.launcher("x", "mousemove", left + width // 2, bottom - height // 2, "sleep", "0.3")
        self.launcher("x", "click", "--repeat", "30", "5", "sleep", "0.5")

    def command_at(self, x: int, y: int) -> str:
        """The Python command of the button there; "" where there is none."""
        return self._copied_under(x, y, "ctrl+c")

    def _row_with(
        self, x: int, rows: list[int], key: str, fits: Callable[[str], bool], at_once: int, seconds: float
    ) -> int | None:
        """The row where a key copies what is looked for; None where none does."""
        for first in range(0, len(rows), at_once):
            some = rows[first : first + at_once]
            if any(map(fits, self._copied_along(x, some, key, seconds))):
                for y in some:
                    if fits(self._copied_under(x, y, key)):
                        return y
        return None

    def _copied_along(self, x: int, rows: list[int], key: str, seconds: float) -> list[str]:
        """What Blender copies while the pointer goes from row to row."""
        self.ask(LISTEN)
        steps = [("mousemove", x, y, "sleep", seconds, "key", key, "sleep", seconds) for y in rows]
        self.launcher("x", *chain(*steps), "sleep", SURELY)  # what is read late is read, too
        self.ask("result = None")  # what has arrived with it is handled after it
        return list(self.ask(HEARD))

    def _copied_under(self, x: int, y: int, key: str) -> str:
        """What Blender copies with the pointer there: the command of a button, the path of a setting."""
        (*_, copied) = "", *self._copied_along(x, [y], key, SURELY)
        return copied


LISTEN = """
heard, held = [], bpy.context.window_manager
held.clipboard = ""
def listen():
    if held.clipboard:
        heard.append(held.clipboard)
        held.clipboard = ""
    return 0.005
bpy.app.driver_namespace["heard"] = heard, listen
bpy.app.timers.register(listen)
"""
HEARD = """
result, listen = bpy.app.driver_namespace.pop("heard")
listen()
bpy.app.timers.unregister(listen)
"""
DRAW = """
with bpy.context.temp_override(window=bpy.context.window_manager.windows[0]):
    bpy.ops.wm.redraw_timer(type="DRAW_WIN_SWAP", iterations=1)
"""
REGION = """
window = bpy.context.window_manager.windows[0]
area = next(a for a in window.screen.areas if a.type == "VIEW_3D")
region = next(r for r in area.regions if r.type == "UI")
"""
