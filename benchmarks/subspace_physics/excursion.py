"""The collider driven to three times its trained range and back, against a reference that saw the same."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from statistics import median
from typing import Any

import bpy
import numpy as np
from numpy.typing import NDArray

from benchmarks.records import recorded
from benchmarks.subspace_physics import accuracy
from benchmarks.subspace_physics.datasets import Corpus, baked
from neural_physics.blender.examples.cloth.ball_and_sheet import BALL_START, MOTION
from neural_physics.blender.settings.properties import settings_of
from neural_physics.datasets.takes import Take
from neural_physics.evaluation.rollouts import GIVEN_FRAMES, ErrorSums, Window, rollout
from neural_physics.interaction.training_motion import MotionBox, positions_at, wander
from neural_physics.methods.interface import Method
from neural_physics.methods.registry import load_method
from neural_physics.models.model_file import read_model
from tools.workshop import key_path

Shapes = NDArray[np.float32]  # (n, V, 3) or (V, 3), metres

FRAMES, FPS = 10_000, 24
INSIDE, OUTSIDE = 640, 360  # frames; some of the latter the collider is only passing through its range
TIMES = 3.0
RETURN = 120  # frames after which the excursion must be forgotten
KNOWN = 0.25  # the error of a rollout from the truth below which a return is one that the takes teach
WAYS = ("left", "never_left", "from_truth")
LARGEST = 5.0  # metres; the sheet is 2 m wide and hangs from a fixed edge
EXCURSION = Corpus("excursion", "BALL_AND_SHEET", (0, 0), (0, 0), test=(1, FRAMES))


def judge() -> dict[str, Any]:
    """The comparison (see `compared`) of each seed's model from `accuracy`."""
    runs = [recorded(f"excursion/seed{seed}", partial(of_seed, seed)) for seed in accuracy.SEEDS]
    return {
        "runs": runs,
        "finite": all(run["finite"] for run in runs),
        "bounded": all(run["bounded"] for run in runs),
        "ratio": median([run["ratio"] for run in runs if run["counted"]] or [float("nan")]),
    }


def of_seed(seed: int) -> dict[str, Any]:
    """See `compared`, with the model of that seed."""
    model = read_model(accuracy.trained_with(seed)[0])
    return compared(load_method(model), model.tensor("mean", -1, 3))


def compared(method: Method, mean_shape: Shapes) -> dict[str, Any]:
    """A rollout of all 10,000 frames, and one in which the ball waits instead of leaving.

    Both are compared with the reference that saw the excursions, from 120 frames after each return to
    the next leaving; so is, for comparison, a rollout which starts from the truth at each return. Where even
    that is far off, the reference does what no training take shows: such returns are listed, and not counted.
    """
    take = excursion_take()
    waiting = replace(take, interaction=_waiting(take.interaction))
    left, never_left = (_whole_rollout(method, t) for t in (take, waiting))
    runs = stays(excursion_path())
    sums = {name: ErrorSums(mean_shape) for name in WAYS}
    per_return = []
    for first, stop in runs:
        judged = slice(first + RETURN, stop)
        truth = np.asarray(take.positions[judged])
        from_truth = rollout(method)(Window(take, first, stop))[-len(truth) :]
        shown = dict(zip(WAYS, (left[judged], never_left[judged], from_truth), strict=True))
        errors = {name: _error(shapes, truth, mean_shape) for name, shapes in shown.items()}
        counted = errors["from_truth"] < KNOWN
        per_return.append({**errors, "counted": counted})
        for name, shapes in shown.items() if counted else ():
            sums[name].add(shapes, truth)
    largest = float(np.abs(left[GIVEN_FRAMES:]).max())
    count = sum(each["counted"] for each in per_return)
    found = {f"error_{name}": one.errors().error for name, one in sums.items()} if count else {}
    return {
        "frames": len(take.positions),
        "returns": len(runs),
        "counted": count,
        "finite": bool(np.isfinite(left).all()),
        "largest_coordinate": largest,
        "bounded": largest < LARGEST,
        **{f"error_{name}": found.get(f"error_{name}") for name in WAYS},
        "per_return": per_return,
        "ratio": found["error_left"] / found["error_never_left"] if count else None,
    }


def stays(path: NDArray[np.float64]) -> list[tuple[int, int]]:
    """Runs [first, stop) of frames within the trained range that follow an excursion and outlast RETURN."""
    low, high = np.array(MOTION.low) - 1e-6, np.array(MOTION.high) + 1e-6
    inside = np.r_[((path >= low) & (path <= high)).all(axis=1), False]
    turns = np.flatnonzero(np.diff(inside.astype(np.int8))) + 1
    runs = [(int(first), int(stop)) for first, stop in zip(turns[1::2], turns[2::2], strict=False)]
    return [(first, stop) for first, stop in runs if stop - first > 2 * RETURN]


def _error(predicted: Shapes, truth: Shapes, mean_shape: Shapes) -> float:
    sums = ErrorSums(mean_shape)
    sums.add(predicted, truth)
    return sums.errors().error


def _whole_rollout(method: Method, take: Take) -> Shapes:
    """(FRAMES, V, 3) metres; the two given frames are zero."""
    shapes = np.zeros(take.positions.shape, np.float32)
    shapes[GIVEN_FRAMES:] = rollout(method)(Window(take, 0, len(shapes)))
    return shapes


def _waiting(interaction: NDArray[np.float32]) -> NDArray[np.float32]:
    """The interaction if the ball stayed, throughout each excursion, where that began and will end."""
    held = np.array(interaction)
    for leaves in range(INSIDE, FRAMES, INSIDE + OUTSIDE):
        held[leaves : leaves + OUTSIDE] = held[leaves - 1]
    return held


def excursion_take() -> Take:
    """10,000 frames of reference with the collider's excursions, baked if they are not there yet."""

    def change(obj: bpy.types.Object) -> None:
        item = settings_of(obj).interactions[0]
        item.motion = "KEEP"
        key_path(item.object, excursion_path())

    return baked(EXCURSION, change).take("take_000")


def excursion_path() -> NDArray[np.float64]:
    """(FRAMES, 3) metres: training motion, broken by visits to three times its range."""
    rng = np.random.default_rng(7)
    low, high = np.array(MOTION.low), np.array(MOTION.high)
    middle, half = (low + high) / 2, (high - low) / 2
    wide = replace(MOTION, low=tuple(middle - TIMES * half), high=tuple(middle + TIMES * half))
    pieces: list[NDArray[np.float64]] = []
    place = np.array(BALL_START)
    while sum(len(piece) for piece in pieces) < FRAMES:
        pieces.append(wander(MOTION, INSIDE, 1 / FPS, rng, start=tuple(place)))
        corner = middle + TIMES * half * rng.choice([-1.0, 1.0], 3)
        pieces.append(_visit(wide, pieces[-1][-1], corner, rng))
        place = pieces[-1][-1]
    return np.concatenate(pieces)[:FRAMES]


def _visit(wide: MotionBox, start: NDArray[Any], far: NDArray[Any], rng: np.random.Generator) -> NDArray[Any]:
    """Out to the far corner, about in the wide box, and back to where the training motion was left."""
    times = np.array([0.0, 0.3, 0.5, 0.7, 1.0]) * OUTSIDE / FPS
    stops = np.array([start, far, rng.uniform(wide.low, wide.high), rng.uniform(wide.low, wide.high), start])
    return positions_at(times, stops, np.arange(OUTSIDE) / FPS)
