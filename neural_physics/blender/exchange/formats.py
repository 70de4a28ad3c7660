"""The files that motion is written to, known by how their names end."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from ...errors import Problem

Format = Literal["PC2", "ALEMBIC", "USD", "GLTF", "TEXTURE"]
FORMATS: dict[str, Format] = {
    ".pc2": "PC2",
    ".abc": "ALEMBIC",
    ".usd": "USD",
    ".usdc": "USD",
    ".usda": "USD",
    ".usdz": "USD",
    ".glb": "GLTF",
    "_vat.png": "TEXTURE",
    "_vat.exr": "TEXTURE",
}
GLOB = ";".join(f"*{suffix}" for suffix in FORMATS)  # what file dialogs show
READ_GLOB = ";".join(f"*{suffix}" for suffix, kind in FORMATS.items() if kind not in ("GLTF", "TEXTURE"))
TEXTURE_MESHES = (".glb", ".fbx")  # the endings of what is beside a texture: meshes that it moves,
TEXTURE_DATA = ".json"  # and what its numbers mean


def format_of(path: Path) -> Format:
    """Which one a file's name says. Raises Problem("export_format_unknown")."""
    for suffix, found in FORMATS.items():
        if path.name.lower().endswith(suffix):
            return found
    raise Problem("export_format_unknown", path=path, suffixes=", ".join(FORMATS))


def files_of(path: Path) -> list[Path]:
    """All that is written where that is asked for; of a texture also what is beside it, the texture last."""
    if format_of(path) != "TEXTURE":
        return [path]
    return [*(path.with_suffix(each) for each in (*TEXTURE_MESHES, TEXTURE_DATA)), path]
