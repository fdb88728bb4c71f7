"""The table of a comparison: who alone got how many right, for programs and papers."""

from __future__ import annotations

from collections.abc import Iterable

from earmark.journal import ScoreLine
from earmark.report.comparison import compare_runs
from earmark.report.comparison_table import HEAD, VALUES, comparison_table, difference_table
from earmark.report.run_scores import RunInfo, RunScores, ScoringRules
from earmark.scorers.bleu import BleuScorer
from earmark.scorers.choice import ChoiceScorer
from earmark.scorers.wer import WerScorer
from earmark.types import Scorer


def side(name: str, scorer: Scorer, counts: Iterable[dict[str, float]]) -> RunScores:
    lines = [
        ScoreLine("t", str(number), "plain", 0, "s", "answered", counts=each) for number, each in enumerate(counts)
    ]
    return RunScores(RunInfo(name), lambda *_: ScoringRules("sig", scorer.metrics), lines, [])


def choices(*marks: int) -> list[dict[str, float]]:
    return [{"right": float(mark), "n": 1.0} for mark in marks]


def errors(*numbers: int) -> list[dict[str, float]]:
    return [{"sub": float(number), "length": 4.0} for number in numbers]


def test_right_answers_of_one_run_alone_are_counted() -> None:
    scorer = ChoiceScorer()
    found = compare_runs(side("a", scorer, choices(1, 1, 0, 1)), side("b", scorer, choices(0, 1, 1, 0, 1)))
    (row,) = found.rows
    assert (row.right_only_baseline, row.right_only_candidate) == (2, 1)
    assert (row.not_in_candidate, row.not_in_baseline) == (0, 1)
    (line,) = comparison_table(found.rows)
    shown = dict(zip(HEAD, line, strict=True))
    assert (shown["only baseline right"], shown["only candidate right"]) == ("2", "1")
    assert (shown["not in candidate"], shown["not in baseline"]) == ("0", "1")


def test_an_answer_without_word_errors_is_right_and_a_grade_is_neither() -> None:
    found = compare_runs(side("a", WerScorer(), errors(0, 0, 2)), side("b", WerScorer(), errors(1, 0, 0)))
    assert (found.rows[0].right_only_baseline, found.rows[0].right_only_candidate) == (1, 1)
    grades = [{"hyp_len": 4.0, "ref_len": 4.0, "correct1": 4.0, "total1": 4.0}]
    graded = compare_runs(side("a", BleuScorer(), grades), side("b", BleuScorer(), grades)).rows[0]
    assert (graded.right_only_baseline, graded.right_only_candidate) == (None, None)
    assert comparison_table([graded])[0][HEAD.index("only baseline right")] == "-"


def test_the_table_for_papers_has_values_and_signatures() -> None:
    scorer = ChoiceScorer()
    found = compare_runs(side("a", scorer, choices(1, 1, 0, 1)), side("b", scorer, choices(0, 1, 1, 0)))
    table = difference_table(found)
    (values,) = table.values
    told = dict(zip(VALUES, values, strict=True))
    assert (told["baseline_model"], told["candidate_model"], told["n"]) == ("a", "b", 4)
    assert (told["baseline"], told["candidate"], told["right_only_baseline"]) == (0.75, 0.5, 2)
    assert table.comments[:2] == ("b minus a", "s: sig")
    assert len(table.head) == len(table.lines[0])
