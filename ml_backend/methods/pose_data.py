"""What the network of held poses learns from: turns of bones, and how vertices are displaced in their axes.

Jin 2022, section 3.2, with principal components in the place of images. For each bone, rows are displacements
of its vertices times the square roots of their weights: the sum over the bones of what each is off by,
squared, so is at least what the blend of all of them is off by, squared (Jensen), as weights add up to 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from ml_backend.methods.rig_takes import RigTakes
from ml_backend.pca import fit_pca
from ml_backend.spans import Span
from ml_backend.tensor_files import Tensors
from neural_physics.displaced_skinning import undisplaced
from neural_physics.pose_turns import seen_turns, turns_of
from neural_physics.skinning import Shares, Skin, skinning_of

Floats = NDArray[np.float32]
Indices = NDArray[np.intp]

RELATED = 1e-4  # how much two bones share, at least, for one to see the other
ROUNDING = 1e-4  # of a turn's columns, so that what never varies is not taken to be outside
CHUNK = 64  # poses worked on at once


@dataclass(frozen=True)
class PoseData:
    """Of N poses for training and M that choose the best network; R bones, e inputs, u coefficients.

    seen (R, m): the bones that each sees. inputs (N, R, e), wanted (N, R, u) metres, and so for `held_`. left
    (R,), m^2: summed over held-out poses, what the bases cannot show. far (R,), m^2: what skinning is off by
    there. mean (P, 3), basis (P, 3, u): see `PoseNetwork`.
    """

    seen: Indices
    inputs: Floats
    wanted: Floats
    held_inputs: Floats
    held_wanted: Floats
    left: Floats
    far: Floats
    mean: Floats
    basis: Floats

    def tensors(self) -> Tensors:
        """The network's tensors beside its layers; inputs are clipped to those for training."""
        return {
            "seen": self.seen.astype(np.int32),
            "low": self.inputs.min(0) - ROUNDING,
            "high": self.inputs.max(0) + ROUNDING,
            "mean": self.mean,
            "basis": self.basis,
        }


def related_bones(skin: Skin, most: int) -> Indices:
    """(R, m), m <= most: for each bone that carries anything those that share most of its vertices.

    Directly or through another bone: flesh is one piece, so that what a bone does is felt beyond the vertices
    that follow it. 0 is the object, then come the skin's bones; where there are fewer to be seen, a bone sees
    itself, which tells it nothing.
    """
    shares = Shares(skin)
    owners = np.array([bone for bone, _ in shares.parts])
    table = np.zeros((len(skin.weights), len(skin.bones) + 1))
    table[shares.vertices, shares.bones] = shares.weights
    common = table[:, owners].T @ table[:, owners]
    size = np.sqrt(np.diag(common))
    common /= np.outer(size, size)
    score = common + common @ common
    np.fill_diagonal(score, 0.0)
    order = np.argsort(-score, axis=1, kind="stable")[:, :most]
    found = np.where(np.take_along_axis(score, order, 1) > RELATED, owners[order], owners[:, None])
    used = max(1, int((found != owners[:, None]).sum(1).max(initial=0)))
    return found[:, :used]


class _Rows(NamedTuple):
    """inputs (n, R, e); rows (n, 3 * shares) of each bone."""

    inputs: Floats
    rows: list[Floats]


def prepare(
    rig: RigTakes,
    training: list[Span],
    held: list[Span],
    modes: int,
    bones: int,
    seed: int,
    report: Callable[[int], None],
) -> PoseData:
    """modes: u, at most; bones: m, at most. report: is told how many of R bones and R poses are done."""
    shares = Shares(rig.skin)
    seen = related_bones(rig.skin, bones)
    own = _rows(rig, shares, seen, training, report)
    other = _rows(rig, shares, seen, held, report)
    regions, device, most = len(shares.parts), torch.device("cpu"), 1
    mean, basis = (
        np.zeros((len(shares.bones), 3), np.float32),
        np.zeros((len(shares.bones), 3, modes), np.float32),
    )
    wanted, held_wanted = (np.zeros((len(part.inputs), regions, modes), np.float32) for part in (own, other))
    left, far = np.zeros((2, regions), np.float32)
    for region, (_, part) in enumerate(shares.parts):
        rows, held_rows = own.rows[region], other.rows[region]
        space = fit_pca(partial(_once, rows), modes, device, seed)
        count, size = len(space.basis), part.stop - part.start
        most = max(most, count)
        wanted[:, region, :count] = (rows - space.mean) @ space.basis.T
        off = held_rows - space.mean
        held_wanted[:, region, :count] = off @ space.basis.T
        far[region] = np.square(held_rows).sum()
        left[region] = np.square(off).sum() - np.square(held_wanted[:, region]).sum()
        root = np.sqrt(shares.weights[part])[:, None]
        mean[part] = space.mean.reshape(size, 3) * root
        basis[part, :, :count] = np.moveaxis(space.basis.reshape(count, size, 3), 0, 2) * root[..., None]
        report(1)
    wanted, held_wanted, basis = (array[..., :most] for array in (wanted, held_wanted, basis))
    return PoseData(seen, own.inputs, wanted, other.inputs, held_wanted, left, far, mean, basis)


def _once(rows: Floats) -> Iterator[Floats]:
    """All rows, as one chunk."""
    yield rows


def _rows(
    rig: RigTakes, shares: Shares, seen: Indices, spans: list[Span], report: Callable[[int], None]
) -> _Rows:
    skinning, owners = skinning_of(rig.skin, rig.rest), np.array([bone for bone, _ in shares.parts])
    inputs: list[Floats] = []
    rows: list[list[Floats]] = [[] for _ in owners]
    roots = [np.sqrt(shares.weights[part])[:, None] for _, part in shares.parts]
    for span in spans:
        frames = rig.frames(span)
        while poses := list(islice(frames, CHUNK)):
            moves = np.stack([pose.moves for pose, _ in poses])
            offsets = np.stack([x - skinning(pose.moves) for pose, x in poses])
            inputs.append(seen_turns(turns_of(moves), owners, seen))
            for own, root, found in zip(rows, roots, undisplaced(shares, moves, offsets), strict=True):
                own.append((found * root).reshape(len(found), -1).astype(np.float32))
            report(len(poses))
    return _Rows(np.concatenate(inputs), [np.concatenate(own) for own in rows])
