"""A body that something huge has thrown away."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import synthetic
from contact_models import contact_model_file

from neural_physics.methods.registry import load_method
from neural_physics.models.model_file import parse_model


@pytest.mark.parametrize("speed", [1e5, 1e9])
def test_a_body_that_was_hit_too_hard_is_back_after_some_frames(speed):
    method = load_method(parse_model(contact_model_file(synthetic.sheet_mesh(), "Knob", "fixed"), "sheet"))
    y = np.zeros(method.channels.size, np.float32)
    state = method.start(y)
    state = replace(state, v=state.v + speed)  # away from all walls; gravity takes hours to bring it back
    for _ in range(100):
        state = method.step(state, y)
    shown = method.positions(state, y)
    assert np.abs(shown - method.mean_shape).max() < 1000.0
