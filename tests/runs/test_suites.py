"""From runs to the table of a suite: means by hand, another model beside it, a control, and what is missing."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from click.testing import CliRunner
from suite_data import write_sets

from earmark.cli import earmark as program
from earmark.errors import BadData
from earmark.report.files import read_metrics
from earmark.report.suites import LineRecord, SuiteRecord, SuiteTable
from earmark.runs.suites import build_suite_table, find_suites, published_rows, suite_dir, write_suite
from earmark.types import TaskFacts

WORDS = ("acoustics:pitch,loudness", "librispeech", "mmau", "fleurs", "items=8", "condition=[plain,silence]")


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, SuiteRecord]:
    """Three lines on two models, and a fourth without data."""
    folder = tmp_path_factory.mktemp("suite")
    write_sets(folder / "data")
    results = folder / "results"
    words = [*WORDS, f"data={folder / 'data'}", f"results={results}", "model=fake"]
    words += ["beside=fake", "beside.reply=B", "beside.name=other"]
    done = CliRunner().invoke(program, ["run", *words])
    assert isinstance(done.exception, SystemExit), done.exception
    assert done.exit_code == BadData.status  # fleurs has no data
    assert "words carry (1 of 2)" in done.stdout
    (name,) = (path.name for path in (results / "suites").glob("*"))
    (record,) = find_suites(results, name)
    return results, record


@pytest.fixture
def table(ran: tuple[Path, SuiteRecord]) -> SuiteTable:
    return build_suite_table(ran[1])


def test_each_benchmark_has_its_rows_under_its_official_name(table: SuiteTable) -> None:
    assert [(row.title, row.metric, row.ears) for row in table.rows] == [
        ("acoustics", "accuracy", "yes"),
        ("librispeech clean", "WER", "no"),
        ("librispeech other", "WER", "no"),
        ("mmau", "accuracy", "mixed"),
        ("fleurs", "", ""),
    ]
    assert table.rows[-1].row is None
    assert "found no data/en_us/test.tsv" in table.rows[-1].problem


def test_the_means_are_means_over_benchmarks_of_means_over_tasks(
    table: SuiteTable, ran: tuple[Path, SuiteRecord]
) -> None:
    tones, _, mmau, _ = (read_metrics(Path(line.run)) if line.run else None for line in ran[1].lines)
    assert tones is not None
    assert mmau is not None
    scores: dict[str, float] = {}
    for row in (*tones.rows, *mmau.rows):
        if (row.condition, row.slice) == ("plain", ""):
            scores.setdefault(row.task, row.headline[1].value or 0.0)  # by the official scorer
    ears = (
        (scores["pitch"] + scores["loudness"]) / 2,
        (scores["sound"] + scores["music"]) / 2,
    )
    mean = table.means[0]
    assert (mean.kind, mean.benchmarks, mean.missing) == ("yes", ("acoustics:pitch,loudness", "mmau"), ())
    assert mean.row.headline[1].value == pytest.approx(sum(ears) / 2)
    words = table.means[1]
    assert (words.kind, words.benchmarks, words.missing) == ("no", ("librispeech",), ("fleurs",))
    assert words.row.headline[1].value == 0.0  # every word is wrong: 1 - rate
    assert table.partly == ["mmau:speech"]


def test_another_model_and_a_control_stand_beside(table: SuiteTable) -> None:
    tones = table.rows[0]
    assert tones.difference is not None
    assert tones.gain is not None
    assert tones.row is not None
    value = tones.row.headline[1].value
    assert value is not None
    assert tones.beside is not None
    assert tones.difference.value == pytest.approx(value - (tones.beside.value or 0.0))
    assert tones.gain.control == "silence"
    for mean in table.means:
        assert mean.difference is not None
        assert mean.gain is not None
        assert mean.difference.candidate == pytest.approx(mean.row.headline[1].value)
        assert mean.gain.difference.candidate == pytest.approx(mean.row.headline[1].value)


def test_the_table_is_written_and_made_again(ran: tuple[Path, SuiteRecord], table: SuiteTable) -> None:
    results, record = ran
    folder = suite_dir(results, record.name, record.model)
    before = (folder / "table.csv").read_bytes()
    assert write_suite(results, record) == table
    assert (folder / "table.csv").read_bytes() == before
    with (folder / "table.csv").open(newline="") as file:
        lines = list(csv.DictReader(file))
    assert [line["kind"] for line in lines] == ["row"] * 5 + ["mean"] * 2
    done = CliRunner().invoke(program, ["show", f"suite:{record.name}", str(results)])
    assert done.exit_code == 0
    assert "words carry (1 of 2)" in done.stdout


def test_a_suite_that_was_not_run_is_told_with_those_that_were(ran: tuple[Path, SuiteRecord]) -> None:
    with pytest.raises(BadData, match="the suite 'field' was not run there; there are: "):
        find_suites(ran[0], "field")


def test_a_record_that_is_broken_is_one_line(tmp_path: Path) -> None:
    folder = suite_dir(tmp_path, "mine", "m")
    folder.mkdir(parents=True)
    (folder / "suite.json").write_text("{")
    with pytest.raises(BadData, match="cannot be read"):
        find_suites(tmp_path, "mine")


def test_a_run_that_was_never_scored_is_a_line_without_numbers(tmp_path: Path) -> None:
    line = LineRecord("mmau", run=str(tmp_path / "none"), problem="stopped", facts={"sound": TaskFacts()})
    table = build_suite_table(SuiteRecord("s", "S", "m", (line,)))
    assert [(row.title, row.problem) for row in table.rows] == [("mmau", "stopped")]
    assert table.means == []


def test_published_numbers_are_found_by_the_name_of_the_benchmark() -> None:
    rows = list(published_rows(LineRecord("listen:2B")))
    assert {row.benchmark for row in rows} == {"listen"}
    assert ("Gemini 2.5 Pro", "overall", 35.7) in {(row.model, row.task, row.number) for row in rows}
    assert not list(published_rows(LineRecord("acoustics")))
