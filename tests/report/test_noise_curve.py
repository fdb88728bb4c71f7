"""The curve of a score in noise: what is drawn of rows, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from earmark.errors import UsageError
from earmark.report.figures import write_plot
from earmark.report.noise_curve import plot_noise_curve
from earmark.report.rows import Row
from earmark.stats.estimate import Estimate
from earmark.types import STATES


def row(task: str, condition: str, value: float | None, slice: str = "") -> Row:  # noqa: A002 - as the row has it
    estimate = Estimate(value) if value is None else Estimate(value, value - 0.1, value + 0.1)
    return Row(
        task,
        condition,
        "choice",
        "",
        20,
        dict.fromkeys(STATES, 0),
        {"accuracy": estimate},
        guess_rate=0.25,
        slice=slice,
    )


ROWS = [
    row("words", "noise:-10", 0.3),
    row("words", "plain", 0.9),
    row("words", "noise:20", 0.8),
    row("words", "noise:0", 0.6),
    row("words", "silence", 0.25),
    row("words", "noise:babble@0", 0.4),
    row("words", "noise:pink@0", None),
    row("words", "noise:0", 0.1, "user=1"),
    row("tones", "plain", 0.5),
]


def drawn(rows: list[Row]) -> Figure:
    picture = plot_noise_curve("bench by model", rows)
    figure = Figure()
    picture.draw(figure)
    return figure


def test_what_is_drawn() -> None:
    (axes,) = drawn(ROWS).axes  # tones were not heard in noise
    marks, names = axes.get_legend_handles_labels()
    assert set(names) == {"plain", "silence", "chance", "white noise, 95 % interval", "babble noise, 95 % interval"}
    curves = [line.get_xydata().tolist() for line in axes.lines]  # type: ignore[union-attr] # None before it is drawn
    assert [[-10, 0.3], [0, 0.6], [20, 0.8]] in curves
    heights = {name: mark.get_ydata()[0] for mark, name in zip(marks, names, strict=True) if isinstance(mark, Line2D)}  # type: ignore[index] # an array
    assert heights == {"plain": 0.9, "silence": 0.25, "chance": 0.25}
    left, right = axes.get_xlim()
    assert left > right  # noise grows to the right
    assert axes.get_ylim() == (0.0, 1.02)


def test_a_run_without_noise_is_refused_with_what_to_type() -> None:
    with pytest.raises(UsageError, match=r"only plain; the plot needs a run with noise=\[20,10,0,-10\]"):
        plot_noise_curve("bench by model", [row("words", "plain", 0.9)])


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
