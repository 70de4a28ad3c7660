"""What a search may be asked to vary, and what of that a training understands."""

from __future__ import annotations

import pytest

from learning.methods.subspace_physics.presets import PRESETS
from learning.training.presets import changed
from ml_backend.commands.train import TRAINERS
from ml_backend.search.varied import combinations, usual, varied, words_of
from neural_physics.errors import Problem
from neural_physics.methods.specification import PRESETS as NAMED

PRESET = PRESETS["balanced"]
OTHERS = {"preset": "balanced", "bases": 64, "seed": 0}


def ends(each):
    """The values at the ends of what a setting may have."""
    least, most = (int(each.least), int(each.most)) if each.whole else (each.least, each.most)
    return each.words or (least, most)


@pytest.mark.parametrize("method", TRAINERS.methods())
@pytest.mark.parametrize("name", [name for name, _, _ in NAMED])
def test_every_method_says_what_matters_and_its_trainer_takes_all_of_it(method, name):
    preset = TRAINERS.presets(method)[name]
    space = varied(TRAINERS.searched(method), preset)
    assert len(space) >= 4
    for each in space:
        for value in ends(each):
            (word,) = words_of({each.name: value})
            if word.startswith("--set="):
                read = getattr(changed(preset, [word.removeprefix("--set=")]), each.name)
                assert read == value or str(read).lower() == value
            else:
                assert word.startswith("--bases=") and int(word.removeprefix("--bases=")) >= 1


def test_what_the_preset_has_is_what_is_tried_first_where_it_may_be():
    space = varied(["bases=32,64", "width=1..3", "noise=0.01..0.1", "physics=true,false"], PRESET)
    assert usual(space, PRESET, OTHERS) == {"bases": "64", "width": 1.5, "physics": "true"}


def test_ranges_of_ten_times_and_more_are_walked_by_factors_and_whole_numbers_stay_whole():
    rate, width, layers = varied(["learning_rate=0.001..0.01", "width=1..3", "layers=2..6"], PRESET)
    assert (rate.by_factors, width.by_factors) == (True, False)
    assert (layers.whole, width.whole) == (True, False)


def test_all_combinations_are_there_once_and_none_of_a_range():
    found = combinations(varied(["bases=32,64", "seed=0,1,2", "preset=balanced,final"], PRESET))
    assert len(found) == 12 and len({tuple(each.items()) for each in found}) == 12
    assert combinations(varied(["bases=32,64", "width=1..3"], PRESET)) == []


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("nois=0..1", "setting_unknown"),
        ("noise", "setting_unusable"),
        ("noise=", "setting_unusable"),
        ("noise=0.2..0.1", "setting_unusable"),
        ("noise=-1..1", "setting_unusable"),
        ("noise=0..inf", "setting_unusable"),
        ("noise=a,b", "setting_unusable"),
        ("layers=2.5..4", "setting_unusable"),
        ("loss=paper..metres", "setting_unusable"),
        ("bases=0,8", "setting_unusable"),
        ("bases=8..x", "setting_unusable"),
        ("seed=-1..4", "setting_unusable"),
        ("preset=quick", "setting_unusable"),
        ("preset=balanced..final", "setting_unusable"),
        ("carry=0.5..2", "setting_unusable"),
    ],
)
def test_what_cannot_be_varied_has_its_sentence(text, code):
    with pytest.raises(Problem) as raised:
        varied([text], PRESET)
    assert raised.value.code == code
