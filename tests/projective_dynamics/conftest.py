"""The steps are held against SciPy's minimisation and the solver's sparse factors."""

from __future__ import annotations

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("scipy") else ["test_*.py"]
