"""The job types for Flamenco, compiled as its Manager does, by a stand-in of what the Manager gives them."""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ml_backend.commands import search

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "farm" / "flamenco"
NODE = shutil.which("node")
pytestmark = pytest.mark.skipif(NODE is None, reason="Node is not there")

# Settings that are not declared are an error, as a job cannot have them.
MANAGER = """
const vm = require("vm"), fs = require("fs");
const [script, given] = process.argv.slice(1);
const author = {
    Task: (name, type) => ({
        name, type, commands: [], dependencies: [],
        addCommand(command) { this.commands.push(command); },
        addDependency(task) { this.dependencies.push(task.name); },
    }),
    Command: (name, parameters) => ({ name, parameters }),
};
const job = { tasks: [], addTask(task) { this.tasks.push(task); } };
const context = vm.createContext({ author, job, print() {} });
vm.runInContext(fs.readFileSync(script, "utf-8") + "; this.type = JOB_TYPE", context);
const declared = Object.fromEntries(context.type.settings.map((each) => [each.key, each.default]));
job.settings = new Proxy({ ...declared, ...JSON.parse(given) }, {
    get(settings, key) {
        if (!(key in declared)) throw new Error(`${String(key)} is not declared`);
        return settings[key];
    },
});
vm.runInContext("compileJob(job)", context);
console.log(JSON.stringify({ tasks: job.tasks, settings: context.type.settings }));
"""


def compiled(script: str = "neural_physics_bake.js", **settings: Any) -> list[dict[str, Any]]:
    """The tasks of a job with these settings."""
    given = {"dataset": "/share/d", "blendfile": "/share/s.blend", "object": "", **settings}
    words = [str(NODE), "-e", MANAGER, str(SCRIPTS / script), json.dumps(given)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["tasks"]


def words_of(task: dict[str, Any]) -> list[str]:
    (command,) = task["commands"]
    assert command["name"] == "exec" and command["parameters"]["exe"] == "{blender}"
    words = command["parameters"]["args"]
    assert words[0] == "-b" and all(isinstance(word, str) for word in words)
    return words[words.index("--command") + 1 :]


def test_workers_bake_what_was_prepared_and_a_model_follows() -> None:
    tasks = {task["name"]: task for task in compiled(workers=3, takes=46, preset="final", object="Sheet")}
    assert list(tasks) == ["prepare", "bake-1", "bake-2", "bake-3", "finish", "train", "evaluate"]
    assert words_of(tasks["prepare"])[:4] == ["neural_physics", "prepare", "--takes", "46"]
    assert words_of(tasks["prepare"])[-1] == "--object=Sheet"
    assert words_of(tasks["bake-2"]) == ["neural_physics", "work", "/share/d", "--at-once", "0"]
    assert tasks["bake-2"]["dependencies"] == ["prepare"]
    assert tasks["finish"]["dependencies"] == ["bake-1", "bake-2", "bake-3"]
    assert words_of(tasks["train"])[1:4] == ["train", "--preset", "final"]
    assert (tasks["train"]["dependencies"], tasks["evaluate"]["dependencies"]) == (["finish"], ["train"])


def test_an_object_may_be_called_like_an_option() -> None:
    tasks = {task["name"]: task for task in compiled(workers=1, object="-x")}
    assert {words_of(tasks[name])[-1] for name in ("prepare", "train", "evaluate")} == {"--object=-x"}


def test_a_job_may_end_with_the_bake() -> None:
    assert [task["name"] for task in compiled(workers=1, train=False)] == ["prepare", "bake-1", "finish"]


def test_workers_search_together_with_the_options_that_a_search_has() -> None:
    over = " bases=32,64  learning_rate=0.001..0.01"
    tasks = compiled("neural_physics_search.js", workers=2, trials=8, method="latent_dynamics", over=over)
    assert [(task["name"], task["dependencies"]) for task in tasks] == [("search-1", []), ("search-2", [])]
    first, second = map(words_of, tasks)
    assert first == second and first[:3] == ["neural_physics", "search", "/share/d"]
    asked = searched_for(first)
    assert (asked.trials, asked.method, asked.preset) == (8, "latent_dynamics", "balanced")
    assert asked.over == ["bases=32,64", "learning_rate=0.001..0.01"]
    (alone,) = compiled("neural_physics_search.js", workers=1)
    assert searched_for(words_of(alone)).over == []


def searched_for(words: list[str]) -> argparse.Namespace:
    """What a search makes of its words."""
    parser = argparse.ArgumentParser()
    search.add_arguments(parser)
    return parser.parse_args(words[2:])


def test_no_scripts_of_the_scene_are_switched_on() -> None:
    words = [word for task in compiled() for word in task["commands"][0]["parameters"]["args"]]
    assert not any("autoexec" in word or "blenderArgs" in word or word == "-y" for word in words)


@pytest.mark.blender
@pytest.mark.slow
@pytest.mark.once
def test_the_commands_of_a_job_bake_train_and_evaluate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As Workers run them: what depends on nothing unfinished, at the same time."""
    pytest.importorskip("bpy")
    from shares import unprepared_share
    from whole_ways import TRAINING_PYTHON, python_that_trains

    from neural_physics.datasets.takes import Dataset

    if not TRAINING_PYTHON.exists():
        pytest.skip("needs the environment with torch: make setup")
    monkeypatch.setenv("NEURAL_PHYSICS_PYTHON", python_that_trains(tmp_path, "steps=60"))
    share = unprepared_share(tmp_path, frames=60)
    given = {"dataset": str(share.dataset), "blendfile": str(share.scene), "object": "Sheet", "takes": 3}
    left = compiled(**given, workers=2, at_once=1, preset="preview")
    done: set[str] = set()
    while left:
        ready = [task for task in left if done.issuperset(task["dependencies"])]
        lines = [[share.blender, *task["commands"][0]["parameters"]["args"]] for task in ready]
        pipe = subprocess.PIPE
        running = [subprocess.Popen(line, stdout=pipe, stderr=subprocess.STDOUT, text=True) for line in lines]
        said = [each.communicate(timeout=300)[0] for each in running]
        assert not any(each.returncode for each in running), said
        done.update(task["name"] for task in ready)
        left = [task for task in left if task not in ready]
    takes = Dataset.open(share.dataset).outlines()
    assert [(take.frame_count, take.info.complete) for take in takes] == [(60, True)] * 3
    made = share.dataset.parent
    assert (made / "model.safetensors").is_file() and (made / "report.json").is_file()
