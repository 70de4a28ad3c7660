"""Jiggle springs: a quasistatic network and zero-restlength springs (Jin et al. 2022)."""

from __future__ import annotations

from ...errors import Problem
from ..specification import DatasetFacts, LiveSetting, MethodSpecification
from .method import QuasistaticSprings


def _check_dataset(facts: DatasetFacts) -> None:
    """Targets are where bones take the mesh (section 3): a dataset must say what bones do."""
    if not facts.posed:
        raise Problem("skin_not_baked", path=facts.path, object=facts.object)


JIGGLE = LiveSetting(
    property="jiggle",
    label="Jiggle",
    description="Scales how far flesh swings away from its skinned position; 1: as learned, 0: none",
    default=1.0,
    most=100.0,
    usual_most=3.0,
)
JIGGLE_GROUP = LiveSetting(
    property="jiggle_group",
    label="Jiggle Group",
    description="Vertex group that limits the jiggle: its weights are the fraction that remains",
    kind="vertex_group",
)

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
    suits=(("Flesh on Bones", "SOLID"),),
    live_settings=(JIGGLE, JIGGLE_GROUP),
    has_bases=False,
    has_springs=True,
    follows_bones=True,
    simpler="skinning alone",
)
