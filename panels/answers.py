"""The answers to “What is it?”, and the one that an object was set up by."""

from __future__ import annotations

from typing import NamedTuple

import bpy

from ..neural_physics.blender.settings.properties import settings_of
from ..neural_physics.blender.settings.simulation import KINDS
from ..neural_physics.methods.registry import SPECIFICATIONS


class Answer(NamedTuple):
    """The kind of body that the solver simulates, and the method where that follows."""

    label: str
    kind: str
    method: str = ""


KIND_NAMES = {identifier: label for identifier, label, _ in KINDS}
# What the bundled solver simulates; beside these, Blender's own cloth and soft body.
SOLVED = (
    Answer("Jelly or Rubber", "SOLID"),
    Answer("Thin Shell", "SHELL"),
    Answer("Hair or Strands", "ROD"),
    *(Answer(label, kind, method.id) for method in SPECIFICATIONS.values() for label, kind in method.suits),
)


def answer_of(obj: bpy.types.Object) -> str:
    """What the object is taken for; the kind of simulation where no answer is that and its method."""
    settings = settings_of(obj)
    kind, method = settings.simulation.kind, settings.method
    found = [each for each in SOLVED if each.kind == kind and each.method in ("", method)]
    if found:
        return max(found, key=lambda each: bool(each.method)).label
    return KIND_NAMES.get(kind, "")
