"""What is raised on bad input."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

from ..edition import FULL
from ..plain_text import one_line
from . import (
    baking,
    capsules,
    contact_corrections,
    datasets,
    files,
    hierarchy,
    imports,
    interaction,
    jobs,
    models,
    playing,
    set_up,
    simulation,
    solver,
    training,
)

LONGEST_PATH, LONGEST_SENTENCE = 1000, 3000  # characters
SUBJECTS = (
    files,
    imports,
    datasets,
    simulation,
    hierarchy,
    interaction,
    capsules,
    solver,
    baking,
    models,
    playing,
    set_up,
    training,
    contact_corrections,
    jobs,
)
PROBLEMS = {code: sentence for subject in SUBJECTS for code, sentence in subject.PROBLEMS.items()}
if FULL:
    from . import training_environment

    PROBLEMS |= training_environment.PROBLEMS


class Problem(Exception):
    """A bad input, explained to the person in one sentence.

    code: a key of `PROBLEMS`. names: what the sentence's blanks are filled with.
    Raises KeyError for a code or a blank that does not exist, so that a slip shows in the tests.
    """

    def __init__(self, code: str, **names: Any) -> None:  # noqa: ANN401 (anything that prints)
        self.code = code
        self.names = names
        self.message = PROBLEMS[code].format(**{name: _shown(name, value) for name, value in names.items()})
        super().__init__(self.message)

    @classmethod
    def reported(cls, code: str, message: str) -> Problem:
        """A problem that another process has already put into words."""
        problem = cls.__new__(cls)
        problem.code, problem.names, problem.message = code, {}, one_line(message, LONGEST_SENTENCE)
        Exception.__init__(problem, problem.message)
        return problem


def _shown(name: str, value: Any) -> Any:  # noqa: ANN401 (anything that prints)
    """Numbers as they are; texts may be a stranger's."""
    if isinstance(value, PurePath) or name == "path":
        return one_line(value, LONGEST_PATH)
    return one_line(value) if isinstance(value, str | BaseException) else value
