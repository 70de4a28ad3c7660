"""A scene on a folder that several computers share, and the extension's commands as they run there."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import bpy
from bakes import cloth_and_ball, contents, wait_for
from scenes import settings_of

from neural_physics.baking.gathering import states
from neural_physics.baking.handing_over import frames_there
from neural_physics.baking.plan import BakePlan
from neural_physics.datasets.takes import Dataset
from tools.farm.blender_program import write_program


@dataclass(frozen=True)
class Share:
    """folder: as this computer names it. blender: a program outside of it."""

    folder: Path
    blender: Path

    @property
    def scene(self) -> Path:
        return self.folder / "scene.blend"

    @property
    def dataset(self) -> Path:
        return self.folder / "neural_physics" / "scene" / "Sheet" / "dataset"

    def command(self, *words: str | Path, scene: bool = False) -> str:
        """What one of the extension's commands says."""
        opened = [self.scene] if scene else []
        line = [self.blender, "-b", *opened, "--command", "neural_physics", *words]
        done = subprocess.run(line, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def frames(self, take: str) -> int:
        return frames_there(Dataset.open(self.dataset), take)

    def wait_for_frames(self, host: str, frames: int) -> str:
        """Wait until a computer has so many of a take; the take's name."""
        found: list[str] = []

        def is_there() -> bool:
            here = [s for s in states(BakePlan.of_dataset(self.dataset)) if s.phase == "under way"]
            found[:] = [s.take.name for s in here if s.host == host and s.frames >= frames]
            return bool(found)

        wait_for(is_there)
        return found[0]


def unprepared_share(folder: Path, frames: int, patience: float = 20.0) -> Share:
    """A small cloth and a ball, with takes of so many frames to be baked. patience: see `write_program`."""
    share = Share(folder / "share", write_program(folder, patience))
    share.folder.mkdir()
    settings = settings_of(cloth_and_ball(points=17))
    settings.preset, settings.basis_count, settings.take_frames = "preview", 8, frames
    bpy.ops.wm.save_as_mainfile(filepath=str(share.scene))
    return share


def prepared_share(folder: Path, takes: int, frames: int, patience: float = 20.0) -> Share:
    """The same, and a bake of so many takes that was prepared."""
    share = unprepared_share(folder, frames, patience)
    share.command("prepare", "--takes", str(takes), scene=True)
    return share


def baked_in_one_go(share: Share, folder: Path) -> dict[str, bytes]:
    """All files of all takes, as one computer bakes what was prepared."""
    alone = Share(folder / "alone", share.blender)
    shutil.copytree(share.dataset, alone.dataset)
    alone.command("work", alone.dataset)
    return contents(alone.dataset)
