"""Other systems, as far as they can be had here: modules as they are loaded there, files that are held."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ACCESS_DENIED, SHARING_VIOLATION, EXISTS_ALREADY = 5, 32, 183


def loaded_on(platform: str, name: str, **modules: object) -> Any:
    """A copy of a module as Python loads it on another system. modules: of that system; None for those it
    has not."""
    spec = importlib.util.find_spec(name)
    assert spec is not None and spec.loader is not None
    copy = importlib.util.module_from_spec(spec)
    with pytest.MonkeyPatch.context() as there:
        there.setattr(sys, "platform", platform)
        for module, substitute in modules.items():
            there.setitem(sys.modules, module, substitute)
        spec.loader.exec_module(copy)
    return copy


def module(**names: object) -> ModuleType:
    """A module of another system that has these."""
    made = ModuleType("substitute")
    vars(made).update(names)
    return made


def refused(winerror: int) -> PermissionError:
    """What Windows says of a file that is held."""
    error = PermissionError(
        13, "The process cannot access the file because it is being used by another process"
    )
    error.winerror = winerror  # type: ignore[attr-defined]
    return error


class HeldFiles:
    """From now on files that this process has open cannot be replaced, renamed or deleted, as on Windows.

    Python opens files there so that this holds for all it opens; what is mapped is open as well.
    by: the processes that it holds for, as in /proc; by default this one.
    """

    def __init__(self, monkeypatch: pytest.MonkeyPatch, by: str = "self") -> None:
        self.refusals: list[str] = []
        self._by = by
        for name in ("replace", "rename", "unlink", "remove"):
            monkeypatch.setattr(os, name, self._careful(getattr(os, name)))
        monkeypatch.setattr(shutil, "_use_fd_functions", False)

    def _careful(self, act: Callable[..., None]) -> Callable[..., None]:
        def refuse_if_held(*paths: Any, **more: Any) -> None:
            if not more.get("dir_fd"):
                for path, winerror in zip(paths, (SHARING_VIOLATION, ACCESS_DENIED), strict=False):
                    if is_open(Path(path), self._by):
                        self.refusals.append(f"{act.__name__} {path}")
                        raise refused(winerror)
            if act.__name__ == "rename" and Path(paths[0]) != Path(paths[1]) and os.path.lexists(paths[1]):
                error = FileExistsError(17, "Cannot create a file when that file already exists")
                error.winerror = EXISTS_ALREADY  # type: ignore[attr-defined]
                raise error
            act(*paths, **more)

        return refuse_if_held


def is_open(path: Path, by: str) -> bool:
    """Whether a process has a file open or mapped, or one below a folder."""
    real = str(path.parent.resolve() / path.name)
    return any(held == real or held.startswith(f"{real}/") for held in _held(by))


def _held(by: str) -> set[str]:
    held = set()
    for number in list(Path("/proc").glob(f"{by}/fd/*")):
        with suppress(OSError):  # that of the list itself, or of what has just ended
            held.add(str(number.readlink()))
    for maps in Path("/proc").glob(f"{by}/maps"):
        with suppress(OSError):
            lines = [line.split(None, 5) for line in maps.read_text(encoding="utf-8").splitlines()]
            held |= {line[5] for line in lines if len(line) == 6}
    return held
