"""A soft limb on a rig of two bones, for the tests of poses."""

from __future__ import annotations

from scenes import add_rig, bpy, empty_scene, react_to, settings_of


def limb(poses: int = 12, motion: str = "KEEP", rig: bpy.types.Object | None = None) -> bpy.types.Object:
    """A bar around the bones of an empty scene, or of a rig that is there, for the bundled solver."""
    if rig is None:
        empty_scene()
        rig = add_rig()
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=(0.0, 0.0, 1.0))
    flesh = bpy.context.object
    flesh.name = "Limb"
    for vertex in flesh.data.vertices:
        vertex.co = 0.4 * vertex.co.x, 0.4 * vertex.co.y, 2.0 * vertex.co.z
    for name in ("lower", "upper"):
        group = flesh.vertex_groups.new(name=name)
        group.add(
            [v.index for v in flesh.data.vertices if (v.co.z > 0.0) == (name == "upper")], 1.0, "REPLACE"
        )
    flesh.modifiers.new("Armature", "ARMATURE").object = rig
    settings = settings_of(flesh)
    settings.method, settings.pose_count = "quasistatic_springs", poses
    simulation = settings.simulation
    simulation.kind, simulation.filling, simulation.tetrahedra = "SOLID", "cage", 200
    simulation.young, simulation.bone_radius, simulation.steps = 2e4, 0.1, 1
    react_to(flesh, rig, motion)
    return flesh
