"""A file is opened: what was remembered of the one before is forgotten.

What panels that are drawn often remember is found by folders, or by numbers that no other file's objects
have: it would only gather.
"""

from __future__ import annotations

import bpy
from bpy.app.handlers import persistent

from ...datasets import status
from ..baking.forewarnings import forget_forewarnings
from ..display.evaluation import forget_evaluations
from ..jobs.host import forget_resting
from ..playing.packing import forget_files
from .facts import forget_facts
from .submitting import forget_submissions
from .verdicts import forget_verdicts
from .watched_bakes import forget_watched

FORGETTING = (
    forget_resting,
    status.forget,
    forget_facts,
    forget_verdicts,
    forget_forewarnings,
    forget_files,
    forget_evaluations,
    forget_watched,
    forget_submissions,
)


@persistent
def forget(*_: object) -> None:
    """Forget the file before; jobs that run are watched on."""
    for each in FORGETTING:
        each()


def register() -> None:
    """Listen to files that are opened."""
    bpy.app.handlers.load_post.append(forget)


def unregister() -> None:
    """Listen no more, and remember nothing."""
    bpy.app.handlers.load_post.remove(forget)
    forget()
