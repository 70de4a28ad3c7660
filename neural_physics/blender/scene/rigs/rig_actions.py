"""The actions of a rig: which there are, and which a take of each use plays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import bpy

from ....baking.plan import FEWEST_FOR_TEST
from ....datasets.dataset_info import Role
from ....errors import Problem
from ...settings.from_files.readable_names import readable_name
from ...settings.properties import NEURALPHYSICS_PG_interaction, settings_of
from ..animation.action_curves import curves_of_slot

Channel = tuple[str, int]  # data path and index


class _Slot(NamedTuple):
    handle: int
    identifier: str
    name: str


class _Player:
    """Which slot of an action an object has: see `curves_of`."""

    def __init__(self, owner: bpy.types.Object) -> None:
        animation = owner.animation_data
        self._name, self._last = owner.name, "" if animation is None else animation.last_slot_identifier
        self._action = None if animation is None else animation.action
        slot = None if animation is None or self._action is None else animation.action_slot
        self._plays = None if slot is None else slot.handle

    def handle_in(self, action: bpy.types.Action, slots: Sequence[_Slot]) -> int | None:
        """The handle of one of its slots; None where there are none."""
        if not slots:
            return None
        if self._plays is not None and action == self._action:
            return self._plays
        known = (slot for slot in slots if slot.identifier == self._last or slot.name == self._name)
        return next(known, slots[0]).handle


class ActionsOfRigs:
    """Tells which actions are of which rigs; each is looked through once, however many rigs there are.

    What has changed since it was made it does not know.
    """

    def __init__(self) -> None:
        self._all = [(action, _slots_of(action)) for action in bpy.data.actions]
        self._named: dict[tuple[int, int], set[str]] = {}  # bones, by the number of an action and a slot

    def of(self, rig: bpy.types.Object) -> Iterator[bpy.types.Action]:
        """The actions that move nothing but bones of this rig and the rig itself."""
        bones, player = set(rig.pose.bones.keys()) if rig.pose else set(), _Player(rig)
        for number, (action, slots) in enumerate(self._all):
            handle = player.handle_in(action, slots)
            if handle is None:
                continue
            if (number, handle) not in self._named:
                self._named[number, handle] = _bones_named(action, handle)
            named = self._named[number, handle]
            if named and named <= bones:
                yield action


def actions_of(rig: bpy.types.Object) -> Iterator[bpy.types.Action]:
    """The actions that move nothing but bones of this rig and the rig itself."""
    return ActionsOfRigs().of(rig)


def actions_played(item: NEURALPHYSICS_PG_interaction, role: Role) -> list[bpy.types.Action]:
    """The actions of a line's armature that takes of one role play.

    What is kept for testing is all that test takes play, and nothing that others do: so the model is judged
    by what it has never seen. Raises Problem("actions_missing").
    """
    kept, rig = item.test_action, item.object
    played = [
        action
        for action in actions_of(rig)
        if not kept or (readable_name(action) == kept) == (role == "test")
    ]
    if not played:
        raise Problem("actions_missing", object=rig.name)
    return played


def check_actions(item: NEURALPHYSICS_PG_interaction, takes: int, names: set[str]) -> None:
    """Raise the Problem that keeps a line's armature from playing its actions in so many takes.

    names: of `actions_of` the armature, which several lines may have.
    Problem("actions_missing" | "test_action_missing" | "test_action_alone" | "test_action_unused").
    """
    rig, kept = item.object, item.test_action
    if not names:
        raise Problem("actions_missing", object=rig.name)
    if not kept:
        return
    if kept not in names:
        raise Problem("test_action_missing", object=rig.name, action=kept)
    if names == {kept}:
        raise Problem("test_action_alone", object=rig.name, action=kept)
    if takes < FEWEST_FOR_TEST:
        raise Problem("test_action_unused", object=rig.name, action=kept, needed=FEWEST_FOR_TEST, found=takes)


@contextmanager
def with_unused_actions(obj: bpy.types.Object) -> Iterator[None]:
    """What is saved meanwhile holds all actions that are played: Blender drops those that nothing uses."""
    # Poses may come from the actions of an armature that does something else in takes of motion.
    rigs, known = [item.object for item in settings_of(obj).interactions if item.object], ActionsOfRigs()
    unused = [
        action
        for rig in dict.fromkeys(rigs)
        for action in known.of(rig)
        if not action.users and not action.library
    ]
    try:
        for action in unused:
            action.use_fake_user = True
        yield
    finally:
        for action in unused:
            action.use_fake_user = False


def kept_for_testing(obj: bpy.types.Object) -> str:
    """What an object's armatures play in test takes alone, for people to read; "" if there is nothing."""
    lines = [item for item in settings_of(obj).interactions if item.object and item.motion == "ACTIONS"]
    return ", ".join(f"{item.test_action} of {item.object.name}" for item in lines if item.test_action)


def curves_of(action: bpy.types.Action, owner: bpy.types.Object) -> dict[Channel, bpy.types.FCurve]:
    """An action's curves by what they move of an object, which has one of the action's slots.

    The slot that it plays now, or played last, or that is called like it, or else the first for any object.
    """
    handle = _Player(owner).handle_in(action, _slots_of(action))
    return {} if handle is None else _curves_in(action, handle)


def _slots_of(action: bpy.types.Action) -> list[_Slot]:
    """Those for objects."""
    return [
        _Slot(slot.handle, slot.identifier, slot.name_display)
        for slot in action.slots
        if slot.target_id_type in ("OBJECT", "UNSPECIFIED")
    ]


def _curves_in(action: bpy.types.Action, handle: int) -> dict[Channel, bpy.types.FCurve]:
    """The curves of one of its slots."""
    return {(curve.data_path, curve.array_index): curve for curve in curves_of_slot(action, handle)}


def _bones_named(action: bpy.types.Action, handle: int) -> set[str]:
    return {path.split('"')[1] for path, _ in _curves_in(action, handle) if path.startswith('pose.bones["')}
