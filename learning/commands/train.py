"""`train DATASET --out MODEL`: learn a model from a dataset, or go on where that was stopped."""

from __future__ import annotations

import argparse
from dataclasses import fields
from pathlib import Path
from types import ModuleType
from typing import Any

from learning.commands.interactions import check_interactions
from learning.methods.trainers import TRAINERS, Trainers
from learning.training.options import Options
from learning.training.presets import NAMES, Preset, changed, listing
from neural_physics.datasets.takes import Dataset
from neural_physics.errors import Problem
from neural_physics.files.atomic import writing
from neural_physics.files.below import clear_below
from neural_physics.files.links import check_unmoved, resolved
from neural_physics.jobs.events import Emit, StopRequest
from neural_physics.methods.registry import DEFAULT
from neural_physics.methods.specification import BASES, DEFAULT_PRESET
from neural_physics.models.model_file import check_replaceable

NO_CARD = "A graphics card was asked for, but this method trains on the processor."


def add_arguments(parser: argparse.ArgumentParser, trainers: Trainers = TRAINERS) -> None:
    """Declare the arguments of `train`."""
    parser.add_argument("--out", type=Path, required=True, help="the model file to write")
    parser.add_argument(
        "--fresh", action="store_true", help="start from scratch, discarding a stopped training"
    )
    add_settings(parser, trainers)


def add_settings(parser: argparse.ArgumentParser, trainers: Trainers) -> None:
    """Declare what decides a training, whoever starts it."""
    methods = trainers.methods()
    parser.add_argument("dataset", type=Path)
    parser.add_argument("--coordinator", type=int, default=0, help="id of a process to stop with")
    parser.add_argument("--method", choices=methods, default=DEFAULT)
    parser.add_argument("--preset", choices=NAMES, default=DEFAULT_PRESET)
    parser.add_argument(
        "--bases", type=int, default=BASES.default, help=f"number of PCA bases (default: {BASES.default})"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--device", choices=trainers.devices, default="auto")
    parser.add_argument("--checkpoint-every", type=float, default=20.0, metavar="SECONDS")
    parser.add_argument("--cores", type=int, help="use so many, at most (default: all there are)")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="change one setting of the preset, of those listed below",
    )
    for method in methods:
        own = trainers.arguments(method)
        if own is not None:
            own.add_arguments(parser)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = "\n\n".join(
        f"settings of {method}, with the values of “{DEFAULT_PRESET}”:\n"
        + listing(trainers.presets(method)[DEFAULT_PRESET])
        for method in methods
    )


def run(
    args: argparse.Namespace, emit: Emit, stop: StopRequest, trainers: Trainers = TRAINERS
) -> dict[str, Any]:
    """Train; returns what the "result" event says. Raises the Problem that stands in the way."""
    if args.coordinator:
        stop.follow(args.coordinator)
    preset, own = chosen(args, trainers)
    named = args.out.absolute()
    if named.is_dir():
        raise Problem("file_is_folder", path=named)
    out = resolved(named.parent) / named.name
    if getattr(
        args, "json", False
    ):  # of a program, which looked at these places and hands on where they really are
        check_unmoved(named.parent)
        check_unmoved(args.dataset)
    dataset = Dataset.open(args.dataset)
    check_interactions(dataset)
    options = Options(
        args.preset,
        preset,
        args.bases,
        args.seed,
        device=args.device,
        out=out,
        checkpoint_every=args.checkpoint_every,
        cores=args.cores,
        takes=dataset.moving_takes,
        pace=dataset.seconds_per_frame(),
        own=own,
    )
    for path in (options.out, options.partial):
        check_replaceable(path)
    check_unmoved(options.work)
    if args.fresh:
        clear_below(out.parent.parent, options.work)
    with writing(options.out.parent):
        options.work.mkdir(parents=True, exist_ok=True)
    result: dict[str, Any] = trainers.train(args.method)(dataset, options, emit, stop)
    if args.device == "cuda" and result["device"] == "cpu":
        result["notes"].append(NO_CARD)
        emit({"event": "log", "text": NO_CARD})
    check_unmoved(options.work)  # again: a training takes its time
    clear_below(out.parent.parent, options.work)
    with writing(options.partial.parent):
        options.partial.unlink(missing_ok=True)
    return {"model": str(named), **result}


def chosen(args: argparse.Namespace, trainers: Trainers) -> tuple[Preset, tuple[object, ...]]:
    """The preset with its changes, and what was given with the option that the method adds.

    Raises Problem("setting_unknown" | "setting_unusable").
    """
    preset = changed(trainers.presets(args.method)[args.preset], args.set)
    if args.bases < 1:
        raise Problem(
            "setting_unusable", setting="--bases", value=args.bases, allowed="a whole number of at least 1"
        )
    own = {method: _own_words(args, trainers.arguments(method)) for method in trainers.methods()}
    stray = [option for method, (option, words) in own.items() if words and method != args.method]
    if stray:
        known = ", ".join(setting.name for setting in fields(preset))
        raise Problem("setting_unknown", setting=stray[0], known=known)
    return preset, own[args.method][1]


def _own_words(args: argparse.Namespace, own: ModuleType | None) -> tuple[str, tuple[object, ...]]:
    """The option that a method adds to this command, "" if none, and what was given with it."""
    return (own.OPTION, tuple(getattr(args, own.OPTION.strip("-"), ()))) if own else ("", ())
