"""The bundled solver at reduced size: a block that a ball presses, and a sheet beside Blender's cloth."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import process_time


@dataclass(frozen=True)
class Sizes:
    """tetrahedra, frames: of the block. runs: of the sheet's twelve frames."""

    tetrahedra: int = 3000
    frames: int = 40
    runs: int = 3


def measure(folder: Path, sizes: Sizes) -> dict[str, float]:
    """Medians, ms of the processor, and of the runs' ratios."""
    from benchmarks.solver import block, shell

    pressed = block.pressed(sizes.tetrahedra, sizes.frames, process_time)
    sheets = [shell.judge(process_time) for _ in range(sizes.runs)]
    return {
        "block_ms": 1e3 / pressed["frames_per_second"],
        "sheet_ms": median(sheet["step_ms"] for sheet in sheets),
        "over_cloth": median(sheet["step_ms"] / sheet["blender_step_ms"] for sheet in sheets),
    }
