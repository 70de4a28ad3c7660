"""What a person sees of a job where nothing draws bars."""

from __future__ import annotations

from learning.plain_display import plain_display


def test_a_line_for_each_tenth_then_the_result(capsys):
    with plain_display() as emit:
        for done in range(0, 101):
            emit({"event": "progress", "stage": "Training", "done": done, "total": 100, "seconds_left": 3.0})
        emit({"event": "progress", "stage": "Drawing", "done": 0, "total": 0, "seconds_left": None})
        emit({"event": "log", "text": "A note."})
        emit({"event": "result", "model": "m.safetensors", "steps": 7, "notes": []})
        emit({"event": "error", "code": "stopped", "message": "It was stopped."})
    shown = capsys.readouterr()
    lines = shown.out.splitlines()
    assert lines[:2] == ["Training: 0 %, 3 s left", "Training: 10 %, 3 s left"] and len(lines) == 11 + 4
    assert lines[11:] == ["Drawing: 0 %", "A note.", "model: m.safetensors", "steps: 7"]
    assert shown.err == "It was stopped.\n"


def test_what_a_file_has_put_into_a_line_does_nothing_to_the_terminal(capsys):
    with plain_display() as emit:
        emit({"event": "log", "text": "take\x1b]0;title\x07\n: 1 of 5 frames, \udcff" + "x" * 10_000})
        emit({"event": "result", "model": "m\x1b[2J"})
    first, second = capsys.readouterr().out.splitlines()
    assert first.isprintable() and second.isprintable() and len(first) <= 3000
