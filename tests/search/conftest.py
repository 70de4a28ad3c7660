"""Searches need torch's environment and Optuna."""

from __future__ import annotations

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("torch") and find_spec("optuna") else ["test_*.py"]
