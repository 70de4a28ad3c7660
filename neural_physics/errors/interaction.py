"""What the object reacts to."""

from __future__ import annotations

PROBLEMS: dict[str, str] = {
    "interaction_unknown": "{object} does not react to {interaction}: name an object in its list under Set Up.",
    "no_interactions": (
        "{object} has nothing to react to: add a collider, a pin, an armature or a wind field."
    ),
    "interactions_too_many": (
        "The “Reacts to” list of {object} has {found} lines, but at most {allowed} are allowed: remove the "
        "others under Set Up."
    ),
    "movers_too_many": (
        "The “Reacts to” list of {object} would have {found} lines, but at most {allowed} are allowed: remove "
        "the Collision of objects that do not touch {object}, then set it up again."
    ),
    "interactions_too_large": (
        "{object} reacts to {found} numbers, but at most {allowed} are allowed: remove bones from the "
        "“Reacts to” list of {object} under Set Up."
    ),
    "armature_without_bones": (
        "{rig}, which {object} reacts to, is an armature without bones: choose another object, or remove it from "
        "the list."
    ),
    "interaction_unset": (
        "Line {row} of the “Reacts to” list of {object} has no object: choose one, or remove the line."
    ),
    "interaction_missing": "{interaction}, which {object} reacts to, is not in this scene: choose another object.",
    "interaction_hidden": (
        "{interaction}, which {object} reacts to, is disabled in viewports, so it has no effect and its "
        "motion cannot be read: enable it there and hide it with the eye icon instead, or remove it from "
        "the list."
    ),
    "channel_not_sampled": (
        "The channel {channel} of {object} came from an imported file and cannot be read from a scene: "
        "use it with imported takes only."
    ),
    "actions_missing": (
        "{object} has no actions that animate its bones and nothing else: add some, or set its training "
        "motion to Keep Animation."
    ),
    "test_action_missing": (
        "The action {action}, reserved for testing, is not one that {object} can play: choose another "
        "Test Action under Set Up > Training Motion, or none."
    ),
    "test_action_alone": (
        "{action} is the only action of {object} and is reserved for testing, so none is left to learn "
        "from: add more actions, or clear Test Action under Set Up > Training Motion."
    ),
    "test_action_unused": (
        "The action {action} of {object} is reserved for testing, but Takes at {found} leaves no test "
        "take to play it: set Takes to {needed} or more, or clear Test Action under Set Up > Training Motion."
    ),
    "bones_of_armature": (
        "{object} has no armature chosen in its “Reacts to” list: choose the line of one to choose its bones."
    ),
    "bones_none": (
        "No deforming bone of {rig} is {which}, so {object} learns from those that it did: choose others."
    ),
    "wind_range_empty": "The minimum wind of {object} is above the maximum: swap the two.",
    "motion_box_empty": (
        "The motion box of {object} is empty or its times are out of order: enlarge the box, and set "
        "Shortest Move above 0 and below Longest Move."
    ),
}
