"""What Rigify's human does: the character's actions, by Rigify's controls, and a dance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..characters import character_motion
from ..characters.posing import STILL, Key, Pose, mirrored, scaled
from ..stage import Point

ROOT = "torso"  # the control that carries all others
CONTROLS = {
    "hips": ROOT,
    "spine": "chest",
    "chest": "spine_fk.003",
    "head": "head",
    "upper_arm": "upper_arm_fk",
    "forearm": "forearm_fk",
    "thigh": "thigh_fk",
    "shin": "shin_fk",
    "foot": "foot_fk",
}
LOWERED = 26.0  # degrees: Rigify's arms stand further from the body than the character's
AS_THEY_ARE = ("Sway", "Twist")  # actions in which arms that hung lower would get into the skirt
LONGER = 1.2  # its legs, than the character's
# Shares of how far the character goes: a skirt is torn where thighs go higher still in varied takes.
TAKEN = {
    "Walk": 1.0,
    "Stroll": 1.0,
    "Jog": 1.0,
    "March": 0.75,
    "Jump": 0.8,
    "Bow": 1.0,
    "Sway": 1.0,
    "Turn": 1.0,
    "Kick": 0.7,
    "Twist": 1.0,
}

STEP: Pose = {
    "hips": (0, 10, 14), "spine": (0, -14, -8), "chest": (0, -8, -10), "head": (0, 8, 6),
    "upper_arm.L": (-20, -62, 0), "forearm.L": (-30, -30, 0),
    "upper_arm.R": (-34, 10, 0), "forearm.R": (-70, 0, 0),
    "thigh.L": (-22, -4, 0), "shin.L": (40, 0, 0), "foot.L": (-12, 0, 0), "thigh.R": (4, -6, 0),
}  # fmt: skip
DIP: Pose = {
    "thigh*": (-24, -6, 0), "shin*": (44, 0, 0), "foot*": (-20, 0, 0), "spine": (8, 0, 0),
    "upper_arm*": (-12, -18, 0), "forearm*": (-45, 0, 0),
}  # fmt: skip


def _dance(steps: int) -> list[Key]:
    """From one side to the other, with a dip between."""
    keys: list[Key] = [(1, {}, STILL)]
    for k in range(steps):
        side = 1.0 - 2.0 * (k % 2)
        keys.append((10 + 16 * k, DIP, (0.0, 0.0, -0.07)))
        keys.append((18 + 16 * k, STEP if k % 2 == 0 else mirrored(STEP), (0.05 * side, 0.0, 0.0)))
    return [*keys, (18 + 16 * steps, {}, STILL)]


def _by_controls(keys: Sequence[Key], lowered: float = 0.0, share: float = 1.0) -> list[Key]:
    """lowered: see `_lower`. share: of how far the character goes."""
    return [
        (
            frame,
            {_control(bone): turn for bone, turn in scaled(_lower(pose, lowered), share).items()},
            _scaled(moved, LONGER * share),
        )
        for frame, pose, moved in keys
    ]


def _lower(pose: Pose, angle: float) -> Pose:
    """With arms so many degrees nearer to the body, but for those that are lifted, and the pose at rest."""
    if not pose or pose.get("upper_arm*", STILL)[1]:
        return pose
    x, _, z = pose.get("upper_arm*", STILL)
    lowered: Pose = {"upper_arm.L": (x, angle, z), "upper_arm.R": (x, -angle, -z)}
    own = {arm: (x, y or lowered[arm][1], z) for arm, (x, y, z) in pose.items() if arm in lowered}
    return {**{bone: turn for bone, turn in pose.items() if bone != "upper_arm*"}, **lowered, **own}


def _control(bone: str) -> str:
    """Of a bone's name, whose side may follow it."""
    name = bone.rstrip("*").removesuffix(".L").removesuffix(".R")
    return CONTROLS[name] + bone[len(name) :]


def _scaled(moved: Point, share: float) -> Point:
    x, y, z = moved
    return share * x, share * y, share * z


ACTIONS: Mapping[str, Sequence[Key]] = {
    "Dance": _by_controls(_dance(5)),
    **{
        name: _by_controls(
            character_motion.ACTIONS[name], 0.0 if name in AS_THEY_ARE else LOWERED, share=share
        )
        for name, share in TAKEN.items()
    },
}
