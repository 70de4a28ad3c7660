"""What one document says of another is there: files, and headings in them."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote

import pytest

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
LINK = re.compile(r"\]\((?!https?:|mailto:)([^)\s#]*)(?:#([^)\s]+))?\)")
FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)


def headings(page: Path) -> set[str]:
    """The anchors that GitHub makes of a page's headings."""
    found: set[str] = set()
    text = FENCED.sub("", page.read_text(encoding="utf-8"))
    for heading in re.findall(r"^#{1,6} (.*)$", text, re.MULTILINE):
        plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        number = 0
        while (anchor := f"{name}-{number}" if number else name) in found:
            number += 1
        found.add(anchor)
    return found


@pytest.mark.parametrize("page", DOCUMENTS, ids=lambda page: str(page.relative_to(ROOT)))
def test_its_links_lead_somewhere(page: Path) -> None:
    text = re.sub(r"`[^`\n]*`", "", FENCED.sub("", page.read_text(encoding="utf-8")))
    for file, anchor in LINK.findall(text):
        target = page.parent / unquote(file) if file else page
        assert target.exists(), f"no {file}"
        assert not anchor or anchor in headings(target), f"no heading #{anchor} in {target.name}"
