"""`search DATASET --trials N`: many trainings with different settings, on any number of computers."""

from __future__ import annotations

import argparse
import json
import sys
from hashlib import blake2b
from pathlib import Path
from typing import Any

from learning.commands.train import add_settings, chosen
from learning.training.options import content
from ml_backend.commands.environment_check import missing
from ml_backend.commands.train import TRAINERS
from ml_backend.search.asked import Asked
from ml_backend.search.varied import BASES, PRESET, SEED, combinations, usual, varied
from neural_physics.datasets.takes import Dataset
from neural_physics.errors import Problem
from neural_physics.files.atomic import writing
from neural_physics.files.links import resolved
from neural_physics.jobs.events import Emit, StopRequest
from neural_physics.models.model_file import check_replaceable

REQUIREMENTS = Path(__file__).resolve().parents[2] / "requirements" / "search.txt"
TRIALS = 30


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `search`."""
    add_settings(parser, TRAINERS)
    parser.add_argument(
        "--out", type=Path, help="the file of the best model (default: best.safetensors beside the dataset)"
    )
    parser.add_argument(
        "--trials",
        type=int,
        metavar="N",
        help=f"trainings in all (default: {TRIALS}, or all combinations where --over only lists values)",
    )
    parser.add_argument(
        "--over",
        action="append",
        default=[],
        metavar="NAME=A..B",
        help="vary a setting, preset, bases or seed, from A to B, or among values as in NAME=A,B,C; repeat "
        "for each (default: what matters for the method)",
    )


def run(args: argparse.Namespace, emit: Emit, stop: StopRequest) -> dict[str, Any]:
    """Search, or take part in a search; returns what the "result" event says.

    Raises Problem("searching_python_lacks" | "setting_unknown" | "setting_unusable" | "file_is_folder" |
    "file_not_ours"), what `Dataset.open` does and what `Search` does.
    """
    if args.coordinator:
        stop.follow(args.coordinator)
    asked = _asked(args)
    lacking = missing(REQUIREMENTS)
    if lacking:
        raise Problem("searching_python_lacks", path=sys.executable, missing=", ".join(lacking))
    from ml_backend.search.searching import Search

    with writing(asked.folder):
        asked.folder.mkdir(parents=True, exist_ok=True)
    return {**Search(asked, emit, stop).run(), "model": str(_out(args))}


def _asked(args: argparse.Namespace) -> Asked:
    preset, own = chosen(args, TRAINERS)
    space = varied(args.over or TRAINERS.searched(args.method), preset)
    every = combinations(space)
    trials = args.trials or len(every) or TRIALS
    if trials < 1:
        raise Problem(
            "setting_unusable", setting="--trials", value=trials, allowed="a whole number of at least 1"
        )
    dataset = Dataset.open(args.dataset)
    out = _out(args)
    if out.is_dir():
        raise Problem("file_is_folder", path=out)
    check_replaceable(out)
    arguments = TRAINERS.arguments(args.method)
    given = {PRESET: args.preset, BASES: args.bases, SEED: args.seed}
    words = [f"--method={args.method}", *(f"--{name}={value}" for name, value in given.items())]
    words += [f"--set={change}" for change in args.set] + (arguments.words(own) if arguments else [])
    found = blake2b(json.dumps(content(dataset)).encode(), digest_size=16).hexdigest()
    here = [str(dataset.path), f"--device={args.device}"]
    here += [] if args.cores is None else [f"--cores={args.cores}"]
    return Asked(
        resolved(out.parent) / out.name,
        (*here, f"--checkpoint-every={args.checkpoint_every}", *words),
        space,
        min(trials, len(every) or trials),
        every=0 < len(every) <= trials,
        usual=usual(space, preset, given),
        about={"dataset": found, "settings": words, "varied": [str(each) for each in space]},
        seed=args.seed,
    )


def _out(args: argparse.Namespace) -> Path:
    return (args.out or args.dataset.absolute().parent / "best.safetensors").absolute()
