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

from earmark import folder
from earmark.audiogram import pictures
from earmark.audiogram.dimensions import by_name
from earmark.audiogram.findings import Audiogram, Finding
from earmark.audiogram.trials import VERSION
from earmark.data.cache import write
from earmark.report.figures import drawn, inline, page
from earmark.report.files import write_csv, write_metrics
from earmark.report.rows import Found, Metrics, Row
from earmark.stats.estimate import Estimate

HEAD: Final = ("dimension", "threshold", "95 % interval", "people", "beside", "n", "easy", "alike", "lost")  # fits 80 columns # fmt: skip
CSV: Final = ("dimension", "unit", "outcome", "threshold", "low", "high", "easiest", "hardest", "human", "human_source", "answers", "unread", "failed", "remarks")  # fmt: skip
LEGEND: Final = (
    "threshold: the level at which a listener that never lapses is right in 75 % of the trials, of n answers",
    "beside: the threshold beside people's. easy: catch trials at the easiest level, right of all. alike: answers A, of those about sounds that do not differ",
    "lost: trials without a reply, and replies that could not be read",
)


def table(findings: Iterable[Finding]) -> list[tuple[str, ...]]:
    """The lines of a table under `HEAD`."""
    return [
        (
            f"{one.dimension} ({one.unit})",
            _threshold(one),
            _interval(one),
            "-" if one.human is None else f"{one.human:g}",
            _beside(one),
            str(one.trials),
            f"{one.easy.count}/{one.easy.of}",
            f"{one.same.count}/{one.same.of}",
            str(one.unread + one.failed),
        )
        for one in findings
    ]


def _threshold(one: Finding) -> str:
    """A threshold; where there is none the remarks tell why."""
    if one.threshold is None:
        return f"<{one.hardest:g}" if one.outcome == "below the range" else "none"
    return f"{one.threshold:.3g}"


def _interval(one: Finding) -> str:
    """The interval of a threshold; a bound that lies beyond the range is told as such. Where nothing is measured there is none."""
    if one.threshold is None:
        return "-"
    low = f"<{one.hardest:.3g}" if one.low is None else f"{one.low:.3g}"
    high = f">{one.easiest:.3g}" if one.high is None else f"{one.high:.3g}"
    return f"{low} to {high}"


def _beside(one: Finding) -> str:
    """A threshold beside that of people: so many times as large, or so many decibels above."""
    if one.threshold is None or one.human is None:
        return "-"
    if by_name(one.dimension).decibels:
        return f"{one.threshold - one.human:+.0f} dB"
    times = one.threshold / one.human
    return f"{times:.1f} x" if times < 10 else f"{times:.0f} x"


def footnotes(found: Audiogram) -> list[str]:
    """What must be known beside the table, in a line each: remarks, then where the figures of people come from."""
    remarks = _together((remark, one.dimension) for one in found.findings for remark in one.remarks)
    sources = _together((source_of(one), one.dimension) for one in found.findings)
    return [*found.remarks, *remarks, *LEGEND, *(f"people, {line}" for line in sources)]


def source_of(one: Finding) -> str:
    """Where a human threshold comes from, and how its conditions differ from ours."""
    return f"{one.human_source}: {one.human_differs}" if one.human_source else one.human_differs


def _together(said: Iterable[tuple[str, str]]) -> list[str]:
    """What is said of dimensions, those of which the same is said in one line.

    >>> _together([("trained", "pitch"), ("rounded", "tone-250"), ("rounded", "tone-500")])
    ['pitch: trained', 'tone-250, tone-500: rounded']
    """
    names: dict[str, list[str]] = {}
    for text, name in said:
        names.setdefault(text, []).append(name)
    return [f"{', '.join(found)}: {text}" for text, found in names.items()]


def write_all(where: Path, found: Audiogram) -> None:
    """Write every file of an audiogram but its journal."""
    write(where / "audiogram.json", msgspec.json.format(msgspec.json.encode(found)))
    write_csv(where / "audiogram.csv", CSV, [_line(one) for one in found.findings])
    write(where / "audiogram.png", drawn(pictures.audiogram(found), ".png"))
    write(where / "curves.png", drawn(pictures.curves(found), ".png"))
    write(where / "audiogram.html", as_page(found))
    write_metrics(where, metrics(found))  # last: it says that the audiogram is finished


def _line(one: Finding) -> tuple[Any, ...]:
    return (
        one.dimension, one.unit, one.outcome, one.threshold, one.low, one.high, one.easiest, one.hardest,
        one.human, one.human_source, one.trials, one.unread, one.failed, "; ".join(one.remarks),
    )  # fmt: skip


def metrics(found: Audiogram) -> Metrics:
    """The thresholds as rows: one for each dimension, without a value where none was measured."""
    asked = sum(sum(one.states.values()) for one in found.findings)
    return Metrics(found.finished, [_row(one, found) for one in found.findings], Found(asked))


def _row(one: Finding, found: Audiogram) -> Row:
    threshold = Estimate(
        one.threshold, one.low, one.high, one.trials, found.tracks, "psychometric function", why="; ".join(one.remarks)
    )
    signature = (
        f"{folder.AUDIOGRAM}|v:{VERSION}|unit:{one.unit}|trials:{found.trials}|tracks:{found.tracks}|seed:{found.seed}"
    )
    asked = sum(one.states.values())
    return Row(
        one.dimension,
        found.condition,
        folder.AUDIOGRAM,
        signature,
        asked,
        one.states,
        {"threshold": threshold},
        better="lower",
    )


def as_page(found: Audiogram) -> bytes:
    """The page: pictures, table, remarks and sources."""
    head = "".join(f"<th>{escape(name)}" for name in HEAD)
    lines = "".join(f"<tr>{''.join(f'<td>{escape(cell)}' for cell in line)}" for line in table(found.findings))
    settings = (
        f"{found.tracks} tracks of {found.trials} trials in each dimension, seed {found.seed}, "
        f"condition {found.condition}, earmark {found.earmark}"
    )
    unfinished = "" if found.finished else "<p><b>Unfinished:</b> the command that began it goes on with it."
    notes = "".join(f"<li>{escape(note)}" for note in footnotes(found))
    body = f"""<p>{escape(settings)}</p>{unfinished}
{inline(pictures.audiogram(found))}
<div class="wide"><table><tr>{head}{lines}</table></div>
<ul>{notes}</ul>
<h2>Psychometric functions</h2>
<p>Shares of right answers by level, dots as large as their answers are many; the fitted curve, its threshold and the
threshold's 95 % interval in blue, people's threshold dashed. Half right is what a coin gets.
{inline(pictures.curves(found))}"""
    return page(pictures.title(found), body)
