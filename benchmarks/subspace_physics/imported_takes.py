"""Takes as another program would hand them over: a point cache, an OBJ, and where the ball was."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from learning.commands.mesh_files import read_mesh_file
from neural_physics.datasets.importing import import_take
from neural_physics.datasets.rest_mesh import Mesh
from neural_physics.datasets.takes import Dataset
from neural_physics.steps import to_the_end

BALL, RADIUS = "Ball", 0.3  # metres


def imported(dataset: Dataset, folder: Path) -> Dataset:
    """The same takes without their scene: no pins, no physics, nothing but the ball's place and radius.

    As `import --collider Ball=0.3` does, in a folder of its own.
    """
    path, takes = folder / "dataset", dataset.takes()
    if not (path / "dataset.json").is_file() or len(Dataset.open(path).takes()) < len(takes):
        folder.mkdir(parents=True, exist_ok=True)
        mesh = read_mesh_file(_as_obj(dataset.mesh, folder / f"{dataset.info.object}.obj"))
        there = {take.name for take in Dataset.open(path).takes()} if path.exists() else set()
        for take in takes:
            if take.name in there:
                continue
            (channel,) = dataset.info.channels.channels
            source = folder / "ball.npy"
            np.save(source, np.asarray(take.interaction))
            steps = import_take(
                path,
                mesh,
                dataset.info.object,
                dataset.path / "takes" / take.name / "positions.pc2",
                source=source,
                fps=dataset.info.fps,
                role=take.info.role,
                name=take.name,
                columns=[f"{channel.name}.{axis}" for axis in "xyz"],
                gravity=dataset.info.gravity,
                colliders={BALL: RADIUS},
            )
            to_the_end(steps)
    return Dataset.open(path)


def _as_obj(mesh: Mesh, path: Path) -> Path:
    vertices = ["v {:.9g} {:.9g} {:.9g}".format(*place) for place in mesh.rest_positions.tolist()]
    faces = np.split(mesh.corners + 1, np.cumsum(mesh.face_sizes)[:-1])
    lines = [*vertices, *("f " + " ".join(map(str, face)) for face in faces)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
