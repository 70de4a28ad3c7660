"""The place of the physics in an object's modifiers: switched off while something stands in for it."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import bpy

from ....errors import Problem
from ...settings.from_files.readable_names import readable_name
from ...settings.properties import settings_of
from ..simulation_caches import anything_writes
from ..sources import (
    CARRYING_TYPES,
    carrying_modifiers,
    learned_modifier,
    physics_modifiers,
    shows_modifiers,
    uses_solver,
)

PLAY_GROUPS = "Neural Physics Play"  # what the names of the node groups begin with that show what plays
LONGEST = 100_000  # characters: the names of hundreds of modifiers
CACHE, CACHE_BLENDED = "Neural Physics Cache", "Neural Physics Blend"  # modifiers that show files
SEQUENCE = "Neural Physics Sequence"  # and Alembic or USD

Shown = list[bool]  # in the viewport, in renders
# What was shown of modifiers that were switched off here: by the uids of the object and the modifier, and by
# its name, since two of an object may have the same uid in a stranger's file.
_switched_off: dict[tuple[int, int, str], Shown] = {}


def physics_place(obj: bpy.types.Object) -> int:
    """Where in the stack a stand-in for the physics belongs; 0 where there is no physics."""
    if uses_solver(obj):
        return len(carrying_modifiers(obj))
    modifier = learned_modifier(obj)
    return 0 if modifier is None else list(obj.modifiers).index(modifier)


def play_place(obj: bpy.types.Object) -> int:
    """Where in the stack what plays is to stand, counted from 0: in the place of the physics.

    Blender lets nothing that makes meshes pass a Soft Body: then right after that, which rests meanwhile.
    """
    upto = [i + 1 for i, each in enumerate(obj.modifiers) if each.type == "SOFT_BODY"]
    return max([physics_place(obj), *upto])


def check_play_place(obj: bpy.types.Object) -> None:
    """Raise the Problem of a stack in which what plays cannot stand in the place of the physics.

    Problem("multires_first"): Blender has those first of all. Problem("soft_body_first"): of a Soft Body
    below something that goes on to be shown.
    """
    stack = list(obj.modifiers)
    if any(map(stands_in, stack)):
        return
    first, place = physics_place(obj), play_place(obj)
    if any(each.type == "MULTIRES" for each in stack[first:]):
        raise Problem("multires_first", object=obj.name)
    replaced = replaced_modifiers(obj)
    passed = [each for each in stack[first:place] if each not in replaced]
    if any(each.show_viewport or each.show_render for each in passed):
        raise Problem("soft_body_first", object=obj.name, modifier=passed[0].name)


def replaced_modifiers(obj: bpy.types.Object) -> list[bpy.types.Modifier]:
    """What need not run while something is shown in the place of what is learned."""
    last = learned_modifier(obj)
    if not shows_modifiers(obj) or last is None:
        return list(physics_modifiers(obj))
    upto = list(obj.modifiers)[: list(obj.modifiers).index(last) + 1]
    return [each for each in upto if each == last or not (each.type in CARRYING_TYPES or stands_in(each))]


def stands_in(modifier: bpy.types.Modifier) -> bool:
    """Whether it is itself what is shown in that place."""
    if isinstance(modifier, bpy.types.NodesModifier):
        return modifier.node_group is not None and readable_name(modifier.node_group).startswith(PLAY_GROUPS)
    return modifier.name in (CACHE, CACHE_BLENDED, SEQUENCE)


def is_on(obj: bpy.types.Object, modifier: bpy.types.Modifier) -> bool:
    """Whether viewports show a modifier, or would if nothing stood in for it."""
    remembered = _remembered(settings_of(obj).hidden_modifiers)
    return remembered.get(modifier.name, [modifier.show_viewport])[0]


def switch_off_physics(obj: bpy.types.Object) -> None:
    """Switch the physics off in viewport and render, and remember what it was; twice is harmless."""
    settings = settings_of(obj)
    remembered = _remembered(settings.hidden_modifiers)
    for modifier in replaced_modifiers(obj):
        shown = [modifier.show_viewport, modifier.show_render]
        remembered.setdefault(modifier.name, shown)
        if any(shown):
            _switched_off[obj.session_uid, modifier.persistent_uid, modifier.name] = shown
        modifier.show_viewport = modifier.show_render = False
    settings.hidden_modifiers = json.dumps(remembered)


def restore_physics(obj: bpy.types.Object, *, is_harmless: bool = False) -> list[bpy.types.Modifier]:
    """Undo `switch_off_physics`; a modifier that is no longer there is passed over.

    is_harmless: whether it is known where all that writes on disk does so, as in a bake. Where anything in
    the file may write, only what was on here is switched on, and not what the file says was on before: what a
    modifier names is evaluated with it. Returns what therefore stays switched off, and is remembered.
    """
    settings = settings_of(obj)
    remembered = _remembered(settings.hidden_modifiers)
    left = []
    writes = not is_harmless and anything_writes()
    uids = Counter(modifier.persistent_uid for modifier in obj.modifiers)
    for modifier in obj.modifiers:  # not looked up by name: Blender fails at half a character
        if modifier.name in remembered:
            said = given = remembered[modifier.name]
            if writes:
                alone = uids[modifier.persistent_uid] == 1
                was = _switched_off.get((obj.session_uid, modifier.persistent_uid, modifier.name))
                known = was if was is not None and alone else [modifier.show_viewport, modifier.show_render]
                given = [both and each for both, each in zip(said, known, strict=True)]
            if given != said:
                left.append(modifier)
            modifier.show_viewport, modifier.show_render = given
    still = {modifier.name: remembered[modifier.name] for modifier in left}
    settings.hidden_modifiers = json.dumps(still) if still else ""
    return left


def beside_the_blend(path: Path) -> str:
    """Relative to the .blend where it lies under its folder, so that both can be moved together."""
    home = Path(bpy.data.filepath).parent if bpy.data.filepath else None
    if home is not None and path.is_relative_to(home):
        return "//" + path.relative_to(home).as_posix()
    return str(path)


def _remembered(text: str) -> dict[str, Shown]:
    """What was shown of modifiers, by name."""
    if len(text) > LONGEST:
        return {}  # not written by `switch_off_physics`
    try:
        item = json.loads(text or "{}")
        return {str(name): [bool(shown[0]), bool(shown[1])] for name, shown in item.items()}
    except (ValueError, TypeError, AttributeError, LookupError, RecursionError):
        return {}  # somebody's own edit: nothing to go back to


def is_inherited(obj: bpy.types.Object, modifier: bpy.types.Modifier) -> bool:
    """Whether a library override has a modifier from its library, which Blender lets nobody remove.

    Blender also says so of what was appended, which is no override.
    """
    return obj.override_library is not None and modifier.is_override_data
