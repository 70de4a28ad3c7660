"""What anything in a file changes from frame to frame: its curves and drivers, by words in their paths."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import bpy


def animated(*words: str) -> Iterator[tuple[int, str | None]]:
    """Of each curve or driver, played or not, with one of these words in its path: its owner, and the path.

    A path leads from its owner to others: through parents, node sockets, custom properties. So nobody's
    own curves say what is done to it. What cannot be read, None, may say anything.
    """
    for curve in _curves():
        path = _path_of(curve)
        if path is None or any(word in path for word in words):
            owner = curve.id_data
            yield (0 if owner is None else owner.session_uid), path


def _path_of(curve: bpy.types.FCurve) -> str | None:
    try:
        return curve.data_path
    except UnicodeDecodeError:
        return None


def _curves() -> Iterator[bpy.types.FCurve]:
    """Blender has them in actions, as drivers, and in strips, where they set what is of the strip."""
    for action in bpy.data.actions:
        yield from _curves_in(action)
    for animation in animations():
        yield from animation.drivers
        for track in animation.nla_tracks:
            yield from _of_strips(track.strips)


def _curves_in(action: bpy.types.Action) -> Iterator[bpy.types.FCurve]:
    for layer in action.layers:
        for strip in layer.strips:
            for bag in getattr(strip, "channelbags", ()):
                yield from bag.fcurves
    # Blender 4.5 plays actions without layers, too, where a file has such.
    yield from getattr(action, "fcurves", ())


def paths_in(action: bpy.types.Action) -> Iterator[str]:
    """What an action animates; "" for what cannot be read."""
    return (_path_of(curve) or "" for curve in _curves_in(action))


def animations() -> Iterator[bpy.types.AnimData]:
    """The animation data of everything in the file, and of what is a part of it, such as a node tree."""
    for owner in _owners():
        animation = getattr(owner, "animation_data", None)
        if animation is not None:
            yield animation


def paths_in_strips(animation: bpy.types.AnimData) -> Iterator[str]:
    """What the strips of something animate; "" for what cannot be read."""
    for track in animation.nla_tracks:
        for strip in _strips_in(track.strips):
            yield from (_path_of(curve) or "" for curve in strip.fcurves)
            if strip.action is not None:
                yield from paths_in(strip.action)


def _of_strips(strips: Iterable[bpy.types.NlaStrip]) -> Iterator[bpy.types.FCurve]:
    return (curve for strip in _strips_in(strips) for curve in strip.fcurves)


def _strips_in(strips: Iterable[bpy.types.NlaStrip]) -> Iterator[bpy.types.NlaStrip]:
    left = list(strips)
    while left:  # however deep they lie in each other
        strip = left.pop()
        yield strip
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
