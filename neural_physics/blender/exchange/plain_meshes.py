"""Meshes that bring nothing else of a scene with them into a file: no images, objects or other meshes.

A material brings all that its nodes and custom properties name: exporters copy its images into files, from
anywhere, and Blender writes what belongs to other meshes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import bpy


def make_bare(mesh: bpy.types.Mesh) -> None:
    """Take from a mesh of our own what leads to anything but its materials."""
    mesh.animation_data_clear()
    mesh.texture_mesh = None
    for name in list(mesh.keys()):
        del mesh[name]


@contextmanager
def plain_materials(meshes: Sequence[bpy.types.Mesh]) -> Iterator[list[list[str]]]:
    """Let meshes of our own have materials of no more than a colour; yields the names of those they had.

    "" where a slot is empty. Names are taken here, so that another Blender is to give them.
    """
    had = [list(mesh.materials) for mesh in meshes]
    made: dict[bpy.types.Material, bpy.types.Material] = {}
    try:
        for mesh, materials in zip(meshes, had, strict=True):
            for place, material in enumerate(materials):
                if material is not None:
                    made[material] = made.get(material) or _plain(material)
                    mesh.materials[place] = made[material]
        yield [[material.name if material else "" for material in materials] for materials in had]
    finally:
        for mesh, materials in zip(meshes, had, strict=True):
            for place, material in enumerate(materials):
                mesh.materials[place] = material
        bpy.data.batch_remove(ids=list(made.values()))


def name_materials(mesh: bpy.types.Mesh, names: Sequence[str]) -> None:
    """Give the materials of a mesh the names that they had."""
    for material, name in zip(mesh.materials, names, strict=True):
        if material is not None:
            material.name = name


def _plain(material: bpy.types.Material) -> bpy.types.Material:
    plain = bpy.data.materials.new(material.name)
    plain.diffuse_color = material.diffuse_color[:]
    plain.metallic, plain.roughness = material.metallic, material.roughness
    return plain
