"""Published tables: beside a run, and true to their own averages."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import earmark
from ranked_runs import ran

from earmark.cli._tables import show_table
from earmark.config.folders import yaml_names
from earmark.engine.load import load_benchmark
from earmark.errors import BadData
from earmark.plugins import table_names
from earmark.report.published import load_published


@pytest.mark.parametrize("width", [60, 80, 160, 200])
def test_a_wide_table_goes_on_below_and_cuts_no_number(width: int, capsys: pytest.CaptureFixture[str]) -> None:
    published = load_published(yaml_names("published")["listen"]).models
    head = ("task", "this run", *published)
    rows = [("1_audio_and_text", "11.1 (16.3)", *("34.9 (12.8)" for _ in published)), ("4", "-", *published)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("earmark.terminal.console.FILE_WIDTH", width)
        show_table("beside", head, rows)
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= width
    assert sum(line.count("34.9 (12.8)") for line in lines) == len(published)  # names may be cut, numbers never
    assert any("11.1 (16.3)" in line for line in lines)
    assert all(sum(name in line for line in lines) == 2 for name in published)


def test_what_cannot_be_compared_is_told() -> None:
    run = ran("a", "A", "acoustics:pitch", "items=24")
    done = earmark("compare", str(run), "--paper")
    assert (done.returncode, "no published table of acoustics is known; there are: " in done.stderr) == (2, True)
    done = earmark("compare", str(run))
    assert (done.returncode, "give a second run" in done.stderr) == (2, True)


def test_published_averages_are_means_of_published_numbers() -> None:
    """A slip of the pen in the table would show here: its own averages follow from its cells."""
    from earmark.benchmarks.listen import AVERAGES

    published = load_published(yaml_names("published")["listen"]).models
    checked = 0
    for name, numbers in published.items():
        for average, over in AVERAGES.items():
            if average in numbers:
                mean = sum(numbers[task][0] for task in over) / len(over)
                assert numbers[average][0] == pytest.approx(mean, abs=0.08), (name, average)
                checked += 1
    assert checked == 20


def test_published_tasks_are_those_of_the_benchmark() -> None:
    for name in ("air_bench_foundation", "mmar", "voicebench"):
        table = load_published(yaml_names("published")[name])
        benchmark = load_benchmark(name, [], {})
        known = {*benchmark.tasks, *benchmark.averages}
        assert {task for numbers in table.models.values() for task in numbers} <= known
        assert all(0 <= value <= 100 for numbers in table.models.values() for (value,) in numbers.values())


def test_mmar_averages_are_means_over_items() -> None:
    table = load_published(yaml_names("published")["mmar"])
    facts = load_benchmark("mmar", [], {}).task_facts
    sizes = {task: one.rows or 0 for task, one in facts.items()}
    equal = 0
    for numbers in table.models.values():
        mean = sum(sizes[task] * numbers[task][0] for task in sizes) / sum(sizes.values())
        equal += abs(mean - numbers["overall"][0]) < 0.1
    assert equal == len(table.models) == 36


FREE = {
    "air_bench_foundation",
    "big_bench_audio",
    "fleurs",
    "fleurs_translation",
    "uro_bench",
}  # rows of more than ours
NO_FIGURES = {"Rank", "Size", "LLM Scale", "Num_samples", "Open Source"}  # columns that are none


def figures(path: Path) -> Iterator[float]:
    """Every figure of a transcribed table."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        for row in csv.DictReader(file):
            if "Rank" in row.values():
                continue
            for name, cell in row.items():
                if name not in NO_FIGURES and re.fullmatch(r"[\d.%| -]+", cell or ""):
                    yield from (float(part) for part in re.findall(r"\d+(?:\.\d+)?", cell))


def test_every_figure_of_the_transcribed_leaderboards_is_published(shared: Path) -> None:
    tables = [table for name, path in yaml_names("published").items() if name != "listen"
              for table in load_published(path).every]  # fmt: skip
    known = Counter(values[0] for table in tables for numbers in table.models.values() for values in numbers.values())
    paths = sorted((shared / "data/leaderboards").glob("*.csv"))
    printed = Counter(figure for path in paths for figure in figures(path))
    assert len(paths) == 22
    assert printed - known == Counter()


def test_reports_have_a_reporter_and_a_metric_and_name_the_tasks_of_their_table() -> None:
    for name, path in yaml_names("published").items():
        table = load_published(path)
        for report in table.every:
            assert report.source
            assert report.metric
        if name in table_names("benchmarks") and name not in FREE:
            benchmark = load_benchmark(name, [], {})
            known = {*benchmark.tasks, *benchmark.averages}
            tasks = {task for report in table.every for numbers in report.models.values() for task in numbers}
            assert tasks <= known, name


def test_averages_that_do_not_follow_from_their_parts_have_a_note() -> None:
    notes = {name: " ".join(note for report in load_published(yaml_names("published")[name]).every
                            for note in report.notes) for name in ("mmau", "uro_bench", "ultraeval_spoken")}  # fmt: skip
    for printed in ("73.1", "73.3", "72.73"):
        assert f"printed {printed}" in notes["mmau"]
    assert "66.90" in notes["uro_bench"]
    assert "56.69" in notes["ultraeval_spoken"]


def test_a_file_without_a_number_is_one_line(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text("reports: [{source: x, models: {a: {b: [1]}}}]")
    with pytest.raises(BadData, match="expected models with their source and metric"):
        load_published(path)
