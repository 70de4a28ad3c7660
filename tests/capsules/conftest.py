"""Capsules on bodies are tested in Blender, with the scenes that baking is tested with."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE.parent / "bake")]

if find_spec("bpy") is None:
    collect_ignore_glob = ["test_*.py"]
