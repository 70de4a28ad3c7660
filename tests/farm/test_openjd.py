"""The template for Open Job Description, held against that format's own checker."""

from __future__ import annotations

from pathlib import Path

import pytest

parse = pytest.importorskip("openjd.model")
import yaml

TEMPLATE = Path(__file__).resolve().parents[2] / "farm" / "openjd" / "bake.yaml"


def test_the_template_is_valid_and_its_commands_are_the_extensions() -> None:
    template = yaml.safe_load(TEMPLATE.read_text(encoding="utf-8"))
    job = parse.decode_job_template(template=template)
    assert [step.name for step in job.steps] == ["Bake", "Finish"]
    for step in template["steps"]:
        words = step["script"]["actions"]["onRun"]["args"]
        assert words[:3] == ["-b", "--command", "neural_physics"] and words[3] in ("work", "finish")
