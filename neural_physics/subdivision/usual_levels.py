"""The default number of levels of a cloth."""

from __future__ import annotations

from collections.abc import Callable

from ..datasets.rest_mesh import Mesh
from ..errors import Problem
from .coarsening import found_hierarchy
from .levels import MOST_COARSE, MOST_LEVELS, Hierarchy

USUAL_LEVELS = 2  # beyond level 0; the paper's
COARSE_ENOUGH = 1000  # vertices of level 0: dense factors of more make slow steps

_found: dict[tuple[str, str], Problem | None] = {}  # of a topology and an object's name


def usual_hierarchy(mesh: Mesh, object_name: str) -> Hierarchy:
    """Two levels beyond level 0, or one where the mesh has no more; more where level 0 is large otherwise.

    Raises Problem("levels_coarse_too_fine") and what `found_hierarchy` does.
    """
    try:
        found = found_hierarchy(mesh, USUAL_LEVELS, object_name)
    except Problem as problem:
        if "found" not in problem.names:
            raise
        found = found_hierarchy(mesh, max(problem.names["found"], 1), object_name)
    for levels in range(len(found.levels), MOST_LEVELS + 1):
        if found.levels[0].vertex_count <= COARSE_ENOUGH or levels <= USUAL_LEVELS:
            break
        try:
            found = found_hierarchy(mesh, levels, object_name)
        except Problem:
            break
    coarse = found.levels[0].vertex_count
    if coarse > MOST_COARSE:
        levels = len(found.levels) - 1
        raise Problem(
            "levels_coarse_too_fine", object=object_name, count=coarse, levels=levels, allowed=MOST_COARSE
        )
    return found


def check_levels(topology: str, mesh: Callable[[], Mesh], obj: str) -> None:
    """Raise the Problem of a mesh that is no subdivision of a coarser one, see `usual_hierarchy`.

    topology: of `mesh`, which is only made where this topology was not looked at before. obj: its name.
    """
    key = topology, obj
    if key not in _found:
        whole = mesh()  # what keeps it from being read now is not remembered
        try:
            usual_hierarchy(whole, obj)
            _found[key] = None
        except Problem as problem:
            _found[key] = problem
    obstacle = _found[key]
    if obstacle is not None:
        raise obstacle.with_traceback(None)
