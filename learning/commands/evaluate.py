"""`evaluate MODEL DATASET`: rollouts on held-out takes, and a report of them for people and programs."""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict
from itertools import count
from pathlib import Path
from typing import Any, cast

import numpy as np

from learning.commands.interactions import check_interactions
from learning.evaluation.colliders import FindColliders, no_colliders
from learning.evaluation.comparison import BASIS, MEAN, OURS, RIDGE, Comparison, compare, predictors
from learning.evaluation.report import write_report
from learning.evaluation.timing import time_model
from neural_physics.arrays import Floats
from neural_physics.datasets.frame_checks import checked
from neural_physics.datasets.point_caches import write_pc2
from neural_physics.datasets.takes import Dataset, Take
from neural_physics.errors import Problem
from neural_physics.evaluation.expected_errors import Expectation, expected_and_true
from neural_physics.evaluation.rollouts import (
    ROLLOUT_FRAMES,
    Window,
    check_belongs,
    held_out_takes,
    rollout,
    tile,
)
from neural_physics.evaluation.verdict import Errors, judge
from neural_physics.files.atomic import writing
from neural_physics.files.held_folders import HeldFolder, held
from neural_physics.files.links import check_unmoved, resolved
from neural_physics.files.listing import entries
from neural_physics.files.names import is_stray
from neural_physics.files.reading import open_plain, read_json
from neural_physics.jobs.events import Emit, Progress, StopRequest
from neural_physics.methods.interface import Method
from neural_physics.methods.registry import load_method
from neural_physics.models.model_file import Model, read_model

SCHEMA = 1
# The report first: what it stands beside is known to be of an evaluation.
FILES = ("report.json", "error.npz", "prediction.pc2", "reference.pc2", "report.html")
SCRATCH = "evaluation.new"  # where they are written
SHOWN_FRAMES = 1200  # of the take that is written for Blender to show


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `evaluate`."""
    parser.add_argument("model", type=Path)
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--out", type=Path, help="folder for the report (default: the model's folder)")
    parser.add_argument("--frames", type=int, default=ROLLOUT_FRAMES, help="frames per rollout")


def run(
    args: argparse.Namespace, emit: Emit, stop: StopRequest, find_colliders: FindColliders = no_colliders
) -> dict[str, Any]:
    """Writes report.html, report.json, error.npz, prediction.pc2 and reference.pc2.

    Returns what the "result" event says. Raises Problem("file_missing" | "model_damaged" | ... |
    "dataset_missing" | "dataset_damaged" | "nothing_held_out" | "model_other_dataset" | "file_not_ours" |
    "disk_full" | "folder_not_writable" | "stopped").
    """
    folder = args.out or args.model.absolute().parent  # where it is named, not where a link leads
    if folder.is_file():
        raise Problem("folder_not_writable", path=folder, reason="it is a file")
    _check_replaceable(folder)
    really = resolved(folder)
    if getattr(args, "json", False):  # see `train`
        check_unmoved(folder)
        check_unmoved(args.dataset)
    model, dataset = read_model(args.model), Dataset.open(args.dataset)
    check_interactions(dataset)
    check_belongs(model.info, args.model, dataset)
    recorded = find_colliders(model.info, dataset, held_out_takes(dataset))
    method, takes = load_method(model, recorded.channels), recorded.takes
    for note in recorded.notes:
        emit({"event": "log", "text": note})
    windows = tile(takes, max(3, args.frames))
    emit(
        {
            "event": "progress",
            "stage": "Fitting ridge regression",
            "done": 0,
            "total": 1,
            "seconds_left": None,
        }
    )
    candidates = predictors(method, [checked(take, dataset) for take in dataset.takes("training")])
    stop.check()
    progress = Progress(emit, "Running rollouts", sum(w.stop - w.first for w in windows))

    def visited(frames: int) -> None:
        progress.at(frames)
        stop.check()

    comparison = compare(model, method, dataset, windows, candidates=candidates, visited=visited)
    found = expected_and_true(method, windows)
    expectation = Expectation.of(*found) if found else None
    summed = summary(args, model, dataset, takes, comparison=comparison, expectation=expectation)
    report = {**summed, "notes": recorded.notes}
    typical = windows[int(np.argsort(comparison.per_window)[len(windows) // 2])]
    emit({"event": "progress", "stage": "Drawing the report", "done": 0, "total": 1, "seconds_left": None})
    aside = list[tuple[str, str]]()
    with writing(folder), _written_whole(really, aside) as scratch:
        # Made anew, each: in a folder that others write to, a link may stand in its place by now.
        with (scratch / "error.npz").open("xb") as arrays:
            np.savez(arrays, vertex_error=comparison.errors[OURS].per_vertex)
        _write_motions(scratch, method, takes[0], tile(takes[:1], max(3, args.frames)))
        write_report(scratch / "report.html", method, dataset, typical, comparison=comparison, report=report)
        report["files"] = {name: _digest(scratch / name) for name in FILES[1:]}
        with (scratch / FILES[0]).open("x", encoding="utf-8") as file:
            file.write(json.dumps(report, indent=1) + "\n")
    for name, kept in aside:
        emit({"event": "log", "text": f"{name}, which the last evaluation did not write, is {kept} now."})
    short = (
        "rollout_error",
        "ridge_error",
        "mean_error",
        "basis_error",
        "rms_metres",
        "step_us",
        "decode_us",
    )
    return {"report": str(folder / "report.html"), **_said(report), **{name: report[name] for name in short}}


def _check_replaceable(folder: Path) -> dict[str, Any]:
    """What the report there says, nothing where none is.

    Raises Problem("file_not_ours") for files of an evaluation's names beside which is no report of one, and
    for more than a killed one has left where they are written.
    """
    for path in entries(folder / SCRATCH):
        if path.name not in FILES and not is_stray(path.name):
            raise Problem("file_not_ours", path=path)
    there = [name for name in FILES if (folder / name).exists()]
    said = _report(folder / FILES[0])
    if there and said is None:
        raise Problem("file_not_ours", path=folder / there[0])
    return said or {}


def _strange(folder: Path) -> list[str]:
    """The files of an evaluation's names there that the report beside them does not know, or not so.

    Raises what `_check_replaceable` does.
    """
    known = _check_replaceable(folder).get("files")
    digests = known if isinstance(known, dict) else {}
    there = [name for name in FILES[1:] if (folder / name).exists()]
    return [name for name in there if _digest(folder / name) != digests.get(name)]


def _report(path: Path) -> dict[str, Any] | None:
    try:
        report = read_json(path)
    except (OSError, ValueError):
        return None
    return report if isinstance(report, dict) and {"schema", "rollout_error"} <= report.keys() else None


def _digest(path: Path) -> str:
    """What tells a file from others; nothing for what is no file."""
    try:
        with open_plain(path) as file:
            return hashlib.file_digest(cast(Any, file), "sha256").hexdigest()
    except (OSError, ValueError):
        return ""


def _free_name(name: str, parent: HeldFolder) -> str:
    stem, suffix = Path(name).stem, Path(name).suffix
    return next(free for n in count(2) if not parent.mode(free := f"{stem} {n}{suffix}"))


def _said(report: dict[str, Any]) -> dict[str, str]:
    verdict = report["verdict"]
    return {"verdict": verdict["sentence"], "grade": verdict["grade"], "detail": verdict["detail"]}


@contextmanager
def _written_whole(folder: Path, aside: list[tuple[str, str]]) -> Iterator[Path]:
    """A folder beside the results, whose files take their place once all of them are there.

    What somebody else has put in their place keeps its contents under another name: aside says which.

    So Blender, which may be showing the last evaluation, never reads half of one. folder: that of the
    results, resolved when the evaluation began; others may have exchanged it since.
    """
    check_unmoved(folder).mkdir(parents=True, exist_ok=True)
    scratch = folder / SCRATCH
    with held(folder.parent, folder) as parent:
        _clear(parent)  # of one that was killed
        try:
            with parent.made(SCRATCH) as made:
                yield scratch
                check_unmoved(folder)
                strange = _strange(folder)
                for name in FILES:
                    made.flush(name)
                    if name in strange:
                        aside.append((name, _free_name(name, parent)))
                        parent.rename(name, parent, aside[-1][1])
                    made.replace(name, parent, name)
        finally:
            with suppress(OSError, Problem):
                _clear(parent)


def _clear(parent: HeldFolder) -> None:
    """Delete what is left of an evaluation. Raises OSError where there is more in its folder."""
    if parent.mode(SCRATCH):
        with parent.inner(SCRATCH) as folder:
            for name in folder.names():
                if name in FILES or is_stray(name):
                    folder.unlink(name)
        parent.rmdir(SCRATCH)


def summary(
    args: argparse.Namespace,
    model: Model,
    dataset: Dataset,
    takes: list[Take],
    *,
    comparison: Comparison,
    expectation: Expectation | None,
) -> dict[str, Any]:
    """What report.json holds; `docs/file_formats.md` says what each entry means."""
    errors, ours = comparison.errors, comparison.errors[OURS]
    training = Errors.of_training(model.info.training)
    measured = Errors(
        ours.error,
        ours.rms,
        ours.rms_90,
        simpler=errors[RIDGE].error if RIDGE in errors else None,
        floor=errors[BASIS].error if BASIS in errors else None,
        frames=training.frames if training else None,
        takes=dataset.moving_takes,
        late=training.late if training else None,
    )
    return {
        "schema": SCHEMA,
        "model": str(args.model),
        "dataset": str(args.dataset),
        "object": dataset.info.object,
        "takes": [take.name for take in takes],
        "role": takes[0].info.role,
        "fps": dataset.info.fps,
        "vertices": dataset.info.vertex_count,
        "bases": load_method(model).basis_count,
        "rollout_frames": max(3, args.frames),
        "rollouts": len(comparison.per_window),
        "frames": ours.frames,
        "verdict": judge(measured).to_json(),
        "rollout_error": ours.error,
        "ridge_error": errors[RIDGE].error if RIDGE in errors else None,
        "mean_error": errors[MEAN].error,
        "basis_error": errors[BASIS].error if BASIS in errors else None,
        "frame_mean": ours.frame_mean,
        "frame_median": ours.frame_median,
        "rms_metres": ours.rms,
        "rms_metres_90": ours.rms_90,
        "spread_metres": ours.spread,
        "expected_error": asdict(expectation) if expectation else None,
        "per_rollout": comparison.per_window,
        "curve": {name: [round(float(e), 5) for e in one.curve] for name, one in errors.items()},
        "reference": comparison.reference,
        "prediction": comparison.prediction,
        "normals_degrees": asdict(comparison.normals) if comparison.normals else None,
        "model_bytes": args.model.stat().st_size,
        **time_model(args.model),
        "training": model.info.training,
    }


def _write_motions(folder: Path, method: Method, take: Take, windows: list[Window]) -> None:
    """One take as predicted and as it was, frame by frame, in the object's own axes.

    Frames that no rollout predicts (the two it starts from, those excluded) hold the truth.
    """
    frames = min(SHOWN_FRAMES, len(take.positions))
    truth = np.array(take.positions[:frames])
    predicted, predict = truth.copy(), rollout(method)
    for window in windows:
        there = predicted[window.predicted]
        if len(there):
            there[:] = predict(window)[: len(there)]
    write_pc2(folder / "prediction.pc2", _in_object_axes(predicted, take))
    write_pc2(folder / "reference.pc2", _in_object_axes(truth, take))


def _in_object_axes(positions: Floats, take: Take) -> Floats:
    if take.frames is None:
        return positions
    matrices = np.asarray(take.frames[: len(positions)])
    turned: Floats = np.einsum("tij,tvj->tvi", matrices[:, :3, :3], positions)
    return turned + matrices[:, None, :3, 3]
