"""`make farm-demo`: Ball & Sheet baked by two workers, then on a Slurm of two nodes, trained and evaluated.

All of it on this computer, in build/farm/, which is made anew. Without a Slurm it says so, and shows the two
workers alone.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import Popen
from typing import Any

import bpy
from rich.table import Table

from neural_physics import wording
from neural_physics.baking.gathering import TakeState, states
from neural_physics.baking.plan import BakePlan
from neural_physics.blender.examples import build
from neural_physics.blender.settings.properties import settings_of
from neural_physics.datasets.takes import Dataset
from neural_physics.errors import Problem
from neural_physics.jobs.cores import usable_cores
from tools import workshop
from tools.workshop import console

from .blender_program import write_program
from .hosts import Host, lacking
from .slurm import Cluster, slurm_lacks

FARM = workshop.ROOT / "build" / "farm"
DATASET = Path("neural_physics", "dataset")  # beside the scene
SCRIPTS = workshop.ROOT / "farm" / "slurm"
TAKES, TAKE_FRAMES = 6, 300
LOOK_EVERY = 0.5  # seconds


@dataclass(frozen=True)
class Shown:
    """One way to bake. hosts: who baked each take. seconds: of the bake, with all starts and waiting."""

    hosts: dict[str, str]
    frames: int
    seconds: float
    report: dict[str, Any]


class Way:
    """A folder with the scene and a bake that was prepared, and the commands that work there."""

    def __init__(self, name: str, blender: Path) -> None:
        self.folder, self.blender = FARM / name, blender
        self.share, self.log = self.folder / "share", self.folder / "log.txt"
        self.scene = self.share / "ball_and_sheet.blend"
        self.dataset = self.share / DATASET
        self.report = self.dataset.parent / "report.json"  # of the evaluation
        self.share.mkdir(parents=True)
        shutil.copyfile(FARM / self.scene.name, self.scene)
        self.run(self.scene, "prepare", "--takes", str(TAKES), "--frames", str(TAKE_FRAMES))

    def line(self, scene: Path | None, *words: str | Path) -> list[str]:
        """The command line of one of the extension's commands."""
        opened = [] if scene is None else [scene]
        return [str(word) for word in (self.blender, "-b", *opened, "--command", "neural_physics", *words)]

    def run(self, scene: Path | None, *words: str | Path) -> None:
        """Run one to its end. Raises SystemExit where it fails."""
        with self.log.open("a") as log:
            done = subprocess.run(self.line(scene, *words), stdout=log, stderr=log, check=False)
        if done.returncode:
            raise SystemExit(f"{words[0]} failed: see {self.log}")

    def hosts(self) -> list[Host]:
        """Two computers with one core each, made of this one."""
        cores = usable_cores()
        names = {"first": cores[0], "second": cores[-1]}
        return [
            Host(name, self.folder / name, self.share, self.folder / "mounted", (core,))
            for name, core in names.items()
        ]

    def watch(self, works: Callable[[], bool]) -> tuple[dict[str, str], float]:
        """Who bakes each take, and the seconds until all are there. Raises SystemExit if nobody works on."""
        began, hosts = time.monotonic(), dict[str, str]()
        while (found := self._states()) is not None:
            if not works():
                raise SystemExit(f"The bake ended before it was done: see {self.log}")
            hosts |= {state.take.name: state.host for state in found if state.phase == "under way"}
            time.sleep(LOOK_EVERY)
        return hosts, time.monotonic() - began

    def _states(self) -> list[TakeState] | None:
        """Of all takes; None where the bake is done and its folder gone."""
        try:
            return states(BakePlan.of_dataset(self.dataset))
        except Problem as problem:
            if problem.code == "not_prepared":
                return None
            raise

    def shown(self, hosts: dict[str, str], seconds: float) -> Shown:
        """What came of it."""
        frames = sum(take.frame_count for take in Dataset.open(self.dataset).outlines())
        report = json.loads(self.report.read_text(encoding="utf-8"))
        return Shown(hosts, frames, seconds, report)


def main() -> None:
    """Show both ways."""
    shutil.rmtree(FARM, ignore_errors=True)
    FARM.mkdir(parents=True)
    blender = write_program(FARM)
    make_scene(FARM / "ball_and_sheet.blend")
    shown = {"two workers": by_two_workers(Way("workers", blender))}
    lacks = slurm_lacks()
    if lacks:
        console.print(f"No Slurm here, so two workers alone: {lacks}.")
    else:
        shown["Slurm, two nodes"] = by_slurm(Way("slurm", blender))
    show(shown)


def make_scene(path: Path) -> None:
    """The example, which will be trained briefly."""
    obj = build("BALL_AND_SHEET", workshop.empty_scene())
    settings = settings_of(obj)
    settings.dataset_folder = "//neural_physics/dataset"
    settings.model_path = "//neural_physics/model.safetensors"
    settings.preset = "preview"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))


def by_two_workers(way: Way) -> Shown:
    """Two computers that share a folder, and nothing else."""
    console.print("Two workers: baking")
    with two_workers(way) as workers:
        baked = way.watch(lambda: any(worker.poll() is None for worker in workers))
    console.print("Two workers: training and evaluating")
    for command in ("train", "evaluate"):
        way.run(way.scene, command)
    return way.shown(*baked)


@contextmanager
def two_workers(way: Way) -> Iterator[list[Popen[str]]]:
    """Hosts where they can be made, else two processes; ended when they are left."""
    with way.log.open("a") as log:
        if lacking():
            work = way.line(None, "work", way.dataset, "--at-once", "1")
            workers = [Popen(work, stdout=log, stderr=log, text=True) for _ in range(2)]
        else:
            hosts = way.hosts()
            work = way.line(None, "work", hosts[0].at / DATASET, "--at-once", "1")
            workers = [host.start(*work, out=log) for host in hosts]
        try:
            yield workers
        except BaseException:
            for worker in workers:
                worker.kill()
            raise
        finally:
            for worker in workers:
                worker.wait()


def by_slurm(way: Way) -> Shown:
    """An array of two tasks, and after it the training and the evaluation."""
    console.print("Slurm: baking")
    hosts = way.hosts()
    at = hosts[0].at
    options = (f"--chdir={at}", f"--output={at}/%x.txt")
    with Cluster(way.folder / "slurm", hosts) as slurm:
        bake = slurm.submit("--array=1-2", *options, SCRIPTS / "bake.sh", at / DATASET, way.blender)
        after = (f"--dependency=afterok:{bake}", *options)
        slurm.submit(*after, SCRIPTS / "train.sh", at / way.scene.name, at / DATASET, way.blender)
        baked = way.watch(lambda: f"{bake}_" in slurm.queue())
        console.print("Slurm: training and evaluating")
        while queue := slurm.queue():
            if "DependencyNeverSatisfied" in queue:
                raise SystemExit(f"The bake failed: see {way.share}")
            time.sleep(LOOK_EVERY)
    if not way.report.is_file():
        raise SystemExit(f"The training or the evaluation failed: see {way.share}")
    return way.shown(*baked)


def show(shown: dict[str, Shown]) -> None:
    """The table of what came out."""
    table = Table(title="Ball & Sheet on a farm")
    for column in ("", *shown):
        table.add_column(column, justify="right" if column else "left")
    who = {name: found.hosts for name, found in shown.items()}
    for take in sorted({take for hosts in who.values() for take in hosts}):
        table.add_row(f"{take} by", *(hosts.get(take, "") for hosts in who.values()))
    found = shown.values()
    table.add_row("Bake", *(wording.duration(each.seconds) for each in found))
    table.add_row("   frames per second", *(f"{each.frames / each.seconds:.1f}" for each in found))
    table.add_row("Rollout error", *(f"{each.report['rollout_error']:.3f}" for each in found))
    table.add_row("   of ridge regression", *(f"{each.report['ridge_error']:.3f}" for each in found))
    table.add_row("   of the mean shape", *(f"{each.report['mean_error']:.3f}" for each in found))
    console.print(table)
    console.print(f"All of it is in {FARM}.")


if __name__ == "__main__":
    workshop.run_and_exit(main)
