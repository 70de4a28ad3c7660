"""A linear model of cloth dynamics in a PCA subspace (de Aguiar, Sigal, Treuille and Hodgins 2010)."""

from __future__ import annotations

from ..specification import MethodSpecification, NumberSetting
from .method import MOST_HISTORY, LinearDynamics

HISTORY = NumberSetting(
    property="interaction_history",
    option="history",
    label="History",
    description=(
        "Number of frames of interaction that each step looks back on, including the current "
        "one; 0: as many as the preset has"
    ),
    most=MOST_HISTORY,
    usual_most=32,
)

SPECIFICATION = MethodSpecification(
    id="linear_dynamics",
    number=5,
    label="Linear Dynamics",
    choose_for=(
        "A linear model of the same blend of shapes, fitted in seconds: a baseline, and for "
        "objects that hardly fold (de Aguiar 2010)"
    ),
    paper="de Aguiar et al. 2010",
    run_time=LinearDynamics,
    training_settings=(HISTORY,),
    trains_in_blender=True,
)
