"""The journal of a search: what several computers agree on by it, and what a stranger's file may do."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path

import pytest
from optuna.trial import TrialState

from learning.methods.subspace_physics.presets import PRESETS
from ml_backend.search import journal
from ml_backend.search.journal import LARGEST, MOST_LINES, MOST_TRIALS, Journal
from ml_backend.search.varied import varied
from neural_physics.errors import Problem

SPACE = varied(
    ["learning_rate=0.0005..0.008", "width=1..3", "layers=2..6", "physics=true,false"], PRESETS["final"]
)


@pytest.fixture
def path(tmp_path) -> Path:
    return tmp_path / "m.search" / "journal.jsonl"


def opened(path: Path, *, prunes: bool = True) -> Journal:
    return Journal(path, 3, prunes=prunes)


def test_whoever_goes_on_with_a_trial_finds_the_values_that_it_was_begun_with(path):
    first, second = opened(path), opened(path)
    numbers = [first.begin({"width": 2.0}), second.begin({})]
    assert numbers == [0, 1]
    found = [first.values(number, SPACE) for number in numbers]
    assert [second.values(number, SPACE) for number in numbers] == found
    assert [opened(path).values(number, SPACE) for number in numbers] == found
    assert found[0]["width"] == 2.0 and found[0] != found[1]
    assert all(each.allows(values[each.name]) for each in SPACE for values in found)


def test_what_had_begun_to_begin_a_trial_and_was_killed_is_gone_on_with(path):
    killed = opened(path)
    killed._study.enqueue_trial({"width": 1.25})
    journal = opened(path)
    assert journal.trials() == []
    assert journal.values(journal.begin({"width": 3.0}), SPACE)["width"] == 1.25
    assert len(journal.trials()) == 1


def ended(journal: Journal, error: float) -> None:
    number = journal.begin({})
    journal.values(number, SPACE)
    for step in range(1, 21):
        journal.report(number, step, error * (2.0 - step / 20.0))
    journal.finish(number, TrialState.COMPLETE, error)


@pytest.mark.parametrize("prunes", [True, False])
def test_what_is_behind_half_of_the_others_is_given_up_and_not_at_once(path, prunes):
    journal = opened(path, prunes=prunes)
    for error in (0.1, 0.2, 0.3, 0.4):
        ended(journal, error)
    bad, good = journal.begin({}), journal.begin({})
    assert not any(journal.report(bad, step, 0.9) for step in range(1, 5))
    assert journal.report(bad, 6, 0.9) is prunes
    assert not journal.report(good, 6, 0.2)


def test_a_curve_that_was_reported_before_is_gone_on_with(path):
    journal = opened(path)
    number = journal.begin({})
    journal.report(number, 3, 0.5)
    opened(path).report(number, 5, 0.4)
    assert opened(path).trials()[number].intermediate_values == {1: 0.5, 2: 0.5, 3: 0.5, 4: 0.4, 5: 0.4}


def test_half_a_line_that_a_full_disk_has_left_takes_nothing_with_it(path):
    before = opened(path)
    number = before.begin({"width": 2.0})
    values = before.values(number, SPACE)
    with path.open("ab") as file:
        file.write(b'{"op_code": 6, "worker_id": "')
    journal = opened(path)
    assert journal.values(number, SPACE) == values
    journal.finish(number, TrialState.COMPLETE, 0.25)
    assert [trial.value for trial in opened(path).trials()] == [0.25]


def test_a_trial_that_has_ended_stays_as_it_ended(path):
    journal = opened(path)
    ended(journal, 0.3)
    opened(path).finish(0, TrialState.FAIL)
    (trial,) = journal.trials()
    assert trial.state == TrialState.COMPLETE and trial.value == 0.3


def test_what_was_said_first_of_a_search_stays(path):
    assert opened(path).about({"dataset": "a"}) == {"dataset": "a"}
    assert opened(path).about({"dataset": "b"}) == {"dataset": "a"}


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def line(operation: int, **more: object) -> bytes:
    """As Optuna writes them; 4 begins a trial."""
    said = {"op_code": operation, "worker_id": "", "study_id": 0, "datetime_start": None, **more}
    return json.dumps(said).encode() + b"\n"


OF_PYTHON = json.dumps({"name": "os.system", "attributes": {"command": "touch ran"}})
HOSTILE = {
    "no JSON": b"hello\n",
    "no object": b"[1]\n",
    "no operation": b"{}\n",
    "nested without end": b"[" * 100_000 + b"\n",
    "no text": b"\xff\xfe\n",
    "an unknown operation": line(99),
    "a study without a name": line(0),
    "a distribution of Python": line(4, params={"a": 1}, distributions={"a": OF_PYTHON}),
    "a state that is none": line(4, state=77),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_journal_of_somebody_else_ends_in_one_sentence(path, case):
    ended(opened(path), 0.3)
    whole = path.read_bytes()
    path.write_bytes(whole + HOSTILE[case] + whole)
    with pytest.raises(Problem) as raised:
        opened(path).trials()
    assert raised.value.code == "search_damaged" and "\n" not in raised.value.message


ENDED = {"state": 1, "datetime_complete": "2026-01-01T00:00:00+00:00"}
SAYS_WHAT_NONE_DOES = {
    "two errors": line(4, values=[0.1, 0.2], **ENDED),
    "a text for an error": line(4, values=["0.1"], **ENDED),
    "a text as a value": line(4, value="0.1", **ENDED),
    "an error that is no number": line(4, values=[math.nan], **ENDED),
    "an error of 400 digits": line(4, values=[10**400], **ENDED),
    "a number of notes": line(4, user_attrs=5),
}


@pytest.mark.parametrize("case", SAYS_WHAT_NONE_DOES)
def test_a_trial_that_says_what_none_does_ends_in_one_sentence(path, case):
    ended(opened(path), 0.3)
    path.write_bytes(path.read_bytes() + SAYS_WHAT_NONE_DOES[case])
    with pytest.raises(Problem) as raised:
        opened(path).trials()
    assert raised.value.code == "search_damaged" and "\n" not in raised.value.message


def test_a_trial_is_found_by_its_number_where_one_before_it_waits(path):
    opened(path)
    path.write_bytes(path.read_bytes() + line(4, state=4) + line(4))
    assert [trial.number for trial in opened(path).trials()] == [1]
    assert opened(path).trial(1).number == 1


OF_ANY_SIZE = json.dumps(
    {"name": "IntDistribution", "attributes": {"low": 0, "high": 10**12, "step": 1, "log": False}}
)
NOT_SEARCHED = {
    "bases that take all memory": line(4, params={"bases": 1e12}, distributions={"bases": OF_ANY_SIZE}),
    "bases to begin with": line(4, state=4, system_attrs={"fixed_params": {"bases": 10**12}}),
    "a seed below 0": line(4, state=4, system_attrs={"fixed_params": {"seed": -7}}),
    "a width of 600": line(4, state=4, system_attrs={"fixed_params": {"width": 600.0}}),
    "a width of 400 digits": line(4, state=4, system_attrs={"fixed_params": {"width": 10**400}}),
    "a text for a width": line(4, state=4, system_attrs={"fixed_params": {"width": "x"}}),
    "another preset": line(4, state=4, system_attrs={"fixed_params": {"preset": "../x"}}),
}


@pytest.mark.filterwarnings("ignore")  # Optuna's, which uses them
@pytest.mark.parametrize("case", NOT_SEARCHED)
def test_values_that_are_not_searched_are_not_used(path, case):
    opened(path)
    path.write_bytes(path.read_bytes() + NOT_SEARCHED[case])
    journal = opened(path)
    number = journal.begin({}) if "fixed_params" in NOT_SEARCHED[case].decode() else 0
    space = varied(["width=1..3", "bases=1..3", "seed=0..3", "preset=preview,final"], PRESETS["final"])
    with pytest.raises(Problem) as raised:
        journal.values(number, space)
    assert number == 0 and raised.value.code == "search_damaged"


OF_NO_SEARCH = {
    "a curve of countless steps": line(4)
    + b"".join(line(7, trial_id=0, step=step, intermediate_value=0.1) for step in range(MOST_LINES + 1)),
    "countless notes of the search": b"".join(line(2, user_attr={str(n): 0}) for n in range(MOST_LINES + 1)),
    "countless trials": line(4) * (MOST_TRIALS + 1),
    "countless trials that wait": line(4, state=4) * (MOST_TRIALS + 1),
    "another study": line(0, study_name="another", directions=[1]),
    "a study of two errors": line(0, study_name="search", directions=[1, 1]),
}


@pytest.mark.parametrize("case", OF_NO_SEARCH)
def test_a_journal_of_more_than_any_search_has_is_not_read_to_its_end(path, case):
    opened(path)
    path.write_bytes(path.read_bytes() + OF_NO_SEARCH[case])
    with pytest.raises(Problem) as raised:
        opened(path)
    assert raised.value.code == "search_damaged"


def test_a_journal_that_takes_longer_than_any_is_not_read_to_its_end(path, monkeypatch):
    monkeypatch.setattr(journal, "LONGEST", 0.2)
    opened(path)
    about = {"param_value_internal": 0, "distribution": OF_ANY_SIZE}
    names = (line(5, trial_id=n // 500, param_name=f"{n}", **about) for n in range(3000))
    path.write_bytes(path.read_bytes() + line(4) * 9000 + b"".join(names))  # 15 s
    with pytest.raises(Problem) as raised:
        opened(path)
    assert raised.value.code == "search_damaged"


def test_any_number_of_processes_takes_part_one_after_the_other(path):
    opened(path)
    path.write_bytes(path.read_bytes() + line(0, study_name="search", directions=[1]) * (MOST_LINES + 1))
    ended(opened(path), 0.3)
    assert len(opened(path).trials()) == 1


def test_what_it_says_of_itself_is_no_more_than_data(path):
    journal = opened(path)
    journal.about({"dataset": "a"})
    said = lines(path)
    said[-1]["user_attr"] = {"about": "__import__('os').system('touch ran')"}
    path.write_text("".join(json.dumps(line) + "\n" for line in said))
    assert opened(path).about({"dataset": "a"}) == {}
    assert not (Path.cwd() / "ran").exists()


def test_a_journal_larger_than_any_search_has_is_not_read(path):
    path.parent.mkdir()
    with path.open("wb") as file:
        file.truncate(LARGEST + 1)
    with pytest.raises(Problem) as raised:
        opened(path)
    assert raised.value.code == "search_damaged"


def test_a_pipe_is_not_waited_for_and_a_link_not_followed(path, tmp_path):
    path.parent.mkdir()
    os.mkfifo(path)
    with pytest.raises(Problem) as raised:
        opened(path)
    assert raised.value.code == "search_damaged"
    path.unlink()
    (tmp_path / "mine").write_text("mine")
    path.symlink_to(tmp_path / "mine")
    with pytest.raises(Problem) as raised:
        opened(path)
    assert raised.value.code == "place_is_link" and (tmp_path / "mine").read_text() == "mine"


@pytest.mark.parametrize("what", ["journal", "folder"])
def test_a_journal_that_is_exchanged_for_a_link_while_it_is_searched_is_not_written_through(
    path, tmp_path, what
):
    """Whoever searches along may do so at any time, and a line's text may be a stranger's."""
    own = tmp_path / "own" / path.name
    own.parent.mkdir()
    own.write_text("mine\n" * 1000)
    mine = opened(path)
    number = mine.begin({})
    if what == "journal":
        path.rename(tmp_path / "aside")
        path.symlink_to(own)
    else:
        path.parent.rename(tmp_path / "aside")
        path.parent.symlink_to(own.parent)
    with pytest.raises(Problem) as caught:
        mine.finish(number, TrialState.FAIL, why="$(touch RAN)")
    assert caught.value.code == "place_is_link" and own.read_text() == "mine\n" * 1000
