"""Coarse scenes for the measurements of latent dynamics, baked by the bundled solver without Blender.

All at 30 frames a second and with one step in a frame, as in the paper (Li et al. 2025).
"""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.folders import BENCH
from benchmarks.latent_dynamics.bodies import ball_mesh, block_mesh, request, sheet
from ml_backend.simulation.preparing import prepare_body
from ml_backend.simulation.recording import simulate_take
from neural_physics.baking.handing_over import Workplace
from neural_physics.baking.plan import BakePlan, PlannedTake
from neural_physics.datasets.dataset_info import DatasetInfo, Exclusion, Role, read_take_info, write_take_info
from neural_physics.datasets.rest_mesh import Mesh
from neural_physics.datasets.simulation_request import SimulationRequest, SimulationSettings, Tracks
from neural_physics.datasets.take_folders import holders_folder
from neural_physics.datasets.takes import Dataset
from neural_physics.interaction.channels import Channel, ChannelLayout
from neural_physics.interaction.training_motion import MotionBox, positions_at, random_keys, wander
from neural_physics.jobs.events import StopRequest
from neural_physics.jobs.leases import Observer

Array = NDArray[np.float64]
Takes = tuple[tuple[int, int, Role], ...]  # frames, seed and role of each

LATENT = BENCH / "latent"
FPS = 30.0
UNSEEN = "kept for testing"  # why frames are left out of training
HAND = Channel("Hand", "position", 3, "Hand")
BALL = Channel("Ball", "position", 3, "Ball")
BALL_RADIUS = 0.15  # m


@dataclass(frozen=True)
class LatentScene:
    """A body whose pins go along with a hand, and in some scenes a ball that goes its own way.

    motion: from frames and a seed to the hand's and the ball's way from where they begin (T, 3), m.
    takes: frames, seed and role of each. seen: frames of each training take to learn from, 0: all.
    """

    name: str
    request: SimulationRequest
    motion: Callable[[int, int], tuple[Array, Array]]
    takes: Takes
    seen: int = 0
    ball: tuple[float, float, float] | None = None

    @property
    def channels(self) -> ChannelLayout:
        """The layout of y: the hand, and the ball where there is one."""
        return ChannelLayout((HAND,) if self.ball is None else (HAND, BALL))

    def tracks(self, frames: int, seed: int) -> Tracks:
        """What acts in a take."""
        hand, ball = self.motion(frames, seed)
        held = self.request.rest_positions[self.request.pins]
        axes = np.tile(np.eye(4), (frames, 1, 1))
        colliders = np.tile(np.eye(4), (frames, len(self.request.colliders), 1, 1))
        interaction = hand
        if self.ball is not None:
            ball = np.asarray(self.ball) + ball
            colliders[:, 0, :3, 3] = ball
            interaction = np.concatenate([hand, ball], 1)
        return Tracks(
            FPS,
            np.eye(4),
            interaction.astype(np.float32),
            held + hand[:, None],
            colliders=colliders,
            wind=np.zeros((frames, 3)),
            frame_from_world=axes,
            object_from_frame=None,
            bones=np.empty((frames, 0, 4, 4)),
        )


def baked(scene: LatentScene, folder: Path) -> Dataset:
    """The scene's dataset, baked if it is not there yet, or what is left of it."""
    path = folder / scene.name / "dataset"
    names = [f"take_{k:03d}" for k in range(len(scene.takes))]
    if not (path / "dataset.json").is_file() or not _complete(Dataset.open(path), names):
        asked = scene.request
        loose = asked.edges if not len(asked.face_sizes) else np.empty((0, 2), np.int32)
        rest = asked.rest_positions.astype(np.float32)
        mesh = Mesh(rest, asked.corners, asked.face_sizes, asked.pins.astype(np.float32), loose_edges=loose)
        info = DatasetInfo(asked.object, mesh.topology(), len(rest), FPS, channels=scene.channels)
        Dataset.create(path, info, mesh)
        takes = tuple(
            PlannedTake(name, frames, seed, role)
            for name, (frames, seed, role) in zip(names, scene.takes, strict=True)
        )
        plan = BakePlan(path, asked.object, "Scene", "Layer", takes=takes, by_solver=True)
        plan.write()
        asked.write(plan.request)
        prepare_body(plan, _silent)
        for take in takes:
            lease = Observer().claim(holders_folder(path, take.name))
            if lease is None:
                raise SystemExit(f"{path}: somebody else simulates {take.name}")
            place = Workplace(Dataset.open(path), take.name, lease)
            if not place.take_up():
                continue
            scene.tracks(take.frames, take.seed).write(place.tracks)
            simulate_take(plan, place, _silent, StopRequest())
            place.hand_in()
        if scene.seen:
            hide(
                path,
                {
                    name: scene.seen
                    for name, take in zip(names, takes, strict=True)
                    if take.role == "training"
                },
            )
    return Dataset.open(path)


def seen_only(dataset: Dataset, seen: dict[str, int], folder: Path) -> Dataset:
    """A copy of a dataset of which a training sees the first so many frames of each take that is named."""
    if not (folder / "dataset.json").is_file():
        shutil.copytree(dataset.path, folder, ignore=shutil.ignore_patterns("dataset.json", "bake"))
        hide(folder, seen)
        # Last, so that a folder with a dataset.json is always whole.
        shutil.copy2(dataset.path / "dataset.json", folder)
    return Dataset.open(folder)


def hide(path: Path, seen: dict[str, int]) -> None:
    """Leave out what comes after the first so many frames of takes, as frames that are kept for testing."""
    for name, frames in seen.items():
        take = path / "takes" / name
        info = read_take_info(take)
        unseen = Exclusion(frames, info.frames - 1, UNSEEN)
        write_take_info(take, replace(info, excluded=(*info.excluded, unseen)))


def cantilever() -> LatentScene:
    """Fig. 10: a beam that falls from rest; the first 100 frames are learned from."""
    settings = SimulationSettings("solid", young=4e5, poisson=0.45, filling="cage", tetrahedra=400, steps=1)
    asked = request("Beam", settings, block_mesh((1.0, 0.2, 0.2), (10, 2, 2)), lambda at: at[:, 0] < 1e-6)
    return LatentScene("cantilever", asked, _still, ((1000, 0, "training"),), seen=100)


def cloth() -> LatentScene:
    """Fig. 5: two corners of a sheet move to and fro along a line; the first half is learned from."""
    return LatentScene("cloth", sheet(), _to_and_fro, ((1500, 1, "training"),), seen=750)


def cloth_and_ball() -> LatentScene:
    """The same sheet, held still, and a ball that is pushed along a line through where it hangs."""
    asked = sheet()
    smooth = replace(asked.settings, friction=0.0)  # which the energies that are learned from do not have
    asked = replace(asked, settings=smooth, colliders=(ball_mesh(BALL_RADIUS),))
    takes: Takes = (
        (500, 11, "training"),
        (500, 12, "training"),
        (400, 13, "test"),
    )
    return LatentScene("cloth_and_ball", asked, _pushed, takes, ball=(0.375, -0.6, -0.55))


def tuft() -> LatentScene:
    """Fig. 9, coarse: 12 straight strands on a head that wanders slowly for one half, and fast."""
    places = [(0.04 * np.cos(a), 0.04 * np.sin(a)) for a in 2 * np.pi * np.arange(12) / 12]
    strand = -0.05 * np.arange(9)
    points = np.array([(x, y, z) for x, y in places for z in strand])
    edges = np.array([(9 * k + j, 9 * k + j + 1) for k in range(12) for j in range(8)])
    settings = SimulationSettings("rod", young=5e5, shear=2e5, radius=5e-3, density=300.0, steps=1)
    empty = np.empty(0, np.int32)
    asked = request("Tuft", settings, (points, empty, empty), lambda at: at[:, 2] > -0.06, edges=edges)
    takes: Takes = (
        (500, 21, "training"),
        (500, 22, "training"),
        (500, 23, "test"),
    )
    return LatentScene("tuft", asked, _slow_and_fast, takes)


def _still(frames: int, seed: int) -> tuple[Array, Array]:
    return np.zeros((frames, 3)), np.zeros((frames, 3))


def _to_and_fro(frames: int, seed: int) -> tuple[Array, Array]:
    box = MotionBox((-0.5, 0.0, 0.0), (0.5, 0.0, 0.0), shortest=0.5, longest=1.6, fastest=1.5)
    way = wander(box, frames, 1 / FPS, np.random.default_rng(seed), start=(0.0, 0.0, 0.0))
    return np.asarray(way), np.zeros((frames, 3))


def _slow_and_fast(frames: int, seed: int) -> tuple[Array, Array]:
    """The first half of the keys takes four times as long as the second."""
    box = MotionBox((-0.3, -0.3, -0.1), (0.3, 0.3, 0.1), shortest=0.4, longest=1.0, fastest=1.5)
    times, places = random_keys(box, frames, 1.0 / FPS, np.random.default_rng(seed), start=(0.0, 0.0, 0.0))
    half = frames / FPS / 2
    slow = np.interp(np.arange(frames) / FPS, [0.0, half, 2 * half], [0.0, half / 4, half / 4 + half])
    return positions_at(times, places, slow), np.zeros((frames, 3))


def _pushed(frames: int, seed: int) -> tuple[Array, Array]:
    box = MotionBox((0.0, 0.0, 0.0), (0.0, 1.0, 0.0), shortest=0.5, longest=1.5, fastest=1.2)
    way = wander(box, frames, 1 / FPS, np.random.default_rng(seed), start=(0.0, 0.0, 0.0))
    return np.zeros((frames, 3)), np.asarray(way)


def _complete(dataset: Dataset, names: list[str]) -> bool:
    found = {take.name: take.info.complete for take in dataset.outlines()}
    return all(found.get(name) for name in names)


def _silent(event: object) -> None:
    """Discard the event."""
