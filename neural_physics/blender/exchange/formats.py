"""The files that motion is written to, known by how their names end."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from ...errors import Problem

Format = Literal["PC2", "ALEMBIC", "USD", "GLTF"]
FORMATS: dict[str, Format] = {
    ".pc2": "PC2",
    ".abc": "ALEMBIC",
    ".usd": "USD",
    ".usdc": "USD",
    ".usda": "USD",
    ".usdz": "USD",
    ".glb": "GLTF",
}
GLOB = ";".join(f"*{suffix}" for suffix in FORMATS)  # what file dialogs show


def format_of(path: Path) -> Format:
    """Which one a file's name says. Raises Problem("export_format_unknown")."""
    found = FORMATS.get(path.suffix.lower())
    if found is None:
        raise Problem("export_format_unknown", path=path, suffixes=", ".join(FORMATS))
    return found
