"""Figures as files."""

from __future__ import annotations

from pathlib import Path

import pytest
from noise_rows import ROWS

from earmark.errors import UsageError
from earmark.report.figures import write_plot
from earmark.report.noise_curve import plot_noise_curve


@pytest.mark.parametrize(
    ("name", "begins"), [("c.png", b"\x89PNG"), ("c.svg", b"<?xml"), ("c.html", b"<!doctype html>")]
)
def test_the_name_tells_the_form_and_the_same_numbers_give_the_same_bytes(
    tmp_path: Path, name: str, begins: bytes
) -> None:
    picture = plot_noise_curve("bench by model", ROWS)
    write_plot(tmp_path / name, picture)
    first = (tmp_path / name).read_bytes()
    assert first.startswith(begins)
    write_plot(tmp_path / name, picture)
    assert (tmp_path / name).read_bytes() == first


def test_other_forms_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"expected a name that ends in \.png, \.svg or \.html"):
        write_plot(tmp_path / "c.pdf", plot_noise_curve("bench by model", ROWS))
