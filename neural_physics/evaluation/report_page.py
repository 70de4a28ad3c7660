"""The page that an evaluation leaves: it can do nothing but be looked at, and no other one is opened.

It lies beside a model, where it may come from anybody, and a browser runs what is in a page.
"""

from __future__ import annotations

import re
from pathlib import Path

from ..files.reading import NotReadable, read_bytes

# What such a page begins with: nothing in it is run, nothing is fetched, and nothing is sent.
HEAD = (
    "<!doctype html>\n<html lang='en'><meta charset='utf-8'><meta http-equiv='Content-Security-Policy' "
    "content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; "
    "base-uri 'none'\">"
)
LARGEST_PAGE = 1 << 26  # bytes
LEADS_ELSEWHERE = re.compile(rb"http-equiv|<\s*link", re.IGNORECASE)  # which that does not keep a page from


def only_shows_itself(page: Path) -> bool:
    """Whether a page was written as an evaluation writes it, so that opening it does nothing else."""
    try:
        data = read_bytes(page, LARGEST_PAGE)
    except (OSError, NotReadable):
        return False
    head = HEAD.encode()
    return data.startswith(head) and not LEADS_ELSEWHERE.search(data, len(head))
