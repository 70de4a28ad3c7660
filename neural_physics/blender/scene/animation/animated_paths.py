"""What anything in a file changes from frame to frame: the words in the paths of its curves and drivers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import bpy


def is_any_animated(*words: str) -> bool:
    """Whether any curve or driver, played or not, of whatever there is, has one of these words in its path.

    A path leads from its owner to others: through parents, node sockets, custom properties. So nobody's
    own curves say what is done to it. What cannot be read may say anything.
    """
    return any(path is None or any(word in path for word in words) for path in map(_path_of, _curves()))


def _path_of(curve: bpy.types.FCurve) -> str | None:
    try:
        return curve.data_path
    except UnicodeDecodeError:
        return None


def _curves() -> Iterator[bpy.types.FCurve]:
    """Blender has them in actions, as drivers, and in strips, where they set what is of the strip."""
    for action in bpy.data.actions:
        for layer in action.layers:
            for strip in layer.strips:
                for bag in getattr(strip, "channelbags", ()):
                    yield from bag.fcurves
        # Blender 4.5 plays actions without layers, too, where a file has such.
        yield from getattr(action, "fcurves", ())
    for animation in animations():
        yield from animation.drivers
        for track in animation.nla_tracks:
            yield from _of_strips(track.strips)


def animations() -> Iterator[bpy.types.AnimData]:
    """The animation data of everything in the file, and of what is a part of it, such as a node tree."""
    for owner in _owners():
        animation = getattr(owner, "animation_data", None)
        if animation is not None:
            yield animation


def _of_strips(strips: Iterable[bpy.types.NlaStrip]) -> Iterator[bpy.types.FCurve]:
    left = list(strips)
    while left:  # however deep they lie in each other
        strip = left.pop()
        yield from strip.fcurves
        left += strip.strips


def _owners() -> Iterator[bpy.types.ID]:
    """All there are, and those that are parts of them."""
    for listed in all_data():
        for owner in listed:
            yield owner
            for part in ("node_tree", "collection"):
                within = getattr(owner, part, None)
                if isinstance(within, bpy.types.ID):
                    yield within


def all_data() -> Iterator[bpy.types.bpy_prop_collection[bpy.types.ID]]:
    """All that a file has, kind by kind."""
    for listed in bpy.data.bl_rna.properties:
        if listed.type == "COLLECTION":
            yield getattr(bpy.data, listed.identifier)
