"""The templates for Open Job Description: valid by that format's own checker, and run by its own program."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

parse = pytest.importorskip("openjd.model")
import yaml

TEMPLATES = Path(__file__).resolve().parents[2] / "farm" / "openjd"
FRAMES = 300
OPENJD = Path(sys.executable).with_name("openjd")


def openjd(*words: str | Path) -> list[str]:
    return [str(OPENJD), *map(str, words)]


@pytest.mark.parametrize(
    ("name", "steps"),
    [
        ("bake", ["Bake", "Finish"]),
        ("bake_and_train", ["Prepare", "Bake", "Finish", "Train", "Evaluate"]),
        ("search", ["Search"]),
    ],
)
def test_a_template_is_valid_and_its_commands_are_the_extensions(name, steps):
    path = TEMPLATES / f"{name}.yaml"
    subprocess.run(openjd("check", path), check=True)
    template = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert [step.name for step in parse.decode_job_template(template=template).steps] == steps
    for step in template["steps"]:
        words = step["script"]["actions"]["onRun"]["args"]
        at = words.index("--command")
        assert words[0] == "-b" and words[at + 1] == "neural_physics"
        assert words[at + 2] == {"Bake": "work"}.get(step["name"], step["name"].lower())
        # An object may be called like an option.
        needs = step["name"] in ("Prepare", "Train", "Evaluate")
        assert [word for word in words if "--object" in word] == ["--object={{Param.Object}}"] * needs


@pytest.mark.blender
@pytest.mark.slow
@pytest.mark.once
def test_a_killed_session_and_one_that_lives_bake_as_in_one_go_and_run_again_they_train(
    tmp_path, monkeypatch
):
    """Each on a host of its own that has the share elsewhere, as the rules for its paths say."""
    pytest.importorskip("bpy")
    from bakes import contents
    from shares import baked_in_one_go, unprepared_share
    from whole_ways import TRAINING_PYTHON, python_that_trains

    from tools.farm.hosts import Host, lacking, switch_off

    if lacking() or not TRAINING_PYTHON.exists():
        pytest.skip(lacking() or "needs the environment with torch: make setup")
    monkeypatch.setenv("NEURAL_PHYSICS_PYTHON", python_that_trains(tmp_path, "steps=60"))
    share, farm = unprepared_share(tmp_path, frames=FRAMES), tmp_path / "farm"
    rule = {"source_path_format": "POSIX", "source_path": str(share.folder), "destination_path": str(farm)}
    rules = json.dumps({"version": "pathmapping-1.0", "path_mapping_rules": [rule]})
    given = {"Scene": share.scene, "Dataset": share.dataset, "Takes": 4, "Workers": 2, "AtOnce": 1}
    given |= {"Preset": "preview", "Blender": share.blender}
    parameters = [word for name, value in given.items() for word in ("-p", f"{name}={value}")]
    job = openjd("run", TEMPLATES / "bake_and_train.yaml", *parameters, "--path-mapping-rules", rules)
    hosts = [Host(f"h{number}", tmp_path / f"h{number}", share.folder, farm) for number in (1, 2)]

    def session(number: int, *words: str) -> subprocess.Popen:
        return hosts[number - 1].start(*job, *words, out=subprocess.PIPE)

    def ended(running: subprocess.Popen) -> str:
        said = running.communicate(timeout=400)[0]
        assert running.returncode == 0, said
        return said

    ended(session(1, "--step", "Prepare"))
    whole = baked_in_one_go(share, tmp_path)
    alone = ("--step", "Bake", "--no-run-dependencies", "--task-param")
    first, second = session(1, *alone, "Worker=1"), session(2, *alone, "Worker=2")
    lost = share.wait_for_frames("h1", 50)
    switch_off(first)
    there = share.frames(lost)
    again = session(1, *alone, "Worker=1")
    ended(second)
    ended(again)
    assert there < FRAMES and contents(share.dataset) == whole, lost
    ended(session(1))  # the whole job, of which training and evaluation are left
    assert contents(share.dataset) == whole
    made = share.dataset.parent
    assert (made / "model.safetensors").is_file() and (made / "report.json").is_file()
