"""What Play asks of a method: one small interface for all of them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

from ..arrays import Floats
from ..interaction.channels import ChannelLayout
from ..models.decoding import LinearDecoder


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
    mean_shape: Floats  # (V, 3) metres: the mean over the training data
    decoder: LinearDecoder | None

    def start(self, y: Floats) -> Any:  # noqa: ANN401 (each method has its own State)
        """The state before the first step; y (e,) float32."""

    def state_from(
        self,
        positions: Floats,
        positions_before: Floats,
        y: Floats,
        y_before: Floats,
    ) -> Any:  # noqa: ANN401
        """The state nearest to a true shape (V, 3) and the one a step earlier, with the y of their times."""

    def step(self, state: Any, y: Floats, ahead: Sequence[Floats] = ()) -> Any:  # noqa: ANN401
        """The next state, given y at its time and `look_ahead` later ones, none where they are not known."""

    def positions(self, state: Any, y: Floats, bases: int | None = None) -> Floats:  # noqa: ANN401
        """(V, 3) float32, metres, in the reference frame; with fewer bases where asked.

        The array is reused by the next call: copy it to keep it.
        """

    def shapes(self, states: Sequence[Any], ys: Sequence[Floats], bases: int | None = None) -> Floats:
        """(n, V, 3): the `positions` of several states, bit for bit, in less time than one by one."""

    def coefficients(self, state: Any, y: Floats) -> Floats | None:  # noqa: ANN401
        """z (u,) float32 for `decoder`, which makes `positions` of it; None where that is not linear."""


@runtime_checkable
class Interpolates(Protocol):
    """A method that knows better than a straight line what lies between two of its steps."""

    def between(self, state: Any, ahead: Any, share: float) -> Any:  # noqa: ANN401
        """What is shown a share, 0 to 1, of a step after a state, given the next one; never stepped from."""


@runtime_checkable
class StepsMany(Protocol):
    """A method that steps several objects at once, in less time than one by one.

    Each state is bit for bit the one that `step` gives: what an object shows does not depend on what else
    plays, here, in another scene, or on a farm.
    """

    def another(self) -> Any:  # noqa: ANN401 (of the same class)
        """The model for another object: what is learned is shared, what is adjusted is its own."""

    @property
    def steps_with(self) -> Hashable:
        """Equal for those that step alike, so that any of them can step and decode the states of all."""

    def step_many(self, states: Sequence[Any], ys: Sequence[Floats]) -> Sequence[Any]:
        """The next states, of one object each, given y at their times and nothing later."""


@runtime_checkable
class KnowsItsError(Protocol):
    """A method that can say how far off it may be; None of a model that cannot, or without a state."""

    def expected_error(self, state: Any | None) -> float | None:  # noqa: ANN401
        """What is expected of the root mean square distance of a vertex from the simulation, metres."""

    def expected_errors(self, state: Any | None) -> Floats | None:  # noqa: ANN401
        """The same of each vertex: (V,) float32, metres."""


@runtime_checkable
class SolvesSteps(Protocol):
    """A method whose steps are equations to solve, which takes a number of iterations at most."""

    def settled(self, state: Any) -> bool:  # noqa: ANN401
        """Whether the step to a state was solved to the model's tolerance."""


class Adjustable(Protocol):
    """A method whose specification has live settings. unused: those that make no difference to this model."""

    unused: frozenset[str]

    def adjust(self, settings: Mapping[str, float | Floats | None]) -> None:
        """What the artist has set now, by the property of each live setting.

        Of a vertex group: its weights (V,) float32, None where none is chosen.
        """


class UnlearnedSize(Protocol):
    """A collider larger or smaller than all that were learned: its radius and the nearest learned one, m."""

    @property
    def radius(self) -> float:
        """As it is now."""

    @property
    def nearest(self) -> float:
        """As learned."""


@runtime_checkable
class LearnsSizes(Protocol):
    """A method that has learned how large colliders are.

    widths: how wide objects were in the takes, m, by the channels of kind "size".
    """

    widths: dict[str, float]

    def unlearned_sizes(self, y: Floats) -> Sequence[tuple[str, UnlearnedSize]]:
        """The colliders of y (e,) of a size that was not learned, with the channels of their sizes."""
