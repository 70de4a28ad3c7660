"""The guide's pictures of each state: cut from the screenshots that the window tests leave in build/window.

`python -m tools.screenshots` after `NEURAL_PHYSICS_PICTURES=1 make window`: presets are trained to their end.
"""

from __future__ import annotations

from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
SHOTS, IMAGES = ROOT / "build" / "window", ROOT / "docs" / "images"
VIEWPORT = (0, 27, 1313, 1001)  # of the 3D viewport with the panels, in a window of 1600 by 1100
WIDTH = 1000
PICTURES = {
    "set_up": "2_set_up",
    "bake": "3_bake",
    "train": "5_train",
    "play": "7_play",
    "play_and_share": "8_play_and_share",
    "solver_set_up": "solid_1_not_set_up",
    "solver_take": "solid_4_take",
    "latent_train": "latent_1_train",
    "latent_play": "latent_2_play",
    "contact_play": "contact_2_grabbed",
}


def main() -> None:
    """Crop, shrink and write each of the guide's pictures."""
    for name, shot in PICTURES.items():
        picture = Image.open(SHOTS / f"{shot}.png").convert("RGB").crop(VIEWPORT)
        size = (WIDTH, round(WIDTH * picture.height / picture.width))
        picture.resize(size, Image.Resampling.LANCZOS).save(IMAGES / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
