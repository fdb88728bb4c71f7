"""Table and files of an audiogram.

audiogram.json      every result, with its curve and the answers at every level
audiogram.csv       the thresholds
audiogram.png       thresholds compared with those of people; curves.png: the psychometric functions
audiogram.html      all of it on a self-contained page
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
from earmark.text.printable import printable
from earmark.types import replace

HEAD: Final = (
    "dimension",
    "threshold",
    "95 % interval",
    "human",
    "vs human",
    "n",
    "catch easy",
    "catch same",
    "missing",
)
CSV: Final = (
    *("dimension", "unit", "outcome", "threshold", "low", "high", "easiest", "hardest"),
    *("human", "human_source", "answers", "unparsed", "failed", "remarks"),
)
LEGEND: Final = (
    "threshold: the level with 75 % right answers, corrected for lapses, fitted to n answers",
    "catch easy: right answers of the catch trials at the easiest level",
    "catch same: answers A of the catch trials with equal sounds",
    "missing: failed trials and unparsed replies",
)


def audiogram_table(results: Iterable[ThresholdResult]) -> list[tuple[str, ...]]:
    """Format results as the lines of a table with the columns `HEAD`."""
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
    """Format a threshold; if there is none the remarks say why."""
    if result.threshold is None:
        return f"<{result.hardest:g}" if result.outcome == "below the range" else "none"
    return f"{result.threshold:.3g}"


def _interval(result: ThresholdResult) -> str:
    """Format the interval of a threshold, with < and > for bounds beyond the range."""
    if result.threshold is None:
        return "-"
    low = f"<{result.hardest:.3g}" if result.low is None else f"{result.low:.3g}"
    high = f">{result.easiest:.3g}" if result.high is None else f"{result.high:.3g}"
    return f"{low} to {high}"


def _versus_human(result: ThresholdResult) -> str:
    """Format a threshold relative to the human one: as a ratio, or as a difference in decibels."""
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
    return [*audiogram.remarks, *remarks, *LEGEND, *(f"human threshold, {line}" for line in sources)]


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
        *(result.dimension, result.unit, result.outcome, result.threshold, result.low, result.high),
        *(result.easiest, result.hardest, result.human, result.human_source),
        *(result.trials, result.unparsed, result.failed, "; ".join(result.remarks)),
    )


def metrics(audiogram: Audiogram) -> Metrics:
    """Convert the thresholds to rows, one per dimension."""
    trials = sum(sum(result.states.values()) for result in audiogram.results)
    return Metrics(audiogram.finished, [_row(result, audiogram) for result in audiogram.results], DatasetCounts(trials))


def _row(result: ThresholdResult, audiogram: Audiogram) -> Row:
    threshold = Estimate(result.threshold, result.low, result.high, result.trials, audiogram.tracks)
    threshold = replace(threshold, method="psychometric function", why="; ".join(result.remarks))
    plan = f"trials:{audiogram.trials}|tracks:{audiogram.tracks}|seed:{audiogram.seed}"
    return Row(
        task=result.dimension,
        condition=audiogram.condition,
        scorer=rundir.AUDIOGRAM_NAME,
        signature=f"{rundir.AUDIOGRAM_NAME}|v:{VERSION}|unit:{result.unit}|{plan}",
        n=sum(result.states.values()),
        states=result.states,
        metrics={"threshold": threshold},
        better="lower",
    )


def to_html(audiogram: Audiogram) -> bytes:
    """Build the page with plots, table, remarks and sources."""
    head = "".join(f"<th>{escape(name)}" for name in HEAD)
    lines = "".join(
        f"<tr>{''.join(f'<td>{escape(cell)}' for cell in line)}" for line in audiogram_table(audiogram.results)
    )
    settings = (
        f"{audiogram.tracks} tracks of {audiogram.trials} trials in each dimension, seed {audiogram.seed}, "
        f"condition {audiogram.condition}, earmark {audiogram.earmark}"
    )
    unfinished = "" if audiogram.finished else "<p><b>Unfinished:</b> rerun the original command to resume."
    notes = "".join(f"<li>{escape(printable(note))}" for note in footnotes(audiogram))
    body = f"""<p>{escape(printable(settings))}</p>{unfinished}
{to_inline_html(plots.plot_audiogram(audiogram))}
<div class="wide"><table><tr>{head}{lines}</table></div>
<ul>{notes}</ul>
<h2>Psychometric functions</h2>
<p>Proportion of right answers by level, with dots scaled by the number of answers; the fitted curve, its threshold and
the 95 % interval in blue, the human threshold dashed. Chance is one half.
{to_inline_html(plots.plot_curves(audiogram))}"""
    return to_page(plots.title(audiogram), body)
