"""The run time of each paper's method, all with the same small interface."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ..errors import Problem
from ..interaction.channels import Channel, ChannelLayout
from ..models.decoding import LinearDecoder
from ..models.model_file import Model
from .contact_corrections.method import ContactCorrections
from .hierarchical_cloth.method import HierarchicalCloth
from .latent_dynamics.method import LatentDynamics
from .quasistatic_springs.method import QuasistaticSprings
from .requirements import HIERARCHICAL_CLOTH
from .subspace_physics.method import SubspacePhysics

Vector = NDArray[np.float32]


class State(Protocol):
    """Small, immutable: everything a step needs to know of the past."""

    @property
    def outside(self) -> float:
        """The share, 0 to 1, of the numbers that had to be clipped to what was trained."""


class Method(Protocol):
    """A model ready to run.

    dt: seconds per step. look_ahead: how many future samples of y a step uses where they are known.
    extrapolates: whether a step that ends after the frame on show is to see y as it would be then, since it
    looks at how y changes, and not as it is at the frame. decoder: how coefficients become vertices, None
    where that is not linear.
    """

    dt: float
    look_ahead: int
    extrapolates: bool
    channels: ChannelLayout
    vertex_count: int
    basis_count: int
    mean_shape: NDArray[np.float32]  # (V, 3) metres: the mean over the training data
    decoder: LinearDecoder | None

    def start(self, y: Vector) -> Any:  # noqa: ANN401 (each method has its own State)
        """The state before the first step; y (e,) float32."""

    def state_from(
        self,
        positions: NDArray[np.float32],
        positions_before: NDArray[np.float32],
        y: Vector,
        y_before: Vector,
    ) -> Any:  # noqa: ANN401
        """The state nearest to a true shape (V, 3) and the one a step earlier, with the y of their times."""

    def step(self, state: Any, y: Vector, ahead: Sequence[Vector] = ()) -> Any:  # noqa: ANN401
        """The next state, given y at its time and `look_ahead` later ones, none where they are not known."""

    def positions(self, state: Any, y: Vector, bases: int | None = None) -> NDArray[np.float32]:  # noqa: ANN401
        """(V, 3) float32, metres, in the reference frame; with fewer bases where asked.

        The array is reused by the next call: copy it to keep it.
        """

    def shapes(
        self, states: Sequence[Any], ys: Sequence[Vector], bases: int | None = None
    ) -> NDArray[np.float32]:
        """(n, V, 3): the `positions` of several states, bit for bit, in less time than one by one."""

    def coefficients(self, state: Any, y: Vector) -> Vector | None:  # noqa: ANN401
        """z (u,) float32 for `decoder`, which makes `positions` of it; None where that is not linear."""


METHODS: dict[str, type[Any]] = {
    "subspace_physics": SubspacePhysics,
    "latent_dynamics": LatentDynamics,
    "hierarchical_cloth": HierarchicalCloth,
    "quasistatic_springs": QuasistaticSprings,
    "contact_corrections": ContactCorrections,
}


# Those that simulate at run time, and so can be given colliders that no take had.
SIMULATING = frozenset({HIERARCHICAL_CLOTH})


def load_method(model: Model, capsules: Sequence[Channel] = ()) -> Method:
    """Make a model ready to run.

    capsules: channels of kind "capsule" that y has after those of the model, for a method in `SIMULATING`.
    Raises Problem("model_method_unknown" | "model_damaged").
    """
    if capsules:
        channels = ChannelLayout((*model.info.channels.channels, *capsules))
        model = replace(model, info=replace(model.info, channels=channels))
    try:
        method = METHODS[model.info.method]
    except KeyError as error:
        raise Problem("model_method_unknown", path=model.path, method=model.info.method) from error
    loaded: Method = method(model)
    return loaded
