"""Cloth of springs: its fabric differs from take to take, and channels of y say how (Oh 2018, section 4)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, fields

import numpy as np

from ..datasets.simulation_request import SimulationSettings
from ..datasets.takes import Dataset
from ..errors import Problem
from ..interaction.channels import Channel
from ..projective_dynamics.cloth import FABRIC_RANGES, Fabric

LIVE = ("stretch", "bending")  # what of a fabric may differ, and change while it plays
FABRIC_KEY = "fabric."  # of a dataset's provenance


def fabric_channels(settings: SimulationSettings) -> tuple[Channel, ...]:
    """One of kind "value" for all that has a range, and not a single number."""
    return tuple(
        Channel(name, "value", 1) for name, (low, high) in fabric_ranges(settings).items() if low < high
    )


def fabric_ranges(settings: SimulationSettings) -> dict[str, tuple[float, float]]:
    """The ranges of a bake's fabrics by the names in `LIVE`, N/m and N m."""
    return {
        "stretch": (settings.stretch_low, settings.stretch_high),
        "bending": (settings.bending_low, settings.bending_high),
    }


def middle_fabric(settings: SimulationSettings) -> Fabric:
    """The fabric in the middle of the ranges, on a logarithmic scale."""
    middle = {name: float(np.sqrt(low * high)) for name, (low, high) in fabric_ranges(settings).items()}
    return Fabric(
        **middle, density=settings.area_density, friction=settings.friction, thickness=settings.thickness
    )


def drawn_fabric(settings: SimulationSettings, seed: int) -> dict[str, float]:
    """The fabric of a take of this seed, by the names in `LIVE`: drawn evenly on a logarithmic scale."""
    rng = np.random.default_rng([seed, sum(map(ord, "fabric"))])  # not the one that motion is drawn from
    shares = dict(zip(LIVE, rng.uniform(size=len(LIVE)), strict=True))
    return {
        name: float(low * (high / low) ** shares[name])
        for name, (low, high) in fabric_ranges(settings).items()
    }


def to_provenance(fabric: Fabric) -> dict[str, str]:
    """A fabric as a dataset keeps it."""
    return {f"{FABRIC_KEY}{name}": repr(value) for name, value in asdict(fabric).items()}


def fabric_of(dataset: Dataset) -> Fabric:
    """What a dataset says that its cloth is made of; else the usual fabric.

    Raises Problem("dataset_damaged").
    """
    try:
        return from_provenance(dataset.info.provenance)
    except ValueError as error:
        raise Problem("dataset_damaged", path=dataset.path, reason=str(error)) from error


def from_provenance(provenance: Mapping[str, str]) -> Fabric:
    """The fabric of `to_provenance`. Raises ValueError for one that cannot be simulated."""
    known = {f"{FABRIC_KEY}{field.name}": field.name for field in fields(Fabric)}
    values = {known[key]: float(value) for key, value in provenance.items() if key in known}
    for name, value in values.items():
        least, most = FABRIC_RANGES[name]
        if not least <= value <= most:
            raise ValueError(f"a fabric whose {name} is {value:g}")
    return Fabric(**values)
