"""Which edition of the extension this is.

The full one brings `ml_backend`, which runs in a Python of the artist's choice: the trainers of all methods
and the bundled solver. The one for Blender's extensions platform is whole without: what it trains, it trains
in Blender's own Python.
"""

from __future__ import annotations

from pathlib import Path

FULL = (Path(__file__).resolve().parents[1] / "ml_backend").is_dir()
