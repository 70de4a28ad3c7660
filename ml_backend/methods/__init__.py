"""One trainer per paper, named as the run-time modules in `neural_physics.methods`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def _subspace_physics(*arguments: Any) -> dict[str, Any]:  # noqa: ANN401
    # Imported late: torch takes seconds, and a wrong command line should be told at once.
    from ml_backend.methods.subspace_physics import train

    return train(*arguments)


def _hierarchical_cloth(*arguments: Any) -> dict[str, Any]:  # noqa: ANN401
    from ml_backend.methods.hierarchical_cloth import train

    return train(*arguments)


# dataset, options, emit, stop -> what the "result" event says
TRAINERS: dict[str, Callable[..., dict[str, Any]]] = {
    "hierarchical_cloth": _hierarchical_cloth,
    "subspace_physics": _subspace_physics,
}
