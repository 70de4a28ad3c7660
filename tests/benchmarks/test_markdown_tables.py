"""How a declared column reads a row, and how a table is written."""

from __future__ import annotations

import pytest

from benchmarks.markdown_tables import Column, table

ROW = {"name": "ours", "ms": {"all": 1234.567, "touched": None}, "frames": 12345}


@pytest.mark.parametrize(
    ("column", "cell"),
    [
        (Column("", "name"), "ours"),
        (Column("", "ms.all", ".2f"), "1234.57"),
        (Column("", "frames", ","), "12,345"),
        (Column("", "ms.touched", ".2f"), ""),
        (Column("", lambda row: row["ms"]["all"] / 1e3, ".1f"), "1.2"),
        (Column("", lambda row: row.get("error"), ".3f"), ""),
        (Column("", "ms.touched", lambda value: "never" if value is None else "at times"), "never"),
    ],
)
def test_a_cell_is_what_its_column_reads_of_the_row(column, cell):
    assert column.cell(ROW) == cell


def test_a_row_that_lacks_what_a_column_reads_is_an_error_and_no_empty_cell():
    with pytest.raises(KeyError):
        table([Column("mm", "mm.all", ".1f")], [ROW])


def test_a_table_has_a_head_a_rule_and_a_line_for_each_row():
    columns = [Column("way", "name"), Column("ms", "ms.all", ".0f")]
    assert table(columns, [ROW, ROW]).splitlines() == [
        "| way | ms |",
        "| --- | --- |",
        "| ours | 1235 |",
        "| ours | 1235 |",
    ]
