"""The bundled solver at reduced size: a block that a ball presses, and a sheet beside Blender's cloth."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from time import process_time


@dataclass(frozen=True)
class Sizes:
    """The size of the block; the sheet is as in the full benchmark, twelve frames of five steps."""

    tetrahedra: int = 3000
    frames: int = 40


def measure(folder: Path, sizes: Sizes) -> dict[str, float]:
    """Medians, ms of the processor; the sheet's steps and those of Blender's cloth are made in turns."""
    from benchmarks.solver import block, shell

    pressed = block.pressed(sizes.tetrahedra, sizes.frames, process_time)
    sheet = shell.judge(process_time)
    return {
        "block_ms": 1e3 / pressed["frames_per_second"],
        "sheet_ms": sheet["step_ms"],
        "over_cloth": sheet["step_ms"] / sheet["blender_step_ms"],
    }
