"""Render the example scenes side by side, as Blender simulates them: `python tools/gallery.py PICTURE`."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pictures
import workshop
from PIL import Image

from neural_physics.blender.examples import EXAMPLES, build

SIZE, SAMPLES = 400, 24
FRAMES = {"BALL_AND_SHEET": 44, "FOUR_PINS": 60, "FLAG": 62, "SOFT_BODY_BALL": 34}


def main() -> None:
    row = Image.new("RGB", (len(EXAMPLES) * SIZE, SIZE))
    with TemporaryDirectory() as scratch:
        for column, (name, label, _) in enumerate(EXAMPLES):
            scene = workshop.empty_scene()
            build(name, scene)
            for frame in range(1, FRAMES[name] + 1):
                scene.frame_set(frame)
            pictures.use_cycles(scene, SIZE, SAMPLES)
            path = Path(scratch) / f"{name}.png"
            pictures.render(scene, path)
            row.paste(Image.open(path).convert("RGB"), (column * SIZE, 0))
            workshop.console.print(label)
    row.save(sys.argv[1], quality=88)


if __name__ == "__main__":
    workshop.leave_after(main)
