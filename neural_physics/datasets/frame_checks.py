"""Finding frames of bad simulation, which nothing must be learned from (Holden 2019, section 4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import numpy as np

from ..arrays import Doubles, Floats, Mask, StoredIndices
from ..interaction.channels import ChannelLayout
from ..interaction.poses import Pose, pose_in
from .dataset_info import Exclusion
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
    positions: Floats,
    mesh: Mesh,
    layout: ChannelLayout,
    interaction: Floats,
) -> tuple[Exclusion, ...]:
    """The frames of a take that must not be learned from, with margins and the first reason found.

    positions (T, V, 3) and interaction (T, e) float32, in the reference frame; frame 0 is not
    simulated yet. Neighbouring exclusions are merged; none overlap.
    """
    bad, last = _bad_frames(positions, mesh, layout, interaction), len(positions) - 1
    return merge(Exclusion(max(0, f - BEFORE), min(last, f + AFTER), reason) for f, reason in bad)


def find_bad_poses(
    positions: Floats,
    mesh: Mesh,
    layout: ChannelLayout,
    interaction: Floats,
) -> tuple[Exclusion, ...]:
    """Bad frames of held poses, where each frame is a pose of its own and excluded alone."""
    return tuple(
        Exclusion(f, f, reason) for f, reason in sorted(_bad_frames(positions, mesh, layout, interaction))
    )


def _bad_frames(
    positions: Floats,
    mesh: Mesh,
    layout: ChannelLayout,
    interaction: Floats,
) -> list[tuple[int, str]]:
    """Frames and what is wrong with each."""
    there = (shape for shape in positions if shape.any() and np.isfinite(shape).all(axis=1).any())
    low, high = _explained_region(next(there, mesh.rest_positions), mesh, layout, interaction)
    edges = mesh.edges()
    longest = LONGEST_EDGE * _rest_lengths(mesh, edges)
    bad: list[tuple[int, str]] = []
    frames = max(1, CHUNK // mesh.vertex_count)
    for first in range(0, len(positions), frames):
        chunk = np.asarray(positions[first : first + frames])
        for reason, found in _checks(chunk, low, high, edges, longest=longest):
            bad += [(first + int(frame), reason) for frame in np.flatnonzero(found)]
    return bad


def checked(take: Take, dataset: Dataset) -> Take:
    """The take, its bad frames excluded if it is not complete: they have not been searched for yet."""
    if take.info.complete:
        return take
    about = take.positions, dataset.mesh, dataset.info.channels, take.interaction
    if take.info.kind == "quasistatic":
        excluded = with_bad_poses(take.info.excluded, find_bad_poses(*about))
    else:
        excluded = merge([*take.info.excluded, *find_bad_frames(*about)])
    return replace(take, info=replace(take.info, excluded=excluded))


def with_bad_poses(known: Iterable[Exclusion], found: Iterable[Exclusion]) -> tuple[Exclusion, ...]:
    """Poses that were left out with their reasons, and those found bad beside them; each on its own."""
    reasons = {e.first: e for e in found} | {e.first: e for e in known}
    return tuple(reasons[first] for first in sorted(reasons))


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
    chunk: Floats,
    low: Doubles,
    high: Doubles,
    edges: StoredIndices,
    *,
    longest: Doubles,
) -> Iterator[tuple[str, Mask]]:
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
    start: Floats, mesh: Mesh, layout: ChannelLayout, interaction: Floats
) -> tuple[Doubles, Doubles]:
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


def _carried(mesh: Mesh, pose: Pose) -> Doubles:
    """(n, 3): where the object and its bones take the middle of the mesh, in the reference frame."""
    middle = np.append(mesh.rest_positions.mean(0, dtype=np.float64), 1.0)
    world = pose.moves @ middle
    frame_from_world = pose.frame_from_world[:, None]
    seen = (frame_from_world[..., :3] @ world[..., None])[..., 0] + frame_from_world[..., 3]
    return np.asarray(seen.reshape(-1, 3), np.float64)


def _rest_lengths(mesh: Mesh, edges: StoredIndices) -> Doubles:
    """(E,) metres; edges of no length count as a hundredth of the usual one."""
    rest = mesh.rest_positions.astype(float)
    lengths = np.linalg.norm(rest[edges[:, 0]] - rest[edges[:, 1]], axis=1)
    return np.maximum(lengths, 0.01 * np.median(lengths))
