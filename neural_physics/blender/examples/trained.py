"""The examples that come with a trained model, so that they move at once."""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).with_name("models")
TRAINED = ("BALL_AND_SHEET", "SKIRT")


def path_of(name: str) -> Path:
    """The model of an example of `TRAINED`."""
    return FOLDER / f"{name.lower()}.safetensors"
