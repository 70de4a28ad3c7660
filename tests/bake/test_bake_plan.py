"""Which takes are baked, from which seeds, and who may use them."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from neural_physics.baking.plan import BakePlan, plan_takes
from neural_physics.datasets.dataset_info import TakeInfo
from neural_physics.errors import Problem


def roles(count, existing=None):
    return [take.role for take in plan_takes(existing or {}, count, 100, 0)]


def test_one_take_trains_and_the_last_of_two_validates():
    assert roles(1) == ["training"]
    assert roles(2) == ["training", "validation"]


def test_from_eight_takes_on_the_last_is_for_testing():
    assert roles(7) == ["training"] * 6 + ["validation"]
    assert roles(8) == ["training"] * 6 + ["validation", "test"]


def test_of_twenty_takes_a_tenth_validates_and_a_tenth_tests():
    assert roles(20) == ["training"] * 16 + ["validation"] * 2 + ["test"] * 2


def test_added_takes_leave_the_role_seed_and_length_of_those_there():
    first = plan_takes({}, 8, 100, seed=3)
    there = {t.name: TakeInfo(frames=t.frames, role=t.role, seed=t.seed, complete=True) for t in first}
    more = plan_takes(there, 10, 500, seed=4)
    assert more[:8] == first
    assert [t.role for t in more[8:]] == ["training", "training"]
    assert [t.frames for t in more[8:]] == [500, 500]


def test_a_take_that_has_the_motion_drawn_for_a_later_one_leaves_that_another():
    usual = plan_takes({}, 4, 100, seed=3)
    begun = {"take_000": TakeInfo(frames=100, role="training", seed=usual[2].seed, complete=True)}
    takes = plan_takes(begun, 4, 100, seed=3)
    assert len({take.seed for take in takes}) == 4
    assert [takes[k].seed for k in (1, 3)] == [usual[k].seed for k in (1, 3)]


def test_takes_differ_from_each_other_and_from_those_of_other_seeds():
    seeds = {take.seed for seed in range(5) for take in plan_takes({}, 20, 100, seed)}
    assert len(seeds) == 100


def test_a_plan_is_read_back_as_written_and_a_damaged_one_is_refused(tmp_path):
    takes = plan_takes({}, 3, 100, 0)
    plan = BakePlan(
        tmp_path, "Sheet", "Scene", "ViewLayer", takes=takes, by_solver=True, parallel=2, notes=("Note.",)
    )
    plan.write()
    assert BakePlan.read(plan.path) == plan
    plan = replace(plan, takes=(replace(takes[0], name="hop"), *takes[1:]))
    plan.write()
    assert BakePlan.read(plan.path) == plan
    plan.path.write_text(plan.path.read_text()[:100])
    with pytest.raises(Problem, match=r"bake\.json"):
        BakePlan.read(plan.path)


# Of files and folders that a bake has beside those of its takes, and numbers of another script.
NAMES_OF_OTHERS = (
    "body",
    "bake.json",
    "scene.blend",
    "Body",
    "choice",
    "choice_0_of_1",
    "a b",
    "take_\u0663",
    "take_" + "0" * 300,
)
UNUSABLE = [
    {"object": 3},
    {"worker": ["blender"]},
    {"dataset": "/tmp"},
    {"notes": ["\ud800"]},
    {"parallel": -1},
    {"parallel": True},
    {"motions": 0},
    {"by_solver": "yes"},
    {"takes": [{"name": "../outside", "frames": 3, "seed": 0, "role": "training"}]},
    {"takes": [{"name": "/tmp/elsewhere", "frames": 3, "seed": 0, "role": "training"}]},
    *({"takes": [{"name": name, "frames": 3, "seed": 0, "role": "training"}]} for name in NAMES_OF_OTHERS),
    {"takes": [{"name": f"take_{k}", "frames": 3, "seed": 0, "role": "training"} for k in range(5001)]},
    {"motions": 10_000},
    {"takes": [{"name": "take_000", "frames": 10**8, "seed": 0, "role": "training"}]},
    {"takes": [{"name": "take_000", "frames": 0, "seed": 0, "role": "training"}]},
    {"takes": [{"name": "take_000", "frames": 3, "seed": -1, "role": "training"}]},
    {"takes": [{"name": "take_000", "frames": 3, "seed": 0, "role": "judge"}]},
    {"takes": [{"name": "take_000", "frames": 3, "seed": 0, "role": "training", "kind": "still"}]},
    {"takes": [{"name": "take_000", "frames": 3, "seed": 0, "role": "training"}] * 2},
]


@pytest.mark.parametrize("change", UNUSABLE)
def test_a_plan_that_no_bake_has_is_refused_when_it_is_read(tmp_path, change):
    takes = plan_takes({}, 2, 100, 0)
    plan = BakePlan(tmp_path, "Sheet", "Scene", "ViewLayer", takes=takes)
    plan.write()
    plan.path.write_text(json.dumps(json.loads(plan.path.read_text()) | change))
    with pytest.raises(Problem, match=r"bake\.json"):
        BakePlan.read(plan.path)


@pytest.mark.parametrize("text", ["3.5", "[]", "null", "[" * 100_000])
def test_what_is_no_plan_is_refused(tmp_path, text):
    (tmp_path / "bake.json").write_text(text)
    with pytest.raises(Problem, match=r"bake\.json"):
        BakePlan.read(tmp_path / "bake.json")
