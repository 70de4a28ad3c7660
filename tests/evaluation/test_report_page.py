"""Pages beside a model that somebody else has put there are not opened in a browser."""

from __future__ import annotations

import os

import pytest

from neural_physics.evaluation.report_page import HEAD, only_shows_itself

GOOD = f"{HEAD}<title>Sheet</title><p>a report</p>"


def test_a_page_as_it_is_written_is_opened(tmp_path):
    (tmp_path / "report.html").write_text(GOOD)
    assert only_shows_itself(tmp_path / "report.html")


@pytest.mark.parametrize(
    "page",
    [
        "",
        "<script>fetch('http://stranger')</script>",
        "\ufeff" + GOOD,
        " " + GOOD,
        GOOD.replace("default-src 'none'", "default-src *"),
        GOOD.replace("Content-Security-Policy", "Content-Security-Policy-Report-Only"),
        "<script>1</script>" + GOOD,
        GOOD + "<META\nHTTP-EQUIV=refresh content='0;url=http://stranger'>",
        GOOD + "<svg/><meta/http-equiv='refresh' content='0;url=file:///'>",
        GOOD + "< link rel=dns-prefetch href='//stranger'>",
        GOOD + "<LINK rel=prefetch href='//stranger'>",
    ],
)
def test_any_other_page_is_not(tmp_path, page):
    (tmp_path / "report.html").write_text(page)
    assert not only_shows_itself(tmp_path / "report.html")


def test_what_is_no_file_is_no_page(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for name in ("pipe", "missing", "."):
        assert not only_shows_itself(tmp_path / name)
