"""Scorers of one task: each has a row of its own, equal ones are one, and all are there before anything is asked."""

from __future__ import annotations

import asyncio
import json
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from commands import ENV, HERE, earmark
from servers import said, serving

from earmark.config.compose import compose_config
from earmark.engine import load
from earmark.engine.load import load_scorer
from earmark.engine.open import open_judge_model
from earmark.judges import asking
from earmark.report.aggregates import labels
from earmark.report.files import read_metrics
from earmark.runs.open_scorers import OpenScorers
from earmark.runs.scoring import read_scores
from earmark.scorers.choice import ChoiceScorer
from earmark.scorers.choice import Settings as ChoiceSettings
from earmark.scorers.wer import Settings as Wer
from earmark.scorers.wer import WerScorer
from earmark.types import Scorer, Signature

BOTH = "scorers=[{name: choice, parser: mmau}, {name: choice}]"


def ran(*words: str) -> Path:
    """The folder of a run that is made now."""
    before = {*Path("results").rglob("run.json")}
    done = earmark("run", "mine.scored", *words)
    assert done.returncode == 0, done.stderr
    (made,) = {*Path("results").rglob("run.json")} - before
    return made.parent


def states(run: Path) -> dict[str, tuple[int, int, int]]:
    """Of each row how many were asked, answered and unparsed."""
    rows = read_metrics(run).rows
    return {row.scorer: (row.n, row.states["answered"], row.states["unparsed"]) for row in rows}


# ---------------------------------------------------------------- labels


def made(name: str, **settings: Any) -> Scorer:
    return load_scorer(name, settings)


@pytest.mark.parametrize(
    ("scorers", "expected"),
    [
        ([ChoiceScorer()], ["choice"]),
        ([ChoiceScorer(ChoiceSettings("mmau")), ChoiceScorer()], ["choice mmau", "choice earmark"]),
        ([ChoiceScorer(), ChoiceScorer(ChoiceSettings(multi_select=True))], ["choice", "choice all"]),
        ([ChoiceScorer(), ChoiceScorer()], ["choice", "choice"]),
        ([ChoiceScorer(), made("binary_choice")], ["choice", "binary_choice"]),
        ([WerScorer(Wer("en")), WerScorer(Wer("en", unit="characters"))], ["wer wer", "wer cer kept"]),
        ([WerScorer(Wer(normalizer="audiobench", empty="word")), WerScorer()], ["wer audiobench word", "wer earmark"]),
        (
            [made("judge", prompt="sakura"), made("judge", prompt="audiobench", votes=3)],
            ["judge sakura 1", "judge audiobench 3"],
        ),
    ],
    ids=lambda value: value[0] if isinstance(value[0], str) else "",
)
def test_a_label_says_what_differs(scorers: list[Scorer], expected: list[str]) -> None:
    assert labels(scorers) == expected


class Plain:
    """A scorer that is known by its name and a signature alone."""

    name = "plain"
    metrics: dict[str, Any] = {}  # noqa: RUF012

    def __init__(self, signature: Signature) -> None:
        self.signature = signature


def test_labels_differ_where_signatures_do() -> None:
    scorers: list[Any] = [
        Plain(Signature("plain", (("a", "1"), ("b", "2")))),
        Plain(Signature("plain", (("a", "2"), ("b", "1")))),
        Plain(Signature("plain", (("c", "norm.1"),))),
        Plain(Signature("plain", (("c", "norm.2"),))),
    ]
    assert len({*labels(scorers)}) == 4
    assert labels(scorers[2:]) == ["plain c:norm.1", "plain c:norm.2"]


# ---------------------------------------------------------------- rows


def test_two_readers_on_one_task_are_two_rows() -> None:
    run = ran("model=fake", "model.reply=The answer is A", "items=60", BOTH)
    assert states(run) == {"choice mmau": (60, 0, 60), "choice earmark": (60, 60, 0)}
    assert {row.scorer: row.metrics["accuracy"].value for row in read_metrics(run).rows} == {
        "choice mmau": 0.0,
        "choice earmark": 0.5,
    }
    lines = [line.scorer for line in read_scores(run / "scores.jsonl")]
    assert (lines.count("choice mmau"), lines.count("choice earmark")) == (60, 60)
    shown = earmark("show", str(run)).stdout
    assert "task-0 (choice mmau)" in shown
    assert "task-0 (choice earmark)" in shown
    before = (run / "metrics.json").read_bytes()
    assert earmark("rescore", str(run)).returncode == 0
    assert (run / "metrics.json").read_bytes() == before


def test_averages_are_over_one_scorer_each() -> None:
    run = ran("model=fake", "model.reply=The answer is A", "items=10", "tasks=2", BOTH)
    found = {row.scorer: row for row in read_metrics(run).rows if row.task == "mean over tasks"}
    assert {name: (row.n, row.metrics["accuracy"].value) for name, row in found.items()} == {
        "choice mmau": (20, 0.0),
        "choice earmark": (20, 0.5),
    }


def test_equal_scorers_are_one() -> None:
    run = ran("model=fake", "items=10", "scorers=[{name: choice}, {name: choice}]")
    assert states(run) == {"choice": (10, 10, 0)}


def test_a_run_of_before_is_compared_by_what_scored_it() -> None:
    """Another scorer beside the first changes the first one's label, and not what it is."""
    alone = ran("model=fake", "model.name=alone", "items=10")
    beside = ran("model=fake", "model.name=beside", "model.reply=The answer is A", "items=10", BOTH)
    assert states(alone) == {"choice": (10, 10, 0)}
    for first, second, label in ((alone, beside, "choice"), (beside, alone, "choice earmark")):
        done = earmark("compare", str(first), str(second), "--json")
        assert done.returncode == 0, done.stderr
        told = json.loads(done.stdout)
        assert [(row["scorer"], row["difference"]["n"]) for row in told["rows"]] == [(label, 10)]
    both = json.loads(earmark("compare", str(beside), str(beside), "--json").stdout)
    assert {row["scorer"] for row in both["rows"]} == {"choice mmau", "choice earmark"}


# ---------------------------------------------------------------- opened before the first question


def test_a_judge_of_many_tasks_is_composed_and_opened_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("EARMARK_CACHE", str(tmp_path))
    composed, opened = [], []

    def count(words: list[str]) -> Any:
        composed.append(words)
        return compose_config(words)

    def note(settings: Any) -> Any:
        opened.append(settings)
        return open_judge_model(settings)

    monkeypatch.setattr(asking, "compose_config", count)
    monkeypatch.setattr(load, "open_judge_model", note)

    async def all_tasks() -> set[int]:
        async with AsyncExitStack() as stack:
            scorers = OpenScorers(lambda _: (made("judge", judge="fake"), made("binary_choice", judge="fake")), stack)
            return {id(one.scorer) for number in range(224) for one in await scorers.of(f"task-{number}")}

    assert len(asyncio.run(all_tasks())) == 2
    assert (len(composed), len(opened)) == (1, 2)


@pytest.mark.parametrize(
    ("scorer", "told"),
    [
        ("{name: judge, judge: 'http://127.0.0.1:9/v1'}", "the judge http://127.0.0.1:9/v1 cannot be opened: nothing"),
        (
            "{name: binary_choice, judge: 'http://127.0.0.1:9/v1'}",
            "the judge http://127.0.0.1:9/v1 cannot be opened: nothing",
        ),
        ("{name: judge}", "the judge openai/gpt-4o-mini cannot be opened: $OPENAI_API_KEY holds no key"),
        ("{name: comet, python: /nowhere/python}", "COMET needs the package unbabel-comet"),
        ("{name: meteor, wordnet: /nowhere}", "/nowhere: found no file data.noun"),
        ("{name: wer, language: en, compounds: true}", "needs the package kaldialign"),
        ("{name: wer, language: zh}", "the package opencc"),
        ("{name: bleu}", "BLEU and chrF need the package sacrebleu"),
    ],
)
def test_a_scorer_that_is_not_there_ends_a_run_before_it_asks(
    scorer: str, told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in ("kaldialign", "opencc", "sacrebleu"):
        (tmp_path / f"{package}.py").write_text("raise ModuleNotFoundError\n")
    monkeypatch.setitem(ENV, "PYTHONPATH", f"{tmp_path}:{HERE}")
    with serving(lambda *_: said("A")) as server:
        done = earmark(
            "run", "mine.scored", f"model={server.url}", "model.name=x", f"scorers=[{{name: choice}}, {scorer}]"
        )
        assert not server.asked
    assert done.returncode == 4, done.stderr
    (line,) = done.stderr.strip().splitlines()
    assert line.startswith("earmark: ")
    assert told in line
    assert not Path("results").exists()


def test_an_unknown_judge_is_told_before_anything_is_asked() -> None:
    with serving(lambda *_: said("A")) as server:
        done = earmark(
            "run", "mine.scored", f"model={server.url}", "model.name=x", "scorers=[{name: judge, judge: nobody}]"
        )
        assert not server.asked
    assert (done.returncode, "no model is called 'nobody'" in done.stderr) == (2, True)


def test_a_judge_stays_open_from_the_first_question_to_the_last_score(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(ENV, "EARMARK_CACHE", str(tmp_path))
    with serving(lambda *_: said("A robin.")) as server, serving(lambda *_: said("Rating: 4")) as judging:
        spec = f"scorers=[{{name: judge, judge: '{judging.url}'}}]"
        run = ran(f"model={server.url}", "model.name=x", "items=6", "tasks=2", spec)
        assert len(judging.asked) == 6  # the tasks ask alike, and what was judged is remembered
    rows = {row.task: row.metrics["rating"].value for row in read_metrics(run).rows}
    assert rows == {"task-0": 4.0, "task-1": 4.0, "mean over tasks": 4.0}
    signature = read_metrics(run).rows[0].signature
    assert isinstance(signature, Signature)
    assert ("judge", judging.url) in signature.settings
