"""What the bundled solver lets an object run into."""

from __future__ import annotations

PROBLEMS: dict[str, str] = {
    "collider_deforms": (
        "{object} is deformed by its modifier {modifier}, but the bundled solver supports rigid "
        "colliders only: remove its Collision physics, or apply that modifier."
    ),
    "collider_scales": (
        "{object} changes its size, but the bundled solver supports rigid colliders only: keep its scale "
        "constant."
    ),
    "collider_without_faces": (
        "{object} is a collider but has no faces: add some, or remove its Collision physics."
    ),
    "collider_unusable": (
        "{collider} cannot be used as a collider ({reason}): close its mesh, or make it flat if it is "
        "meant to be an infinite ground."
    ),
    "collider_not_round": (
        "{collider} is neither a ball nor a capsule, and Mass-Spring Cloth collides with no other shapes: "
        "make it one, remove its Collision modifier, or set Simulated By to Shell."
    ),
    "starts_inside": (
        "{object} starts with {count} of its vertices inside {collider}: move the two apart at the first "
        "frame."
    ),
    "touches_itself": (
        "{object} passes through itself at the start, or comes closer to itself than its thickness: pull "
        "its parts apart, or switch its Self Contact off."
    ),
    "flat_collider_beside": (
        "{collider} does not cross the plane of {object}, which is flat and stays in it: move it into "
        "that plane, or remove its Collision modifier."
    ),
    "flat_collider_pieces": (
        "The plane of {object} cuts {collider} into {count} pieces, but a collider of a flat solid must "
        "be a single piece: make each piece an object of its own, without holes."
    ),
    "flat_collider_leaves": (
        "{collider} leaves the plane of {object}, which is flat: move it along that plane only, and "
        "rotate it only about the plane's normal."
    ),
    "flat_pins_leave": (
        "Pins of {object} leave its plane, which a flat solid cannot do: move the objects they are "
        "attached to along that plane only."
    ),
    "flat_touches_itself": (
        "{object} is flat, and flat solids do not support self-collision: switch its Self Contact off, "
        "or give the mesh thickness."
    ),
}
