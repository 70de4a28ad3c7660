"""The files that motion is written to, known by how their names end."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import bpy

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
NAMES: dict[Format, str] = {"ALEMBIC": "Alembic", "USD": "USD"}  # of what not every Blender has
# What whoever reads a file needs.
NEEDS: dict[Format, str] = {
    "PC2": "Mesh Cache modifiers read it, on the same mesh",
    "ALEMBIC": "Times in it are seconds, so other programs need no setting",
    "USD": "With several samples per frame it has as many more time codes a second, which its header says",
    "GLTF": "The engine has to blend all of its morph targets",
    "TEXTURE": "OpenVAT's importer or shader for Unreal, Unity or Godot reads it, with the meshes beside it",
}
TEXTURE_MESHES = (".glb", ".fbx")  # the endings of what is beside a texture: meshes that it moves,
TEXTURE_DATA = ".json"  # and what its numbers mean


def ending_of(name: str) -> str:
    """The one of `FORMATS` that a file's name has, or ""."""
    return next((suffix for suffix in FORMATS if name.lower().endswith(suffix)), "")


def format_of(path: Path) -> Format:
    """Which one a file's name says. Raises Problem("export_format_unknown")."""
    ending = ending_of(path.name)
    if not ending:
        raise Problem("export_format_unknown", path=path, suffixes=", ".join(FORMATS))
    return FORMATS[ending]


def built_in() -> list[str]:
    """The endings of what this Blender can write: some that come with Linux know no Alembic and no USD."""
    options = bpy.app.build_options
    lacking = {kind for kind, there in (("ALEMBIC", options.alembic), ("USD", options.usd)) if not there}
    return [suffix for suffix, kind in FORMATS.items() if kind not in lacking]


def check_built_in(path: Path) -> None:
    """Raise Problem("export_format_unknown" | "format_not_built_in")."""
    kind, there = format_of(path), built_in()
    if kind not in {FORMATS[suffix] for suffix in there}:
        raise Problem("format_not_built_in", path=path, format=NAMES[kind], suffixes=", ".join(there))


def glob_of(*kinds: Format) -> str:
    """What file dialogs show: files of these kinds, as far as this Blender has them."""
    return ";".join(f"*{suffix}" for suffix in built_in() if FORMATS[suffix] in kinds)


def files_of(path: Path) -> list[Path]:
    """All that is written where that is asked for; of a texture also what is beside it, the texture last."""
    if format_of(path) != "TEXTURE":
        return [path]
    return [*(path.with_suffix(each) for each in (*TEXTURE_MESHES, TEXTURE_DATA)), path]
