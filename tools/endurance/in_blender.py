"""The installed extension in a Blender of its own: frames, files and switching, by the thousand."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from tools.endurance import ROOT, with_helpers_of_tests

with_helpers_of_tests()
from fresh_blender import ENABLE, INSTALL, run  # noqa: E402

OBJECTS, FRAMES, FILES, SWITCHES = 20, 200_000, 200, 50
MOST_GROWN = 64 << 20  # bytes that may be added to the memory of a tenth of the frames
A_DAY = 86400.0  # seconds

BEGIN = f"""
import json
from pathlib import Path
from leftovers import all_play, frames, grown, left, memory, playing_scene, save_load_undo, switch
playing_scene({OBJECTS})
frames(210)
"""
END = f"""
print("FOUND " + json.dumps([grown(before), all_play({OBJECTS}), at_first, memory()]))
"""
# Each thing is done a tenth of all times before it is counted.
DOING = {
    "save, load, undo": ("save_load_undo(Path.cwd(), {count})", FILES),
    "disable, enable": ("switch({count})", SWITCHES),
    "frames": ("frames({count})", FRAMES),
}


def endure(share: float, say: Callable[[str], None]) -> int:
    """Do all of it, or a share; say what is left over. The exit status."""
    unsound = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        zipped, user = folder / "neural_physics.zip", folder / "user"
        subprocess.run([sys.executable, ROOT / "tools" / "build_zip.py", zipped], check=True)
        run(INSTALL, folder, BLENDER_USER_RESOURCES=str(user), NEURAL_PHYSICS_ZIP=str(zipped))
        for name, (doing, times) in DOING.items():
            count = max(10, int(times * share))
            first = doing.format(count=count // 10)
            rest = doing.format(count=count - count // 10)
            script = f"{BEGIN}{first}\nbefore, at_first = left(), memory()\n{rest}\n{END}"
            said = run(ENABLE + script, folder, timeout=A_DAY, BLENDER_USER_RESOURCES=str(user))
            line = next(line for line in said.splitlines() if line.startswith("FOUND "))
            over, playing, at_first, at_end = json.loads(line.removeprefix("FOUND "))
            sound = playing and not over and at_end - at_first <= MOST_GROWN
            unsound += not sound
            say(
                f"{count:,} x {name} with {OBJECTS} objects: left over {over or 'nothing'}; "
                f"{'all play' if playing else 'NOT ALL PLAY'}; memory {at_first / 2**20:.0f} MiB after a "
                f"tenth, {at_end / 2**20:.0f} MiB at the end (at most {MOST_GROWN >> 20} MiB more)"
            )
        shutil.rmtree(user, ignore_errors=True)
    return int(bool(unsound))
