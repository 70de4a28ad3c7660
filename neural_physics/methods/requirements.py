"""What a method needs of a simulation: asked before a bake, before a training, and by the trainer itself."""

from __future__ import annotations

from ..errors import Problem

LATENT_DYNAMICS = "latent_dynamics"
HIERARCHICAL_CLOTH = "hierarchical_cloth"
QUASISTATIC_SPRINGS = "quasistatic_springs"
CONTACT_CORRECTIONS = "contact_corrections"
# What simulates cloth, in the words of a dataset's provenance; of imported takes it says nothing.
OF_CLOTH = ("cloth", "bundled solver, springs", "")
OF_A_SOLID = "bundled solver, solid"


def check_simulation(method: str, obj: str, steps: int | None) -> None:
    """Raise the Problem that says why a method cannot learn from how an object is simulated.

    obj: its name. steps: of the bundled solver in each frame; None where something else simulates it.
    Raises Problem("latent_needs_solver" | "latent_needs_one_step"): the potential that latent dynamics
    minimises (Li et al. 2025, equation 1) is made of the solver's energies, and is that of one step.
    """
    if method != LATENT_DYNAMICS:
        return
    if steps is None:
        raise Problem("latent_needs_solver", object=obj)
    if steps != 1:
        raise Problem("latent_needs_one_step", object=obj, steps=steps)


def check_cloth(method: str, obj: str, physics: str) -> None:
    """Raise Problem("levels_need_cloth") where hierarchical cloth would have to learn from something else.

    obj: its name. physics: what simulates it, see `OF_CLOTH`. Level 0 is springs and bending (Oh 2018,
    section 3.2), which no solid and no strand moves like.
    """
    if method == HIERARCHICAL_CLOTH and physics not in OF_CLOTH:
        raise Problem("levels_need_cloth", object=obj)


def check_solid(method: str, obj: str, physics: str) -> None:
    """Raise Problem("contact_needs_solid") where contact corrections would have to learn from something else.

    obj: its name. physics: what simulates it, as a dataset's provenance says it. What handles lack is solved
    for (Romero 2021, section 4.2), which takes tetrahedra and a material.
    """
    if method == CONTACT_CORRECTIONS and physics != OF_A_SOLID:
        raise Problem("contact_needs_solid", object=obj)


def check_pose(method: str, obj: str, path: object, posed: bool) -> None:
    """Raise Problem("skin_not_baked") for springs where a dataset at `path` does not know what bones do."""
    if method == QUASISTATIC_SPRINGS and not posed:
        raise Problem("skin_not_baked", path=path, object=obj)
