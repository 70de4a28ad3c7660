"""Play in each Blender at reduced size: fewer frames of the same scene and model."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from statistics import median


@dataclass(frozen=True)
class Sizes:
    """runs: in each Blender, in turns, each in a process of its own. frames, rounds: of each run."""

    runs: int = 3
    frames: int = 120
    rounds: int = 3


def measure(folder: Path, sizes: Sizes) -> dict[str, float]:
    """Medians of the runs, in each Blender there is; the processor's time on one core."""
    from benchmarks.playing.each_blender import runs

    sizes_of_runs = ("--frames", sizes.frames, "--rounds", sizes.rounds, "--processor")
    found = runs(sizes.runs, folder / "play.safetensors", *sizes_of_runs)
    return {
        f"{name}_{blender}": median(run[key] for run in of_blender)
        for blender, of_blender in found.items()
        for name, key in (("cloth_ms", "cloth_ms"), ("play_ms", "play_ms"), ("speed_up", "speedup"))
    }
