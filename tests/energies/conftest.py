"""The energies are tested against SciPy and beside the solver, so where these are."""

from __future__ import annotations

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("scipy") else ["test_*.py"]
