"""Handles and cubature are fitted with SciPy, and bodies made with it: for environments that have it."""

from __future__ import annotations

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("scipy") else ["test_*.py"]
