"""What the quick benchmark bakes and trains is kept as long as its plan is the same."""

from __future__ import annotations

import json
import threading
from dataclasses import replace

import pytest

from benchmarks import quick
from benchmarks.registry import BENCHMARKS

PREPARED = {name for name, each in BENCHMARKS.items() if each.quick.prepares}


@pytest.fixture
def prepared(tmp_path, monkeypatch):
    """Prepares all benchmarks, in a folder of its own; which of them were, in this order."""
    monkeypatch.setattr(quick, "QUICK", tmp_path)
    asked = []

    def prepare(name, core):
        asked.append(name)
        (tmp_path / name / "model").touch()
        return 1.0

    def go():
        del asked[:]
        quick.prepare_all(BENCHMARKS, prepare)
        return asked

    return go


def test_what_is_ready_is_not_prepared_again(prepared, tmp_path):
    assert set(prepared()) == PREPARED
    assert prepared() == []
    assert all((tmp_path / name / "model").is_file() for name in PREPARED)


def test_what_was_stopped_goes_on_with_what_it_has(prepared, tmp_path):
    prepared()
    (tmp_path / "latent_dynamics" / "ready.json").unlink()
    (tmp_path / "latent_dynamics" / "takes").touch()
    assert prepared() == ["latent_dynamics"]
    assert (tmp_path / "latent_dynamics" / "takes").is_file()


def test_other_sizes_begin_from_nothing_and_so_does_what_is_learned_from_them(
    prepared, tmp_path, monkeypatch
):
    prepared()
    (tmp_path / "subspace_physics" / "takes").touch()
    sheet = BENCHMARKS["subspace_physics"]
    smaller = replace(sheet.quick, settings=replace(sheet.quick.settings, test=(1, 500)))
    monkeypatch.setitem(BENCHMARKS, "subspace_physics", replace(sheet, quick=smaller))
    assert prepared() == ["subspace_physics", "linear_dynamics"]
    assert not (tmp_path / "subspace_physics" / "takes").exists()


def test_other_code_of_the_product_begins_from_nothing(prepared, monkeypatch):
    prepared()
    monkeypatch.setattr(quick, "code_version", lambda *trees: "another")
    assert set(prepared()) == PREPARED


def test_no_two_work_on_one_core_and_what_is_waited_for_comes_before(tmp_path, monkeypatch):
    monkeypatch.setattr(quick, "QUICK", tmp_path)
    busy, done, lock = set(), [], threading.Lock()
    pause = threading.Event()

    def prepare(name, core):
        with lock:
            assert core not in busy
            assert not BENCHMARKS[name].quick.after or BENCHMARKS[name].quick.after in done
            busy.add(core)
        pause.wait(0.02)
        with lock:
            busy.remove(core)
            done.append(name)
        return 0.02

    quick.prepare_all(reversed(BENCHMARKS), prepare)
    assert set(done) == PREPARED


def test_a_preparation_that_fails_ends_the_benchmark_and_is_not_taken_for_ready(prepared, tmp_path):
    def prepare(name, core):
        raise SystemExit(f"{name} failed")

    with pytest.raises(SystemExit, match="failed"):
        quick.prepare_all(["latent_dynamics"], prepare)
    assert prepared().count("latent_dynamics") == 1
    plan = json.loads((tmp_path / "latent_dynamics" / "ready.json").read_text())
    assert plan["settings"]["example"] == "PINNED_CLOTH"
