"""Stiff cores of solids: against the closed form of a bar that is stiff below, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from bake_requests import cuboid, jelly, request
from test_softness import DENSITY, YOUNG, hanging, sag

from ml_backend.simulation.bodies import CORE_STIFFNESS, made_of, make_body
from neural_physics.datasets.body import Body
from neural_physics.datasets.simulation_request import Core, SimulationRequest
from neural_physics.errors import Problem

LOWER_HALF = Core("Bone", np.array([[0.0, 0.0, -0.555], [0.0, 0.0, -1.0]]), 0.06)


def test_a_bar_whose_lower_half_is_a_core_sags_as_its_closed_form_says():
    body = make_body(replace(hanging(softer=False), cores=(LOWER_HALF,)))
    expected = DENSITY * 9.81 / YOUNG * (0.375 + 0.125 / CORE_STIFFNESS)
    assert sag(body) == pytest.approx(expected, rel=0.04)
    (group,) = body.core_groups
    low = body.rest_positions[group][:, 2]
    assert low.max() < -0.45 and (body.rest_positions[:, 2] < -0.56).sum() <= len(group)


def test_each_vertex_is_in_the_nearest_core_and_pinned_ones_are_in_none():
    ends = np.array([[0.0, 0.0, 0.1], [0.0, 0.0, 0.4]])
    cores = (Core("a", ends, 0.2), Core("b", ends + np.array([0.15, 0.0, 0.0]), 0.2))
    asked = request(jelly(tetrahedra=600), cuboid((-0.3, -0.2, 0.0), (0.45, 0.2, 0.5)), pins=range(2))
    body = make_body(replace(asked, cores=cores))
    a, b = (body.rest_positions[group] for group in body.core_groups)
    assert a[:, 0].max() <= 0.075 <= b[:, 0].min()
    assert not body.pinned[np.concatenate(body.core_groups)].any()
    stiff = body.moduli[:, 0] > 10.0 * body.moduli[:, 0].min()
    inside = body.cores[body.elements]
    assert np.array_equal(stiff, (inside == inside[:, :1]).all(1) & (inside[:, 0] >= 0))


def test_a_body_is_made_of_its_cores_and_keeps_them(tmp_path):
    asked = replace(hanging(softer=False), cores=(LOWER_HALF,))
    asked.write(tmp_path / "request.npz")
    (core,) = SimulationRequest.read(tmp_path / "request.npz").cores
    assert core.name == "Bone" and core.radius == 0.06 and np.array_equal(core.ends, LOWER_HALF.ends)
    body = make_body(asked)
    body.write(tmp_path / "body.npz")
    kept = Body.read(tmp_path / "body.npz")
    assert np.array_equal(kept.cores, body.cores) and made_of(kept, asked)
    assert not made_of(kept, replace(asked, cores=()))
    assert make_body(hanging(softer=False)).cores is None


def test_a_core_that_holds_nothing_is_refused_by_name():
    nowhere = Core("Lost", np.full((2, 3), 9.0), 0.05)
    with pytest.raises(Problem) as raised:
        make_body(replace(hanging(softer=False), cores=(LOWER_HALF, nowhere)))
    assert raised.value.code == "core_small" and "Lost" in raised.value.message


def test_a_request_with_a_core_that_is_none_is_damaged(tmp_path):
    path = tmp_path / "request.npz"
    replace(hanging(softer=False), cores=(LOWER_HALF,)).write(path)
    with np.load(path) as arrays:
        kept = {name: arrays[name] for name in arrays.files}
    about = json.loads(kept["about"].tobytes())
    about["cores"][0]["radius"] = -1.0
    kept["about"] = np.frombuffer(json.dumps(about).encode(), np.uint8)
    np.savez(path, **kept)
    with pytest.raises(Problem) as raised:
        SimulationRequest.read(path)
    assert raised.value.code == "dataset_damaged"


def test_a_body_with_cores_without_end_is_damaged(tmp_path):
    body = make_body(replace(hanging(softer=False), cores=(LOWER_HALF,)))
    cores = np.full(body.vertex_count, -1, np.int32)
    for number in (np.iinfo(np.int32).max, body.vertex_count, -2):
        cores[-1] = number
        replace(body, cores=cores).write(tmp_path / "body.npz")
        with pytest.raises(Problem, match="cores must be counted"):
            Body.read(tmp_path / "body.npz")
