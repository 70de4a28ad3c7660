"""What the network of held poses learns from: turns of bones, and how vertices are displaced in their axes.

Jin 2022, section 3.2, with principal components in the place of images. For each bone, rows are displacements
of its vertices times the square roots of its share there: the sum over the bones of what each
is off by, squared, so is at least what the blend of all is off by, squared (Jensen), as these add up to 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import NamedTuple

import numpy as np

from learning.training.pca import Subspace, fit_pca
from learning.training.spans import Span
from learning.training.tensor_files import Tensors
from ml_backend.methods.quasistatic_springs.pose_modes import leading, modes_per_bone
from ml_backend.methods.quasistatic_springs.rig_takes import RigTakes
from neural_physics.arrays import Floats, Indices
from neural_physics.datasets.usable_numbers import check_places
from neural_physics.methods.quasistatic_springs.displaced_skinning import undisplaced
from neural_physics.methods.quasistatic_springs.pose_turns import SeenTurns, turns_of
from neural_physics.skinning.skin import Shares, Skin

RELATED = 1e-4  # how much two bones share, at least, for one to see the other
ROUNDING = 1e-4  # of a turn's columns, so that what never varies is not taken to be outside
CHUNK = 64  # poses worked on at once
MOST = 2  # times as many components as there are at a vertex on average: no bone has more


@dataclass(frozen=True)
class PoseData:
    """Inputs and coefficients of N poses for training and M that choose the best network; R bones, e inputs,
    u coefficients.

    seen (R, m): the bones that each sees. inputs (N, R, e), wanted (N, R, u) metres, and so for `held_`. left
    (R,), m^2: summed over held-out poses, what the bases cannot show. far (R,), m^2: what skinning is off by
    there. shares (P,), modes (R,), mean (P, 3), basis: see `PoseNetwork`. What is beyond a bone's modes is 0.
    """

    seen: Indices
    inputs: Floats
    wanted: Floats
    held_inputs: Floats
    held_wanted: Floats
    left: Floats
    far: Floats
    shares: Indices
    modes: Indices
    mean: Floats
    basis: Floats

    def tensors(self) -> Tensors:
        """The network's tensors beside its layers; inputs are clipped to those for training."""
        return {
            "shares": self.shares.astype(np.int32),
            "seen": self.seen.astype(np.int32),
            "modes": self.modes.astype(np.int32),
            "low": self.inputs.min(0) - ROUNDING,
            "high": self.inputs.max(0) + ROUNDING,
            "mean": self.mean,
            "basis": self.basis,
        }


def related_bones(skin: Skin, owners: Indices, most: int) -> Indices:
    """(R, m), m <= most: for each owner those of the bones that carry anything that share most vertices.

    Directly or through another bone: flesh is one piece, so that what a bone does is felt beyond the vertices
    that follow it. 0 is the object, then come the skin's bones; where there are fewer to be seen, a bone sees
    itself, which adds nothing.
    """
    shares = Shares.of(skin)
    bones = np.array([bone for bone, _ in shares.parts])
    table = np.zeros((len(skin.weights), len(skin.bones) + 1))
    table[shares.vertices, shares.bones] = shares.weights
    common = table[:, bones].T @ table[:, bones]
    size = np.sqrt(np.diag(common))
    common /= np.outer(size, size)
    score = common + common @ common
    np.fill_diagonal(score, 0.0)
    score = score[np.searchsorted(bones, owners)]
    order = np.argsort(-score, axis=1, kind="stable")[:, :most]
    found = np.where(np.take_along_axis(score, order, 1) > RELATED, bones[order], owners[:, None])
    used = max(1, int((found != owners[:, None]).sum(1).max(initial=0)))
    return found[:, :used]


class _Displacing(NamedTuple):
    """The shares that displace, (P,), and the square roots of how much each counts, (P, 1)."""

    shares: Shares
    roots: Floats

    @property
    def owners(self) -> Indices:
        """(R,): the bones that displace anything."""
        return np.array([bone for bone, _ in self.shares.parts])


class _Rows(NamedTuple):
    """inputs (n, R, e); rows (n, 3 * shares) of each bone."""

    inputs: Floats
    rows: list[Floats]


def prepare(
    rig: RigTakes,
    training: list[Span],
    held: list[Span],
    modes: int,
    *,
    bones: int,
    seed: int,
    report: Callable[[int], None],
) -> PoseData:
    """modes: at a vertex, on average; bones: m, at most. report: called with how many more poses are done."""
    every, count = Shares.of(rig.skin), len(rig.rest)
    places, says = leading(every, count)
    displacing = _Displacing(every.some(places), np.sqrt(says)[:, None])
    seen = related_bones(rig.skin, displacing.owners, bones)
    own, other = (_rows(rig, displacing, seen, spans, report=report) for spans in (training, held))
    parts = [part for _, part in displacing.shares.parts]
    spaces = list[Subspace]()
    for rows in own.rows:
        spaces.append(fit_pca(partial(_once, rows), MOST * modes, seed))
        report(0)
    sizes = [part.stop - part.start for part in parts]
    counts = modes_per_bone([np.square(space.deviations) for space in spaces], sizes, modes * count)
    most = max(1, *counts)
    wanted, held_wanted = (
        np.zeros((len(some.inputs), len(parts), most), np.float32) for some in (own, other)
    )
    left, far = np.zeros((2, len(parts)), np.float32)
    mean, bases = np.zeros((len(places), 3), np.float32), list[Floats]()
    for region, (part, space, kept) in enumerate(zip(parts, spaces, counts, strict=True)):
        basis, held_rows, root = space.basis[:kept], other.rows[region], displacing.roots[part]
        wanted[:, region, :kept] = (own.rows[region] - space.mean) @ basis.T
        off = held_rows - space.mean
        held_wanted[:, region, :kept] = off @ basis.T
        far[region] = np.square(held_rows).sum()
        left[region] = np.square(off).sum() - np.square(held_wanted[:, region]).sum()
        mean[part] = space.mean.reshape(-1, 3) * root
        bases.append((basis.reshape(kept, len(root), 3) * root).ravel())
    return PoseData(
        seen=seen,
        inputs=own.inputs,
        wanted=wanted,
        held_inputs=other.inputs,
        held_wanted=held_wanted,
        left=left,
        far=far,
        shares=places,
        modes=np.array(counts),
        mean=mean,
        basis=np.concatenate(bases),
    )


def _once(rows: Floats) -> Iterator[Floats]:
    """All rows, as one chunk."""
    yield rows


def _rows(
    rig: RigTakes, displacing: _Displacing, seen: Indices, spans: list[Span], *, report: Callable[[int], None]
) -> _Rows:
    by_bones, shares = rig.bones_alone(), displacing.shares
    seen_by = SeenTurns(displacing.owners, seen)
    inputs: list[Floats] = []
    rows: list[list[Floats]] = [[] for _ in shares.parts]
    roots = [displacing.roots[part] for _, part in shares.parts]
    for span in spans:
        frames, first = rig.frames(span), span.start
        while poses := list(islice(frames, CHUNK)):
            moves = np.stack([pose.moves for pose, _ in poses])
            offsets = np.stack([x - by_bones(pose) for pose, x in poses])
            inputs.append(seen_by(turns_of(moves)))
            for own, root, found in zip(rows, roots, undisplaced(shares, moves, offsets), strict=True):
                check_places(found, span.take.name, first)
                own.append((found * root).reshape(len(found), -1).astype(np.float32))
            report(len(poses))
            first += len(poses)
    return _Rows(np.concatenate(inputs), [np.concatenate(own) for own in rows])
