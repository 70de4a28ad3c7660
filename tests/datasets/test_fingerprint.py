"""What takes were made with: changes are named, noise of reading and other versions' parts are none."""

from __future__ import annotations

import numpy as np
import pytest

from neural_physics.datasets.fingerprint import changed, check_made_with, digest, to_text
from neural_physics.errors import Problem

PARTS = {
    "pins": digest(np.arange(3)),
    "cloth settings": {"mass": 0.3, "air_damping": 1.0, "use_pressure": False, "quality": 5.0},
    "object": {"scale": [1.0, 2.0, 0.0]},
}


def with_settings(**more):
    return {**PARTS, "cloth settings": {**PARTS["cloth settings"], **more}}


def test_what_changed_is_named_with_its_settings():
    before = to_text(PARTS)
    assert changed(before, PARTS) == []
    two = with_settings(mass=0.31, air_damping=2.0)
    assert changed(before, two) == ["cloth settings (mass, air damping)"]
    assert changed(before, {**PARTS, "pins": digest(np.arange(4))}) == ["pins"]
    everything = with_settings(mass=1.0, air_damping=2.0, use_pressure=True, quality=6.0)
    assert changed(before, everything) == ["cloth settings (mass, air damping, use pressure and 1 more)"]
    with pytest.raises(Problem) as raised:
        check_made_with(before, {**with_settings(mass=1.0), "pins": ""}, "Sheet")
    assert raised.value.code == "dataset_made_otherwise"
    assert raised.value.message.startswith("Pins and cloth settings (mass) changed since Sheet was baked")


def test_small_settings_count_and_the_rounding_of_places_does_not():
    before = to_text({"simulation settings": {"bending": 1e-6}, "object": {"scale": [1.0, 0.0]}})
    assert changed(before, {"simulation settings": {"bending": 1.1e-6}})
    assert not changed(before, {"object": {"scale": [1.0 + 1e-6, -1e-8]}})
    assert changed(before, {"object": {"scale": [1.0, 0.001]}}) == ["object (scale)"]
    assert changed(before, {"object": {"scale": [1.0]}})


@pytest.mark.parametrize(
    "before", ["", "{", "[" * 100_000, "[]", "3", '{"cloth settings": {}}', '{"another version\'s": "part"}']
)
def test_what_is_not_known_has_not_changed(before):
    assert changed(before, PARTS) == []


def test_what_somebody_else_wrote_is_compared_and_no_more():
    assert changed('{"object": {"scale": ["a", null]}, "pins": {}}', PARTS) == ["pins", "object (scale)"]
    assert changed('{"cloth settings": [1]}', PARTS) == ["cloth settings"]


def test_digests_tell_arrays_of_other_kinds_apart():
    arrays = [np.zeros(4), np.zeros((2, 2)), np.zeros(4, np.float32), np.zeros(8, np.float32), np.ones(4)]
    assert len({digest(array) for array in arrays}) == len(arrays)
    assert digest(np.arange(6).reshape(2, 3).T) == digest(np.arange(6).reshape(2, 3).T.copy())


def test_numbers_that_no_float_can_be_are_others():
    before = to_text(with_settings(mass=1.0)).replace("1.0", "1" + 400 * "0", 1)
    assert "1" + 400 * "0" in before
    assert changed(before, with_settings(mass=1.0)) != []
