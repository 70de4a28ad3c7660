"""What must hold after a fault and at the end. Each check returns what is wrong, a sentence each."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from string import Formatter

from neural_physics.errors import PROBLEMS
from tools.soak.contents import NOT_COMPARED, OPTIONAL, Blends, Contents, digest

TRACEBACK = "Traceback (most recent call last)"
NEVER = "unexpected"  # the Problem that stands for an error which nobody thought of
OF_A_CRASH = ("ended_unexpectedly", "bake_crashed")  # right where a process was killed, or could not write
BUSY = ("object_busy",)


def finished(folder: Path, whole: Contents, blends: Blends) -> dict[str, str]:
    """What is finished in a folder now: the files of complete takes, and others that appear when they are.

    whole: of the folder after an uninterrupted run.
    """
    found = {}
    for name in whole.digests:
        path = folder / name
        unfinished_take = "takes" in path.parts and not is_complete(path.parent)
        if path.is_file() and not unfinished_take and whole.digests[name] != NOT_COMPARED:
            try:
                found[name] = digest(path, blends)
            except Exception as error:  # noqa: BLE001 (whatever a damaged file raises, it is damaged)
                found[name] = f"damaged: {error}"
    return found


def kept(before: Mapping[str, str], after: Mapping[str, str], whole: Contents) -> list[str]:
    """What was finished before must still be there, and what is finished now must read as it should.

    A .blend may have been saved meanwhile: it must open.
    """
    wrong = [f"{name} was finished and is gone" for name in before if name not in after]
    for name, found in after.items():
        if found.startswith("damaged"):
            wrong.append(f"{name} is {found}")
        elif name.endswith(".blend"):
            continue
        elif name in before and before[name] != found:
            wrong.append(f"{name} was finished and is another one now")
        elif found != whole.digests[name]:
            wrong.append(f"{name} counts as finished and is not as an uninterrupted run leaves it")
    return wrong


def same_end(found: Contents, whole: Contents) -> list[str]:
    """The folder must be as an uninterrupted run leaves it, bit for bit, with nothing left over."""
    names = [name for name in whole.digests if Path(name).name not in OPTIONAL]
    wrong = [*found.damaged]
    wrong += [f"{name} is missing at the end" for name in names if name not in found.digests]
    wrong += [
        f"{name} was left over"
        for name in found.digests
        if name not in whole.digests and Path(name).name not in OPTIONAL
    ]
    wrong += [
        f"{name} is not the same as after an uninterrupted run"
        for name in names
        if found.digests.get(name, whole.digests[name]) not in (whole.digests[name], "damaged")
    ]
    return wrong


def failure(printed: str, *, crashed: bool) -> list[str]:
    """A command that failed must have said why, in the sentence of a Problem.

    crashed: whether a process of its was killed, or had no room to say anything.
    """
    codes = codes_in(printed)
    if NEVER in codes:
        return [f"it failed with an error that nobody thought of: {printed[-600:]}"]
    if not codes:
        return [f"it failed without a Problem's sentence: {printed[-600:]}"]
    if not crashed and set(codes) <= set(OF_A_CRASH):
        return [f"a process of it crashed, and nobody had killed it: {printed[-600:]}"]
    return []


def tracebacks(printed: str, folder: Path) -> list[str]:
    """Neither what a command printed nor the log of a job may hold a traceback."""
    wrong = [f"it printed a traceback: {printed[-1500:]}"] if TRACEBACK in printed else []
    for log in sorted(folder.rglob("*.jsonl")):
        with suppress(OSError):  # a job has just ended and tidied up
            text = log.read_text(encoding="utf-8", errors="replace")
            if TRACEBACK in text:
                wrong.append(f"{log.relative_to(folder)} holds a traceback: {text[-1500:]}")
    return wrong


def codes_in(printed: str) -> list[str]:
    """The Problems whose sentences are lines of what was printed."""
    lines = [line.strip() for line in printed.splitlines() if line.strip()]
    return [code for code, pattern in _PATTERNS.items() if any(pattern.fullmatch(line) for line in lines)]


def is_complete(take: Path) -> bool:
    """Whether a take's folder says that all of its frames are there."""
    try:
        return bool(json.loads((take / "take.json").read_bytes())["complete"])
    except (OSError, ValueError, KeyError):
        return False


def _pattern(sentence: str) -> re.Pattern[str]:
    parts = Formatter().parse(sentence)
    return re.compile("".join(re.escape(text) + ("" if name is None else ".*") for text, name, *_ in parts))


_PATTERNS = {code: _pattern(sentence) for code, sentence in PROBLEMS.items()}
