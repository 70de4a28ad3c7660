"""Which code a figure is of: what was measured with other code is measured anew."""

from __future__ import annotations

import hashlib
from functools import cache

from benchmarks.folders import ROOT
from neural_physics.jobs.launch import PACKAGES

CODE = (*PACKAGES, "benchmarks")
WRITERS = ("tables.py", "markdown_tables.py", "documents.py")  # how figures are written does not change them


@cache
def code_version(*trees: str) -> str:
    """A digest of all modules in these folders that figures depend on."""
    digest = hashlib.sha256()
    for path in sorted(path for tree in trees for path in (ROOT / tree).rglob("*.py")):
        if path.name not in WRITERS:
            digest.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]
