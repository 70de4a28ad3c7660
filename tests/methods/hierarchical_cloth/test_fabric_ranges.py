"""What fabric each take has, and what is recorded of it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import synthetic

from neural_physics.baking.fabric_ranges import (
    drawn_fabric,
    fabric_channels,
    fabric_of,
    from_provenance,
    middle_fabric,
    to_provenance,
)
from neural_physics.datasets.simulation_request import SimulationSettings
from neural_physics.datasets.takes import Dataset
from neural_physics.errors import Problem

RANGES = {"stretch_low": 10.0, "stretch_high": 1000.0, "bending_low": 1e-5, "bending_high": 1e-3}
SETTINGS = SimulationSettings("springs", **RANGES, area_density=0.2, friction=0.5, thickness=0.01)


def test_fabrics_are_drawn_evenly_in_their_logarithms():
    drawn = [drawn_fabric(SETTINGS, seed) for seed in range(2000)]
    for name, low, high in (("stretch", 10.0, 1000.0), ("bending", 1e-5, 1e-3)):
        values = np.array([fabric[name] for fabric in drawn])
        assert low <= values.min() and values.max() <= high
        shares = np.histogram(np.log(values), 4, (np.log(low), np.log(high)))[0] / 2000
        assert shares == pytest.approx(np.full(4, 0.25), abs=0.05)
    both = np.log([[fabric["stretch"], fabric["bending"]] for fabric in drawn]).T
    assert abs(np.corrcoef(both)[0, 1]) < 0.1  # uncorrelated


def test_a_take_has_the_same_fabric_whenever_it_is_asked():
    assert drawn_fabric(SETTINGS, 7) == drawn_fabric(SETTINGS, 7) != drawn_fabric(SETTINGS, 8)


def test_channels_are_of_what_has_a_range():
    assert [channel.name for channel in fabric_channels(SETTINGS)] == ["stretch", "bending"]
    one = SimulationSettings("springs", **{**RANGES, "stretch_high": 10.0})
    assert [channel.name for channel in fabric_channels(one)] == ["bending"]
    assert drawn_fabric(one, 3)["stretch"] == 10.0


def test_level_0_is_of_the_middle_and_a_dataset_keeps_it():
    fabric = from_provenance({"program": "Blender", **to_provenance(middle_fabric(SETTINGS))})
    assert (fabric.stretch, fabric.bending) == pytest.approx((100.0, 1e-4))
    assert (fabric.density, fabric.friction, fabric.thickness) == (0.2, 0.5, 0.01)


@pytest.mark.parametrize("value", ["soft", "nan", "-1", "1e300", ""])
def test_a_fabric_that_cannot_be_simulated_is_refused_before_it_is_learned(tmp_path, value):
    made = synthetic.make_dataset(tmp_path, frames=2)
    info = replace(made.info, provenance={"fabric.stretch": value})
    dataset = Dataset(tmp_path, info, made.mesh)
    with pytest.raises(Problem, match="cannot be read") as caught:
        fabric_of(dataset)
    assert caught.value.code == "dataset_damaged"
