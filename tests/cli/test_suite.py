"""`earmark run` of suites: killed and gone on with, half of the data away, a budget for all, one model for all."""

from __future__ import annotations

import csv
import json
import os
import shutil
import signal
import time
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import pytest
import table_data as data
from aiohttp import web
from click.testing import CliRunner, Result
from commands import started
from servers import said, serving
from suite_data import write_sets

from earmark import errors
from earmark.cli import earmark as program
from earmark.journal import read_keys
from earmark.models import fake
from earmark.types import Context

SUITE = """
title: Mine
settings: {preflight: false}
lines:
  - mmar
  - librispeech
  - {benchmark: mmau, settings: {prompt: step}}
"""


@pytest.fixture
def mine() -> str:
    Path("mine.yaml").write_text(SUITE)
    write_sets(Path("data"))
    return "suite:mine.yaml"


def run(*words: str, status: int = 0) -> Result:
    done = CliRunner().invoke(program, ["run", *words])
    assert done.exit_code == status, (done.output, done.exception)
    return done


def answers() -> int:
    return sum(1 for journal in Path("results").rglob("responses.jsonl") for _ in read_keys(journal))


def test_a_suite_that_is_killed_goes_on_and_asks_nothing_twice(mine: str) -> None:
    words = (mine, "data=data", "model=fake", "model.seconds=0.3", "model.concurrency=1")
    process = started("run", *words)
    while answers() < 9:  # the first line is done, and the second begun
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    before = answers()
    assert before < 12
    run(*words)
    assert answers() == 12
    assert sorted(path.parent.name for path in Path("results/fake").glob("*/*")) == ["librispeech", "mmar", "mmau"]


def test_what_is_done_is_not_asked_again_and_a_new_policy_asks_nothing(mine: str) -> None:
    with serving(lambda _, n: said("A")) as server:
        words = (mine, "data=data", f"model={server.url}")
        run(*words)
        asked = len(server.asked)
        assert asked == 12
        done = run(*words, "policy=earmark")
        assert len(server.asked) == asked
        assert "going on with" in done.stderr
        run(*words, "resume=false")
        assert len(server.asked) == 2 * asked


def test_half_of_the_data_away_leaves_a_line_that_says_so(mine: str) -> None:
    shutil.rmtree("data/mmar")
    Path("data/mmau/test-mini-audios/m-2.wav").unlink()
    done = run(mine, "data=data", "model=fake", status=errors.BadData.status)
    lines = done.stdout.splitlines()
    assert any(line.startswith("mmar") and "no number" in line for line in lines)
    assert "mmar: data: found no MMAR-meta.jsonl" in done.stdout
    assert "mmau: music: 1 of 1 clips are not there: data/mmau/test-mini-audios/m-2.wav" in done.stderr
    assert "needs ears (1 of 2)" in done.stdout
    data.mmar_github(Path("data/mmar"))
    assert "needs ears (2 of 2)" in run(mine, "data=data", "model=fake", status=errors.FINISHED_WITH_FAILURES).stdout


def test_tasks_whose_data_is_there_are_run_without_the_others() -> None:
    data.voicebench(Path("data/voicebench"))
    shutil.rmtree("data/voicebench/alpacaeval")
    done = run("voicebench:alpacaeval,openbookqa", "mmau", "data=data", "model=fake", "judge=smollm2", status=3)
    assert "voicebench:alpacaeval,openbookqa: no data for 1 of 2 tasks: alpacaeval" in done.stdout
    assert any(line.startswith("voicebench openbookqa") for line in done.stdout.splitlines())


def test_a_scorer_that_cannot_be_opened_is_a_line_and_the_rest_runs() -> None:
    write_sets(Path("data"))
    data.big_bench_fixie(Path("data/big_bench_audio"))
    done = run("big_bench_audio", "mmau", "data=data", "model=fake", status=errors.BadSetup.status)
    assert "big_bench_audio: the judge openai/gpt-4o-mini cannot be opened" in done.stdout
    assert "needs ears (1 of 1)" in done.stdout


def test_a_budget_holds_for_the_whole_suite(mine: str) -> None:
    prices = "model.prices={in: 1000000}"  # 7 for an answer
    with serving(lambda _, n: said("A")) as server:
        words = (mine, "data=data", f"model={server.url}", prices, "model.concurrency=1")
        run(*words, "budget=60", status=errors.RunStopped.status)
        assert len(server.asked) == 9
        run(*words, "budget=200")
        assert len(server.asked) == 12


def test_a_server_that_is_gone_stops_the_lines_after_it(mine: str) -> None:
    with serving(lambda _, n: web.Response(status=500)) as server:
        words = (mine, "data=data", f"model={server.url}", "max_attempts=1", "max_consecutive_failures=2")
        done = run(*words, "retry_timeout=0", "model.concurrency=1", status=errors.RunStopped.status)
        assert len(server.asked) <= 3
        assert "mmau: not asked, since another line stopped" in done.stdout


def test_the_plan_is_told_before_the_first_question(mine: str) -> None:
    done = run(mine, "data=data", "model=fake", "model.prices={minute: 60}", "condition=[plain,silence]")
    (all_of_it,) = (line.split() for line in done.stderr.splitlines() if line.startswith("all "))
    assert all_of_it[:4] == ["all", "12", "24", "12"]
    assert "not there: 0" in done.stderr
    assert float(all_of_it[-1]) == pytest.approx(24 * 0.1 / 60 * 60, abs=0.02)


def test_the_model_is_opened_once_for_all_lines(mine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    load = fake.load

    def count(settings: fake.Settings, context: Context) -> AbstractAsyncContextManager[fake.FakeModel]:
        opened.append(settings.name)
        return load(settings, context)

    monkeypatch.setattr(fake, "load", count)
    run(mine, "data=data", "model=fake", "beside=fake", "beside.name=other")
    assert opened == ["fake", "other"]


def test_settings_of_the_other_model_need_one(mine: str) -> None:
    done = CliRunner().invoke(program, ["run", mine, "data=data", "model=fake", "beside.name=x"])
    assert isinstance(done.exception, errors.UsageError)
    assert "beside=MODEL" in str(done.exception)


def test_the_table_of_a_suite_comes_in_every_form(mine: str) -> None:
    run(mine, "data=data", "model=fake", status=0)
    forms = {
        form: CliRunner().invoke(program, ["show", mine, "results", f"--{form}"]).stdout
        for form in ("markdown", "latex", "csv", "json")
    }
    assert forms["markdown"].startswith("| benchmark | metric | score | 95 % interval | n |")
    assert "| mmar | accuracy |" in forms["markdown"]
    assert "\\toprule" in forms["latex"]
    assert [line["kind"] for line in csv.DictReader(forms["csv"].splitlines())].count("row") == 4
    (table,) = json.loads(forms["json"])
    assert [row["benchmark"] for row in table["rows"]] == ["mmar", "librispeech", "librispeech", "mmau"]


@pytest.mark.parametrize("option", ["--all", "--latency", "--by=x", "--width=0.1", "--plot=x.svg"])
def test_an_option_of_single_runs_is_refused_with_a_suite(mine: str, option: str) -> None:
    done = CliRunner().invoke(program, ["show", mine, "results", option])
    assert isinstance(done.exception, errors.UsageError)
    assert f"has no {option.partition('=')[0]}" in str(done.exception)
