"""The guide's pictures of each state, and those of the listing on Blender's extensions platform.

They are made of the screenshots that the window tests leave in build/window: `python -m tools.screenshots`
after `NEURAL_PHYSICS_PICTURES=1 make window`, which trains presets to their end.
"""

from __future__ import annotations

from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parents[1]
SHOTS, IMAGES = ROOT / "build" / "window", ROOT / "docs" / "images"
# In a window of 1600 by 1100: the 3D viewport with the panels, and the preferences in front of it.
VIEWPORT, PREFERENCES = (0, 27, 1313, 1001), (104, 164, 979, 737)
WIDTH = 1000  # at most
PICTURES = {
    "set_up": "2_set_up",
    "bake": "3_bake",
    "bake_elsewhere": "bake_elsewhere",
    "train": "5_train",
    "play": "7_play",
    "play_and_share": "8_play_and_share",
    "solver_set_up": "solid_1_not_set_up",
    "solver_take": "solid_4_take",
    "latent_train": "latent_1_train",
    "latent_play": "latent_2_play",
    "contact_play": "contact_2_grabbed",
    "contact_pull_hand": "contact_3_pulled",
    "capsules": "capsules_2_fitted",
    "preferences": "preferences",
}

# Of the size that the platform asks for, in the order in which it shows them.
LISTING = {
    "1_ball_and_sheet": "listing_ball_and_sheet",
    "2_skirt": "listing_skirt",
    "3_typical_error": "listing_skirt_error",
}


def main() -> None:
    """Crop, shrink and write each of the guide's pictures, and write the listing's as they are."""
    for name, shot in PICTURES.items():
        shown = PREFERENCES if name == "preferences" else VIEWPORT
        picture = Image.open(SHOTS / f"{shot}.png").convert("RGB").crop(shown)
        picture.thumbnail((WIDTH, picture.height), Image.Resampling.LANCZOS)
        picture.save(IMAGES / f"{name}.png", optimize=True)
    for name, shot in LISTING.items():
        picture = Image.open(SHOTS / f"{shot}.png").convert("RGB")
        picture.save(IMAGES / "listing" / f"{name}.jpg", quality=90)


if __name__ == "__main__":
    main()
