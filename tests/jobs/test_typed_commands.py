"""What is copied for a terminal means the same words there, and runs nothing else."""

from __future__ import annotations

import shlex
import shutil
import subprocess

import pytest

from neural_physics.errors import Problem
from neural_physics.jobs.typed_commands import typed

WORDS = [
    ["blender", "-b", "--command", "neural_physics", "work", "/mnt/farm/A dataset"],
    ["a", "it's", "x & y", "semi;colon", "pipe|d", "tilde ~", "(brackets)", "star*", "#1", "Tür", ""],
    ["openjd", "run", "/srv/bake.yaml", "-p", "Dataset=/srv/of Jo's", "-p", "Workers=4"],
]


@pytest.mark.parametrize("words", WORDS)
def test_shells_read_the_words_that_were_meant(words, tmp_path):
    assert shlex.split(typed(words)) == words
    for shell in ("sh", "bash"):
        if shutil.which(shell):
            said = subprocess.check_output(
                [shell, "-c", f"printf '%s\\n' {typed(words)}"], cwd=tmp_path, text=True
            )
            assert said.split("\n")[:-1] == words


@pytest.mark.parametrize("words", WORDS[:1] + WORDS[2:])
def test_a_path_of_windows_stays_one_word_there(words):
    path = r"\\server\share\A dataset\take & more"
    assert typed([*words, path]).endswith(f' "{path}"')
    with pytest.raises(Problem):
        typed(["C:\\"])  # the quote after it would be taken for a part of it


@pytest.mark.parametrize(
    "word",
    [
        "$(touch x)",
        "`touch x`",
        '" & touch x & "',
        "a\nb",
        "a\rb",
        "%PATH%",
        "!!",
        "a\x1b[31m",
        "^",
        "\u202e",
        *(f"{mark}; touch x; {mark}" for mark in "\u201c\u201d\u201e\u2018\u2019\u201a\u201b"),
    ],
)
def test_what_would_run_when_it_is_pasted_is_refused(word):
    with pytest.raises(Problem) as raised:
        typed(["blender", word])
    assert raised.value.code == "name_acts" and raised.value.message.isprintable()
