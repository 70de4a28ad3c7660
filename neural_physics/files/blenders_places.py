r"""Places for which Blender takes the same as Python does, by the same path.

Blender takes `\` for `/` on every system, cuts paths off after 1023 bytes without a word, and takes `//` for
"beside the .blend". All that is checked before it reads or writes is looked for where Python finds it.
"""

from __future__ import annotations

import os
from pathlib import Path

from ..errors import Problem

MOST = 1023  # bytes of a path
# What Blender adds beside a scene: `blendcache_take/NAME_000001_00.bphys`, with names of up to 200 bytes.
BESIDE_SCENE = 256
# The same below a dataset, in `bake/NAME/NUMBER`. A longer name of a take is found out where its scene is.
BELOW_DATASET = 400
FLUIDS_CHANGE = frozenset(':?*"<>|') if os.sep == "/" else frozenset()  # in folders that Windows cannot have


def is_blenders(place: Path, room: int = 0) -> bool:
    """Whether Blender means the same place by this path, with `room` bytes more below it."""
    return not _reason(place, room)


def check_blenders(place: Path, room: int = 0) -> Path:
    """A place that Blender finds by its path, and what is below it in `room` bytes more.

    Raises Problem("place_not_blenders").
    """
    if reason := _reason(place, room):
        raise Problem("place_not_blenders", path=place, reason=reason)
    return place


def check_fluids_place(place: Path) -> Path:
    """A place in which Blender's fluids lie where it says: of some characters they make others.

    Raises Problem("place_not_blenders").
    """
    for character in str(place.absolute()):
        if character in FLUIDS_CHANGE or ord(character) < ord(" "):
            said = f"Blender's fluids write {character!r} in a name as _"
            raise Problem("place_not_blenders", path=place, reason=said)
    return place


def _reason(place: Path, room: int) -> str:
    whole = place.absolute()
    if os.sep == "/" and "\\" in str(whole):
        return "there is a backslash in a name"
    if os.sep == "/" and str(whole).startswith("//"):
        return "it begins with //"
    try:
        length = len(os.fsencode(whole)) + room
    except UnicodeEncodeError:
        return "a character in it is not whole"
    return f"with what is added to it, it takes {length:,} of {MOST:,} bytes" if length > MOST else ""
