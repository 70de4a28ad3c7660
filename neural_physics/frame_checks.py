"""Finding frames of bad simulation, which nothing must be learned from (Holden 2019, section 4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from .channels import ChannelLayout
from .dataset_info import Exclusion, TakeKind
from .poses import Pose, pose_in
from .rest_mesh import Mesh
from .takes import Dataset, Take

NOT_FINITE = "the simulation stopped giving numbers"
BLANK = "nothing was written"
EXPLODED = "exploded"
TORN = "torn"
RESUMED = "the simulation could not be repeated exactly when the bake was resumed"

REACH = 4.0  # how far from mesh and interaction objects a vertex may be, in sizes of where they are
LONGEST_EDGE = 3.0  # times its length at rest
BEFORE, AFTER = 8, 24  # frames that go too: what led to it, and what has to settle
CHUNK = 400_000  # vertices looked at together


def find_bad_frames(
    positions: NDArray[np.float32],
    mesh: Mesh,
    layout: ChannelLayout,
    interaction: NDArray[np.float32],
    kind: TakeKind = "dynamic",
) -> tuple[Exclusion, ...]:
    """The frames of a take that must not be learned from, with margins and the first reason found.

    positions (T, V, 3) and interaction (T, e) float32, in the reference frame; frame 0 is not
    simulated yet. Neighbouring exclusions are merged; none overlap. A held pose (kind "quasistatic") has
    nothing to do with those before and after it, and goes alone.
    """
    before, after = (0, 0) if kind == "quasistatic" else (BEFORE, AFTER)
    there = (shape for shape in positions if shape.any() and np.isfinite(shape).all(axis=1).any())
    low, high = _explained_region(next(there, mesh.rest_positions), mesh, layout, interaction)
    edges = mesh.edges()
    longest = LONGEST_EDGE * _rest_lengths(mesh, edges)
    bad, last = [], len(positions) - 1
    frames = max(1, CHUNK // mesh.vertex_count)
    for first in range(0, len(positions), frames):
        chunk = np.asarray(positions[first : first + frames])
        for reason, found in _checks(chunk, low, high, edges, longest):
            bad += [(first + int(frame), reason) for frame in np.flatnonzero(found)]
    return merge(Exclusion(max(0, f - before), min(last, f + after), reason) for f, reason in bad)


def checked(take: Take, dataset: Dataset) -> Take:
    """The take, its bad frames excluded if it is not complete: nobody has looked for them yet."""
    if take.info.complete:
        return take
    channels = dataset.info.channels
    found = find_bad_frames(take.positions, dataset.mesh, channels, take.interaction, take.info.kind)
    return replace(take, info=replace(take.info, excluded=merge([*take.info.excluded, *found])))


def merge(exclusions: Iterable[Exclusion]) -> tuple[Exclusion, ...]:
    """Join those that overlap or touch; each keeps the reason of its first."""
    merged: list[Exclusion] = []
    for exclusion in sorted(exclusions, key=lambda e: (e.first, e.last)):
        if merged and exclusion.first <= merged[-1].last + 1:
            before = merged.pop()
            exclusion = Exclusion(before.first, max(before.last, exclusion.last), before.reason)
        merged.append(exclusion)
    return tuple(merged)


def _checks(
    chunk: NDArray[np.float32],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
    edges: NDArray[np.int32],
    longest: NDArray[np.float64],
) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Pairs of a reason and, per frame, whether it applies."""
    finite = np.isfinite(chunk).all(axis=(1, 2))
    blank = ~chunk.any(axis=(1, 2))
    with np.errstate(invalid="ignore", over="ignore"):
        outside = ((chunk < low) | (chunk > high)).any(axis=(1, 2))
        stretched = np.linalg.norm(chunk[:, edges[:, 0]] - chunk[:, edges[:, 1]], axis=-1) > longest
    yield NOT_FINITE, ~finite
    yield BLANK, blank
    yield EXPLODED, finite & ~blank & outside
    yield TORN, finite & ~blank & ~outside & stretched.any(axis=1)


def _explained_region(
    start: NDArray[np.float32], mesh: Mesh, layout: ChannelLayout, interaction: NDArray[np.float32]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The box around where the mesh starts and the interaction objects go, widened by REACH."""
    points = [np.asarray(start, float)]
    slices = layout.slices()
    for channel in layout.channels:
        if channel.kind in ("position", "joints"):
            points.append(np.asarray(interaction[:, slices[channel.name]], float).reshape(-1, 3))
        elif channel.kind == "pose":
            points.append(_carried(mesh, pose_in(np.asarray(interaction[:, slices[channel.name]]))))
    everything = np.concatenate(points)
    everything = everything[np.isfinite(everything).all(axis=1)]
    low, high = everything.min(axis=0), everything.max(axis=0)
    margin = REACH * float(np.linalg.norm(high - low))
    return low - margin, high + margin


def _carried(mesh: Mesh, pose: Pose) -> NDArray[np.float64]:
    """(n, 3): where the object and its bones take the middle of the mesh, in the reference frame."""
    middle = np.append(mesh.rest_positions.mean(0, dtype=np.float64), 1.0)
    world = pose.moves @ middle
    frame_from_world = pose.frame_from_world[:, None]
    seen = (frame_from_world[..., :3] @ world[..., None])[..., 0] + frame_from_world[..., 3]
    return np.asarray(seen.reshape(-1, 3), np.float64)


def _rest_lengths(mesh: Mesh, edges: NDArray[np.int32]) -> NDArray[np.float64]:
    """(E,) metres; edges of no length count as a hundredth of the usual one."""
    rest = mesh.rest_positions.astype(float)
    lengths = np.linalg.norm(rest[edges[:, 0]] - rest[edges[:, 1]], axis=1)
    return np.maximum(lengths, 0.01 * np.median(lengths))
