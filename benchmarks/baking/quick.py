"""What a take of cloth costs beside its frames, at reduced size: no round is repeated."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Sizes:
    """Of which example takes are baked, with as few frames as they can have."""

    example: str = "BALL_AND_SHEET"


def measure(folder: Path, sizes: Sizes) -> dict[str, float]:
    """Seconds a take."""
    from tempfile import TemporaryDirectory

    from benchmarks.baking.workers import Scene, overhead

    with TemporaryDirectory(dir=folder) as scratch:
        scene = Scene("Blender's cloth", sizes.example, takes=0, frames=0)
        return {"take_s": overhead(Path(scratch), scene)}
