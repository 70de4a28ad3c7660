"""Making the body that all takes of a dataset share, and looking whether it can be simulated."""

from __future__ import annotations

from typing import Any

import numpy as np

from ml_backend.simulation.bodies import made_of, make_body
from ml_backend.simulation.elasticity import elastic_parts
from ml_backend.simulation.mesh_places import places_on_mesh
from ml_backend.simulation.shapes.collider_shapes import fit_shape
from ml_backend.simulation.shapes.round_shapes import round_shape
from ml_backend.simulation.spring_cloth import make_cloth, same_springs
from ml_backend.simulation.surroundings import make_self_contact
from neural_physics.baking.plan import BakePlan
from neural_physics.coordinates import plane_of
from neural_physics.datasets.body import Body
from neural_physics.datasets.simulation_request import SimulationRequest
from neural_physics.datasets.takes import BODY, Dataset
from neural_physics.errors import Problem
from neural_physics.files.atomic import writing
from neural_physics.jobs.events import Emit, Progress
from neural_physics.solver.meshing.surface_checks import UnsuitableSurface
from neural_physics.wording import plural


def prepare_body(plan: BakePlan, emit: Emit) -> dict[str, Any]:
    """Write the dataset's body, or check the one that is there; returns what the "result" event says.

    Also looks at the colliders and at the body's contact with itself, so that what is wrong with them is
    reported before anything is simulated. Where the mesh encloses no solid, `BakePlan.places` says in which
    places. Springs have no body: then only the mesh and the colliders are checked.
    Raises Problem("dataset_other_material" | "dataset_other_object" | "folder_not_writable" | "disk_full"),
    and what `make_body`, `make_cloth`, `fit_shape`, `round_shape` and `make_self_contact` do.
    """
    dataset = Dataset.open(plan.dataset)
    request = SimulationRequest.read(plan.request)
    solid = request.settings.kind == "solid"
    flat = solid and plane_of(request.rest_positions) is not None
    filling = f"Filling {request.object} with {'triangles' if flat else 'tetrahedra'}"
    progress = Progress(emit, filling if solid else f"Preparing {request.object}", 1)
    if len(request.rest_positions) != dataset.info.vertex_count:
        raise Problem("dataset_other_object", path=dataset.path, object=request.object)
    with writing(plan.folder):
        plan.places.unlink(missing_ok=True)
    if request.settings.kind == "springs":
        _check_springs(dataset, request)
        progress.at(1)
        return {"vertices": len(request.rest_positions)}
    for collider in request.colliders if not flat else ():  # a flat one's depend on where it stands in a take
        fit_shape(collider, np.zeros((1, 3)))
    body = dataset.body
    if body is None or not made_of(body, request):
        if any(take.frame_count for take in dataset.outlines()):
            raise Problem("dataset_other_material", path=dataset.path, object=request.object)
        body = _new_body(plan, request)
        body.write(dataset.path / BODY)
    progress.at(1)
    emit({"event": "log", "text": f"{request.object} has {plural(len(body.elements), 'element')}"})
    return {"vertices": body.vertex_count, "elements": len(body.elements)}


def _check_springs(dataset: Dataset, request: SimulationRequest) -> None:
    """Also that takes which are there have been made of the same, which is kept beside each."""
    for collider in request.colliders:
        round_shape(collider)
    make_cloth(request, dataset.info.fps)
    for take in dataset.outlines():
        if take.frame_count:
            made = dataset.surroundings(take.name)
            if made is None or not same_springs(made[0], request):
                raise Problem("dataset_other_material", path=dataset.path, object=request.object)
            break
    else:
        with writing(dataset.path):
            (dataset.path / BODY).unlink(missing_ok=True)  # of a bake of something else that was given up


def _new_body(plan: BakePlan, request: SimulationRequest) -> Body:
    try:
        body = make_body(request)
    except Problem as problem:
        if isinstance(problem.__cause__, UnsuitableSurface):
            places_on_mesh(problem.__cause__, request).write(plan.places)
        raise
    try:
        elastic_parts(body)
    except ValueError as error:
        raise Problem("body_unusable", object=request.object, reason=error) from error
    make_self_contact(body, request.object, 1.0)
    return body
