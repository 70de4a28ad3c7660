"""One Blender process that runs script after script, each with the extension loaded anew."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from pathlib import Path

MODULE = "bl_ext.user_default.neural_physics"
# Scripts may import what stands beside this file: `inside_blender`, `drawn_panels`.
HELPERS = f"import sys\nsys.path.insert(0, {str(Path(__file__).parent)!r})\n"

# Answers go through a pipe of their own, since Blender prints what it likes.
SERVER = """
{helpers}import contextlib, faulthandler, gc, io, json, os, sys, traceback
import bpy

faulthandler.enable()  # where Blender ends by itself, the test's output says in what call

answers = os.fdopen(int(sys.argv[1]), "w")
PATHS, VARIABLES, HOME = list(sys.path), dict(os.environ), os.getcwd()
MODULE = {module!r}

def load_anew():
    bpy.ops.preferences.addon_disable(module=MODULE)
    for name in [name for name in sys.modules if name == MODULE or name.startswith(MODULE + ".")]:
        del sys.modules[name]
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.ops.preferences.addon_enable(module=MODULE)

for line in sys.stdin:
    asked = json.loads(line)
    sys.path[:] = PATHS
    os.environ.clear()
    os.environ.update(VARIABLES | asked["env"])
    os.chdir(asked["folder"])
    out, failed = io.StringIO(), ""
    try:
        load_anew()
        with contextlib.redirect_stdout(out):
            exec(compile(asked["script"], "script", "exec"), dict(bpy=bpy, os=os, sys=sys, MODULE=MODULE))
    except BaseException:
        failed = traceback.format_exc()
    print(json.dumps(dict(said=out.getvalue(), failed=failed)), file=answers, flush=True)
"""


class OneBlender:
    """A Blender that is started when it is first needed, and after a script that failed."""

    def __init__(self, user: Path) -> None:
        """user: the folder with the user's settings, in which the extension is installed."""
        self.user = user
        self._process: subprocess.Popen[str] | None = None
        self._answers = -1

    def run(self, script: str, folder: Path, timeout: float, env: dict[str, str]) -> str:
        """What the script printed. Raises AssertionError with the traceback where it failed."""
        process = self._process or self._start()
        assert process.stdin
        print(
            json.dumps({"script": script, "folder": str(folder), "env": env}), file=process.stdin, flush=True
        )
        answer = self._answer(timeout)
        if answer is None or answer["failed"]:
            self.end()  # whatever it left behind is no other test's
        assert answer is not None, f"no answer in {timeout:g} s, or Blender ended"
        assert not answer["failed"], answer["said"] + answer["failed"]
        return answer["said"]

    def end(self) -> None:
        if self._process:
            self._process.kill()
            self._process.wait()
            os.close(self._answers)
            self._process = None

    def _start(self) -> subprocess.Popen[str]:
        self._answers, theirs = os.pipe()
        self._process = subprocess.Popen(
            [sys.executable, "-c", SERVER.format(module=MODULE, helpers=HELPERS), str(theirs)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            text=True,
            pass_fds=[theirs],
            env={**os.environ, "BLENDER_USER_RESOURCES": str(self.user)},
        )
        os.close(theirs)
        return self._process

    def _answer(self, timeout: float) -> dict[str, str] | None:
        """None where none came in time, or none can come."""
        found = b""
        while not found.endswith(b"\n"):
            ready, _, _ = select.select([self._answers], [], [], timeout)
            part = os.read(self._answers, 1 << 16) if ready else b""
            if not part:
                return None
            found += part
        return json.loads(found)
