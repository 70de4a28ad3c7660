"""Jiggle springs: a quasistatic network and zero-restlength springs (Jin et al. 2022)."""

from __future__ import annotations

from ...errors import Problem
from ..specification import DatasetFacts, LiveSetting, MethodSpecification
from .method import QuasistaticSprings


def _check_dataset(facts: DatasetFacts) -> None:
    """Targets are where bones take the mesh (section 3): a dataset must say what bones do."""
    if not facts.posed:
        raise Problem("skin_not_baked", path=facts.path, object=facts.object)


SPECIFICATION = MethodSpecification(
    id="quasistatic_springs",
    number=3,
    label="Jiggle Springs",
    choose_for=(
        "Swings a rigged character's flesh about its skinned position; needs only a take or two (Jin 2022)"
    ),
    paper="Jin et al. 2022",
    run_time=QuasistaticSprings,
    check_dataset=_check_dataset,
    live_settings=(LiveSetting("jiggle"), LiveSetting("jiggle_group", "vertex_group")),
    has_bases=False,
    has_springs=True,
    follows_bones=True,
)
