"""Rows by a tag that the benchmark does not declare."""

from __future__ import annotations

from pathlib import Path

import pytest
from viewed_runs import acoustics, failed, record, six, write_lines

from earmark.errors import BadData, UsageError
from earmark.report.files import read_metrics
from earmark.runs.slices import scored_records, slice_rows


def test_a_declared_tag_gives_the_rows_that_the_report_has(tmp_path: Path) -> None:
    run = acoustics(str(tmp_path), "condition=[plain,silence]")
    declared = [row for row in read_metrics(run).rows if row.slice.startswith("level=")]
    assert declared
    assert slice_rows(run, "level") == declared
    with pytest.raises(UsageError, match=r"no item has the tag 'tempo'; there are: .*level"):
        slice_rows(run, "tempo")


def test_scores_come_with_their_records_and_must_fit(tmp_path: Path) -> None:
    run = six(tmp_path)
    assert [(record.item.id, line.id) for record, line in scored_records(run)] == [
        (f"item-{number}", f"item-{number}") for number in range(6)
    ]
    write_lines(run / "responses.jsonl", [record(0), failed(1)])
    with pytest.raises(BadData, match=r"does not fit the journal from all, item item-2 on; .*earmark rescore"):
        list(scored_records(run))
