"""What the object is pushed out of."""

from __future__ import annotations

PROBLEMS: dict[str, str] = {
    "capsule_lost": (
        "The capsule {capsule} of {object} has lost the object or bone it was attached to: choose "
        "another for it, remove it, or fit the capsules again."
    ),
    "capsules_too_many": (
        "{object} has {count} capsules, or would have, and no more than {most} are used: untick or remove some "
        "under Play > Capsules, or fit them to an armature with fewer deforming bones."
    ),
    "capsules_in_one_place": (
        "Too many capsules of {object} are in one place for it to be pushed out of them: make them smaller, or "
        "remove some, under Play > Capsules."
    ),
    "capsules_none": "{object} has no capsules: fit them to a character, or add one by hand.",
    "capsules_nothing": (
        "There is nothing around {object} to fit capsules to: give its character's body an Armature modifier and "
        "Collision physics, or choose a mesh with vertices."
    ),
    "body_unweighted": (
        "{body} has no weights for the bones of {rig} that deform it: parent it to the armature again "
        "with Automatic Weights, or paint some."
    ),
    "body_missing": (
        "{body} is linked from a file that is missing: restore that file, or choose another body."
    ),
}
