"""Commands that people paste into a terminal, of which nobody knows yet which one it will be."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..errors import Problem

PLAIN = re.compile(r"[A-Za-z0-9_./:=+-]+")
# Between double quotes, in some terminal; PowerShell takes typographic quotation marks for its own.
ACTIVE = set('"$`%!^' + "\u201c\u201d\u201e\u2018\u2019\u201a\u201b")


def typed(words: Sequence[str]) -> str:
    """A command line that means the same words to sh, cmd and PowerShell.

    Raises Problem("name_acts") for a word of which one of them would do something else.
    """
    return " ".join(map(_quoted, words))


def _quoted(word: str) -> str:
    if PLAIN.fullmatch(word):
        return word
    if not word.isprintable() or ACTIVE.intersection(word) or word.endswith("\\"):
        raise Problem("name_acts", name=word)
    return f'"{word}"'
