"""What is at a place on disk, or that the system does not let anybody look there.

It refuses folders without rights, names that are too long, links to themselves and shares that do not
answer. Where something is only shown, that counts as not there; where more depends on it, the system's
reason is said.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from ..errors import Problem
from .refusals import reason_of

NOT_READABLE = "place_not_readable"


def is_file(place: Path) -> bool:
    """Whether a file can be seen there."""
    with suppress(Problem):
        return has_file(place)
    return False


def is_folder(place: Path) -> bool:
    """Whether a folder can be seen there."""
    with suppress(Problem):
        return has_folder(place)
    return False


def has_file(place: Path) -> bool:
    """Whether a file is there. Raises Problem("place_not_readable")."""
    found = look(place)
    return found is not None and stat.S_ISREG(found.st_mode)


def has_folder(place: Path) -> bool:
    """Whether a folder is there. Raises Problem("place_not_readable")."""
    found = look(place)
    return found is not None and stat.S_ISDIR(found.st_mode)


def look(place: Path) -> os.stat_result | None:
    """What is there, through links; None for nothing. Raises Problem("place_not_readable")."""
    try:
        return place.stat()
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return None
    except OSError as error:
        raise refused(error, place) from error


def refused(error: OSError, place: Path) -> Problem:
    """What the system said when it was asked about a place, as a sentence."""
    return Problem(NOT_READABLE, path=place, reason=reason_of(error, place))
