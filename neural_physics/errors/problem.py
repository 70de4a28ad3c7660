"""What is raised on bad input."""

from __future__ import annotations

from typing import Any

from ..edition import FULL
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


def _printable(sentence: str) -> str:
    """One line: names come from files, and may hold what moves a terminal's cursor, or what nothing can show."""
    if sentence.isprintable():
        return sentence
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in sentence)


class Problem(Exception):
    """A bad input, explained to the person in one sentence.

    code: a key of `PROBLEMS`. names: what the sentence's blanks are filled with.
    Raises KeyError for a code or a blank that does not exist, so that a slip shows in the tests.
    """

    def __init__(self, code: str, **names: Any) -> None:  # noqa: ANN401 (anything that prints)
        self.code = code
        self.names = names
        self.message = _printable(PROBLEMS[code].format(**names))
        super().__init__(self.message)

    @classmethod
    def reported(cls, code: str, message: str) -> Problem:
        """A problem that another process has already put into words."""
        problem = cls.__new__(cls)
        problem.code, problem.names, problem.message = code, {}, message
        Exception.__init__(problem, message)
        return problem
