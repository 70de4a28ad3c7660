"""Reading the interaction vector y from an evaluated scene (Holden 2019, section 5.1)."""

from __future__ import annotations
