"""Whether Blender calls from its main thread: it makes previews in another, and calls handlers there, too."""

from __future__ import annotations

import threading


def in_main_thread() -> bool:
    """Whether the artist's data may be looked through: elsewhere they may change, or be gone, meanwhile."""
    return threading.get_ident() == threading.main_thread().ident
