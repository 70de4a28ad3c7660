"""What the dog does: short actions that all begin and end as it stands, so that any may follow any."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .posing import STILL, Key, Pose, mirrored

# Legs across from each other swing together: to the front and lifted, or on the ground to the back.
TROT_LEFT: Pose = {
    "arm.L": (-26, 0, 0), "wrist.L": (14, 0, 0), "leg.R": (-24, 0, 0), "hock.R": (8, 0, 0),
    "arm.R": (20, 0, 0), "wrist.R": (6, 0, 0), "leg.L": (22, 0, 0), "hock.L": (-6, 0, 0),
    "skull": (5, 0, 0), "tail": (0, 14, 0), "loin": (0, 0, 4), "ribs": (0, 0, -4),
}  # fmt: skip
TROT_RIGHT = mirrored(TROT_LEFT)
TROT_AIR: Pose = {"wrist*": (22, 0, 0), "hock*": (-10, 0, 0), "skull": (-5, 0, 0)}
# Rolled about its length; the legs stay upright.
SHAKE_LEFT: Pose = {
    "loin": (0, 6, 0), "ribs": (0, 6, 0), "arm.L": (0, -12, 0), "arm.R": (0, -12, 0),
    "nape": (6, 4, 0), "skull": (0, 10, 0), "tail": (0, -12, 0),
}  # fmt: skip
SHAKE_RIGHT = mirrored(SHAKE_LEFT)
CROUCH: Pose = {
    "arm*": (28, 0, 0), "wrist*": (-52, 0, 0), "paw*": (24, 0, 0), "leg*": (-26, 0, 0), "hock*": (40, 0, 0),
    "hind_paw*": (-14, 0, 0), "nape": (10, 0, 0),
}  # fmt: skip
STRETCHED: Pose = {
    "arm*": (-34, 0, 0), "wrist*": (18, 0, 0), "leg*": (34, 0, 0), "hock*": (-14, 0, 0),
    "ribs": (-6, 0, 0), "nape": (-8, 0, 0), "tail": (-20, 0, 0), "hind_paw*": (20, 0, 0),
}  # fmt: skip


def _trot(strides: int) -> list[Key]:
    """Seven frames from one pair of legs to the other, in the air between them."""
    keys: list[Key] = []
    for k in range(strides):
        keys.append((8 + 7 * k, (TROT_LEFT, TROT_RIGHT)[k % 2], (0.0, 0.0, -0.02)))
        keys.append((12 + 7 * k, TROT_AIR, (0.0, 0.0, 0.04)))
    return keys


ACTIONS: Mapping[str, Sequence[Key]] = {
    "Trot": [(1, {}, STILL), *_trot(10), (84, {}, STILL)],
    "Leap": [
        (1, {}, STILL), (13, CROUCH, (0.0, 0.0, -0.07)), (22, STRETCHED, (0.0, 0.0, 0.22)),
        (31, CROUCH, (0.0, 0.0, -0.06)), (44, {}, STILL),
    ],
    "Shake": [(1, {}, STILL)]
    + [(8 + 5 * k, (SHAKE_LEFT, SHAKE_RIGHT)[k % 2], STILL) for k in range(8)]
    + [(54, {}, STILL)],
}  # fmt: skip
