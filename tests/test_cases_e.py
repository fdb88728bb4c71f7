"""The team's cases of kind e: what a harness does with items, settings and files, each as it was reported."""

from __future__ import annotations

import asyncio
import csv
import json
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest
import soundfile
from aiohttp import web
from commands import ENV, earmark
from servers import Server, said, serving, words

from earmark.data.rows import read_rows
from earmark.engine.cache import CachedModel, ResponseCache
from earmark.journal import Record, read_journal
from earmark.models.fake import FakeModel
from earmark.report.aggregates import Aggregates
from earmark.report.averages import average_rows
from earmark.report.files import write_csv, write_metrics
from earmark.report.rows import DatasetCounts, Metrics, Row
from earmark.runs.rundir import model_dir
from earmark.runs.scoring import read_scores
from earmark.scorers.choice import ChoiceScorer
from earmark.stats.estimate import estimates
from earmark.types import Average, Item, Metric, Prompt, Response, Score, Turn, replace

HERE = Path(__file__)
ELSEWHERE = {"e05": "stats/test_estimate.py", "e21": "test_evaluate.py", "e22": "test_evaluate.py"}
Case = dict[str, Any]


@pytest.fixture(scope="module")
def cases(shared: Path) -> dict[str, Case]:
    lines = map(json.loads, (shared / "cases/cases.jsonl").read_text(encoding="utf-8").splitlines())
    return {case["id"]: case for case in lines if case["kind"] == "e-core"}


@pytest.mark.shared
def test_every_case_has_a_test(cases: dict[str, Case]) -> None:
    here = set(re.findall(r"def test_(e\d\d)_", HERE.read_text(encoding="utf-8")))
    assert set(cases) == here | set(ELSEWHERE)
    assert all(name in (HERE.parent / place).read_text(encoding="utf-8") for name, place in ELSEWHERE.items())


def command(server: Server, items: int, *more: str) -> tuple[str, ...]:
    return ("run", "mine.bench", f"items={items}", f"model={server.url}", "preflight=false", *more)


def one(name: str) -> Path:
    (path,) = Path("results").rglob(name)
    return path


def numbered(body: Mapping[str, Any]) -> int:
    """Which item of the benchmark a request is about."""
    found = re.search(r"\((\d+)\)", words(dict(body)))
    assert found
    return int(found[1])


@pytest.mark.shared
def test_e01_half_a_line_is_removed_and_its_item_asked_again(cases: dict[str, Case]) -> None:
    expected = cases["e01"]["expected"]
    with serving(lambda *_: said("A")) as server:
        assert earmark(*command(server, 4, "model.concurrency=1")).returncode == 0
        journal = one("responses.jsonl")
        kept = journal.read_bytes().splitlines(keepends=True)
        journal.write_bytes(b"".join(kept[:2]) + kept[2][:30])
        one("metrics.json").unlink()
        before = len(server.asked)
        assert earmark(*command(server, 4, "model.concurrency=1")).returncode == 0
        asked = [f"{numbered(body) + 1}" for body in server.asked[before:]]
    assert asked == expected["requests_for"]
    lines = [json.loads(line)["item"]["id"] for line in journal.read_text().splitlines()]
    assert lines == [f"item-{at}" for at in range(4)]
    assert journal.read_bytes().startswith(b"".join(kept[: len(expected["kept"])]))


def test_e03_one_id_for_two_items_is_refused_before_anything_is_asked() -> None:
    with serving(lambda *_: said("B")) as server:
        done = earmark(*command(server, 2, "twice=true"))
        assert not server.asked
    assert done.returncode == 3
    assert "the id 'item-0' stands for two items, number 1 and number 2" in done.stderr


@pytest.mark.shared
def test_e04_every_item_counts_once_however_many_are_under_way(cases: dict[str, Case]) -> None:
    given, expected = cases["e04"]["input"], cases["e04"]["expected"]

    def reply(body: dict[str, Any], _: int) -> web.Response:
        at = numbered(body)
        return said("AB"[at % 2 if at in given["correct_items"] else 1 - at % 2])

    with serving(reply) as server:
        assert earmark(*command(server, given["n_items"], f"model.concurrency={given['ranks']}")).returncode == 0
    records = list(read_journal(one("responses.jsonl")))
    assert len(records) == len({record.item.id for record in records}) == expected["records"]
    (row,) = msgspec.json.decode(one("metrics.json").read_bytes(), type=Metrics).rows
    assert row.metrics["accuracy"].value == pytest.approx(expected["accuracy"])


@pytest.mark.shared
def test_e07_an_item_whose_sound_cannot_be_read_fails_alone(cases: dict[str, Case], tmp_path: Path) -> None:
    given, expected = cases["e07"]["input"], cases["e07"]["expected"]
    for at in range(given["items"]):
        soundfile.write(tmp_path / f"clip-{at}.wav", np.full(160, at, "int16"), 16000)
    (tmp_path / "clip-2.wav").write_bytes(b"no sound at all")
    with serving(lambda *_: said("A")) as server:
        done = earmark(*command(server, 5, f"data={tmp_path}", f"model.concurrency={given['concurrency']}"))
        assert len(server.asked) == expected["ok"]
    assert done.returncode == 7
    (failed,) = (record for record in read_journal(one("responses.jsonl")) if record.failure)
    assert failed.failure
    assert (failed.item.id, failed.failure.state) == ("item-2", "sound-failed")
    assert "clip-2.wav" in failed.failure.message


@pytest.mark.shared
def test_e08_the_order_of_choices_is_the_same_in_every_process(cases: dict[str, Case], shared: Path) -> None:
    listen = ["prompts", "listen:1_audio", f"data={shared / 'fixtures/listen'}", "seed=7", "--json"]

    def told(environment: dict[str, str]) -> str:
        made = subprocess.run(
            [sys.executable, "-m", "earmark", *listen],
            env=ENV | environment,
            capture_output=True,
            text=True,
            check=True,
        )
        return str(made.stdout)

    orders = {told(environment) for environment in cases["e08"]["input"]["processes"]}
    (only,) = orders
    choices = [tuple(json.loads(line)["choices"]) for line in only.splitlines()]
    assert len(set(choices)) > 1  # they are shuffled
    with serving(lambda *_: said("A")) as server:
        assert earmark(*command(server, 1, "seed=7")).returncode == 0
    assert json.loads(one("run.json").read_text())["benchmark"]["settings"]["seed"] == 7


@pytest.mark.shared
def test_e10_an_answer_is_remembered_for_the_same_words_and_settings_only(
    cases: dict[str, Case], tmp_path: Path
) -> None:
    asked = 0

    def reply(_: Prompt) -> str:
        nonlocal asked
        asked += 1
        return "A flute."

    def hit(memory: ResponseCache, request: Case) -> bool:
        settings = {name: value for name, value in request.items() if name not in ("prompt", "model")}
        model = CachedModel(FakeModel(reply, request.get("model", "first")), memory, settings)
        before = asked
        asyncio.run(model.generate(Prompt((Turn("user", (request["prompt"],)),))))
        return asked == before

    given = cases["e10"]["input"]
    with closing(ResponseCache(tmp_path / "answers.sqlite")) as memory:
        assert not hit(memory, given["first"])
        found = ["hit" if hit(memory, request) else "miss" for request in given["then"]]
    assert found == cases["e10"]["expected"]["cache"]


@pytest.mark.parametrize(
    ("change", "status", "told"),
    [
        (
            "model.temperature=0.7",
            0,
            "model.temperature was 0.0 and is 0.7), and stays as it is: a new run begins beside it",
        ),
        ("question=p2", 5, "the prompt has changed"),
        ("model.concurrency=2", 0, "going on with"),
        ("model.concurrency=8", 0, "going on with"),
    ],
)
def test_e12_other_settings_begin_another_run_and_another_speed_does_not(change: str, status: int, told: str) -> None:
    def once(_: dict[str, Any], number: int) -> web.Response:
        return said("A") if number == 1 or number > 2 else web.Response(status=503, text="{}")

    with serving(once) as server:
        begun = command(server, 4, "model.temperature=0", "max_attempts=1")
        assert earmark(*begun, "model.concurrency=1", "max_consecutive_failures=1").returncode == 6
        again = earmark(*begun, change)
    assert again.returncode == status, again.stderr
    assert told in again.stderr


@pytest.mark.shared
def test_e14_an_average_over_tasks_is_told_from_one_over_items(cases: dict[str, Case]) -> None:
    given, expected = cases["e14"]["input"]["datasets"], cases["e14"]["expected"]

    def row(of: Iterator[Row], task: str) -> Row:
        return next(row for row in of if row.task == task)

    apart, pooled, scorer = Aggregates(), Aggregates(), ChoiceScorer()
    for which, dataset in enumerate(given):
        for at in range(dataset["n"]):
            item = Item(f"{which}-{at}", f"t{which}", "?", (), ("yes", "no"), ("A", "B"), ("A",))
            answer = "A" if at < dataset["n"] * dataset["acc"] else "B"
            earned = Score(scorer.counts(item, answer), answer)
            apart.add(Record(item), scorer, earned)
            pooled.add(Record(replace(item, task="all")), scorer, earned)
    macro = row(iter(average_rows({"mean": Average(("t0", "t1"))}, apart.whole)), "mean")
    micro = row(iter(pooled.to_rows()), "all")
    assert macro.metrics["accuracy"].value == pytest.approx(expected["macro"])
    assert micro.metrics["accuracy"].value == pytest.approx(expected["micro"])
    assert str(macro.signature).endswith("|mean:t0+t1")
    assert "mean:" not in str(micro.signature)


@pytest.mark.shared
def test_e15_what_is_no_number_is_null_with_a_reason(cases: dict[str, Case], tmp_path: Path) -> None:
    given = cases["e15"]["input"]["metrics"]

    def always(value: str) -> Metric:
        return Metric(lambda _: float(value))

    undefined = {name: always(told.split()[1]) for name, told in given.items() if name != "text"}
    found = estimates(undefined, {"n": np.ones(3)}, np.arange(3, dtype=np.uint64))
    row = Row("t", "plain", "s", given["text"], 3, {}, found)
    write_metrics(tmp_path, Metrics(True, [row], DatasetCounts(3, {}, ""), []))

    def refuse(name: str) -> float:
        raise AssertionError(f"{name} is no JSON")

    told = json.loads((tmp_path / "metrics.json").read_text(), parse_constant=refuse)["rows"][0]
    assert told["signature"] == given["text"]
    for name in undefined:
        assert told["metrics"][name]["value"] is cases["e15"]["expected"]["json"][name] is None
        assert told["metrics"][name]["why"]


@pytest.mark.shared
def test_e16_tables_are_utf8_and_replies_are_read_with_a_mark_and_without(
    cases: dict[str, Case], tmp_path: Path
) -> None:
    head, line = cases["e16"]["input"]["rows"]
    write_csv(tmp_path / "a.csv", head, [line])
    for encoding in ("utf-8", "utf-8-sig"):
        with (tmp_path / "a.csv").open(newline="", encoding=encoding) as file:
            assert list(csv.DictReader(file)) == [dict(zip(head, line, strict=True))]
        reply = {"id": line[0], "reply": line[1], "target": line[1]}
        (tmp_path / "a.jsonl").write_text(json.dumps(reply, ensure_ascii=False), encoding=encoding)
        scored = earmark("score", str(tmp_path / "a.jsonl"), "--scorer", "exact", "--json")
        assert json.loads(scored.stdout)["metrics"]["exact_match"] == 1.0, scored.stderr


@pytest.mark.shared
def test_e18_the_word_none_is_a_choice_like_any_other(cases: dict[str, Case], tmp_path: Path) -> None:
    import duckdb

    shown = cases["e18"]["expected"]["options_shown"]
    duckdb.execute(
        f"copy (select unnest(?) as choices) to '{tmp_path / 'a.parquet'}' (format parquet)", [list(shown.values())]
    )
    assert [choices for _, choices in read_rows(tmp_path / "a.parquet", ["choices"])] == list(shown.values())
    lines = [
        {"id": f"{name}-{at}", "reply": f"The answer is {choice}.", "target": choice, "choices": choices}
        for name, choices in shown.items()
        for at, choice in enumerate(choices)
    ]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, lines)))
    items = tmp_path / "items.jsonl"
    done = earmark("score", str(tmp_path / "a.jsonl"), "--scorer", "choice", "--items", str(items))
    assert done.returncode == 0, done.stderr
    answers = [json.loads(line)["answer"] for line in items.read_text().splitlines()]
    assert answers == ["A", "B", "C", "D", "A", "B", "C", "D", "A", "B"]


@pytest.mark.shared
def test_e19_folders_have_names_that_every_system_takes(cases: dict[str, Case]) -> None:
    names = {
        model_dir("results", "{model}/{benchmark}", model, "b").parent.name for model in cases["e19"]["input"]["models"]
    }
    assert len(names) == len(cases["e19"]["input"]["models"])
    assert not set("".join(names)) & set(cases["e19"]["expected"]["file_name_has_none_of"].replace(" ", ""))
    assert not {name.lower().partition(".")[0] for name in names} & {"con", "nul", "prn", "aux", "com1", "lpt1"}


@pytest.mark.shared
def test_e20_every_answer_is_kept_with_its_own_question(cases: dict[str, Case]) -> None:
    given = cases["e20"]["input"]

    async def echo(body: dict[str, Any], number: int) -> web.Response:
        await asyncio.sleep(number * 7919 % 50 / 1000)
        return said(f"item-{numbered(body)}")

    with serving(echo) as server:
        assert earmark(*command(server, given["items"], f"model.concurrency={given['concurrency']}")).returncode == 0
        assert server.most_at_once > 8
    records = list(read_journal(one("responses.jsonl")))
    assert len(records) == given["items"]
    assert all(record.response == replace(record.response or Response(""), text=record.item.id) for record in records)
    assert len({line.id for line in read_scores(one("scores.jsonl"))}) == given["items"]
