"""Meshes that bring nothing else of a scene with them into a file: no images, objects or other meshes.

A material brings all that its nodes and custom properties name: exporters copy its images into files, from
anywhere, and Blender writes what belongs to other meshes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import bpy

from ...plain_text import one_line


def make_bare(mesh: bpy.types.Mesh) -> None:
    """Take from a mesh of our own what leads to anything but its materials; names get to be one line.

    What a name says on a line of its own, exporters print.
    """
    mesh.animation_data_clear()
    mesh.texture_mesh = None
    take_properties(mesh)
    for layer in (*mesh.uv_layers, *mesh.attributes):
        if one_line(layer.name) != layer.name and not layer.name.startswith("."):
            layer.name = one_line(layer.name)


def take_properties(owner: bpy.types.ID | bpy.types.bpy_struct) -> None:
    """Take from something of our own what was stored in it by its user, and by add-ons."""
    for name in list(owner.keys()):
        del owner[name]
    stored: Any = getattr(owner, "bl_system_properties_get", None)  # where Blender 5 keeps those of add-ons
    group: Any = stored() if stored else None
    for name in list(group.keys()) if group else ():
        del group[name]


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
        yield [[one_line(material.name) if material else "" for material in materials] for materials in had]
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
    """Exporters take what the viewport shows of a material from its nodes."""
    plain = bpy.data.materials.new(material.name)
    plain.diffuse_color = material.diffuse_color[:]
    plain.metallic, plain.roughness = material.metallic, material.roughness
    if plain.node_tree is None:  # Blender 5 gives each material nodes
        plain.use_nodes = True
    assert plain.node_tree is not None
    inputs = next(node for node in plain.node_tree.nodes if node.type == "BSDF_PRINCIPLED").inputs
    values = (
        ("Base Color", plain.diffuse_color[:]),
        ("Metallic", plain.metallic),
        ("Roughness", plain.roughness),
    )
    for name, value in values:
        inputs[name].default_value = value  # type: ignore[attr-defined]
    return plain
