"""Playing is tested in Blender."""

from __future__ import annotations

from importlib.util import find_spec

if find_spec("bpy") is None:
    collect_ignore_glob = ["test_*.py"]
