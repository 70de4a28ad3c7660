"""Vertices that something huge has thrown away."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("torch")

from fuzzing.interactions import ordinary
from fuzzing.springs_model import network_of_poses_model_file

from neural_physics.methods.registry import load_method
from neural_physics.models.model_file import parse_model

pytestmark = pytest.mark.torch


@pytest.mark.parametrize("away", [1e6, 1e24, np.inf, np.nan])
def test_vertices_that_are_out_of_all_reach_are_back_at_once(tmp_path, away):
    method = load_method(parse_model(network_of_poses_model_file(tmp_path, True), "strip"))
    y = ordinary(method.channels, 0)
    state = method.start(y)
    with np.errstate(all="ignore"):
        thrown = replace(state, positions=state.positions + np.float32(away), begun=True)
        back = method.step(thrown, y)
    assert np.abs(method.positions(back, y) - method.positions(state, y)).max() < 1e-3


def test_vertices_that_are_left_behind_by_a_leap_swing_back(tmp_path):
    method = load_method(parse_model(network_of_poses_model_file(tmp_path, True), "strip"))
    y = ordinary(method.channels, 0)
    state = method.start(y)
    left = replace(state, positions=state.positions + np.float32(50.0), begun=True)
    there = method.positions(method.step(left, y), y)
    assert np.abs(there - method.positions(state, y)).max() > 1.0
