"""A solid in a plane has two coordinates, with which latent dynamics cannot learn."""

from __future__ import annotations

import numpy as np
import pytest
from bake_requests import FPS, LAYOUT, jelly, request
from flat_meshes import rectangle

from ml_backend.methods.latent_dynamics.train import simulated_body
from ml_backend.simulation.bodies import make_body
from neural_physics.datasets.dataset_info import DatasetInfo
from neural_physics.datasets.rest_mesh import Mesh
from neural_physics.datasets.takes import BODY, Dataset
from neural_physics.errors import Problem


def test_a_flat_solid_is_refused_with_what_learns_it(tmp_path):
    asked = request(jelly(steps=1, tetrahedra=60), rectangle((0, 0), (0.4, 0.4)), pins=(0, 1))
    mesh = Mesh(
        asked.rest_positions.astype(np.float32), asked.corners, asked.face_sizes, np.zeros(4, np.float32)
    )
    info = DatasetInfo("Jelly", mesh.topology(), mesh.vertex_count, FPS, channels=LAYOUT)
    dataset = Dataset.create(tmp_path, info, mesh)
    make_body(asked).write(tmp_path / BODY)
    with pytest.raises(Problem, match="Contact Corrections") as caught:
        simulated_body(dataset)
    assert caught.value.code == "latent_flat"
