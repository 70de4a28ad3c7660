"""Hierarchical cloth (Oh, Lee and Lee 2018)."""

from __future__ import annotations

from ...errors import Problem
from ...subdivision.usual_levels import check_levels
from ..specification import DatasetFacts, MethodSpecification, ObjectFacts
from .method import HierarchicalCloth

# What simulates cloth, in the words of a dataset's provenance; of imported takes it says nothing.
OF_CLOTH = ("cloth", "bundled solver, springs", "")


def check_cloth(obj: str, physics: str) -> None:
    """Raise Problem("levels_need_cloth") where levels would have to be learned from something else.

    obj: its name. physics: what simulates it, see `OF_CLOTH`. Level 0 is springs and bending (section 3.2),
    which no solid and no strand moves like.
    """
    if physics not in OF_CLOTH:
        raise Problem("levels_need_cloth", object=obj)


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
    suits=(("Cloth in Finer Levels", "SPRINGS"),),
    has_levels=True,
    simulates=True,
    simplest="plain subdivision",
)
