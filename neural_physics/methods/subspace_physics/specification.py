"""Subspace neural physics (Holden, Duong, Datta and Nowrouzezahrai 2019)."""

from __future__ import annotations

from ..specification import MethodSpecification
from .method import SubspacePhysics

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
    trains_in_blender=True,
)
