"""What a person at a terminal reads of a job."""

from __future__ import annotations

import pytest

pytest.importorskip("rich")
pytestmark = pytest.mark.torch

from ml_backend.commands.terminal import Terminal


def test_names_and_paths_are_shown_as_they_are_whatever_brackets_they_hold(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    names = ["/home/me/[old]/sheet", "/home/me/[/bold]/sheet", ":smile: [link=x]"]
    with Terminal() as terminal:
        for name in names:
            progress = {"done": 1, "total": 2, "seconds_left": None}
            terminal.emit({"event": "progress", "stage": f"Reading {name}", **progress})
            terminal.emit({"event": "log", "text": f"log {name}"})
        terminal.emit({"event": "result", "model": names[0]})
        terminal.emit({"event": "error", "code": "file_missing", "message": f"{names[1]} is not there."})
    shown = capsys.readouterr().out
    assert all(f"Reading {name}" in shown and f"log {name}" in shown for name in names)
    assert f"model: {names[0]}" in shown and f"{names[1]} is not there." in shown


def test_what_a_file_has_put_into_a_line_does_nothing_to_the_terminal(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    name = "take\x1b[2J\x9b2J\n\udcff"
    with Terminal() as terminal:
        terminal.emit({"event": "progress", "stage": name, "done": 1, "total": 2, "seconds_left": None})
        terminal.emit({"event": "log", "text": name})
        terminal.emit({"event": "result", "model": name})
    shown = capsys.readouterr().out
    assert "take [2J 2J" in shown and "model: take [2J 2J" in shown
    assert "\x1b[2J" not in shown and "\x9b" not in shown
