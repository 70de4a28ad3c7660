"""What panels ask a hundred times in a redraw is looked for once; what is done at a click looks anew."""

from __future__ import annotations

import pytest

pytest.importorskip("bpy")
pytestmark = [pytest.mark.blender, pytest.mark.once]

from neural_physics.blender.settings import glances


@pytest.fixture
def clock(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(glances.time, "monotonic", lambda: now[0])
    return now


def test_an_answer_is_good_for_a_glance_only_and_for_longer_the_longer_it_took(clock):
    asked, answers = [], glances.Glances()

    def look(seconds=0.0):
        asked.append(1)
        clock[0] += seconds
        return len(asked)

    assert [answers.of("a", look) for _ in range(2)] == [1, 2]
    with glances.at_a_glance():
        assert [answers.of("a", look) for _ in range(3)] == [2, 2, 2]
        assert answers.of("b", look) == 3
        clock[0] += 2 * glances.GLANCE
        assert answers.of("a", lambda: look(1.0)) == 4
        clock[0] += 0.9 / glances.SHARE
        assert answers.of("a", look) == 4
        clock[0] += 0.2 / glances.SHARE
        assert answers.of("a", look) == 5
    assert answers.of("a", look) == 6


def test_of_many_questions_no_more_answers_are_kept_than_there_is_room_for():
    answers = glances.Glances()
    for number in range(10 * glances.MOST):
        answers.of(number, lambda: "answer")
    assert len(answers._answers) <= glances.MOST


def test_what_is_raised_is_raised_each_time():
    answers, asked = glances.Glances(), []

    def look():
        asked.append(1)
        raise ValueError

    with glances.at_a_glance():
        for _ in range(2):
            with pytest.raises(ValueError):
                answers.of("a", look)
    assert len(asked) == 2
