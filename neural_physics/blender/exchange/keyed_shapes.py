"""Recorded motion as shape keys with keyed values: what morph targets of game engines are made from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import bpy
import numpy as np

from ...errors import Problem
from ...models.shape_keys import MOST_FRAMES, Blend, fewest_shapes
from ..scene.animation.keying import Span, key_frames

MOST_KEYS = 200


def blend_of(name: str, shapes: np.ndarray, error: float) -> Blend:
    """The fewest shape keys that are nowhere farther off than `error`, metres; shapes (T, V, 3).

    Raises Problem("shape_keys_too_many" | "shape_keys_too_long").
    """
    if len(shapes) > MOST_FRAMES:
        raise Problem(
            "shape_keys_too_long", object=name, found=f"{len(shapes):,}", allowed=f"{MOST_FRAMES:,}"
        )
    blend = fewest_shapes(shapes, error, MOST_KEYS)
    if blend.error > error:
        found, asked = f"{blend.error:.2g}", f"{error:.2g}"
        raise Problem("shape_keys_too_many", object=name, most=MOST_KEYS, found=found, asked=asked)
    return blend


def give_keys(obj: bpy.types.Object, blend: Blend, span: Span) -> None:
    """Let an object, whose mesh is its own, have a blend as its shape keys, their values keyed."""
    mesh = cast(bpy.types.Mesh, obj.data)
    mesh.attributes["position"].data.foreach_set("vector", blend.rest.reshape(-1))  # type: ignore[attr-defined]
    mesh.update()
    obj.shape_key_add(name="Basis", from_mix=False)
    for number, offset in enumerate(blend.offsets, 1):
        key = obj.shape_key_add(name=f"Shape {number}", from_mix=False)
        key.data.foreach_set("co", (blend.rest + offset).reshape(-1))
    keys = mesh.shape_keys
    assert keys is not None  # the first one has just been made
    for number, values in enumerate(blend.values.T, 1):
        key_frames(keys, f'key_blocks["Shape {number}"].value', values[:, None].astype(np.float64), span)


def said(blends: Sequence[Blend]) -> str:
    """How many keys there are, and how far off they are."""
    count = sum(len(blend.offsets) for blend in blends)
    return f"{count} shape keys, at most {1000 * max(blend.error for blend in blends):.2g} mm off"
