"""A stout dog from bones and balls: the limbs of its rig, and what hangs on them."""

from __future__ import annotations

from ..blobs import Ball
from ..limbs import Limb, with_both_sides

# It stands along the Y axis and looks along -Y, 1.2 m from nose to rump.
TRUNK = (
    Limb("pelvis", "", (0.0, 0.42, 0.64), (0.0, 0.20, 0.66), head_radius=0.18, tail_radius=0.18),
    Limb("loin", "pelvis", (0.0, 0.20, 0.66), (0.0, -0.08, 0.66), head_radius=0.19, tail_radius=0.21),
    Limb("ribs", "loin", (0.0, -0.08, 0.66), (0.0, -0.36, 0.69), head_radius=0.22, tail_radius=0.18),
    Limb("nape", "ribs", (0.0, -0.36, 0.71), (0.0, -0.53, 0.90), head_radius=0.15, tail_radius=0.13),
    Limb("skull", "nape", (0.0, -0.53, 0.93), (0.0, -0.72, 0.92), head_radius=0.17, tail_radius=0.13),
    Limb("muzzle", "skull", (0.0, -0.72, 0.91), (0.0, -0.88, 0.88), head_radius=0.13, tail_radius=0.115),
    Limb("tail", "pelvis", (0.0, 0.50, 0.70), (0.0, 0.68, 0.82), head_radius=0.068, tail_radius=0.058),
    Limb("tail_tip", "tail", (0.0, 0.68, 0.82), (0.0, 0.80, 1.00), head_radius=0.058, tail_radius=0.055),
)
LEFT = (
    Limb("arm", "ribs", (0.13, -0.30, 0.58), (0.145, -0.29, 0.33), head_radius=0.11, tail_radius=0.075),
    Limb("wrist", "arm", (0.145, -0.29, 0.33), (0.15, -0.31, 0.08), head_radius=0.07, tail_radius=0.062),
    Limb("paw", "wrist", (0.15, -0.32, 0.06), (0.15, -0.42, 0.05), head_radius=0.068, tail_radius=0.06),
    Limb("leg", "pelvis", (0.13, 0.36, 0.58), (0.145, 0.30, 0.34), head_radius=0.14, tail_radius=0.085),
    Limb("hock", "leg", (0.145, 0.30, 0.34), (0.15, 0.42, 0.12), head_radius=0.075, tail_radius=0.06),
    Limb("hind_paw", "hock", (0.15, 0.41, 0.07), (0.15, 0.31, 0.05), head_radius=0.066, tail_radius=0.06),
    Limb("ear", "skull", (0.10, -0.54, 1.03), (0.285, -0.54, 0.95), head_radius=0.06, tail_radius=0.058),
)


def limbs() -> list[Limb]:
    """All of them, those on the right mirrored from the left."""
    return with_both_sides(TRUNK, LEFT)


def flesh() -> list[Ball]:
    """Belly, dewlap, and what ears and tail have beyond their bones."""
    belly: list[Ball] = [((0.0, 0.17, 0.52), 0.17), ((0.0, 0.02, 0.49), 0.18), ((0.0, -0.14, 0.52), 0.17)]
    dewlap: list[Ball] = [((0.0, -0.50, 0.74), 0.10)]
    ears: list[Ball] = [
        ((side * x, y, z), 0.058)
        for side in (1.0, -1.0)
        for x, z in ((0.26, 1.00), (0.29, 0.96), (0.305, 0.91), (0.31, 0.86), (0.31, 0.81))
        for y in (-0.57, -0.51)
    ]
    tail: list[Ball] = [((0.0, 0.835, 1.06), 0.062), ((0.0, 0.86, 1.12), 0.066), ((0.0, 0.875, 1.17), 0.062)]
    return [*belly, *dewlap, *ears, *tail]
