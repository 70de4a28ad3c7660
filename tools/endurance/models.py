"""Tiny models of every method, as the fuzzer makes them."""

from __future__ import annotations

from pathlib import Path

from neural_physics.methods.loaded_models import LoadedModels
from neural_physics.models.model_file import Model
from tools.endurance import with_helpers_of_tests

# By the names of the fuzzer's corpus: of each method that keeps a state, all that its steps differ in.
CHOSEN = (
    "subspace_physics with contact",
    "subspace_physics with springs",
    "linear_dynamics",
    "hierarchical_cloth",
    "contact_corrections, fixed ball",
    "contact_corrections, sized ball",
    "latent_dynamics",
    "quasistatic_springs",
    "quasistatic_springs, preserving volume",
)


with_helpers_of_tests()
from fuzzing.interactions import ordinary as swaying  # noqa: E402
from fuzzing.model_corpus import good_models  # noqa: E402

__all__ = ["CHOSEN", "swaying", "tiny_models"]


def tiny_models(folder: Path, chosen: tuple[str, ...] = CHOSEN) -> dict[str, Model]:
    """Models by name; folder: room for those that are trained."""
    found = good_models(folder)
    return {name: LoadedModels().of(found[name], name).model for name in chosen}
