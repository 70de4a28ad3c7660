"""Running bakes from tests, and interrupting them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

from scenes import (
    add_ball,
    add_cloth,
    add_empty,
    add_grid,
    add_soft_body,
    bpy,
    empty_scene,
    react_to,
    settings_of,
)
from workplaces import take_folder

from neural_physics.blender.baking.preparing import prepare_bake
from neural_physics.datasets.dataset_info import read_info
from neural_physics.datasets.point_caches import PC2_HEADER
from neural_physics.files.row_files import NPY_HEADER
from neural_physics.jobs.events import parse_event

BOX = {"box_low": (-0.8, -0.9, -0.8), "box_high": (0.8, 0.9, 0.4)}


def cloth_and_ball(points: int = 9) -> bpy.types.Object:
    """A cloth that a wandering ball runs into."""
    empty_scene()
    cloth = add_cloth(points=points)
    react_to(cloth, add_ball(), **BOX)
    return cloth


def add_script(ran: Path, *, allowed: bool) -> None:
    """Give the open file Python that leaves a file behind. allowed: whether Blender runs it by itself."""
    bpy.context.preferences.filepaths.use_scripts_auto_execute = allowed
    text = bpy.data.texts.new("stranger.py")
    text.use_module = True
    text.from_string(f"import pathlib\npathlib.Path({str(ran)!r}).touch()\n")


def folding_cloth_and_ball() -> bpy.types.Object:
    """The same, with self-collision, which Blender only repeats exactly on one core."""
    cloth = cloth_and_ball(points=13)
    cloth.modifiers["Cloth"].collision_settings.use_self_collision = True
    cloth.vertex_groups["Pins"].remove(range(1, len(cloth.data.vertices) - 13))
    cloth.vertex_groups["Pins"].remove(range(len(cloth.data.vertices) - 12, len(cloth.data.vertices)))
    return cloth


def cloth_on_a_moving_pin() -> bpy.types.Object:
    """A cloth whose upper edge hangs on an Empty that wanders."""
    empty_scene()
    cloth, hand = add_grid("Sheet"), add_empty("Hand", (0.0, 0.0, 1.0))
    hook = cloth.modifiers.new("Hook", "HOOK")
    hook.object, hook.vertex_group, hook.falloff_type = hand, "Pins", "NONE"
    bpy.context.view_layer.update()
    hook.matrix_inverse = hand.matrix_world.inverted()
    cloth.modifiers.new("Cloth", "CLOTH").settings.vertex_group_mass = "Pins"
    react_to(cloth, hand, box_low=(-0.5, -0.5, 0.5), box_high=(0.5, 0.5, 1.5))
    return cloth


def soft_body_and_ball() -> bpy.types.Object:
    """A soft body that a wandering ball runs into, while it is itself moved about."""
    empty_scene()
    jelly = add_soft_body()
    for frame, x in ((1, 0.1234), (100, 0.5)):
        jelly.location.x = x
        jelly.keyframe_insert("location", frame=frame)
    react_to(jelly, add_ball(), **BOX)
    return jelly


def command_for(obj, dataset: Path, takes: int, frames: int, **more) -> list[str]:
    """The command of a bake of `obj` into a folder."""
    settings = settings_of(obj)
    settings.dataset_folder, settings.take_count, settings.take_frames = str(dataset), takes, frames
    for name, value in more.items():
        setattr(settings, name, value)
    return prepare_bake(bpy.context.scene, obj)


def run(command: list[str], timeout: float = 120.0) -> dict:
    """Run a bake to its end; its last event."""
    return events_of(command, timeout)[-1]


def events_of(command: list[str], timeout: float = 120.0) -> list[dict]:
    """Run a bake, or one worker of it, to its end; all its events."""
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)
    events = [event for event in map(parse_event, done.stdout.splitlines()) if event]
    assert events, done.stdout + done.stderr
    assert (done.returncode == 0) == (events[-1]["event"] == "result"), done.stdout + done.stderr
    return events


def start(command: list[str], *, listen: bool = False) -> subprocess.Popen:
    """Start a bake."""
    out = subprocess.PIPE if listen else subprocess.DEVNULL
    return subprocess.Popen(command, stdout=out, stderr=subprocess.STDOUT, text=True)


def processes(dataset: Path) -> list[tuple[str, int]]:
    """What bakes into a folder now: each job's kind, and its process number. Folders may come and go."""
    found = []
    for folder, _, names in os.walk(dataset / "bake"):
        for about in (Path(folder, name) for name in names if f"{name}l" in names):  # beside its log
            with suppress(OSError, ValueError):
                pid = json.loads(about.read_text())["pid"]
                if is_alive(pid):
                    found.append((about.stem, pid))
    return found


def workers(dataset: Path) -> list[int]:
    """Process numbers of the Blenders that bake into a folder now."""
    return [pid for kind, pid in processes(dataset) if kind == "blender"]


def kill_all(coordinator: subprocess.Popen, dataset: Path) -> None:
    """`kill -9` the coordinator and every worker."""
    coordinator.kill()
    for pid in workers(dataset):
        os.kill(pid, signal.SIGKILL)
    coordinator.wait()
    wait_for(lambda: not workers(dataset))


def wait_for(holds, seconds: float = 120.0) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.01)


def frames_on_disk(dataset: Path, take: str, vertices: int) -> int:
    """Frames of a take that are whole in all its files: a kill may fall between the writes to two of them."""
    folder = take_folder(dataset, take)
    if not (folder / "positions.pc2").exists():
        return 0
    y_bytes = 4 * read_info(dataset).channels.size
    rows = {"positions.pc2": 12 * vertices, "interaction.npy": y_bytes, "frames.npy": 64}
    headers = {"positions.pc2": PC2_HEADER.size, "interaction.npy": NPY_HEADER, "frames.npy": NPY_HEADER}
    try:
        sizes = {name: (folder / name).stat().st_size for name in rows if (folder / name).exists()}
    except FileNotFoundError:  # it was just handed in
        return 0
    return max(0, min(((size - headers[name]) // rows[name] for name, size in sizes.items()), default=0))


def contents(dataset: Path) -> dict[str, bytes]:
    """All files of all takes."""
    return {str(p.relative_to(dataset)): p.read_bytes() for p in sorted((dataset / "takes").rglob("*.*"))}


def is_alive(pid: int) -> bool:
    """Whether a process runs, one that ended and was not waited for aside."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"
