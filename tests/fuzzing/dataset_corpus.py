"""Small good datasets: a sheet, poses of a strip on bones, jiggling flesh, a solid of the bundled solver."""

from __future__ import annotations

from pathlib import Path

import jiggling
import numpy as np
import posing
import synthetic
from bake_requests import FPS, GRAVITY, LAYOUT, cuboid, jelly, request, round_ball, tracks

from ml_backend.simulation.bodies import make_body
from neural_physics.datasets.dataset_info import DatasetInfo, TakeInfo
from neural_physics.datasets.rest_mesh import Mesh
from neural_physics.datasets.takes import BODY, Dataset

FRAMES = 70  # of a take: training needs 64


def good_datasets(folder: Path) -> dict[str, Path]:
    """Their folders by name, below this one."""
    made = {
        "sheet": synthetic.make_dataset(
            folder / "sheet", ("training", "training", "validation", "test"), FRAMES, 5
        ),
        "poses": posing.make_dataset(folder / "poses", counts=(40, 10), frames=(FRAMES, 20)),
        "jiggling": jiggling.make_dataset(folder / "jiggling", frames=FRAMES),
        "solid": _solid(folder / "solid"),
    }
    return {name: dataset.path for name, dataset in made.items()}


def _solid(path: Path) -> Dataset:
    """A block of jelly on its foot that sways as if it were simulated, beside a ball."""
    vertices, corners, sizes = cuboid((-0.3, -0.2, 0.0), (0.3, 0.2, 0.3))
    foot = np.flatnonzero(vertices[:, 2] < 1e-6)
    asked = request(jelly(tetrahedra=60), (vertices, corners, sizes), foot, [round_ball(0.1)], GRAVITY)
    body = make_body(asked)
    rest = asked.rest_positions.astype(np.float32)
    mesh = Mesh(rest, asked.corners, asked.face_sizes, asked.pins.astype(np.float32))
    info = DatasetInfo(asked.object, mesh.topology(), len(rest), FPS, channels=LAYOUT)
    dataset = Dataset.create(path, info, mesh)
    body.write(path / BODY)
    for number, role in enumerate(("training", "validation")):
        seen = tracks(asked, FRAMES)
        with dataset.writer(f"take_{number:03d}", TakeInfo(FRAMES, role=role, seed=number)) as writer:
            for frame, y in enumerate(seen.interaction):
                moved = body.rest_positions.copy()
                moved[:, 0] += 0.1 * np.sin(0.3 * frame + number) * moved[:, 2]
                writer.append(body.carried(moved), y, body_positions=moved)
        dataset.keep_surroundings(f"take_{number:03d}", asked, seen)
    return dataset
