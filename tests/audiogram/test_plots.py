"""Pictures of audiograms: what is drawn of thresholds and curves, and the library that draws."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from audiogram_plans import DEAF, found_in, hears
from audiogram_runs import EAR, folder
from commands import ENV, earmark
from matplotlib.figure import Figure

from earmark.audiogram.dimensions import FLOOR, TONES, find_dimension
from earmark.audiogram.plots import BEYOND, MODEL, format_scale_end, plot_audiogram, plot_curves, title
from earmark.audiogram.results import Audiogram, ThresholdResult
from earmark.data.install import fit_install_lines
from earmark.report.figures import Plot
from earmark.stats.psychometric import Curve


@pytest.mark.parametrize("command", [["audiogram", *EAR], ["show", "RUN", "--plot", "a.png"]])
def test_without_the_library_that_draws_the_line_to_type_comes_before_anything_is_asked(command: list[str]) -> None:
    if command[0] == "show":
        assert earmark("run", "mine.bench", "items=4", "model=fake", "noise=[0]").returncode == 0
        command = [str(folder()) if word == "RUN" else word for word in command]
    program = "import sys; sys.modules['matplotlib'] = None; from earmark.cli import main; main(*sys.argv[1:])"
    done = subprocess.run(
        [sys.executable, "-c", program, *command], env=ENV, capture_output=True, text=True, check=False
    )
    assert done.returncode == 4, done.stderr
    line = fit_install_lines("pip install 'earmark[plot]'")
    assert done.stderr.strip() == f"earmark: plots need matplotlib, which is not installed; type: {line}"
    assert command[0] == "show" or not Path("results").exists()


def measured(name: str) -> ThresholdResult:
    """A threshold in the middle of the range."""
    return found_in(name, hears(Curve(find_dimension(name).top / 2, 8.0)))


def audiogram(*results: ThresholdResult, condition: str = "plain") -> Audiogram:
    return Audiogram("ear", condition, 0, 30, 2, finished=True, earmark="0", results=list(results), remarks=[])


def drawn(picture: Plot) -> Figure:
    figure = Figure(figsize=(picture.width, picture.height))
    picture.draw(figure)
    return figure


def texts(figure: Figure) -> list[str]:
    return [text.get_text() for axes in figure.axes for text in axes.texts]


def test_a_threshold_stands_at_its_place_between_the_hardest_and_the_easiest() -> None:
    result = measured("pitch")
    dimension = find_dimension("pitch")
    (axes,) = drawn(plot_audiogram(audiogram(result))).axes
    marks = {str(line.get_label()): line.get_xdata() for line in axes.lines}
    assert result.threshold is not None
    assert marks[MODEL] == pytest.approx([dimension.level(result.threshold) / dimension.top])
    assert result.human is not None
    assert marks["human"] == pytest.approx([dimension.level(result.human) / dimension.top])
    assert [label.get_text() for label in axes.get_yticklabels()] == [f"pitch\n({result.unit})"]


def test_what_was_not_measured_is_an_arrow_with_the_reason_and_no_number() -> None:
    figure = drawn(plot_audiogram(audiogram(found_in("pitch", DEAF["always A"]))))
    (axes,) = figure.axes
    labels = [str(line.get_label()) for line in axes.lines]
    assert BEYOND in labels
    assert MODEL not in labels
    assert "not reached" in texts(figure)


def test_tones_are_drawn_by_frequency_beside_the_other_dimensions() -> None:
    tones = [measured("tone-250"), found_in("tone-4000", DEAF["always B"])]
    strips, panel = drawn(plot_audiogram(audiogram(*tones, measured("pitch")))).axes
    assert len(strips.get_yticks()) == 1
    assert panel.get_xscale() == "log"
    assert [label.get_text() for label in panel.get_xticklabels()] == ["250", "4000"]
    (beyond,) = [line for line in panel.lines if line.get_label() == BEYOND]
    assert list(beyond.get_xdata()) == [TONES["tone-4000"]]  # type: ignore[arg-type] # an array
    bottom, top = panel.get_ylim()
    assert bottom > top, "softer tones are higher up"
    assert min(bottom, top) < FLOOR < max(bottom, top)


def test_every_dimension_has_its_curve_and_no_place_is_left_empty() -> None:
    results = [measured(name) for name in ("pitch", "gap", "loudness", "tempo", "duration")]
    figure = drawn(plot_curves(audiogram(*results)))
    shown = [axes for axes in figure.axes if axes.axison]
    assert [axes.get_title().partition("\n")[0] for axes in shown] == [result.dimension for result in results]
    for axes, result in zip(shown, results, strict=True):
        assert result.threshold is not None
        assert axes.get_title().endswith(find_dimension(result.dimension).format_value(result.threshold))


def test_a_title_says_how_it_was_heard() -> None:
    assert title(audiogram()) == "Audiogram of ear"
    assert title(audiogram(condition="noise:10")) == "Audiogram of ear, condition noise:10"


@pytest.mark.parametrize(("value", "text"), [(0.0, "0"), (1234.0, "1200"), (99.6, "100"), (-40.4, "-40")])
def test_ends_of_scales_have_two_digits(value: float, text: str) -> None:
    assert format_scale_end(value) == text
