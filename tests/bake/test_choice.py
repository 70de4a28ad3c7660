"""New takes go where the trained model is least sure: which motions it chooses from, and what it chooses."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

bpy = pytest.importorskip("bpy")
pytestmark = [pytest.mark.blender, pytest.mark.once]

from bakes import cloth_and_ball, command_for, kill_all, run, settings_of, start, wait_for
from workplaces import planned

from learning.methods.subspace_physics.presets import PRESETS
from learning.methods.subspace_physics.train import train
from learning.training.options import Options
from learning.training.presets import changed
from neural_physics.baking.choice import candidates, choose, open_takes, read_scores, write_scores
from neural_physics.baking.plan import BakePlan, PlannedTake
from neural_physics.blender.baking.local_programs import local_programs
from neural_physics.datasets.takes import Dataset
from neural_physics.evaluation.expected_errors import expected_from_rest
from neural_physics.jobs.events import StopRequest
from neural_physics.methods.registry import load_method
from neural_physics.models.model_file import read_model

BAKED, MORE, FRAMES = 3, 3, 40
PRESET = changed(PRESETS["balanced"], ["steps=24", "validate_every=8", "batch=8", "minutes=0", "layers=3"])


@dataclass(frozen=True)
class Undisturbed:
    """See the fixture."""

    folder: Path
    plan: BakePlan
    chosen: BakePlan
    asked: list[PlannedTake]
    scores: dict[int, float]


def silent(event):
    """Nothing listens."""


@pytest.fixture(scope="module")
def baked(tmp_path_factory):
    """A dataset of three takes, and a model that was trained on them."""
    folder = tmp_path_factory.mktemp("choice")
    assert run(command_for(cloth_and_ball(), folder / "dataset", BAKED, FRAMES))["event"] == "result"
    options = Options("balanced", PRESET, 8, 0, "cpu", folder / "model.safetensors", checkpoint_every=60.0)
    options.work.mkdir()
    train(Dataset.open(folder / "dataset"), options, silent, StopRequest())
    return folder


@pytest.fixture
def folder(tmp_path, baked):
    """A copy of both."""
    shutil.copytree(baked, tmp_path / "copy")
    return tmp_path / "copy"


def command(folder, **more):
    """A bake of more takes, with the model there."""
    obj = cloth_and_ball()
    settings_of(obj).choose_takes, settings_of(obj).model_path = True, str(folder / "model.safetensors")
    return command_for(obj, folder / "dataset", BAKED + MORE, FRAMES, **more)


def seeds(dataset):
    return [Dataset.open(dataset).outline(name).info.seed for name in Dataset.open(dataset).take_names()]


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory, baked):
    """A bake whose takes were chosen: the plan before and after, and what was found of each motion."""
    folder = tmp_path_factory.mktemp("undisturbed") / "copy"
    shutil.copytree(baked, folder)
    argv = command(folder)
    plan = planned(argv)
    chosen = choose(plan, local_programs(by_solver=False), silent, StopRequest())
    scores, asked = read_scores(plan), candidates(plan)
    assert BakePlan.read(plan.path) == chosen
    assert run(argv)["event"] == "result"
    return Undisturbed(folder, plan, chosen, asked, scores)


@pytest.mark.slow
def test_it_takes_the_motions_that_play_would_be_least_sure_of(undisturbed):
    asked, scores, takes = undisturbed.asked, undisturbed.scores, undisturbed.chosen.takes
    assert len({take.seed for take in asked}) == len(asked) == 8 * MORE
    assert set(scores) == {take.seed for take in asked}
    picked = {take.seed for take in takes[BAKED:]}
    assert min(scores[seed] for seed in picked) > max(scores[s] for s in set(scores) - picked)
    assert takes[:BAKED] == undisturbed.plan.takes[:BAKED]


@pytest.mark.slow
def test_what_is_baked_moves_as_was_read_without_simulating_anything(undisturbed):
    dataset = Dataset.open(undisturbed.folder / "dataset")
    method = load_method(read_model(undisturbed.folder / "model.safetensors"))
    for take in undisturbed.chosen.takes[BAKED:]:
        expected = expected_from_rest(method, dataset.take(take.name).interaction)
        assert np.mean(np.square(expected)) == pytest.approx(undisturbed.scores[take.seed], rel=1e-6)


@pytest.mark.slow
def test_a_choice_that_was_killed_ends_as_if_it_had_not_been(folder, undisturbed):
    argv = command(folder)
    plan = planned(argv)
    killed = start(argv)
    wait_for(lambda: len(read_scores(plan)) > 2)
    kill_all(killed, folder / "dataset")
    assert 2 < len(read_scores(plan)) < len(undisturbed.scores)
    ended = run(command(folder))
    assert ended["event"] == "result"
    assert seeds(folder / "dataset") == [take.seed for take in undisturbed.chosen.takes]


def test_what_another_model_found_is_forgotten(folder):
    plan = planned(command(folder))
    write_scores(plan, "choice_0_of_1", 1, {7: 1.0})
    command(folder)
    assert read_scores(plan) == {7: 1.0}
    model = folder / "model.safetensors"
    model.write_bytes(other_model(model))
    command(folder)
    assert not read_scores(plan)


def other_model(path):
    data = bytearray(path.read_bytes())
    data[-1] ^= 1  # the last bit of a tensor
    return bytes(data)


def test_a_model_that_cannot_be_read_costs_the_choice_and_not_the_bake(folder):
    argv = command(folder)
    planned(argv).guide.write_bytes(b"no model")
    result = run(argv)
    assert result["event"] == "result"
    assert any("could not be chosen" in note for note in result["notes"])
    assert len(seeds(folder / "dataset")) == BAKED + MORE


def test_nothing_is_chosen_without_a_model_or_where_it_is_not_wanted(folder):
    assert planned(command(folder, choose_takes=False)).motions == 1
    (folder / "model.safetensors").unlink()
    assert planned(command(folder)).motions == 1


def test_the_model_of_other_takes_does_not_choose(folder):
    model, about = folder / "model.safetensors", folder / "dataset" / "dataset.json"
    info = json.loads(about.read_text())
    about.write_text(json.dumps({**info, "fps": 2.0 * info["fps"]}))
    bpy.context.scene.render.fps = 48
    obj = cloth_and_ball()
    bpy.context.scene.render.fps = 48
    settings_of(obj).choose_takes, settings_of(obj).model_path = True, str(model)
    assert planned(command_for(obj, folder / "dataset", BAKED + MORE, FRAMES)).motions == 1


def test_takes_that_judge_are_left_to_chance(folder):
    obj = cloth_and_ball()
    settings_of(obj).choose_takes, settings_of(obj).model_path = True, str(folder / "model.safetensors")
    plan = planned(command_for(obj, folder / "dataset", 12, FRAMES))
    judging = {take.name for take in plan.takes[BAKED:] if take.role != "training"}
    assert judging
    assert not judging & {take.name for take in open_takes(plan)}
