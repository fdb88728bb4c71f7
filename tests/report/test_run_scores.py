"""Scores of a run in columns: the last line about a question counts, and labels follow signatures."""

from __future__ import annotations

import numpy as np

from earmark.journal import Record, ScoreLine, question_key
from earmark.report.run_scores import RunInfo, RunScores, ScoringRules, index_questions
from earmark.scorers import choice
from earmark.stats.count_table import hash64
from earmark.types import Average, Failure, Item, Response, State


def line(item: str, scorer: str = "choice", state: State = "answered", condition: str = "plain") -> ScoreLine:
    return ScoreLine("t", item, condition, 0, scorer, state, counts={"right": 1.0, "n": 1.0})


def answer(item: str, group: str = "", prompt: str = "a", sound: str = "b") -> Record:
    return Record(Item(item, "t", group=group), prompt, sound, response=Response("A"))


def failure(item: str) -> Record:
    return Record(Item(item, "t"), failure=Failure("request-failed", "busy", final=False))


def run(lines: list[ScoreLine], records: list[Record] | None = None, version: str = "1") -> RunScores:
    def rules(_: str, label: str) -> ScoringRules:
        return ScoringRules(f"choice|reader:{label.partition(' ')[2] or 'earmark'}|v:{version}", choice.METRICS)

    return RunScores(RunInfo("a"), rules, lines, records or [])


def test_the_last_line_about_a_question_counts() -> None:
    found = index_questions([failure("1"), answer("2", "g"), answer("1", "h", "c", "")])
    order = [list(found.keys).index(question_key("t", item, "plain", 0)) for item in ("1", "2")]
    assert list(found.failed[order]) == [False, False]
    assert list(found.groups[order]) == [hash64("h"), hash64("g")]
    assert list(found.prompt_digests[order]) == [0xC, 0xA]
    assert list(found.audio_digests[order]) == [0, 0xB]
    assert index_questions([answer("1"), failure("1")]).failed.tolist() == [True]


def test_questions_are_sorted_whatever_order_they_came_in() -> None:
    records = [answer(str(at)) for at in range(50)]
    first, second = index_questions(records), index_questions(records[::-1])
    assert np.array_equal(first.keys, np.unique(first.keys))
    assert np.array_equal(first.keys, second.keys)


def test_an_answer_without_a_verdict_of_the_judge_has_no_score() -> None:
    scores = run([line("1"), line("2", state="judge-failed"), line("3", state="request-failed")])
    (columns,) = scores.scores.values()
    assert (len(columns.keys), list(columns.failed)) == (2, [0, 1])


def test_a_question_is_found_by_its_key_and_what_is_not_there_is_not() -> None:
    scores = run([], [answer("1"), answer("2")])
    keys = np.array([question_key("t", item, "plain", 0) for item in ("2", "9", "1")], np.uint64)
    present, index = scores.find(keys)
    assert present.tolist() == [True, False, True]
    assert scores.questions.keys[index[[0, 2]]].tolist() == keys[[0, 2]].tolist()
    assert not run([]).find(keys)[0].any()


def test_questions_without_a_score_of_what_stands_now_are_counted() -> None:
    lines = [line("1"), line("2", state="request-failed")]
    assert run(lines, [answer("1"), failure("2")]).count_stale() == 0
    assert run(lines, [answer("1"), failure("2"), answer("2")]).count_stale() == 1, "its score is of the failure"
    assert run(lines, [answer("1"), answer("3")]).count_stale() == 1
    assert run(lines).count_stale() == 0


def test_a_scorer_is_known_by_its_signature_under_the_label_of_another_run() -> None:
    alone, several = run([line("1")], version="1"), run([line("1", "choice earmark"), line("1", "choice mmau")])
    same = alone.with_labels_of(several)
    assert list(same.scores) == [("t", "plain", "choice earmark")]
    assert same.rules("t", "choice earmark").signature == alone.rules("t", "choice").signature
    assert list(alone.scores) == [("t", "plain", "choice")], "the run itself stays"
    assert alone.with_labels_of(run([line("1", "choice mmau")])) is alone
    assert several.with_labels_of(several) is several


def test_rows_stand_in_the_order_of_the_run_and_others_behind() -> None:
    info = RunInfo("a", {"tasks": ["z", "a"]}, conditions=("plain", "silence"), averages={"mean": Average(("z", "a"))})
    places = [("new", "plain"), ("mean", "plain"), ("a", "noise:0"), ("a", "silence"), ("z", "silence"), ("z", "plain")]
    assert sorted(places, key=lambda place: info.row_order(*place)) == places[::-1]
