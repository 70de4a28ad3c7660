"""Small good datasets: a sheet, poses of a strip on bones, jiggling flesh, keyed too, simulated bodies."""

from __future__ import annotations

from pathlib import Path

import jiggling
import keyed
import numpy as np
import posing
import synthetic
from bake_requests import FPS, GRAVITY, LAYOUT, cloth, cuboid, grid, jelly, request, round_ball, tracks
from flat_meshes import extruded, polygon

from ml_backend.simulation.bodies import make_body
from neural_physics.datasets.dataset_info import DatasetInfo, TakeInfo
from neural_physics.datasets.rest_mesh import Mesh
from neural_physics.datasets.simulation_request import SimulationRequest
from neural_physics.datasets.takes import BODY, Dataset

FRAMES = 70  # of a take: training needs 64


def good_datasets(folder: Path) -> dict[str, Path]:
    """Their folders by name, below this one."""
    made = {
        "sheet": synthetic.make_dataset(
            folder / "sheet", ("training", "training", "validation", "test"), FRAMES, 5
        ),
        "poses": posing.make_dataset(folder / "poses", counts=(40, 10), frames=(FRAMES, FRAMES)),
        "jiggling": jiggling.make_dataset(folder / "jiggling", frames=FRAMES),
        "keyed": keyed.make_dataset(folder / "keyed", FRAMES),
        "solid": _simulated(folder / "solid", _block()),
        "flat": _simulated(folder / "flat", _plate()),
        "shell": _simulated(folder / "shell", _cloth()),
    }
    return {name: dataset.path for name, dataset in made.items()}


def _block() -> SimulationRequest:
    """Jelly on its foot, beside a ball."""
    mesh = cuboid((-0.3, -0.2, 0.0), (0.3, 0.2, 0.3))
    foot = np.flatnonzero(mesh[0][:, 2] < 1e-6)
    return request(jelly(tetrahedra=60), mesh, foot, [round_ball(0.1)], GRAVITY)


def _plate() -> SimulationRequest:
    """Jelly in a plane, held at its foot, beside a triangle."""
    mesh = polygon([(-0.2, 0.0), (0.0, 0.0), (0.2, 0.0), (0.2, 0.4), (-0.2, 0.4)])
    presser = extruded("Presser", [(-0.1, 0.6), (0.1, 0.6), (0.0, 0.8)])
    return request(jelly(tetrahedra=60), mesh, range(3), [presser], GRAVITY)


def _cloth() -> SimulationRequest:
    """A sheet that hangs by two corners, beside a ball."""
    return request(cloth(), grid((4, 4), (0.4, 0.4)), (0, 4), [round_ball(0.1)], GRAVITY)


def _simulated(path: Path, asked: SimulationRequest) -> Dataset:
    """A body that sways as if it were simulated, whose pins and colliders stand still."""
    body = make_body(asked)
    rest = asked.rest_positions.astype(np.float32)
    mesh = Mesh(rest, asked.corners, asked.face_sizes, asked.pins.astype(np.float32))
    info = DatasetInfo(asked.object, mesh.topology(), len(rest), FPS, channels=LAYOUT)
    dataset = Dataset.create(path, info, mesh)
    body.write(path / BODY)
    kept = body.embedding_corners is not None
    away = np.ptp(body.rest_positions, axis=0).argmax()  # a direction that the body has
    for number, role in enumerate(("training", "validation")):
        seen = tracks(asked, FRAMES)
        with dataset.writer(f"take_{number:03d}", TakeInfo(FRAMES, role=role, seed=number)) as writer:
            for frame, y in enumerate(seen.interaction):
                moved = body.rest_positions.copy()
                moved[~body.pinned, away] += 0.02 * np.sin(0.3 * frame + number)
                writer.append(body.carried(moved), y, body_positions=moved if kept else None)
        dataset.keep_surroundings(f"take_{number:03d}", asked, seen)
    return dataset
