"""What .blend files hold, asked of one Blender that stays: starting one for each would take too long.

`python -m tools.soak.blends` reads the path of a .blend on each line, and prints what it holds, as JSON.
"""

from __future__ import annotations

import base64
import json
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

ANSWER = "holds: "
ROOT = Path(__file__).resolve().parents[2]


class BlendReader:
    """The Blender that is asked; by one thread at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._blender = self._start()

    def holds(self, blend: Path) -> dict[str, Any]:
        """What is in it; raises ValueError where it cannot be opened."""
        with self._lock:
            asked, answered = self._blender.stdin, self._blender.stdout
            assert asked is not None and answered is not None  # both are pipes
            asked.write(f"{blend}\n")
            asked.flush()
            line = next((line for line in answered if line.startswith(ANSWER)), None)
            if line is None:
                self._blender.wait()
                self._blender = self._start()
                raise ValueError("Blender crashed when it opened it")
        found: dict[str, Any] = json.loads(line.removeprefix(ANSWER))
        if "error" in found:
            raise ValueError(found["error"])
        return found

    def _start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "tools.soak.blends"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,  # Ctrl-C is for the soak, which still has something to ask
        )

    def close(self) -> None:
        """Let it end."""
        self._blender.kill()
        self._blender.wait()


def packed_bytes(found: dict[str, Any]) -> bytes | None:
    """The model that a .blend carries, of what `BlendReader.holds` has found."""
    return None if found["model"] is None else base64.b64decode(found["model"])


def _main() -> None:
    import bpy

    from neural_physics.blender.settings import properties

    properties.register()
    bpy.ops.wm.read_factory_settings(use_empty=True)
    for line in sys.stdin:
        try:
            bpy.ops.wm.open_mainfile(filepath=line.rstrip("\n"), load_ui=False)
            found = _found()
        except RuntimeError as error:
            found = {"error": str(error)}
        sys.stdout.write(f"\n{ANSWER}{json.dumps(found)}\n")
        sys.stdout.flush()


def _found() -> dict[str, Any]:
    """The objects with their modifiers and settings, and the packed model, if there is one."""
    import bpy

    from neural_physics.blender.playing.packing import PROPERTY
    from neural_physics.blender.settings.properties import settings_of

    objects: dict[str, Any] = {}
    model = None
    for obj in bpy.data.objects:
        settings = settings_of(obj)
        objects[obj.name] = {
            "modifiers": [[item.name, item.type, item.show_viewport] for item in obj.modifiers],
            "caches": [
                Path(item.filepath).name
                for item in obj.modifiers
                if isinstance(item, bpy.types.MeshCacheModifier)
            ],
            "enabled": settings.enabled,
            "playing": settings.playing,
            "dataset": settings.dataset_folder,
            "model": settings.model_path,
            "reacts to": [item.name for item in settings.interactions],
        }
        if settings.model is not None:
            model = base64.b64encode(bytes(settings.model[PROPERTY])).decode()
    return {"objects": objects, "model": model}


if __name__ == "__main__":
    _main()
