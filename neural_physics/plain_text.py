"""Texts from files, as they can be shown: a line or less, and nothing that acts on what shows it."""

from __future__ import annotations

import sys
import unicodedata

MOST, MOST_PRINTED = 300, 3000  # characters
# Line and paragraph separators, controls, and what turns the direction of writing round; not what joins
# letters in many scripts.
UNSHOWN, JOINERS = ("Cc", "Cf", "Cs", "Cn", "Zl", "Zp"), "\u200c\u200d"


def one_line(text: object, most: int = MOST) -> str:
    """The text without control characters and line breaks, its middle left out where it is too long."""
    found = str(text)
    if len(found) > 4 * most:  # what is left out need not be looked at
        found = found[: 2 * most] + found[-2 * most :]
    if not (found.isascii() and found.isprintable()):
        found = "".join(" " if _acts(character) else character for character in found)
    found = " ".join(found.split())
    if len(found) <= most:
        return found
    first = (most - 3) // 2
    return f"{found[:first]} … {found[first + 3 - most :]}"


def displayable(text: object) -> str:
    """The text with a mark in place of half characters, as names of other systems' files may have them:
    Blender's interface takes none."""
    return str(text).encode("utf-8", "replace").decode()


def print_line(text: object) -> None:
    """Print it at once, as one line that does nothing to the terminal; files may have a part in it."""
    sys.stdout.write(one_line(text, MOST_PRINTED) + "\n")
    sys.stdout.flush()


def _acts(character: str) -> bool:
    return unicodedata.category(character) in UNSHOWN and character not in JOINERS
