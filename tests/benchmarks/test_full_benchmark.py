"""The full benchmark runs what is asked for, keeps its results, and skips what it has already measured."""

from __future__ import annotations

import json
import os
from functools import partial

import pytest

from benchmarks import bench
from benchmarks.registry import BENCHMARKS, PARTS
from benchmarks.runner import run


@pytest.fixture
def full(tmp_path):
    """The benchmark with a report of its own, and the names of the parts that it runs."""
    asked = []

    def judge(part, kept):
        asked.append(next(name for name, each in PARTS.items() if each is part))
        return {"kept": kept}

    return tmp_path / "report.json", asked, partial(bench.main, judge=judge)


def test_what_the_report_has_of_the_same_code_is_run_only_if_it_is_named(full):
    report, asked, main = full
    main(["--report", str(report), "limit"])
    main(["--report", str(report)])
    assert asked == ["limit", *(name for name in PARTS if name != "limit")]
    del asked[:]
    main(["--report", str(report)])
    assert asked == []
    main(["--report", str(report), "limit"])
    assert asked == ["limit"]


def test_what_other_code_measured_is_measured_anew(full):
    report, asked, main = full
    main(["--report", str(report)])
    saved = json.loads(report.read_text())
    saved["code"]["solver"] = "another"
    report.write_text(json.dumps(saved))
    del asked[:]
    main(["--report", str(report)])
    assert asked == ["solver"]


def test_a_folder_s_name_stands_for_its_parts(full):
    report, asked, main = full
    main(["--report", str(report), "latent_dynamics", "--kept"])
    assert asked == [name for name, part in BENCHMARKS["latent_dynamics"].parts.items() if part.kept]
    assert all(json.loads(report.read_text())[name] == {"kept": True} for name in asked)
    with pytest.raises(SystemExit):
        main(["--report", str(report), "tables"])


def test_a_function_runs_elsewhere_on_the_threads_and_the_core_that_it_is_given():
    assert run("os:getenv", {"key": "OMP_NUM_THREADS"}, one_thread=True) == "1"
    asked = {"cmd": "nproc"}
    assert run("subprocess:getoutput", asked, one_thread=False, core=min(os.sched_getaffinity(0))) == "1"


def test_a_function_that_fails_ends_the_benchmark():
    with pytest.raises(SystemExit, match="json:loads"):
        run("json:loads", {"s": "{"}, one_thread=False)
