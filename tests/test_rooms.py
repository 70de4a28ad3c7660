"""Folders: none is so full that a newcomer gets lost in it, and each says what it is for."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
MOST = 20  # modules side by side
PRODUCT = ("neural_physics", "operators", "panels", "learning", "ml_backend", "benchmarks", "tools")


@pytest.mark.parametrize("tree", PRODUCT)
def test_no_folder_has_more_modules_side_by_side_than_can_be_taken_in(tree: str) -> None:
    rooms: dict[str, int] = {}
    for path in (ROOT / tree).rglob("*.py"):
        if path.name != "__init__.py":
            room = path.parent.relative_to(ROOT).as_posix()
            rooms[room] = rooms.get(room, 0) + 1
    assert rooms
    assert {room: count for room, count in rooms.items() if count > MOST} == {}


@pytest.mark.parametrize("tree", PRODUCT)
def test_every_package_says_what_it_is_for(tree: str) -> None:
    folders = {path.parent for path in (ROOT / tree).rglob("*.py")}
    silent = [str(folder) for folder in folders if not _docstring(folder / "__init__.py")]
    assert silent == []


def _docstring(path: Path) -> bool:
    return path.is_file() and path.read_text(encoding="utf-8").startswith('"""')
