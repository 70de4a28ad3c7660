"""`import CACHE --mesh REST --interaction Y --out DATASET`: a take from any other program."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, get_args

from learning.commands.mesh_files import read_mesh_file
from neural_physics.datasets.dataset_info import DatasetInfo, Role
from neural_physics.datasets.importing import import_take
from neural_physics.datasets.takes import Dataset
from neural_physics.jobs.events import Emit, Progress, StopRequest
from neural_physics.steps import to_the_end


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `import`."""
    parser.add_argument("cache", type=Path, help="the animation: .pc2 or .mdd")
    parser.add_argument("--mesh", type=Path, required=True, help="its rest mesh: .obj, .ply or .npz")
    parser.add_argument(
        "--interaction", type=Path, required=True, help="the interaction: .csv with a header, or .npy"
    )
    parser.add_argument("--channels", default="", help="column names for an .npy file: Ball.x,Ball.y,Ball.z")
    parser.add_argument("--fps", type=float, required=True, help="frames per second of the animation")
    parser.add_argument("--out", type=Path, required=True, help="the dataset to create or add to")
    parser.add_argument("--role", choices=get_args(Role), default="training")
    parser.add_argument("--name", default="", help="name of the take (default: take_000, take_001, ...)")
    parser.add_argument("--object", default="", help="name of the object (default: that of the mesh file)")
    parser.add_argument(
        "--collider",
        type=_collider,
        action="append",
        default=[],
        metavar="CHANNEL=RADIUS",
        help="radius of a ball at a position channel, m: Subspace Physics then knows where it pushes",
    )
    parser.add_argument(
        "--gravity", type=float, nargs=3, default=DatasetInfo.gravity, metavar=("X", "Y", "Z")
    )


def run(args: argparse.Namespace, emit: Emit, stop: StopRequest) -> dict[str, Any]:
    """Returns what the "result" event says. Raises what `import_take` and `read_mesh_file` do."""
    mesh = read_mesh_file(args.mesh)
    progress = Progress(emit, "Importing", 1)

    def visited(step: tuple[int, int]) -> None:
        done, progress.total = step
        progress.at(done)
        stop.check()

    steps = import_take(
        args.out,
        mesh,
        args.object or args.mesh.stem,
        args.cache,
        source=args.interaction,
        fps=args.fps,
        role=args.role,
        name=args.name,
        columns=[column for column in args.channels.split(",") if column],
        gravity=tuple(args.gravity),
        colliders=dict(args.collider),
    )
    name = to_the_end(steps, visited)
    take = Dataset.open(args.out).outline(name)
    excluded = take.frame_count - take.usable_frames
    return {"dataset": str(args.out), "take": name, "frames": take.frame_count, "excluded": excluded}


def _collider(text: str) -> tuple[str, float]:
    name, _, radius = text.rpartition("=")
    return name, float(radius)
