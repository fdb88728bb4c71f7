"""An audiogram as a table, and as the files that lie beside its journal.

audiogram.json      every finding, with its curve and the answers at every level
audiogram.csv       the thresholds
audiogram.png       thresholds beside those of people; curves.png has the psychometric functions
audiogram.html      all of it on a page that needs nothing beside it
metrics.json        the thresholds as the rows of any run, for `earmark leaderboard`
"""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from pathlib import Path
from typing import Any, Final

import msgspec

from earmark.audiogram import plots
from earmark.audiogram.dimensions import find_dimension
from earmark.audiogram.results import Audiogram, ThresholdResult
from earmark.audiogram.trials import VERSION
from earmark.data.cache import atomic_write
from earmark.report.figures import render, to_inline_html, to_page
from earmark.report.files import write_csv, write_metrics
from earmark.report.rows import DatasetCounts, Metrics, Row
from earmark.runs import rundir
from earmark.stats.estimate import Estimate

HEAD: Final = ("dimension", "threshold", "95 % interval", "people", "beside", "n", "easy", "alike", "lost")  # fits 80 columns # fmt: skip
CSV: Final = ("dimension", "unit", "outcome", "threshold", "low", "high", "easiest", "hardest", "human", "human_source", "answers", "unread", "failed", "remarks")  # fmt: skip
LEGEND: Final = (
    "threshold: the level at which a listener that never lapses is right in 75 % of the trials, of n answers",
    (
        "beside: the threshold beside people's. easy: catch trials at the easiest level, right of all. alike: answers A, "
        "of those about sounds that do not differ"
    ),
    "lost: trials without a reply, and replies that could not be read",
)


def audiogram_table(results: Iterable[ThresholdResult]) -> list[tuple[str, ...]]:
    """The lines of a table under `HEAD`."""
    return [
        (
            f"{result.dimension} ({result.unit})",
            _threshold(result),
            _interval(result),
            "-" if result.human is None else f"{result.human:g}",
            _versus_human(result),
            str(result.trials),
            f"{result.catch_easy.count}/{result.catch_easy.total}",
            f"{result.catch_same.count}/{result.catch_same.total}",
            str(result.unparsed + result.failed),
        )
        for result in results
    ]


def _threshold(result: ThresholdResult) -> str:
    """A threshold; where there is none the remarks tell why."""
    if result.threshold is None:
        return f"<{result.hardest:g}" if result.outcome == "below the range" else "none"
    return f"{result.threshold:.3g}"


def _interval(result: ThresholdResult) -> str:
    """The interval of a threshold; a bound that lies beyond the range is told as such. Where nothing is measured there
    is none.
    """
    if result.threshold is None:
        return "-"
    low = f"<{result.hardest:.3g}" if result.low is None else f"{result.low:.3g}"
    high = f">{result.easiest:.3g}" if result.high is None else f"{result.high:.3g}"
    return f"{low} to {high}"


def _versus_human(result: ThresholdResult) -> str:
    """A threshold beside that of people: so many times as large, or so many decibels above."""
    if result.threshold is None or result.human is None:
        return "-"
    if find_dimension(result.dimension).decibels:
        return f"{result.threshold - result.human:+.0f} dB"
    times = result.threshold / result.human
    return f"{times:.1f} x" if times < 10 else f"{times:.0f} x"


def footnotes(audiogram: Audiogram) -> list[str]:
    """Footnotes of the table, a line each: remarks, then the sources of human thresholds."""
    remarks = _merge_remarks((remark, result.dimension) for result in audiogram.results for remark in result.remarks)
    sources = _merge_remarks((source_of(result), result.dimension) for result in audiogram.results)
    return [*audiogram.remarks, *remarks, *LEGEND, *(f"people, {line}" for line in sources)]


def source_of(result: ThresholdResult) -> str:
    """Source of a human threshold, and how its conditions differ from ours."""
    return f"{result.human_source}: {result.human_differs}" if result.human_source else result.human_differs


def _merge_remarks(remarks: Iterable[tuple[str, str]]) -> list[str]:
    """Group dimensions by remark: one line for each remark.

    >>> _merge_remarks([("trained", "pitch"), ("rounded", "tone-250"), ("rounded", "tone-500")])
    ['pitch: trained', 'tone-250, tone-500: rounded']
    """
    names: dict[str, list[str]] = {}
    for text, name in remarks:
        names.setdefault(text, []).append(name)
    return [f"{', '.join(dimensions)}: {text}" for text, dimensions in names.items()]


def write_all(where: Path, audiogram: Audiogram) -> None:
    """Write every file of an audiogram but its journal."""
    atomic_write(where / "audiogram.json", msgspec.json.format(msgspec.json.encode(audiogram)))
    write_csv(where / "audiogram.csv", CSV, [_line(result) for result in audiogram.results])
    atomic_write(where / "audiogram.png", render(plots.plot_audiogram(audiogram), ".png"))
    atomic_write(where / "curves.png", render(plots.plot_curves(audiogram), ".png"))
    atomic_write(where / "audiogram.html", to_html(audiogram))
    write_metrics(where, metrics(audiogram))  # last: it says that the audiogram is finished


def _line(result: ThresholdResult) -> tuple[Any, ...]:
    return (
        result.dimension, result.unit, result.outcome, result.threshold, result.low, result.high, result.easiest, result.hardest,
        result.human, result.human_source, result.trials, result.unparsed, result.failed, "; ".join(result.remarks),
    )  # fmt: skip


def metrics(audiogram: Audiogram) -> Metrics:
    """The thresholds as rows: one for each dimension, without a value where none was measured."""
    asked = sum(sum(result.states.values()) for result in audiogram.results)
    return Metrics(audiogram.finished, [_row(result, audiogram) for result in audiogram.results], DatasetCounts(asked))


def _row(result: ThresholdResult, audiogram: Audiogram) -> Row:
    threshold = Estimate(
        result.threshold,
        result.low,
        result.high,
        result.trials,
        audiogram.tracks,
        "psychometric function",
        why="; ".join(result.remarks),
    )
    signature = f"{rundir.AUDIOGRAM_NAME}|v:{VERSION}|unit:{result.unit}|trials:{audiogram.trials}|tracks:{audiogram.tracks}|seed:{audiogram.seed}"
    asked = sum(result.states.values())
    return Row(
        result.dimension,
        audiogram.condition,
        rundir.AUDIOGRAM_NAME,
        signature,
        asked,
        result.states,
        {"threshold": threshold},
        better="lower",
    )


def to_html(audiogram: Audiogram) -> bytes:
    """The page: pictures, table, remarks and sources."""
    head = "".join(f"<th>{escape(name)}" for name in HEAD)
    lines = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}' for cell in line)}" for line in audiogram_table(audiogram.results)
    )
    settings = (
        f"{audiogram.tracks} tracks of {audiogram.trials} trials in each dimension, seed {audiogram.seed}, "
        f"condition {audiogram.condition}, earmark {audiogram.earmark}"
    )
    unfinished = "" if audiogram.finished else "<p><b>Unfinished:</b> the command that began it goes on with it."
    notes = "".join(f"<li>{escape(note)}" for note in footnotes(audiogram))
    body = f"""<p>{escape(settings)}</p>{unfinished}
{to_inline_html(plots.plot_audiogram(audiogram))}
<div class="wide"><table><tr>{head}{lines}</table></div>
<ul>{notes}</ul>
<h2>Psychometric functions</h2>
<p>Shares of right answers by level, dots as large as their answers are many; the fitted curve, its threshold and the
threshold's 95 % interval in blue, people's threshold dashed. Half right is what a coin gets.
{to_inline_html(plots.plot_curves(audiogram))}"""
    return to_page(plots.title(audiogram), body)
