"""Baking with the solver runs where SciPy is, not inside Blender."""

from __future__ import annotations

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("scipy") else ["test_*.py"]
