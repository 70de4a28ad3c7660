"""A bake, a training, an evaluation and a search on a real Slurm, one node of which fails in the middle."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("bpy")

from bakes import contents, wait_for
from motion_data import make_dataset
from shares import Share, baked_in_one_go, prepared_share
from whole_ways import NEEDS_TORCH, TRAINING_PYTHON, python_that_trains

from neural_physics.datasets.take_folders import holders_folder
from neural_physics.datasets.takes import Dataset
from neural_physics.jobs.leases import holder_of
from tools.farm.blender_program import write_program
from tools.farm.hosts import Host
from tools.farm.slurm import Cluster, slurm_lacks

LACKING = slurm_lacks()
pytestmark = [
    *(pytest.mark.blender, pytest.mark.slow, pytest.mark.once, NEEDS_TORCH),
    pytest.mark.skipif(bool(LACKING), reason=f"no Slurm: {LACKING}"),
]

SCRIPTS = Path(__file__).resolve().parents[2] / "farm" / "slurm"
TAKES, FRAMES = 4, 300


def nodes_for(share: Share, folder: Path, *names: str) -> tuple[list[Host], Path]:
    """Nodes, and where they have the share."""
    farm = folder / "farm"
    return [Host(name, folder / name, share.folder, farm) for name in names], farm


def test_a_bake_that_is_canceled_hands_in_what_it_has(tmp_path):
    """So that whoever goes on need not wait until it is given up."""
    share = prepared_share(tmp_path, TAKES, FRAMES)
    nodes, farm = nodes_for(share, tmp_path, "n1")
    dataset = farm / share.dataset.relative_to(share.folder)
    with Cluster(tmp_path / "slurm", nodes) as slurm:
        output = f"--output={farm}/said.txt"
        bake = slurm.submit("--array=1", output, SCRIPTS / "bake.sh", dataset, share.blender)
        take = share.wait_for_frames("n1", 50)
        slurm.cancel(bake)
        wait_for(lambda: not slurm.queue())
        wait_for(lambda: slurm.states() == {"n1": "idle"})
    holder = holder_of(holders_folder(share.dataset, take))
    said = (share.folder / "said.txt").read_text()
    assert holder is not None and holder.has_let_go, said
    assert Dataset.open(share.dataset).outline(take).frame_count >= 50, said


def test_a_node_fails_and_the_bake_ends_as_in_one_go_and_a_model_follows(tmp_path, monkeypatch):
    """The nodes know the share under another path than the computer that prepared the bake."""
    monkeypatch.setenv("NEURAL_PHYSICS_PYTHON", python_that_trains(tmp_path, "steps=60"))
    share = prepared_share(tmp_path, TAKES, FRAMES)
    whole = baked_in_one_go(share, tmp_path)
    nodes, farm = nodes_for(share, tmp_path, "n1", "n2", "n3")
    scene, dataset = (farm / path.relative_to(share.folder) for path in (share.scene, share.dataset))
    options = (f"--chdir={farm}", f"--output={farm}/%x_%a.txt")
    with Cluster(tmp_path / "slurm", nodes) as slurm:
        bake = slurm.submit("--array=1-2", "--requeue", *options, SCRIPTS / "bake.sh", dataset, share.blender)
        after = f"--dependency=afterok:{bake}"
        train = slurm.submit(after, *options, SCRIPTS / "train.sh", scene, dataset, share.blender)
        lost = share.wait_for_frames("n2", 50)
        slurm.kill_node("n2")
        there = share.frames(lost)
        wait_for(lambda: not slurm.queue(), 400.0)
        tasks, model = [slurm.job(f"{bake}_{task}") for task in (1, 2)], slurm.job(train)
    said = "\n".join(path.read_text() for path in sorted(share.folder.glob("*.txt")))
    assert [task["JobState"] for task in tasks] == ["COMPLETED"] * 2, said
    assert sorted(task["Restarts"] for task in tasks) == ["0", "1"], "one was queued again"
    assert there < FRAMES and contents(share.dataset) == whole, f"{lost}: {said}"
    assert model["JobState"] == "COMPLETED", said
    made = share.dataset.parent
    assert (made / "model.safetensors").is_file() and (made / "report.json").is_file(), said


def test_nodes_search_together_though_one_fails_and_a_search_that_is_canceled_goes_on(tmp_path, monkeypatch):
    pytest.importorskip("optuna")
    from ml_backend.search.journal import Journal

    monkeypatch.setenv("NEURAL_PHYSICS_PYTHON", str(TRAINING_PYTHON))
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    share = Share(tmp_path / "share", write_program(tmp_path))
    folder = make_dataset(share.folder / "dataset", 300).path
    nodes, farm = nodes_for(share, tmp_path, "n1", "n2", "n3")
    best = folder.with_name("best.safetensors")

    def trials() -> list[str]:
        path = best.with_name("best.safetensors.search") / "journal.jsonl"
        found = Journal(path, 0, prunes=False).trials() if path.exists() else []
        return [trial.state.name for trial in found]

    short = [f"--set={each}" for each in ("minutes=0", "second=false", "steps=600", "batch=16")]
    over = ("--over=learning_rate=0.0005..0.05", "--over=width=1..8")
    words = (SCRIPTS / "search.sh", farm / "dataset", "6", share.blender, "--bases=4", *short, *over)
    output = f"--output={farm}/said_%A_%a.txt"
    with Cluster(tmp_path / "slurm", nodes) as slurm:
        canceled = slurm.submit("--array=1", output, *words)
        wait_for(lambda: bool(trials()))
        slurm.cancel(canceled)
        wait_for(lambda: not slurm.queue())
        wait_for(lambda: set(slurm.states().values()) == {"idle"})
        assert trials().count("COMPLETE") < 6
        number = slurm.submit("--array=1-2", "--requeue", output, *words)
        wait_for(lambda: len(trials()) > 1)
        slurm.kill_node("n2")
        wait_for(lambda: not slurm.queue(), 400.0)
        tasks = [slurm.job(f"{number}_{task}") for task in (1, 2)]
    said = {path.name: path.read_text() for path in sorted(share.folder.glob("said*.txt"))}
    assert [task["JobState"] for task in tasks] == ["COMPLETED"] * 2, said
    assert sorted(task["Restarts"] for task in tasks) == ["0", "1"], said
    assert trials() and set(trials()) <= {"COMPLETE", "PRUNED"} and len(trials()) == 6, said
    assert best.is_file() and "Stopped as requested" in said[f"said_{canceled}_1.txt"], said
