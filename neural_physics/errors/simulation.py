"""What is simulated."""

from __future__ import annotations

PROBLEMS: dict[str, str] = {
    "no_mesh": "{object} is not a mesh: choose a mesh object that has Cloth or Soft Body physics.",
    "mesh_without_faces": "The mesh of {object} has no faces: add some, or choose another object.",
    "object_linked": (
        "{object} or its mesh is linked from another file and cannot be changed here: to play it use Object > "
        "Library Override > Make, for all else Object > Relations > Make Local > Selected Objects and Data."
    ),
    "object_lost": (
        "{object} comes from the file {path}, which is missing: put it back, or choose it anew in the Outliner "
        "(Blender File > Relocate)."
    ),
    "object_overridden": (
        "{object} or its mesh is a library override, which can play here, but not be changed: "
        "use Object > Relations > Make Local > Selected Objects and Data."
    ),
    "mesh_shared": (
        "{object} shares its mesh with {other}, which would change too: use Object > Relations > Make "
        "Single User > Object & Data."
    ),
    "edit_mode": "{object} is in Edit Mode: leave it (Tab) and try again.",
    "modifier_unknown": (
        "{object} is learned from its modifiers, but has none called “{modifier}”: choose the last one to "
        "learn from under Set Up > Simulation, or let something else simulate it."
    ),
    "no_physics": ("{object} has no Cloth or Soft Body physics: add one of them in the Physics properties."),
    "mesh_without_edges": (
        "The mesh of {object} has no edges to make rods of: add some, or choose another object."
    ),
    "rods_with_faces": (
        "{object} has faces, but rods are made of edges only: delete its faces only (Delete > Only "
        "Faces), or simulate it as a shell."
    ),
    "skin_missing": (
        "Jiggle Springs moves {object} relative to its armature, but no bone deforms it: add an Armature "
        "modifier before its physics, with vertex groups named after the bones, or choose another method."
    ),
    "skin_unusable": "Jiggle Springs cannot follow {object}: {reason}; change that, or choose another method.",
    "skin_unlisted": (
        "{object} does not react to its armature {rig}, which Jiggle Springs needs: add the armature to "
        "the “Reacts to” list of {object}."
    ),
    "skin_mirrored_bone": (
        "The bone {bone} of {rig} is mirrored or scaled to nothing, which {object} cannot follow with "
        "Preserve Volume: undo that, or switch Preserve Volume off in the Armature modifier."
    ),
    "skin_stretched_rig": (
        "The armature {rig} is not scaled alike in all directions, which {object} cannot follow with "
        "Preserve Volume: apply its scale, or switch Preserve Volume off in the Armature modifier."
    ),
    "poses_unweighted": (
        "{count} vertices of {object} have no weight for any deforming bone of {rig}, so they cannot be "
        "posed: paint their weights, or set Poses to 0."
    ),
    "poses_without_action": (
        "Poses of {object} are to be taken from actions, but {rig} has none besides those reserved for "
        "testing: add actions, or set Pose Source to Random."
    ),
    "poses_without_bones": (
        "No bone of {rig} that deforms {object} can be rotated freely, nor does any control rotate one: set "
        "Pose Source to Actions, or Poses to 0."
    ),
    "poses_scaled_bone": (
        "The bone {bone} of {rig} is scaled by more than a quarter in a pose of {object}, but the interior "
        "follows bones in rotation and translation only: remove the scale from its action, or set Pose Source "
        "to Random."
    ),
    "poses_unusable": (
        "None of the {count} poses of {object} can be used ({reason}): lower Max Bone Angle or Bone "
        "Radius, move the body clear of its colliders, or set Poses to 0."
    ),
    "skin_not_baked": (
        "The dataset {path} does not record how bones move {object}: choose Jiggle Springs and another "
        "dataset folder and bake again, or choose another method."
    ),
    "materials_none": (
        "{object} is not simulated by the bundled solver, which the material presets are for: choose what it is "
        "simulated as under Set Up > Simulation."
    ),
    "material_unknown": "{object} has no material preset “{material}”; available presets: {known}.",
    "softer_unknown": (
        "{object} has no vertex group “{group}” to soften it by: choose another Softness Group, or none."
    ),
    "pins_unknown": "{object} has no vertex group “{group}” to pin it by: choose another for Pins, or none.",
    "body_unusable": "{object} cannot be simulated as it is: {reason}.",
    "places_unknown": (
        "The problem areas of {object} are not known, or its mesh has changed since they were found: "
        "bake it again to find them."
    ),
    "filling_missing": (
        "{object} cannot be filled with tetrahedra, since the Python {path} lacks pytetwild: set its "
        "Filling to Cage, or create the environment again in Preferences > Add-ons > Neural Physics."
    ),
    "self_contact_missing": (
        "{object} cannot be kept from passing through itself, since the Python {path} lacks ipctk: "
        "switch its Self Contact off, or create the environment again in Preferences > Add-ons > Neural "
        "Physics."
    ),
    "material_unusable": "The material of {object} cannot be used: {reason}.",
    "nothing_free": (
        "All of {object} is pinned, so nothing is left to simulate: remove some vertices from its pin "
        "group, or fill it with more tetrahedra."
    ),
    "physics_disabled": "The modifier {modifier} of {object} is disabled in the viewport: enable it.",
    "object_not_in_scene": "{object} is not in the view layer {layer}: tick its collection in the Outliner.",
    "object_hidden": "{object} is hidden: show it, and its collection, in the Outliner.",
}
