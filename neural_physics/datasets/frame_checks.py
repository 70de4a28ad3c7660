"""Finding frames of bad simulation, which nothing must be learned from (Holden 2019, section 4)."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Doubles, Floats, Mask, StoredIndices
from ..errors import Problem
from ..interaction.channels import ChannelLayout
from ..interaction.poses import Pose, PosePlaces, pose_in
from ..steps import to_the_end
from .dataset_info import MOST_FRAMES, DatasetInfo, Exclusion, Gravity
from .rest_mesh import Mesh
from .takes import Dataset, Take

NOT_FINITE = "the simulation stopped giving numbers"
BLANK = "nothing was written"
EXPLODED = "exploded"
FALLING = "it falls: nothing holds it or is below it"
TORN = "torn"
RESUMED = "the simulation could not be repeated exactly when the bake was resumed"

REACH = 4.0  # how far from mesh and interaction objects a vertex may be, in sizes of where they are
LONGEST_EDGE = 3.0  # times its length at rest
WIDEST_FALL = 2.0  # how far from its middle what falls reaches, in times of what it did at first
STEEPEST_DRIFT = 0.5  # how far the middle may go along gravity at least, of the way it has gone
BEFORE, AFTER = 8, 24  # frames that go too: what led to it, and what has to settle
CHUNK = 400_000  # vertices looked at together


def find_bad_frames(
    positions: Floats,
    mesh: Mesh,
    layout: ChannelLayout,
    interaction: Floats,
    *,
    gravity: Gravity = DatasetInfo.gravity,
) -> tuple[Exclusion, ...]:
    """The frames of a take that must not be learned from, with margins and the first reason found.

    positions (T, V, 3) and interaction (T, e) float32, in the reference frame; frame 0 is not
    simulated yet. gravity: see `DatasetInfo`. Neighbouring exclusions are merged; none overlap.
    """
    return to_the_end(bad_frames_steps(positions, mesh, layout, interaction, gravity=gravity))


def bad_frames_steps(
    positions: Floats, mesh: Mesh, layout: ChannelLayout, interaction: Floats, *, gravity: Gravity
) -> Generator[int, None, tuple[Exclusion, ...]]:
    """`find_bad_frames`, which yields how many frames have been looked at."""
    bad = yield from _bad_frames(positions, mesh, layout, interaction, gravity=gravity)
    last = len(positions) - 1
    return merge(Exclusion(max(0, f - BEFORE), min(last, f + AFTER), reason) for f, reason in bad)


def find_bad_poses(
    positions: Floats,
    mesh: Mesh,
    layout: ChannelLayout,
    interaction: Floats,
) -> tuple[Exclusion, ...]:
    """Bad frames of held poses, where each frame is a pose of its own and excluded alone."""
    steps = _bad_frames(positions, mesh, layout, interaction, gravity=(0.0, 0.0, 0.0))  # no pose falls
    bad = to_the_end(steps)
    return tuple(Exclusion(f, f, reason) for f, reason in sorted(bad))


def _bad_frames(
    positions: Floats,
    mesh: Mesh,
    layout: ChannelLayout,
    interaction: Floats,
    *,
    gravity: Gravity,
) -> Generator[int, None, list[tuple[int, str]]]:
    """Frames and what is wrong with each; yields how many have been looked at."""
    start = yield from _first_shape(positions, mesh)
    low, high = _explained_region(start, mesh, layout, interaction)
    fall = _Fall(np.asarray(start, float), _down(layout, interaction, gravity))
    edges = mesh.edges()
    longest = LONGEST_EDGE * (_rest_lengths(mesh, edges) + _keyed_lengths(mesh, edges, layout, interaction))
    bad: list[tuple[int, str]] = []
    frames = _at_once(mesh)
    for first in range(0, len(positions), frames):
        yield first
        chunk = np.asarray(positions[first : first + frames])
        down = fall.down[first : first + frames]
        for reason, found in _checks(chunk, low, high, edges, longest=longest, fall=replace(fall, down=down)):
            bad += [(first + int(frame), reason) for frame in np.flatnonzero(found)]
    return bad


def _at_once(mesh: Mesh) -> int:
    """How many frames are looked at together."""
    return max(1, CHUNK // mesh.vertex_count)


def _first_shape(positions: Floats, mesh: Mesh) -> Generator[int, None, Floats]:
    """(V, 3): the first frame in which something is; the mesh at rest where there is none."""
    frames = _at_once(mesh)
    for number, shape in enumerate(positions):
        if shape.any() and np.isfinite(shape).all(axis=1).any():
            return shape
        if number % frames == 0:
            yield 0
    return mesh.rest_positions


def checked(take: Take, dataset: Dataset) -> Take:
    """The take, its bad frames excluded if it is not complete: they have not been searched for yet.

    Raises Problem("dataset_damaged") for more frames than a take has.
    """
    if take.info.complete:
        return take
    if len(take.positions) > MOST_FRAMES:
        reason = f"{take.name} has more than {MOST_FRAMES:,} frames"
        raise Problem("dataset_damaged", path=dataset.path, reason=reason)
    about = take.positions, dataset.mesh, dataset.info.channels, take.interaction
    if take.info.kind == "quasistatic":
        excluded = with_bad_poses(take.info.excluded, find_bad_poses(*about))
    else:
        bad = find_bad_frames(*about, gravity=dataset.info.gravity)
        excluded = merge([*take.info.excluded, *bad])
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


@dataclass(frozen=True)
class _Fall:
    """What a body that falls is told by. start (V, 3): where it was; down (T, 3): unit vectors, or 0."""

    start: Doubles
    down: Doubles

    def holds(self, chunk: Floats) -> Mask:
        """(T,): whether the middle has gone down, and the shape is about as wide as it was."""
        middle, begun = chunk.mean(axis=1, dtype=np.float64), self.start.mean(axis=0)
        way = middle - begun
        along = (way * self.down).sum(axis=1)
        reach = np.linalg.norm(chunk - middle[:, None], axis=-1).max(axis=1)
        widest = WIDEST_FALL * np.linalg.norm(self.start - begun, axis=1).max()
        return np.asarray((along > STEEPEST_DRIFT * np.linalg.norm(way, axis=1)) & (reach < widest))


def _down(layout: ChannelLayout, interaction: Floats, gravity: Gravity) -> Doubles:
    """(T, 3): where down is in each frame, in the reference frame's axes; 0 where nothing falls."""
    strength = float(np.linalg.norm(gravity))
    if strength == 0.0:
        return np.zeros((len(interaction), 3))
    ground = next((c.name for c in layout.channels if c.kind == "ground"), None)
    if ground is not None:
        return -np.asarray(interaction[:, layout.slices()[ground]][:, :3], np.float64)
    return np.tile(np.asarray(gravity) / strength, (len(interaction), 1))


def _checks(
    chunk: Floats,
    low: Doubles,
    high: Doubles,
    edges: StoredIndices,
    *,
    longest: Doubles,
    fall: _Fall,
) -> Iterator[tuple[str, Mask]]:
    """Pairs of a reason and, per frame, whether it applies."""
    finite = np.isfinite(chunk).all(axis=(1, 2))
    blank = ~chunk.any(axis=(1, 2))
    with np.errstate(invalid="ignore", over="ignore"):
        outside = ((chunk < low) | (chunk > high)).any(axis=(1, 2))
        stretched = (np.linalg.norm(chunk[:, edges[:, 0]] - chunk[:, edges[:, 1]], axis=-1) > longest).any(
            axis=1
        )
        falling = outside & ~stretched & fall.holds(chunk)
    yield NOT_FINITE, ~finite
    yield BLANK, blank
    yield FALLING, finite & ~blank & falling
    yield EXPLODED, finite & ~blank & outside & ~falling
    yield TORN, finite & ~blank & ~outside & stretched


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


def _keyed_lengths(mesh: Mesh, edges: StoredIndices, layout: ChannelLayout, interaction: Floats) -> Doubles:
    """(E,) metres: what shape keys add to lengths at rest, at most, with the largest values in the take."""
    keys, places = None if mesh.skin is None else mesh.skin.keys, PosePlaces.of(layout)
    lengths = np.zeros(len(edges))
    if keys is None or places is None:
        return lengths
    values = np.abs(np.nan_to_num(interaction[:, places.where_keys])).max(axis=0, initial=0.0)
    for (vertices, offsets), value in zip(keys.each(), values, strict=True):
        moved = np.zeros((mesh.vertex_count, 3))
        moved[vertices] = offsets
        lengths += value * np.linalg.norm(moved[edges[:, 0]] - moved[edges[:, 1]], axis=1)
    return lengths
