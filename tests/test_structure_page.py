"""The structure that docs/development.md draws is the one that the import rules enforce."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture(scope="module")
def enforced() -> dict[str, list[set[str]]]:
    rules = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return {
        rule["containers"][0]: [set(re.findall(r"\w+", layer)) for layer in rule["layers"]]
        for rule in rules["tool"]["importlinter"]["contracts"]
        if rule["type"] == "layers"
    }


@pytest.fixture(scope="module")
def drawn() -> dict[str, list[set[str]]]:
    page = (ROOT / "docs" / "development.md").read_text(encoding="utf-8")
    blocks = [block.split("\n", 1) for block in re.findall(r"```\n(\w+(?:/\w+)*/\n.*?)```", page, re.DOTALL)]
    return {
        tree.rstrip("/").replace("/", "."): [
            set(re.findall(r"^  (\w+)(?:/|\.py)", layer, re.MULTILINE)) for layer in layers.split("\n\n")
        ]
        for tree, layers in blocks
    }


@pytest.mark.parametrize("tree", ["neural_physics", "neural_physics.blender", "learning", "ml_backend"])
def test_the_page_draws_the_layers_that_are_enforced(
    tree: str, drawn: dict[str, list[set[str]]], enforced: dict[str, list[set[str]]]
) -> None:
    assert drawn[tree] == enforced[tree]
