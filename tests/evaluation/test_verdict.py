"""What is said of a model: every grade, every advice, and what is not known."""

import math

import pytest

from neural_physics.evaluation.verdict import FAIR, GOOD, Errors, judge


def test_a_good_model_says_how_far_off_it_is_and_asks_for_nothing():
    found = judge(Errors(0.25, 0.02, 0.031, simpler=0.6, floor=0.06, frames=14000, takes=8, late=0.97))
    assert (found.grade, found.advice, found.takes) == ("good", "", 0)
    assert found.sentence == "Good: about 2 cm off on motion it has not seen"
    assert found.detail == (
        "Within 3.1 cm in nine frames of ten; a shape that stands still would be 8 cm off, "
        "plain linear regression 4.8 cm; trained on 14,000 frames"
    )


def test_one_that_is_no_better_than_a_still_shape_asks_for_as_many_takes_again():
    found = judge(Errors(1.02, 0.08, 0.1, frames=6000, takes=8, late=0.2))
    assert found.sentence == "Poor, no better than a shape that stands still: bake 8 more takes"
    assert (found.grade, found.advice, found.takes) == ("poor", "takes", 8)
    assert found.detail.startswith("About 8 cm off; ")


def test_grades_follow_the_error():
    order = [judge(Errors(error, 0.01)).grade for error in (0.0, GOOD - 0.01, GOOD, FAIR - 0.01, FAIR, 5.0)]
    assert order == ["good", "good", "fair", "fair", "poor", "poor"]


@pytest.mark.parametrize(("error", "grade"), [(0.2, "fair"), (0.5, "poor")])
def test_what_another_simple_answer_does_as_well_is_never_good(error, grade):
    found = judge(Errors(error, 0.01, simpler=error), simpler="skinning alone")
    assert found.grade == grade and "no better than skinning alone" in found.sentence
    assert judge(Errors(error, 0.01, simpler=2.0 * error)).grade != "poor"


@pytest.mark.parametrize(
    ("known", "advice", "words"),
    [
        ({"floor": 0.45, "late": 1.0, "takes": 8}, "bases", "train with more bases"),
        ({"floor": 0.1, "late": 1.0, "takes": 8}, "training", "train longer, with a larger preset"),
        (
            {"floor": 0.1, "late": 1.0, "fell": 0.8, "takes": 8},
            "training",
            "train longer, with a larger preset",
        ),
        ({"floor": 0.1, "late": 1.0, "fell": 0.1, "takes": 8}, "takes", "bake 8 more takes"),
        ({"floor": 0.1, "late": 0.5, "takes": 1}, "takes", "bake 1 more take"),
        ({}, "takes", "bake more takes"),
    ],
)
def test_the_advice_follows_from_what_holds_the_model_back(known, advice, words):
    found = judge(Errors(0.6, 0.05, **known))
    assert found.advice == advice
    assert found.sentence == f"Fair: about 5 cm off on motion it has not seen; {words}"


def test_old_models_have_no_metres_and_are_spoken_of_in_percent():
    errors = Errors.of_training({"validation_error": 0.443, "steps": 100, "best_step": 40})
    assert errors is not None
    assert judge(errors).sentence == "Fair: about 44 % off on motion it has not seen; bake more takes"
    assert judge(errors).detail == ""


def test_a_summary_of_anybody_is_read_with_care():
    assert Errors.of_training({}) is None
    for nonsense in (math.nan, math.inf, -1.0, True, "0.2", None, [0.2]):
        assert Errors.of_training({"validation_error": nonsense}) is None
        read = Errors.of_training(
            {"validation_error": 0.2, "validation_metres": nonsense, "takes": nonsense, "steps": nonsense}
        )
        assert read == Errors(0.2)


def test_an_exact_model_of_something_that_never_moves_is_judged():
    assert judge(Errors(0.0, 0.0, 0.0)).grade == "good"
    assert judge(Errors(math.nan, 0.0)).grade == "poor"


def test_numbers_that_no_float_can_be_are_not_known():
    huge = dict.fromkeys(("steps", "best_step", "training_frames", "validation_metres"), 10**400)
    assert Errors.of_training({"validation_error": 10**400}) is None
    found = Errors.of_training({"validation_error": 0.4, **huge})
    assert found is not None and found.frames is None


def test_the_number_of_the_chart_is_named_beside_that_of_the_verdict():
    found = judge(Errors(0.5, 0.14, of_each=0.4))
    assert "about 14 cm off" in found.sentence
    assert "11 cm in the average frame, which the chart shows" in found.detail
    summary = {"validation_error": 0.5, "steps": 3000, "best_step": 3000, "fell_until": 300}
    errors = Errors.of_training({**summary, "validation_of_each": 0.4})
    assert errors is not None and (errors.late, errors.fell, errors.of_each) == (1.0, 0.1, 0.4)
