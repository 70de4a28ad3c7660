"""Everything that can go wrong on bad input, one sentence each, by subject.

A sentence names the object or file, the setting, and the way out. `docs/troubleshooting.md` lists
every one of them; a test holds the two together.
"""

from .problem import PROBLEMS, Problem

__all__ = ["PROBLEMS", "Problem"]
