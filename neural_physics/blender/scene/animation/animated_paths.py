"""What anything in a file changes from frame to frame: the words in the paths of its curves and drivers."""

from __future__ import annotations

from collections.abc import Iterator

import bpy


def is_any_animated(*words: str) -> bool:
    """Whether any curve or driver, played or not, of whatever there is, has one of these words in its path.

    A path leads from its owner to others: through parents, node sockets, custom properties. So nobody's
    own curves say what is done to it.
    """
    return any(word in path for path in _paths() for word in words)


def _paths() -> Iterator[str]:
    for action in bpy.data.actions:
        for layer in action.layers:
            for strip in layer.strips:
                for bag in getattr(strip, "channelbags", ()):
                    yield from (curve.data_path for curve in bag.fcurves)
    for owner in _owners():
        animation = getattr(owner, "animation_data", None)
        if animation is not None:
            yield from (driver.data_path for driver in animation.drivers)


def _owners() -> Iterator[bpy.types.ID]:
    """All there are, and those that are parts of them."""
    for listed in bpy.data.bl_rna.properties:
        if listed.type == "COLLECTION":
            for owner in getattr(bpy.data, listed.identifier):
                yield owner
                for part in ("node_tree", "collection"):
                    within = getattr(owner, part, None)
                    if isinstance(within, bpy.types.ID):
                        yield within
