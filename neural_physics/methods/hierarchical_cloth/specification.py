"""Hierarchical cloth (Oh, Lee and Lee 2018)."""

from __future__ import annotations

from collections.abc import Callable

from ...datasets.rest_mesh import Mesh
from ...errors import Problem
from ..specification import DatasetFacts, MethodSpecification, ObjectFacts
from .method import HierarchicalCloth
from .usual_levels import usual_hierarchy

# What simulates cloth, in the words of a dataset's provenance; of imported takes it says nothing.
OF_CLOTH = ("cloth", "bundled solver, springs", "")

_levels: dict[tuple[str, str], Problem | None] = {}  # what was found of a topology and an object


def check_cloth(obj: str, physics: str) -> None:
    """Raise Problem("levels_need_cloth") where levels would have to be learned from something else.

    obj: its name. physics: what simulates it, see `OF_CLOTH`. Level 0 is springs and bending (section 3.2),
    which no solid and no strand moves like.
    """
    if physics not in OF_CLOTH:
        raise Problem("levels_need_cloth", object=obj)


def check_levels(topology: str, mesh: Callable[[], Mesh], obj: str) -> None:
    """Raise the Problem of a mesh that is no subdivision of a coarser one, see `usual_hierarchy`.

    topology: of `mesh`, which is only made where this topology was not looked at before. obj: its name.
    """
    key = topology, obj
    if key not in _levels:
        try:
            usual_hierarchy(mesh(), obj)
            _levels[key] = None
        except Problem as problem:
            _levels[key] = problem
    obstacle = _levels[key]
    if obstacle is not None:
        raise obstacle.with_traceback(None)


def _check_object(facts: ObjectFacts) -> None:
    check_cloth(facts.name, facts.physics)
    if facts.scaled():
        raise Problem("levels_scaled", object=facts.name)
    check_levels(facts.topology(), facts.mesh, facts.name)


def _check_dataset(facts: DatasetFacts) -> None:
    check_cloth(facts.object, facts.physics)
    check_levels(facts.topology, facts.mesh, facts.object)


SPECIFICATION = MethodSpecification(
    id="hierarchical_cloth",
    number=2,
    label="Hierarchical Cloth",
    choose_for=(
        "Simulates the coarsest level of a subdivided cloth during playback, and learns the "
        "detail that finer levels add: reacts to wind, colliders and stiffness not seen in its "
        "takes (Oh 2018)"
    ),
    paper="Oh et al. 2018",
    run_time=HierarchicalCloth,
    check_object=_check_object,
    check_dataset=_check_dataset,
    has_bases=False,
    has_levels=True,
    simulates=True,
)
