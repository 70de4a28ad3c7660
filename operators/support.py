"""What all buttons share: a reason when they cannot be clicked, one sentence when they fail."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import bpy

from ..neural_physics.blender.scene.targets import check_editable, check_set_up, target_of
from ..neural_physics.blender.settings.glances import at_a_glance
from ..neural_physics.blender.settings.own_folders import scratch_folder
from ..neural_physics.errors import Problem
from ..neural_physics.files.atomic import write_atomically, writing
from ..neural_physics.files.links import check_no_link
from ..neural_physics.files.looking import has_file
from ..neural_physics.files.reading import NotReadable, read_bytes

if TYPE_CHECKING:
    from bpy.stub_internal.rna_enums import OperatorReturnItems
else:
    OperatorReturnItems = str


LARGEST_TEXT = 1 << 28  # bytes


class Button(bpy.types.Operator if TYPE_CHECKING else object):  # type: ignore[misc]
    """An operator that reports problems as sentences, never as tracebacks."""

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        """Raise the Problem that keeps the button from being clicked."""

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        try:
            with at_a_glance():
                cls.require(context)
        except Problem as problem:
            cls.poll_message_set(problem.message)
            return False
        return True

    def execute(self, context: bpy.types.Context) -> set[OperatorReturnItems]:
        try:
            self.run(context)
        except Problem as problem:
            self.report({"ERROR"}, problem.message)
            return {"CANCELLED"}
        return {"FINISHED"}

    def run(self, context: bpy.types.Context) -> None:
        """Do the work; may raise Problem."""
        raise NotImplementedError


class SetUpButton(Button):
    """A button for objects that have been set up."""

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        set_up_target(context)


class EditingButton(SetUpButton):
    """A button that changes the settings of an object, which must be this file's own."""

    @classmethod
    def require(cls, context: bpy.types.Context) -> None:
        check_editable(set_up_target(context))


def obstacle(operator: type[Button], context: bpy.types.Context) -> Problem | None:
    """Why a button cannot be clicked, None if it can."""
    try:
        with at_a_glance():
            operator.require(context)
    except Problem as problem:
        return problem.with_traceback(None)
    return None


def scene_of(context: bpy.types.Context) -> bpy.types.Scene:
    """The scene, which an operator always has."""
    assert context.scene is not None
    return context.scene


def set_up_target(context: bpy.types.Context) -> bpy.types.Object:
    """The target of the panels, if it is set up. Raises Problem("nothing_selected" | "not_set_up")."""
    return check_set_up(target_of(context))


def existing_file(path: Path) -> Path:
    """The file, if it is there. Raises Problem("file_missing" | "place_not_readable")."""
    if not has_file(path):
        raise Problem("file_missing", path=path)
    return path


def open_file(path: Path) -> None:
    """Open a file in the program that shows such files. Raises Problem("file_missing")."""
    bpy.ops.wm.path_open(filepath=str(existing_file(path)))


def open_as_text(path: Path) -> None:
    """Open what a file says in the program that shows texts, whatever it is: it may be anybody's.

    A copy of it is opened, whose name says that it is a text. Raises what `copied` does.
    """
    open_file(copied(path, scratch_folder() / "logs" / f"{path.stem}.txt"))


def copied(path: Path, copy: Path) -> Path:
    """A copy of a file, as it is now, in a folder of this user's.

    Raises Problem("file_missing" | "place_is_link" | "folder_not_writable" | "disk_full").
    """
    try:
        data = read_bytes(existing_file(check_no_link(path)), LARGEST_TEXT)
    except (OSError, NotReadable) as error:
        raise Problem("file_missing", path=path) from error
    with writing(copy):
        copy.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(copy, data)
    return copy


def target(context: bpy.types.Context) -> bpy.types.Object:
    """The target of the panels. Raises Problem("nothing_selected") if there is none."""
    obj = target_of(context)
    if obj is None:
        raise Problem("nothing_selected")
    return obj


def remember_in_undo(step: str) -> None:
    """What came by itself is a step of its own: undoing what the artist does next must not take it back."""
    manager = bpy.context.window_manager
    with bpy.context.temp_override(window=manager.windows[0] if manager and manager.windows else None):
        if bpy.ops.ed.undo_push.poll():  # type: ignore[call-arg]
            bpy.ops.ed.undo_push(message=step)
