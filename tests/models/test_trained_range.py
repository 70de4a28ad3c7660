"""How far outside of what was trained: in metres for places, as a share of the range for all else."""

from __future__ import annotations

import numpy as np
import pytest
import synthetic

from neural_physics.errors import Problem
from neural_physics.interaction.channels import Channel, ChannelLayout
from neural_physics.models.model_file import parse_model
from neural_physics.models.trained_range import TrainedRange, face_levels, trained_range

MESH = synthetic.sheet_mesh(3)
STRAIGHT = np.eye(4)


def of(kind, size, low, high, parts=()):
    layout = ChannelLayout((Channel("Thing", kind, size, "Thing", parts),))
    return TrainedRange(layout, np.array(low, np.float32), np.array(high, np.float32))


def beyond(trained, y, world_from_frame=STRAIGHT):
    return trained.beyond(np.array(y, np.float32), world_from_frame)["Thing"]


def test_a_place_is_as_many_metres_outside_as_it_is_from_the_box():
    box = of("position", 3, [-1, -1, 0], [1, 1, 2])
    inside = beyond(box, [1, -1, 2])
    assert inside.distance == 0 and not inside.noticeable
    past_a_face = beyond(box, [2.3, 0.2, 1])
    assert past_a_face.distance == pytest.approx(1.3) and past_a_face.unit == "m" and past_a_face.far
    past_an_edge = beyond(box, [1.3, 1.4, 1])
    assert past_an_edge.distance == pytest.approx(0.5)
    near = beyond(box, [1.2, 0, 1])
    assert near.noticeable and not near.far


def test_metres_are_those_of_the_world_whatever_frame_the_place_is_seen_from():
    turn = np.array([[0, -1, 0, 5], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]], float)
    turn[:3, :3] *= 3
    found = beyond(of("position", 3, [-1, -1, -1], [1, 1, 1]), [1.5, 0, 0], turn)
    assert found.distance == pytest.approx(1.5)
    assert found.share == pytest.approx(0.5 / np.sqrt(12))


def test_of_an_armature_the_joint_that_is_farthest_out_counts():
    joints = of("joints", 6, [0, 0, 0, 0, 0, 0], [1, 1, 1, 1, 1, 1], ("upper", "lower"))
    assert beyond(joints, [1.1, 0, 0, 0, 1.4, 0]).distance == pytest.approx(0.4)


def test_a_place_that_never_moved_is_known_only_where_it_was():
    pin = of("position", 3, [0, 0, 1], [0, 0, 1])
    assert not beyond(pin, [0, 0, 1.001]).noticeable
    assert beyond(pin, [0, 0, 1.2]).far


def test_a_wind_is_outside_by_a_share_of_the_range_of_its_strengths():
    wind = of("wind", 3, [0, 0, 0], [0, 0, 200])
    found = beyond(wind, [0, 0, 280])
    assert found.distance == pytest.approx(0.4) and found.unit == "" and found.far
    assert beyond(of("wind", 3, [0, 0, 300], [0, 0, 300]), [0, 0, 300.1]).noticeable is False


def test_the_height_above_ground_is_metres_and_its_slope_a_share():
    ground = of("ground", 4, [-0.1, 0, 0.9, 0], [0.1, 0, 1, 1])
    assert beyond(ground, [0, 0, 1, 1.5]).unit == "m"
    assert beyond(ground, [1, 0, 0, 0.5]).unit == ""


def test_a_model_of_before_knows_no_range_and_a_damaged_one_is_refused():
    info, tensors = synthetic.make_model_info(MESH), synthetic.make_model_tensors(MESH)

    def read(**more):
        arrays = {name: np.array(value, np.float32) for name, value in more.items()}
        return trained_range(parse_model(synthetic.model_bytes(info, tensors | arrays), "sheet"))

    assert read() is None
    low, _ = read(interaction_low=[-1, -2, -3], interaction_high=[1, 2, 3]).place("Hand")
    assert low.tolist() == [-1, -2, -3]
    for damage in (
        {"interaction_low": [0, 0, 0]},
        {"interaction_low": [0, 0], "interaction_high": [1, 1]},
        {"interaction_low": [0, 2, 0], "interaction_high": [1, 1, 1]},
        {"interaction_low": [0, 0, np.nan], "interaction_high": [1, 1, 1]},
    ):
        with pytest.raises(Problem) as raised:
            read(**damage)
        assert raised.value.code == "model_damaged"


def test_a_face_is_warned_of_where_something_is_near_it_and_more_the_farther_it_is_past_it():
    low, high = np.zeros(3, np.float32), np.array([10, 10, 0], np.float32)

    def levels(*at):
        return face_levels(low, high, np.array(at, np.float32))

    assert not levels(5, 5, 0).any()
    near, at, past, far = (levels(x, 5, 0) for x in (9.5, 10, 11, 30))
    assert 0 < near[0, 1] < at[0, 1] < past[0, 1] < far[0, 1]
    assert at[0, 1] == pytest.approx(1) and far[0, 1] == 2
    for each in (near, at, past, far):
        each[0, 1] = 0
        assert not each.any()
    assert levels(5, 5, 4)[2, 1] > 1  # where nothing ever went
