"""The page of a run as data."""

from __future__ import annotations

from pathlib import Path

from viewed_runs import NAME, acoustics, failed, record, six, write_run

from earmark.viewer.filters import EVERYTHING, Filters
from earmark.viewer.results import Results
from earmark.viewer.run_page import (
    answer_counts,
    confusion,
    filter_choices,
    read_json,
    run_counts,
    run_page,
    tag_counts,
)


def test_numbers_of_a_scored_run(tmp_path: Path) -> None:
    run = acoustics(str(tmp_path), "condition=[plain,silence,noise:0]")
    results = Results(tmp_path)
    name = run.relative_to(tmp_path).as_posix()
    page = run_page(results, name)
    assert {(row["task"], row["condition"]) for row in page["rows"]} == {
        ("pitch", "plain"), ("pitch", "silence"), ("pitch", "noise:0")
    }  # fmt: skip
    assert [row["noise"] for row in page["rows"] if row["noise"]] == [["white", 0.0]]
    assert [gain["control"] for gain in page["gains"] if "slice" not in gain] == ["silence"]
    assert page["signature"]["benchmark"]["name"] == "acoustics"
    assert "fake" in page["config"]
    counts = run_counts(results.table(name), Filters(condition="noise:0"))
    assert counts["n"] == 6
    assert {"note": "white noise added at … dB", "n": 6} in counts["sound_notes"]
    for line in counts["sound_notes"]:
        assert results.table(name).count(Filters(condition="noise:0", note=line["note"])) == line["n"]


def test_a_run_that_was_never_scored(tmp_path: Path) -> None:
    write_run(tmp_path, [record(0)], scored=False)
    page = run_page(Results(tmp_path), NAME)
    assert (page["rows"], page["questions"], page["preflight"]) == ([], None, None)


def test_answers_beside_how_often_they_are_right(tmp_path: Path) -> None:
    six(tmp_path)
    table = Results(tmp_path).table(NAME)
    assert answer_counts(table, EVERYTHING) == [
        {"answer": "A", "given": 3, "right": 3},
        {"answer": "B", "given": 2, "right": 3},
        {"answer": None, "given": 1, "right": 0},
    ]
    cells = {(cell["target"], cell["answer"]): cell["n"] for cell in confusion(table, EVERYTHING)["cells"]}
    assert cells == {("A", "A"): 2, ("B", "B"): 1, ("B", None): 1, ("A", "B"): 1, ("B", "A"): 1}
    for (target, answer), n in cells.items():
        assert table.count(Filters(target=target, answer=answer or "(none)")) == n


def test_tags_that_no_benchmark_declares(tmp_path: Path) -> None:
    six(tmp_path)
    table = Results(tmp_path).table(NAME)
    easy, hard = tag_counts(table, EVERYTHING)
    assert (easy["tag"], easy["value"], easy["n"], easy["right"]) == ("level", "easy", 4, 2)
    assert (hard["value"], hard["n"], hard["right"]) == ("hard", 2, 1)
    assert filter_choices(table)["tag"] == ["level=easy", "level=hard"]


def test_failures_by_message(tmp_path: Path) -> None:
    write_run(tmp_path, [failed(0), failed(1), failed(2, "too long")])
    counts = run_counts(Results(tmp_path).table(NAME), EVERYTHING)
    assert [(line["message"], line["n"]) for line in counts["failures"]] == [("the server is away", 2), ("too long", 1)]
    assert counts["states"] == {"request-failed": 3}
    assert counts["confusion"]["cells"] == []


def test_files_that_lead_out_are_not_read(tmp_path: Path) -> None:
    run = six(tmp_path / "results")
    (tmp_path / "secret.json").write_text('{"key": 1}')
    (run / "preflight.json").symlink_to(tmp_path / "secret.json")
    results = Results(tmp_path / "results")
    assert read_json(results, NAME, "preflight.json") is None
    (run / "preflight.json").unlink()
    (run / "preflight.json").write_text("{")
    assert read_json(results, NAME, "preflight.json") is None
