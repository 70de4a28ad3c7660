"""Capsules on bodies are tested in Blender, with the scenes that baking is tested with."""

from __future__ import annotations

from importlib.util import find_spec

if find_spec("bpy") is None:
    collect_ignore = ["test_capsule_editing.py", "test_capsule_fitting.py", "test_capsule_sampling.py"]
