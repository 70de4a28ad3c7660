"""The tables of settings in the documents name what an artist finds in the panels."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FIRST_CELL = re.compile(r"^\| ([^|]+) \|", re.MULTILINE)
BOLD = re.compile(r"\*\*([^*]+)\*\*")


@pytest.fixture(scope="module")
def words() -> str:
    """Everything that the extension's code says, one text to a line."""
    found = set()
    for folder in ("neural_physics", "operators", "panels"):
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    found.add(node.value)
    return "\n".join(["", *found, ""])


@pytest.mark.parametrize("document", ["artists_guide.md", "baking.md"])
def test_a_bold_setting_of_a_table_is_called_that_in_the_panels(document, words):
    text = (ROOT / "docs" / document).read_text(encoding="utf-8")
    named = [name for cell in FIRST_CELL.findall(text) for name in BOLD.findall(cell)]
    assert len(named) > 5
    for name in named:
        if name.startswith("“… "):
            assert f" {name[3:-1]}" in words, name
        elif len(name) > 1:
            assert f"\n{name}\n" in words, name
