"""A run stops once its headline is known, tells what was not asked, and is refused where no rule holds."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import earmark
from earmark import cli
from earmark.config.settings import RunSettings
from earmark.engine.load import load_scorer
from earmark.errors import UsageError
from earmark.runs.until import check_until
from earmark.types import Benchmark, Item, Prompt


def run(folder: Path, **settings: object) -> earmark.Run:
    return earmark.run("acoustics:pitch,loudness", "fake", results=str(folder), progress=False, items=200, **settings)


def test_a_run_stops_and_tells_what_was_not_asked(tmp_path: Path) -> None:
    stopped = run(tmp_path, until=0.12)
    assert stopped.is_finished
    headline = stopped.metrics.headline
    assert headline
    estimate = stopped.metrics.rows[headline.row].metrics[headline.metric]
    assert estimate.low is not None
    assert estimate.high is not None
    assert (estimate.high - estimate.low) / 2 <= 0.125
    assert estimate.method.startswith("confidence sequence")
    asked = len(list(stopped.items()))
    assert 100 < asked < 360
    assert f"stopped at {asked} of 400" in stopped.metrics.warnings[0]
    assert {item["task"] for item in stopped.items()} == {"pitch", "loudness"}
    before = stopped.scores()
    done = CliRunner().invoke(cli.earmark, ["rescore", str(stopped.folder)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    assert stopped.scores() == before
    assert stopped.is_finished


def test_an_unreached_width_asks_everything(tmp_path: Path) -> None:
    whole = run(tmp_path, until=0.01, limit=20)
    assert len(list(whole.items())) == 40
    assert "not stopped" in whole.metrics.warnings[0]


@pytest.mark.parametrize("setting", [{"batch": True}, {"shard": "1/2"}])
def test_a_rule_that_does_not_hold_is_refused(tmp_path: Path, setting: dict[str, object]) -> None:
    with pytest.raises(UsageError, match="leave out one of the two"):
        run(tmp_path, until=0.1, **setting)


@pytest.mark.parametrize("scorer", ["wer", "bleu"])
def test_an_error_rate_has_no_rule_to_stop(scorer: str) -> None:
    item = Item("1", "t", targets=("one",))
    benchmark = Benchmark(
        version=1,
        tasks=("t",),
        items=lambda: [item],
        prompt=lambda _: Prompt(()),
        scorers=lambda _: (load_scorer(scorer, {}),),
    )
    with pytest.raises(UsageError, match=r"no rule to stop is known to hold for .* of t; .* use sample= or limit="):
        check_until(benchmark, RunSettings(until=0.1))
