"""What the character does: short actions that all begin and end as it stands, so that any may follow any."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .posing import STILL, Key, Pose, scaled

STEP_LEFT: Pose = {
    "thigh.L": (-30, 0, 0), "shin.L": (12, 0, 0), "thigh.R": (24, 0, 0), "shin.R": (22, 0, 0),
    "upper_arm.L": (26, 0, 0), "upper_arm.R": (-26, 0, 0), "hips": (0, 0, -6), "chest": (-3, 0, 10),
}  # fmt: skip
STEP_RIGHT: Pose = {
    "thigh.R": (-30, 0, 0), "shin.R": (12, 0, 0), "thigh.L": (24, 0, 0), "shin.L": (22, 0, 0),
    "upper_arm.R": (26, 0, 0), "upper_arm.L": (-26, 0, 0), "hips": (0, 0, 6), "chest": (-3, 0, -10),
}  # fmt: skip
STRIDE_LEFT: Pose = {
    "thigh.L": (-52, 0, 0), "shin.L": (40, 0, 0), "thigh.R": (34, 0, 0), "shin.R": (48, 0, 0),
    "upper_arm.L": (44, 0, 0), "upper_arm.R": (-44, 0, 0), "spine": (12, 0, 0), "hips": (0, 0, -8),
}  # fmt: skip
STRIDE_RIGHT: Pose = {
    "thigh.R": (-52, 0, 0), "shin.R": (40, 0, 0), "thigh.L": (34, 0, 0), "shin.L": (48, 0, 0),
    "upper_arm.R": (44, 0, 0), "upper_arm.L": (-44, 0, 0), "spine": (12, 0, 0), "hips": (0, 0, 8),
}  # fmt: skip
MARCH_LEFT: Pose = {
    "thigh.L": (-72, 0, 0), "shin.L": (78, 0, 0), "thigh.R": (8, 0, 0),
    "upper_arm.L": (38, 0, 0), "upper_arm.R": (-38, 0, 0), "chest": (-4, 0, 4),
}  # fmt: skip
MARCH_RIGHT: Pose = {
    "thigh.R": (-72, 0, 0), "shin.R": (78, 0, 0), "thigh.L": (8, 0, 0),
    "upper_arm.R": (38, 0, 0), "upper_arm.L": (-38, 0, 0), "chest": (-4, 0, -4),
}  # fmt: skip
SNEAK_LEFT: Pose = {
    "thigh.L": (-52, 0, 0), "shin.L": (52, 0, 0), "thigh.R": (6, 0, 0), "shin.R": (46, 0, 0),
    "spine": (20, 0, 0), "chest": (8, 0, 12), "upper_arm.L": (16, 0, 0), "upper_arm.R": (-16, 0, 0),
}  # fmt: skip
SNEAK_RIGHT: Pose = {
    "thigh.R": (-52, 0, 0), "shin.R": (52, 0, 0), "thigh.L": (6, 0, 0), "shin.L": (46, 0, 0),
    "spine": (20, 0, 0), "chest": (8, 0, -12), "upper_arm.R": (16, 0, 0), "upper_arm.L": (-16, 0, 0),
}  # fmt: skip
CROUCH: Pose = {"thigh*": (-70, 0, 0), "shin*": (95, 0, 0), "foot*": (-25, 0, 0), "spine": (22, 0, 0)}
LEAP: Pose = {"thigh*": (-6, -8, 0), "foot*": (30, 0, 0), "upper_arm*": (0, -70, 0), "chest": (-8, 0, 0)}
BOW: Pose = {"hips": (16, 0, 0), "spine": (26, 0, 0), "chest": (20, 0, 0), "thigh*": (-16, 0, 0)}
SPREAD: Pose = {"upper_arm*": (0, -75, 0), "head": (-12, 0, 0), "chest": (-10, 0, 0)}
SWAY_LEFT: Pose = {
    "spine": (0, -16, 0),
    "chest": (0, -14, 12),
    "upper_arm.L": (0, -40, 0),
    "hips": (0, 0, 18),
}
SWAY_RIGHT: Pose = {
    "spine": (0, 16, 0),
    "chest": (0, 14, -12),
    "upper_arm.R": (0, 40, 0),
    "hips": (0, 0, -18),
}
KICK: Pose = {
    "thigh.R": (-75, 0, 0), "shin.R": (20, 0, 0), "thigh.L": (8, 0, 0), "spine": (-10, 0, 0),
    "upper_arm.L": (-40, 0, 0), "upper_arm.R": (30, 0, 0),
}  # fmt: skip
DRAWN_BACK: Pose = {
    "thigh.R": (40, 0, 0), "shin.R": (50, 0, 0), "thigh.L": (-8, 0, 0), "spine": (10, 0, 0),
    "upper_arm.L": (30, 0, 0), "upper_arm.R": (-30, 0, 0),
}  # fmt: skip
TWIST_LEFT: Pose = {"chest": (0, 0, 35), "spine": (6, 0, 20), "upper_arm.R": (-40, 0, 0), "head": (0, 0, 20)}
TWIST_RIGHT: Pose = {
    "chest": (0, 0, -35), "spine": (6, 0, -20), "upper_arm.L": (-40, 0, 0), "head": (0, 0, -20),
}  # fmt: skip


def _on_foot(left: Pose, right: Pose, frames: int, steps: int, *, low: float) -> list[Key]:
    """Steps of so many frames each, the hips lower by `low` metres while the legs are apart."""
    strides = [(9 + frames * k, (left, right)[k % 2], (0.0, 0.0, -low)) for k in range(steps)]
    return [(1, {}, STILL), *strides, (strides[-1][0] + 14, {}, STILL)]


ACTIONS: Mapping[str, Sequence[Key]] = {
    "Walk": _on_foot(STEP_LEFT, STEP_RIGHT, 14, 6, low=0.03),
    "Run": _on_foot(STRIDE_LEFT, STRIDE_RIGHT, 9, 8, low=0.02),
    "Stroll": _on_foot(scaled(STEP_LEFT, 0.65), scaled(STEP_RIGHT, 0.65), 18, 5, low=0.015),
    "Jog": _on_foot(scaled(STRIDE_LEFT, 0.72), scaled(STRIDE_RIGHT, 0.72), 11, 7, low=0.025),
    "March": _on_foot(MARCH_LEFT, MARCH_RIGHT, 13, 6, low=0.0),
    "Sneak": _on_foot(SNEAK_LEFT, SNEAK_RIGHT, 20, 5, low=0.12),
    "Jump": [
        (1, {}, STILL), (16, CROUCH, (0.0, 0.0, -0.25)), (29, LEAP, (0.0, 0.0, 0.3)),
        (42, CROUCH, (0.0, 0.0, -0.2)), (58, {}, STILL),
    ],
    "Bow": [(1, {}, STILL), (24, BOW, (0.0, 0.06, -0.02)), (36, BOW, (0.0, 0.06, -0.02)), (60, {}, STILL)],
    "Spread": [(1, {}, STILL), (20, SPREAD, STILL), (40, SPREAD, (0.0, -0.1, 0.0)), (62, {}, STILL)],
    "Sway": [(1, {}, STILL)]
    + [(14 + 16 * k, (SWAY_LEFT, SWAY_RIGHT)[k % 2], (0.06 - 0.12 * (k % 2), 0.0, -0.02)) for k in range(4)]
    + [(78, {}, STILL)],
    "Turn": [
        (1, {}, STILL), (18, {"hips": (0, 0, 70), "thigh.L": (-18, 0, 0)}, STILL),
        (44, {"hips": (0, 0, -70), "thigh.R": (-18, 0, 0)}, STILL), (64, {}, STILL),
    ],
    "Kick": [(1, {}, STILL), (16, DRAWN_BACK, STILL), (26, KICK, STILL), (34, KICK, STILL), (54, {}, STILL)],
    "Twist": [(1, {}, STILL), (16, TWIST_LEFT, STILL), (34, TWIST_RIGHT, STILL), (52, {}, STILL)],
}  # fmt: skip
