"""Shapes at rest as corrections are learned from them: of one state of the handles, and of many."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from pathlib import Path

import numpy as np

from learning.training.tensor_files import IDENTITY, Tensors, read_tensors, write_tensors
from neural_physics.arrays import Floats, Mask


@dataclass(frozen=True)
class Samples:
    """N shapes: features (N, i), the network's input; r (N, B, d) m, its target, times shares (N,).

    states (N, h, d): Q, m. centres (N, d), m, and turns (N, d, d): where the collider was, and how its axes
    were turned. recorded (N,): whether a take has it there.
    """

    features: Floats
    r: Floats
    shares: Floats
    states: Floats
    centres: Floats
    turns: Floats
    recorded: Mask

    def __len__(self) -> int:
        return len(self.r)


@dataclass(frozen=True)
class CorrectionData:
    """Samples of both corrections from some spans. unsettled: how many shapes at rest were not found."""

    internal: Samples
    external: Samples
    unsettled: int


ROWS = tuple(f"{kind}.{each.name}" for kind in ("internal", "external") for each in fields(Samples))


@dataclass(frozen=True)
class OfState:
    """What came of one state: rows by each name of ROWS, (N, ...), and how many shapes were not found."""

    rows: Tensors
    unsettled: int


@dataclass
class Gathered:
    """The samples of the first states, in their order. states: how many these are."""

    states: int = 0
    _unsettled: int = 0
    _rows: dict[str, list[Floats]] = field(default_factory=lambda: {name: [] for name in ROWS})

    def add(self, found: OfState) -> None:
        """Those of the next state."""
        self.states += 1
        self._unsettled += found.unsettled
        for name, rows in found.rows.items():
            self._rows[name].extend(rows)

    def data(self) -> CorrectionData:
        """All of them."""
        return CorrectionData(self._samples("internal"), self._samples("external"), self._unsettled)

    def _samples(self, kind: str) -> Samples:
        rows = {f.name: np.array(self._rows[f"{kind}.{f.name}"], np.float32) for f in fields(Samples)}
        recorded = rows.pop("recorded") > 0.0
        return Samples(**rows, recorded=recorded)

    def save(self, path: Path, identity: str) -> None:
        """Raises Problem("disk_full" | "folder_not_writable" | "place_is_link")."""
        tensors: Tensors = {name: np.stack(rows) for name, rows in self._rows.items() if rows}
        tensors["progress"] = np.array([self.states, self._unsettled], np.int32)
        write_tensors(path, tensors, {IDENTITY: identity})

    @staticmethod
    def resumed(path: Path, identity: str) -> Gathered:
        """Those of a file that was saved so; none where there is none of this training."""
        found = read_tensors(path, identity)
        if found is None:
            return Gathered()
        tensors = found[0]
        if any(f"internal.{each.name}" not in tensors for each in fields(Samples)):
            return Gathered()  # by another version
        states, unsettled = (int(number) for number in tensors.pop("progress"))
        return Gathered(states, unsettled, {name: list(tensors.get(name, ())) for name in ROWS})
