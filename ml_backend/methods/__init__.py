"""One trainer per paper, named as the run-time modules in `neural_physics.methods`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ml_backend.methods.contact_corrections import presets as contact_presets
from ml_backend.methods.hierarchical_cloth import presets as level_presets
from ml_backend.methods.latent_dynamics import presets as latent_presets
from ml_backend.methods.quasistatic_springs import presets as spring_presets
from ml_backend.methods.subspace_physics import presets as subspace_presets
from ml_backend.training.presets import Preset


def _subspace_physics(*arguments: Any) -> dict[str, Any]:  # noqa: ANN401
    # Imported late: torch takes seconds, and a wrong command line should be told at once.
    from ml_backend.methods.subspace_physics.train import train

    return train(*arguments)


def _latent_dynamics(*arguments: Any) -> dict[str, Any]:  # noqa: ANN401
    from ml_backend.methods.latent_dynamics.train import train

    return train(*arguments)


def _hierarchical_cloth(*arguments: Any) -> dict[str, Any]:  # noqa: ANN401
    from ml_backend.methods.hierarchical_cloth.train import train

    return train(*arguments)


def _quasistatic_springs(*arguments: Any) -> dict[str, Any]:  # noqa: ANN401
    from ml_backend.methods.quasistatic_springs.train import train

    return train(*arguments)


def _contact_corrections(*arguments: Any) -> dict[str, Any]:  # noqa: ANN401
    from ml_backend.methods.contact_corrections.train import train

    return train(*arguments)


# dataset, options, emit, stop -> what the "result" event says
TRAINERS: dict[str, Callable[..., dict[str, Any]]] = {
    "subspace_physics": _subspace_physics,
    "latent_dynamics": _latent_dynamics,
    "hierarchical_cloth": _hierarchical_cloth,
    "quasistatic_springs": _quasistatic_springs,
    "contact_corrections": _contact_corrections,
}

PRESETS: dict[str, dict[str, Preset]] = {
    "subspace_physics": dict(subspace_presets.PRESETS),
    "latent_dynamics": dict(latent_presets.PRESETS),
    "hierarchical_cloth": dict(level_presets.PRESETS),
    "quasistatic_springs": dict(spring_presets.PRESETS),
    "contact_corrections": dict(contact_presets.PRESETS),
}
