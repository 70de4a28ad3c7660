"""The sentences for bad input: all are documented, all are used, none is there twice."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from neural_physics.errors import PROBLEMS, Problem

ROOT = Path(__file__).resolve().parents[1]
SENTENCES = ROOT / "neural_physics" / "errors"
ROW = re.compile(r"^\| (.+) `(\w+)` \| (.+) \| (.+) \|$", re.MULTILINE)


def test_the_table_has_every_message_word_for_word_with_a_reason_and_a_way_out():
    rows = ROW.findall((ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8"))
    assert {code: message for message, code, _, _ in rows} == PROBLEMS
    assert len(rows) == len(PROBLEMS)


def test_no_code_is_there_twice():
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in SENTENCES.glob("*.py")]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    tables = [node.value for node in nodes if isinstance(node, ast.AnnAssign) and node.value]
    codes = [key.value for table in tables if isinstance(table, ast.Dict) for key in table.keys]
    assert sorted(codes) == sorted(PROBLEMS)


def test_every_code_is_raised_somewhere_and_no_other_one():
    used, raised = set(), set()
    for folder in ("neural_physics", "learning", "ml_backend", "operators", "panels"):
        for path in (ROOT / folder).rglob("*.py"):
            if path.parent == SENTENCES:
                continue
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    used.add(node.value)
                if (
                    isinstance(node, ast.Call)
                    and isinstance(node.func, ast.Name)
                    and node.func.id == "Problem"
                ):
                    raised |= {a.value for a in node.args[:1] if isinstance(a, ast.Constant)}
    assert set(PROBLEMS) - used == set()
    assert raised - set(PROBLEMS) == set()


@pytest.mark.parametrize("code", sorted(PROBLEMS))
def test_a_message_is_one_sentence_with_its_way_out(code):
    message = PROBLEMS[code]
    assert message.endswith(".") and ". " not in message and ":" in message
    blanks = set(re.findall(r"{(\w+)}", message))
    problem = Problem(code, **{blank: f"<{blank}>" for blank in blanks})
    assert problem.code == code and all(f"<{blank}>" in problem.message for blank in blanks)
    with pytest.raises(KeyError):
        Problem("no_such_code")


@pytest.mark.parametrize("name", ["a\nb", "\x1b[31mred", "\ud800", "\u202egnp.exe"])
def test_names_from_files_do_not_break_a_sentence(name):
    """What moves a terminal's cursor, turns the text about, or cannot be shown at all."""
    message = Problem("file_missing", path=name).message
    message.encode()
    assert message.isprintable() and message.endswith("restore it.")
    assert Problem("file_missing", path="Sprünge – 布.npz").message.startswith("Sprünge – 布.npz does not")
