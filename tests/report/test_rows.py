"""Rows of a report: what they are titled, what failed in them, and that they are read back as they were written."""

from __future__ import annotations

import msgspec
import pytest

from earmark.report.rows import DatasetCounts, ListeningGain, Metrics, Row, title_of
from earmark.stats.difference import Difference
from earmark.stats.estimate import Estimate
from earmark.types import STATES


def row(scorer: str = "choice", part: str = "", **states: int) -> Row:
    counts = dict.fromkeys(STATES, 0) | {name.replace("_", "-"): count for name, count in states.items()}
    metrics = {"accuracy": Estimate(0.5, 0.3, 0.7), "parse_rate": Estimate(1.0)}
    return Row("pitch", "plain", scorer, "choice|v:1", 20, counts, metrics, slice=part)


@pytest.mark.parametrize(
    ("part", "scorer", "title"),
    [
        ("", "choice", "pitch"),
        ("level=9", "choice", "pitch (level=9)"),
        ("", "choice mmau", "pitch (choice mmau)"),
        ("level=9", "choice mmau", "pitch (level=9, choice mmau)"),
    ],
)
def test_a_title_tells_rows_of_one_task_apart(part: str, scorer: str, title: str) -> None:
    assert title_of("pitch", part, scorer) == row(scorer, part).title == title


def test_only_what_has_no_answer_failed() -> None:
    assert row().failed == 0
    found = row(answered=9, unparsed=2, refused=4, request_failed=3, sound_failed=1, judge_failed=1)
    assert found.failed == 4


def test_a_slice_is_about_one_tag_and_a_mean_over_groups_is_none() -> None:
    assert [row(part=part).is_slice for part in ("", "user=001", "mean over user")] == [False, True, False]


def test_the_first_metric_is_the_headline() -> None:
    assert row().headline == ("accuracy", Estimate(0.5, 0.3, 0.7))


def test_numbers_are_read_back_as_they_were_written() -> None:
    gain = ListeningGain("pitch", "choice", "accuracy", "silence", Difference(0.4, 0.5, 0.1, 0.0, 0.2, 20, 20))
    metrics = Metrics(True, [row(), row(part="level=9")], DatasetCounts(20), ["a note"], gains=[gain])
    assert msgspec.json.decode(msgspec.json.encode(metrics), type=Metrics) == metrics
