"""Which places on disk a scene may name for what is read, written and deleted there.

A .blend may come from anybody, and its settings name files. Free to name is what lies in the folder
`neural_physics` beside the .blend, where nothing but datasets and models is, and what the extension keeps for
scenes without a file. Any other place is not so much as looked at (on a network, looking already reveals who
looks) before the artist has agreed to it: by choosing it, naming it on the command line, or pressing Allow.
What was agreed to is remembered in the user's folder.
"""

from __future__ import annotations

import json
import os
from pathlib import Path, PurePath

import bpy

from ...errors import Problem
from ...files.atomic import write_atomically
from ...files.links import is_link
from ...files.names import same_key
from .own_folders import EXTENSION_ROOT, unsaved_folder, user_folder

HOME = "neural_physics"  # beside the .blend
BESIDE = "//"  # how names begin that are relative to the .blend
MEMORY = "agreed_places.json"  # in the user's folder
LONGEST = 4096  # characters of a path on any system; Python takes longer ones apart for minutes
DEEPEST = 100  # folders within each other: to ask of each whether it is a link takes the square of that
MOST_LINKS = 8  # on the way to a place, that are told of
MOST_REMEMBERED = 2000  # places; the oldest are forgotten first

_agreed_now: set[str] = set()  # where the user's folder cannot be written, for this session


def place_named(name: str) -> Path:
    """The place that a setting names, if it `is_place`.

    Raises Problem("folder_not_writable") for what no path can be.
    """
    return Path(bpy.path.abspath(check_name(name)))


def is_place(name: str) -> bool:
    """Whether a name says where something is: what is beside the .blend has no place before that is saved.

    Blender would take the folder that it was started in, whatever that is.
    """
    return bool(bpy.data.filepath) or not name.startswith(BESIDE)


def can_name(text: str) -> bool:
    """Whether paths are as long and as deep as this."""
    return len(text) <= LONGEST and text.count("/") + text.count("\\") <= DEEPEST


def check_name(name: str) -> str:
    """What names a place, if it `can_name` one. Raises Problem("folder_not_writable")."""
    if not can_name(name):
        raise Problem("folder_not_writable", path=f"{name[:80]}…", reason="its name is too long")
    return name


def check_place(place: Path, obj: bpy.types.Object, setting: str) -> Path:
    """The place that a setting of an object names, whole. Raises Problem("place_elsewhere")."""
    whole = normalised(place)
    if not may_name(whole):
        raise Problem("place_elsewhere", object=obj.name, setting=setting, path=whole)
    return whole


def may_name(place: Path) -> bool:
    """Whether a scene may name this place."""
    whole = normalised(place)
    if any(_is_below(whole, root) for root in _free_roots()):
        return True
    agreed = _agreed_now | set(_remembered())
    # Where a name leads is looked at only where that was agreed to once.
    return any(entry.startswith(_named(whole)) for entry in agreed) and _as_agreed(whole) in agreed


def agree(place: Path) -> None:
    """Remember that the artist knows this place; what needs no agreement is not written down."""
    whole = normalised(place)
    if may_name(whole):
        return
    fresh = _as_agreed(whole)
    _agreed_now.add(fresh)
    known = [*(entry for entry in _remembered() if entry != fresh), fresh]
    try:
        write_atomically(user_folder() / MEMORY, json.dumps(known[-MOST_REMEMBERED:], indent=1).encode())
    except OSError:
        return  # asked again in the next session


def _free_roots() -> list[Path]:
    roots = [unsaved_folder()]
    return [Path(bpy.data.filepath).parent / HOME, *roots] if bpy.data.filepath else roots


def _is_below(place: Path, root: Path) -> bool:
    """Whether a place is below a folder, through no link, and none that programs look into.

    The folder may be a link itself, or have one in it that leads to another dataset.
    """
    if not _is_plainly_below(place, root):
        return False
    try:
        here = root.parent.resolve() / root.name  # what leads to the .blend may be a link
    except (OSError, RuntimeError, ValueError):  # a circle of links, or a name that none can have
        return False
    there = here / place.relative_to(root)
    return _is_plainly_below(there, here) and not _leads_elsewhere(there, here)


def _leads_elsewhere(place: Path, root: Path) -> bool:
    """Whether a folder, the place below it, or what is between them is a link.

    Where that leads is not looked at.
    """
    whole = root
    for part in ("", *place.relative_to(root).parts):
        whole /= part
        try:
            if is_link(whole):
                return True
        except OSError:  # nothing that could be opened
            return False
    return False


def _is_plainly_below(place: Path, root: Path) -> bool:
    if place == root or not place.is_relative_to(root):
        return False
    if any(part.startswith(".") for part in place.relative_to(root).parts):
        return False
    # Where a .blend lies in the home folder, Blender's own settings and scripts may be below it.
    # Written in other capitals they are the same places on macOS and Windows.
    below, here = _same_place(place), _same_place(root)
    folders = [_same_place(folder) for folder in _of_programs()]
    return not any(below.is_relative_to(folder) and not here.is_relative_to(folder) for folder in folders)


def _same_place(place: Path) -> PurePath:
    """What is equal for paths to one and the same place on some system."""
    return PurePath(place.anchor, *(same_key(part) for part in place.parts[1:]))


def _of_programs() -> list[Path]:
    """Where Blender and this extension are loaded from."""
    folders = [bpy.utils.resource_path(kind) for kind in ("USER", "LOCAL", "SYSTEM")]
    return [EXTENSION_ROOT, *(Path(folder) for folder in folders if folder)]


def said(place: Path) -> str:
    """A place that is asked about, with what links on the way there say: none is visited.

    Looked at are folders beside the .blend's, too: whoever sent that may have laid links there. Links are
    followed as the system does it, as far as they lead to folders that are looked at.
    """
    root = _common(place)
    if root is None:
        return str(place)
    here, links, left = root, list[str](), list(place.relative_to(root).parts)
    while left:
        part = left.pop(0)
        here = here.parent if part == os.pardir else here / part
        leads = _link_at(here)
        if leads is not None:
            links.append(f" ({here.name} is a link to {leads})")
            whole = leads.is_absolute()
            here = Path(leads.anchor) if whole else here.parent
            left = [*leads.parts[whole:], *left]
        if len(links) > MOST_LINKS or not (here == root or here.is_relative_to(root)):
            links.append(" (where that leads is not looked at)")
            break
    return str(place) + "".join(links)


def _link_at(place: Path) -> Path | None:
    try:
        return place.readlink() if is_link(place) else None
    except OSError:  # nothing is there
        return None


def _common(place: Path) -> Path | None:
    """The folder that the .blend and a place both lie in; None where there is none but all there is."""
    if not bpy.data.filepath:
        return None
    try:
        common = Path(os.path.commonpath([Path(bpy.data.filepath).parent, place]))
    except ValueError:  # on two drives
        return None
    return None if common == Path(common.anchor) else common


def normalised(place: Path) -> Path:
    """The absolute path without `..`, found without looking at the disk."""
    return Path(os.path.abspath(place))  # noqa: PTH100 (`resolve` would look)


def _as_agreed(whole: Path) -> str:
    """What is remembered of a place: its name, and where that leads now. A link may lead elsewhere later."""
    return json.dumps([str(whole), _resolved(whole)])


def _named(whole: Path) -> str:
    """What `_as_agreed` begins with."""
    return json.dumps([str(whole)])[:-1] + ", "


def _resolved(place: Path) -> str:
    try:
        return str(place.resolve())
    except (OSError, RuntimeError, ValueError):
        return str(place)


def _remembered() -> list[str]:
    try:
        known = json.loads((user_folder(create=False) / MEMORY).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    return [entry for entry in known if isinstance(entry, str)] if isinstance(known, list) else []
