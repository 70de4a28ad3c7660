"""Contact corrections on a handle-based subspace (Romero et al. 2021)."""

from __future__ import annotations

from ...energies.colliders.half_space import HalfSpace
from ...energies.colliders.same_shape import of_one_shape
from ...errors import Problem
from ..specification import DatasetFacts, MethodSpecification, NumberSetting, ObjectFacts
from .method import ContactCorrections

OF_A_SOLID = "bundled solver, solid"


def check_solid(obj: str, physics: str) -> None:
    """Raise Problem("contact_needs_solid") where corrections would have to be learned from something else.

    obj: its name. physics: what simulates it, as in a dataset's provenance. What handles lack is solved
    for (section 4.2), which takes tetrahedra and a material.
    """
    if physics != OF_A_SOLID:
        raise Problem("contact_needs_solid", object=obj)


def _check_object(facts: ObjectFacts) -> None:
    check_solid(facts.name, facts.physics)
    if facts.scaled():
        raise Problem("contact_scaled", object=facts.name)
    if facts.frame_moves:
        raise Problem("contact_frame_moves", object=facts.name)
    if not facts.flat():
        _check_colliders(facts)


def _check_colliders(facts: ObjectFacts) -> None:
    """Raise Problem("contact_collider_shape" | "contact_colliders_differ") for what would be refused later.

    One network predicts all moving colliders' dents (section 4.2): of balls it knows the size. What is flat
    meets any shape, as its plane cuts it, which is looked at where takes are simulated.
    """
    moving = []
    for collider in facts.colliders():
        if collider.shape is None or (collider.moves and isinstance(collider.shape, HalfSpace)):
            raise Problem("contact_collider_shape", object=facts.name, collider=collider.name)
        if collider.moves:
            moving.append(collider.shape)
    if not of_one_shape(moving):
        raise Problem("contact_colliders_differ", object=facts.name)


def _check_dataset(facts: DatasetFacts) -> None:
    check_solid(facts.object, facts.physics)


HANDLES = NumberSetting(
    property="handle_count",
    option="handles",
    label="Handles",
    description=(
        "Number of simulated points that the rest of the body follows: more can bend in more "
        "ways but cost more in every frame; 0: as many as the preset has. Ignored if handles are "
        "listed under Set Up"
    ),
    most=400,
    usual_most=30,
    replaced_by="handles",
)

SPECIFICATION = MethodSpecification(
    id="contact_corrections",
    number=4,
    label="Contact Corrections",
    choose_for=(
        "Simulates a soft solid with a few handles during playback, and learns the shape between "
        "them and the dents that balls and boxes press into it (Romero 2021)"
    ),
    paper="Romero et al. 2021",
    run_time=ContactCorrections,
    check_object=_check_object,
    check_dataset=_check_dataset,
    training_settings=(HANDLES,),
    solver_settings={"friction": 0.0},
    has_handles=True,
    simplest="uncorrected handles",
)
