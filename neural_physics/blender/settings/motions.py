"""How what an object reacts to may move while takes are baked, in words that suit what it is."""

from __future__ import annotations

import bpy

# What scripts call it, its label, its tooltip, and the number that is stored.
Item = tuple[str, str, str, int]

MOTIONS: list[Item] = [
    ("WANDER", "Wander in a Box", "Random positions at random times inside the box, new in every take", 0),
    ("KEEP", "Keep Animation", "Its animation in this scene", 1),
    (
        "ACTIONS",
        "Play Actions",
        "All its actions one after the other, in a different order in every take",
        2,
    ),
]
# A wind goes nowhere: the same choice lets it blow otherwise.
OF_WINDS: list[Item] = [
    (
        "WANDER",
        "Vary and Turn",
        (
            "Random strengths from Wind Min to Max, and random directions within Max Angle, at random "
            "times, new in every take"
        ),
        0,
    ),
    *MOTIONS[1:],
]

IN_SHORT = {
    "Wander in a Box": "In a Box",
    "Vary and Turn": "Varying",
    "Keep Animation": "Animation",
    "Play Actions": "Actions",
}


def motions_of(mover: bpy.types.Object | None) -> list[Item]:
    """The training motions that there are for an object, or for one that is yet to be chosen."""
    return OF_WINDS if mover is not None and is_wind(mover) else MOTIONS


def motion_in_short(mover: bpy.types.Object, motion: str) -> str:
    """A training motion of an object, in a word or two, as there is room for in a list."""
    return IN_SHORT[next(label for identifier, label, _, _ in motions_of(mover) if identifier == motion)]


def is_wind(obj: bpy.types.Object) -> bool:
    """Whether an object is a wind force field."""
    return obj.field is not None and obj.field.type == "WIND"
