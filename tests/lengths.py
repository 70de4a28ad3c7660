"""How much the long tests do: a share of it for each change, all of it by `make test-long`."""

from __future__ import annotations

import os
from typing import TypeVar

import pytest

LONG = bool(os.environ.get("NEURAL_PHYSICS_LONG"))
AT_FULL_LENGTH = pytest.mark.skipif(not LONG, reason="at full length: make test-long")
T = TypeVar("T")


def at_length(usual: T, long: T) -> T:
    """The second one by `make test-long`, before a release."""
    return long if LONG else usual
