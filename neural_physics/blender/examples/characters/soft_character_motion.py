"""What the soft character does: jumping jacks and a hop, and two of the other character's actions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .character_motion import ACTIONS as OF_CHARACTER
from .character_motion import CROUCH, LEAP
from .posing import STILL, Key, Pose, scaled

APART: Pose = {
    "thigh*": (0, -20, 0), "foot*": (0, 14, 0), "shoulder*": (0, -14, 0), "upper_arm*": (0, -35, 0),
    "forearm*": (0, -36, 0), "head": (4, 0, 0),
}  # fmt: skip
TOGETHER: Pose = {"thigh*": (-14, 0, 0), "shin*": (22, 0, 0), "foot*": (-8, 0, 0), "spine": (4, 0, 0)}
IN_AIR: Pose = {"thigh*": (0, -9, 0), "foot*": (24, 0, 0), "shoulder*": (0, -7, 0), "upper_arm*": (0, -18, 0)}
BENT = scaled(CROUCH, 0.5)


def _jack(frame: int) -> list[Key]:
    """One jumping jack of 24 frames, from legs together to legs together."""
    return [
        (frame, TOGETHER, (0.0, 0.0, -0.02)),
        (frame + 5, IN_AIR, (0.0, 0.0, 0.09)),
        (frame + 11, APART, (0.0, 0.0, -0.05)),
        (frame + 14, APART, (0.0, 0.0, -0.05)),
        (frame + 19, IN_AIR, (0.0, 0.0, 0.09)),
    ]


ACTIONS: Mapping[str, Sequence[Key]] = {
    "Jumping Jacks": [
        (1, {}, STILL), *(key for k in range(3) for key in _jack(8 + 24 * k)),
        (80, TOGETHER, (0.0, 0.0, -0.02)), (90, {}, STILL),
    ],
    "Hop": [
        (1, {}, STILL), (13, BENT, (0.0, 0.0, -0.09)), (23, scaled(LEAP, 0.6), (0.0, 0.0, 0.2)),
        (33, BENT, (0.0, 0.0, -0.09)), (48, {}, STILL),
    ],
    "Twist": OF_CHARACTER["Twist"],
    "Walk": OF_CHARACTER["Walk"],
}  # fmt: skip
