"""Contact corrections: their handles, cores and colliders."""

from __future__ import annotations

PROBLEMS: dict[str, str] = {
    "contact_needs_solid": (
        "Contact Corrections learns from a solid of the bundled solver, but {object} is simulated as "
        "something else: set Simulated By to Solid and click Bake, or choose another method."
    ),
    "contact_frame_moves": (
        "{object} is learned in a reference frame that moves, but Contact Corrections needs a fixed one: "
        "choose a fixed Reference Frame, switch Moving Frame off and bake again, or choose another "
        "method."
    ),
    "contact_scaled": (
        "{object} is scaled, but Contact Corrections is simulated in metres during playback: apply its "
        "scale (Object > Apply > Scale) and bake again, or choose another method."
    ),
    "contact_handles_unusable": (
        "{object} cannot be driven by {points} handles, which must reach every part of it and not all "
        "lie in one plane: set more Handles under Train, for example 12."
    ),
    "contact_handle_outside": (
        "The handle {handle} is outside {object}: put it inside the rest mesh, and train again."
    ),
    "contact_handle_pinned": (
        "The handle {handle} is where {object} is pinned and moves with the pins: move it further "
        "inside, or remove it from the Handles list."
    ),
    "contact_handles_together": (
        "The handles {handle} and {other} are too close to each other for the tetrahedra of {object}: "
        "move one of them, or raise Tetrahedra and bake again."
    ),
    "contact_handles_named_alike": "Two handles of {object} are named {handle}: give each a unique name.",
    "contact_handles_few": (
        "{object} cannot be driven by {handles} alone, since they are too few, lie in one plane, or "
        "leave a part of it out: add more to its Handles list, or empty the list."
    ),
    "contact_no_handles": (
        "No handles of {object} are chosen, so they are placed automatically: to place them yourself, add "
        "Empties with the + button."
    ),
    "contact_core_unknown": (
        "The takes of {object} were baked without the core {handle}: bake again, or set its Core Radius to 0."
    ),
    "core_small": (
        "The core {handle} contains too little of {object} to turn with it: raise its Core Radius, move "
        "it inside the mesh, or raise Tetrahedra."
    ),
    "contact_handle_unset": (
        "Line {row} of the Handles list of {object} has no Empty and no bone: choose one, or remove the line."
    ),
    "contact_pins_unseen": (
        "The pinned parts of {object} are up to {off} from where its channels place them: attach moving "
        "pins to an object that is a channel, each group as one rigid piece."
    ),
    "contact_collider_unseen": (
        "No channel of {object} gives the position of the collider {collider}: add its position as a "
        "channel, or set its origin to its centre if it rotates, and bake again."
    ),
    "contact_collider_turns": (
        "The collider {collider} of {object} rotates, which no channel records: switch on Rotation for "
        "it under Training Motion and bake again, or keep its orientation fixed."
    ),
    "contact_collider_shape": (
        "Contact Corrections supports balls, boxes and a fixed ground, but the collider {collider} of "
        "{object} is none of them: give it one of these shapes and bake again, or choose another method."
    ),
    "contact_colliders_differ": (
        "The moving colliders of {object} differ in shape, which Contact Corrections does not support: "
        "make all of them balls, or boxes of one size, and bake again."
    ),
    "contact_colliders_many": (
        "{object} has {count} colliders, but Contact Corrections plays {most} at most: remove some from its "
        "list, or join them, and bake again."
    ),
    "contact_frames_many": (
        "{object} is held in {count} separate places, which take too much memory together: pin fewer and "
        "larger areas, or lower Tetrahedra, and bake again."
    ),
    "contact_collider_larger": (
        "{collider} is larger than the colliders that the model of {object} has learned from ({radius} "
        "m, but at most {learned} m): scale it down, or train with a larger one."
    ),
    "contact_collider_smaller": (
        "{collider} is smaller than the colliders that the model of {object} has learned from ({radius} "
        "m, but at least {learned} m): scale it up, or train with a smaller one."
    ),
    "contact_not_settled": (
        "No equilibrium shape of {object} was found, so there is nothing to learn: train with more "
        "handles, or bake takes in which it is deformed less."
    ),
}
