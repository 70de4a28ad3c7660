"""Playing is tested in Blender; where there is none, only the timeline is."""

from __future__ import annotations

import sys
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

if find_spec("bpy") is None:
    collect_ignore_glob = ["test_[!t]*.py"]
