"""Latent dynamics trained on the incremental potential (Li et al. 2025)."""

from __future__ import annotations

from ...errors import Problem
from ..specification import DatasetFacts, MethodSpecification, NumberSetting, ObjectFacts
from .method import LatentDynamics


def check_steps(obj: str, steps: int | None) -> None:
    """Raise Problem("latent_needs_solver" | "latent_needs_one_step") where there is no potential to learn.

    The potential that is minimised (equation 1) is made of the bundled solver's energies, and is that of one
    step. obj: the object's name. steps: of the solver in each frame; None where something else simulates it.
    """
    if steps is None:
        raise Problem("latent_needs_solver", object=obj)
    if steps != 1:
        raise Problem("latent_needs_one_step", object=obj, steps=steps)


def check_bending(obj: str, bending_model: str) -> None:
    """Raise Problem("latent_needs_hinges") for shells whose bending is measured by normals of their own.

    Those are no coordinates of the body. obj: the object's name.
    """
    if bending_model != "hinges":
        raise Problem("latent_needs_hinges", object=obj)


def _check_object(facts: ObjectFacts) -> None:
    check_steps(facts.name, facts.solver_steps)


def _check_dataset(facts: DatasetFacts) -> None:
    check_steps(facts.object, facts.solver_steps)


LATENTS = NumberSetting(
    property="latent_count",
    option="latents",
    label="Latents",
    description=(
        "Size of the latent state: a larger one can move in more ways but is harder to learn; 0: "
        "the preset's size"
    ),
    most=1024,
    usual_most=32,
)

SPECIFICATION = MethodSpecification(
    id="latent_dynamics",
    number=1,
    label="Latent Dynamics",
    choose_for=(
        "Learns from the bundled solver's own energies; needs few takes for objects that hang "
        "and swing (Li 2025)"
    ),
    paper="Li et al. 2025",
    run_time=LatentDynamics,
    check_object=_check_object,
    check_dataset=_check_dataset,
    training_settings=(LATENTS,),
    solver_settings={"steps": 1, "bending_model": "hinges"},
)
