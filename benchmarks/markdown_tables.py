"""Tables in Markdown: declared columns, and a line for each row."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

Row = Any


@dataclass(frozen=True)
class Column:
    """head: its name. value: how it is read from a row: a key, keys within each other ("ms.total"), or a
    function. form: of numbers, as `format` has it, or a function; None is left empty.
    """

    head: str
    value: str | Callable[[Row], Any]
    form: str | Callable[[Any], str] = ""

    def cell(self, row: Row) -> str:
        """The formatted text of this column in a row."""
        value = self.value(row) if callable(self.value) else _within(row, self.value)
        if callable(self.form):
            return self.form(value)
        return "" if value is None else format(value, self.form)


def table(columns: Sequence[Column], rows: Iterable[Row]) -> str:
    """The table in Markdown, without a newline at its end."""
    lines = [[column.head for column in columns], ["---"] * len(columns)]
    lines += [[column.cell(row) for column in columns] for row in rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _within(row: Row, keys: str) -> Any:  # noqa: ANN401
    for key in keys.split("."):
        row = row[key]
    return row
