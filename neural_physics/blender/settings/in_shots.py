"""What a shot may set otherwise than the file that it links a character from.

That goes for all that points to objects: only so do these stay the shot's own when it is saved and opened.
"""

from __future__ import annotations

from typing import Any

IN_SHOTS: Any = {"LIBRARY_OVERRIDABLE"}
