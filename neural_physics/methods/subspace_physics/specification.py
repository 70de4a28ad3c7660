"""Subspace neural physics (Holden, Duong, Datta and Nowrouzezahrai 2019)."""

from __future__ import annotations

from ..specification import LiveSetting, MethodSpecification
from .method import FAST, SubspacePhysics

FAST_SETTING = LiveSetting(
    property=FAST,
    label="Fast",
    description=(
        "Play the second, smaller model alone: a frame takes less time, and is farther off. Greyed out for a "
        "model that has no second one"
    ),
    kind="switch",
)

SPECIFICATION = MethodSpecification(
    id="subspace_physics",
    number=0,
    label="Subspace Physics",
    choose_for=(
        "Learns the motion of any simulation: a network steps a blend of shapes from frame to "
        "frame (Holden 2019)"
    ),
    paper="Holden et al. 2019",
    run_time=SubspacePhysics,
    live_settings=(FAST_SETTING,),
    trains_in_blender=True,
)
