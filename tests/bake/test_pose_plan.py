"""Which takes of poses are baked, and what they are for."""

from __future__ import annotations

import pytest

from neural_physics.baking.plan import PlannedTake, plan_takes
from neural_physics.baking.pose_plan import plan_poses, pose_take_names
from neural_physics.datasets.dataset_info import TakeInfo


def begun(takes: tuple[PlannedTake, ...]) -> dict[str, TakeInfo]:
    return {take.name: TakeInfo(take.frames, take.kind, take.role, take.seed) for take in takes}


@pytest.mark.parametrize("count", [0, 1, 2, 3, 10, 199, 200, 201, 500, 5000])
def test_there_are_as_many_poses_as_are_asked_for_and_a_tenth_is_held_out(count):
    takes = plan_poses({}, count, 0)
    assert sum(take.frames for take in takes) == count and all(take.frames > 0 for take in takes)
    assert [take.name for take in takes] == pose_take_names(count)
    held_out = [take.frames for take in takes if take.role != "training"]
    if count >= 20:
        assert sum(held_out) == pytest.approx(0.1 * count, abs=0.02 * count + 2)
    if count >= 3:
        assert {take.role for take in takes} == {"training", "validation", "test"}


def test_each_take_has_a_seed_of_its_own_and_the_same_again():
    takes = (*plan_poses({}, 1000, 3), *plan_takes({}, 20, 10, 3))
    assert len({take.seed for take in takes}) == len(takes)
    assert plan_poses({}, 1000, 3) == takes[: len(plan_poses({}, 1000, 3))]
    assert plan_poses({}, 1000, 4)[0].seed != takes[0].seed


def test_those_that_were_begun_stay_and_more_are_added():
    first = plan_poses({}, 30, 0)
    more = plan_poses(begun(first), 400, 1)
    assert more[:3] == first and sum(take.frames for take in more) == 230
    some = {name: info for name, info in begun(plan_poses({}, 500, 0)).items() if name != "poses_003"}
    assert plan_poses(some, 500, 0) == plan_poses({}, 500, 0)
