"""The table of wheels: read from what an index says, and compared with what it says today."""

from __future__ import annotations

import warnings

import pytest

pytest.importorskip("packaging")

from packaging.requirements import Requirement

from tools.wheels import BEGIN, DOCUMENT, END, asked_for, table, table_in, wheels_of


def files(*names, yanked=()):
    return [{"filename": name, "yanked": name in yanked} for name in names]


def where(asked, *names, yanked=()):
    """The systems and Pythons with a wheel, in short."""
    cells = wheels_of(Requirement(asked), files(*names, yanked=yanked))
    return {f"{system} {python}" for (system, python), cell in cells.items() if cell == "yes"}


@pytest.mark.parametrize(
    ("wheel", "found"),
    [
        ("a-1-cp311-cp311-manylinux_2_28_x86_64.whl", {"Linux x64 3.11"}),
        ("a-1-cp313-cp313-manylinux_2_17_aarch64.manylinux2014_aarch64.whl", {"Linux arm64 3.13"}),
        ("a-1-cp313-cp313t-win_amd64.whl", set()),  # of a Python without its lock
        ("a-1-cp39-abi3-win_amd64.whl", {"Windows x64 3.11", "Windows x64 3.13"}),
        ("a-1-cp312-abi3-macosx_11_0_arm64.whl", {"macOS arm64 3.13"}),
        ("a-1-cp311-cp311-macosx_10_9_universal2.whl", {"macOS arm64 3.11", "macOS x64 3.11"}),
        ("a-1-cp311-cp311-musllinux_1_2_x86_64.whl", set()),
        ("a-1-cp310-cp310-win_amd64.whl", set()),
        ("a-1.tar.gz", set()),
        ("a-2-py3-none-win_amd64.whl", set()),  # which is too new
    ],
)
def test_a_wheel_counts_where_it_can_be_installed(wheel, found):
    assert where("a<2", wheel) == found


def test_what_is_pure_python_counts_everywhere_but_not_if_it_was_withdrawn():
    assert len(where("a", "a-1-py3-none-any.whl")) == 10
    assert where("a", "a-1-py2.py3-none-any.whl", yanked=["a-1-py2.py3-none-any.whl"]) == set()


def test_a_system_that_the_list_leaves_out_is_not_asked_for():
    cells = wheels_of(Requirement('a; sys_platform != "win32"'), files("a-1-py3-none-any.whl"))
    assert cells["Windows x64", "3.11"] == "not asked for" and cells["macOS x64", "3.13"] == "yes"


def test_every_line_of_the_lists_has_its_row(tmp_path):
    (tmp_path / "a.txt").write_text("-r b.txt\nalpha>=1  # why\n")
    (tmp_path / "b.txt").write_text("# only\nBeta==2.*\n")
    made = table(lambda name: files(f"{name}-2-py3-none-any.whl"), tmp_path)
    assert [line.split(" | ")[0] for line in made.splitlines()[2:]] == ["| `alpha>=1`", "| `Beta==2.*`"]
    assert table_in(f"before\n{BEGIN}\nRead:\n\n{made}\n\n{END}\nafter") == made


def test_the_table_is_what_requirements_and_the_index_say_or_there_is_a_warning():
    """No failure: an index changes on its own, and may not be reached."""
    kept = table_in(DOCUMENT.read_text(encoding="utf-8"))
    rows = {line.split(" | ")[0] for line in kept.splitlines()[2:]}
    if rows != {f"| `{text}`" for text in asked_for()}:
        warnings.warn("docs/wheels.md has other lines than requirements/: run `make wheels`", stacklevel=1)
        return
    try:
        now = table()
    except (OSError, ValueError) as error:
        warnings.warn(
            f"the package index cannot be asked whether docs/wheels.md is true: {error}", stacklevel=1
        )
        return
    if now != kept:
        fresh = set(now.splitlines()) - set(kept.splitlines())
        warnings.warn(f"docs/wheels.md is not what the index says: {fresh}: run `make wheels`", stacklevel=1)
