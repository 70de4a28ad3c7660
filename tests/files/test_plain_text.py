"""What a stranger's file says is shown in a line, and does nothing to what shows it."""

from __future__ import annotations

from pathlib import Path

import pytest

from neural_physics.errors import Problem
from neural_physics.jobs.life_cycle import JobState, Reported, Start, advance
from neural_physics.plain_text import one_line


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Sheet", "Sheet"),
        ("a\nb\r\n\tc\0d", "a b c d"),
        ("\x1b[31mred\x1b[0m", "[31mred [0m"),
        ("blend\u202efdp.exe", "blend fdp.exe"),
        ("Stoff für Ärmel, 布, کتاب‌ها", "Stoff für Ärmel, 布, کتاب‌ها"),
        ("half \ud800 of one", "half of one"),
        ("x" * 301, "x" * 148 + " … " + "x" * 149),
        (Path("a\nb"), "a b"),
    ],
)
def test_a_text_is_one_line_of_what_can_be_read(text, shown):
    assert one_line(text) == shown
    assert len(one_line(text)) <= 300


def test_megabytes_are_cut_without_being_looked_at():
    assert len(one_line("ä\n" * 50_000_000)) <= 300


def test_the_sentence_of_a_problem_and_what_a_job_says_are_such_lines():
    problem = Problem("dataset_damaged", path="d\n" * 800, reason="no\n\0" * 10_000)
    assert problem.message.isprintable() and len(problem.message) < 1500
    state, _ = advance(JobState(), Start())
    for said in (
        {"event": "log", "text": "a\0b\n" * 5000},
        {"event": "progress", "stage": "s\n" * 500, "done": 1, "total": 2},
        {"event": "result", "notes": ["n\n" * 5000] * 500, "model": "m"},
        {"event": "error", "code": "unexpected", "message": "e\x1b\n" * 5000},
    ):
        state, _ = advance(state, Reported(said))
    for text in (state.message, state.stage, *state.log, *state.result["notes"]):
        assert text.isprintable() and len(text) <= 3000
    assert len(state.result["notes"]) == 50
    state, _ = advance(state, Reported({"event": "result", "notes": 3}))
    assert state.result["notes"] == []
    reported = Problem.reported("unexpected", "e\n" * 5000)
    assert reported.message.isprintable() and len(str(reported)) <= 3000
