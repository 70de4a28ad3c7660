"""The registry has every benchmark, what it names is there, and tables are written as they always were."""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path

import pytest
from made_up_report import LACKING, REPORT

from benchmarks.registry import BENCHMARKS, PARTS, TABLES
from neural_physics.methods.registry import SPECIFICATIONS

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "benchmarks"
WRITTEN = Path(__file__).with_name("made_up_tables.md")


def places(text: str) -> dict[str, list[str]]:
    """By place, what stands there: once for each report in a file of several."""
    found: dict[str, list[str]] = {}
    for place, written in re.findall(r"<!-- (\w+) -->\n(.*?)\n<!-- end -->", text, re.DOTALL):
        found.setdefault(place, []).append(written)
    return found


def test_every_folder_is_a_benchmark_and_every_method_has_one():
    folders = {path.parent.name for path in (ROOT / "benchmarks").glob("*/__init__.py")}
    assert set(BENCHMARKS) == folders == {*SPECIFICATIONS, "baking", "onnx", "playing", "solver"}
    assert [each.name for each in BENCHMARKS.values()] == list(BENCHMARKS)


def test_no_folder_takes_a_part_or_a_table_from_another():
    assert sum(len(each.parts) for each in BENCHMARKS.values()) == len(PARTS)
    assert sum(len(each.tables) for each in BENCHMARKS.values()) == len(TABLES)


def test_each_page_has_a_place_for_every_table_of_its_benchmark_and_every_table_a_part():
    found = {page.stem: set(places(page.read_text(encoding="utf-8"))) for page in PAGES.glob("*.md")}
    assert {name: tables for name, tables in found.items() if tables} == {
        each.name: set(each.tables) for each in BENCHMARKS.values() if each.tables
    }
    assert {part for part, _ in TABLES.values()} == set(PARTS)


@pytest.mark.parametrize("place", TABLES)
def test_a_table_is_written_to_the_byte_as_it_always_was(place):
    part, written = TABLES[place]
    before = places(WRITTEN.read_text(encoding="utf-8"))[place]
    assert [written(report[part]) for report in (REPORT, LACKING)] == before


@pytest.mark.blender
@pytest.mark.once
def test_what_is_named_is_there():
    for module in ("bpy", "torch", "scipy", "rich"):
        pytest.importorskip(module)
    for name, part in PARTS.items():
        module, _, function = part.judge.partition(":")
        takes = inspect.signature(getattr(import_module(module), function)).parameters
        assert list(takes) == (["kept_only"] if part.kept else []), name
    for each in BENCHMARKS.values():
        module = import_module(each.quick.module)
        assert callable(module.measure) and hasattr(module, "prepare") == each.quick.prepares
        assert not each.quick.after or BENCHMARKS[each.quick.after].quick.prepares
