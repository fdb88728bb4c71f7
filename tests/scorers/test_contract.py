"""What every scorer keeps to, by the direction that its metrics state."""

from __future__ import annotations

import asyncio

import pytest
from contract import example_params

from earmark.engine.load import load_scorer
from earmark.engine.open import open_judge_model
from earmark.errors import BadSetup
from earmark.plugins import find_plugin
from earmark.plugins.checks import check_scorer
from earmark.plugins.examples import ScorerExample
from earmark.types import Context, Metric, NeedsSetup, Opens, Response, Scorer

EXAMPLES = example_params("scorers")


def quality(metric: Metric, counts: dict[str, float]) -> float:
    value = float(metric.value(counts))
    return value if metric.better == "higher" else -value


def headline(scorer: Scorer) -> Metric:
    return next(iter(scorer.metrics.values()))


def loaded(name: str, example: ScorerExample) -> Scorer:
    return load_scorer(name, example.settings)


@pytest.mark.parametrize(("name", "example"), EXAMPLES)
def test_it_has_its_name_and_metrics_with_a_direction(name: str, example: ScorerExample) -> None:
    scorer = loaded(name, example)
    assert scorer.name == name
    assert scorer.metrics
    assert all(metric.better in ("higher", "lower") for metric in scorer.metrics.values())
    assert {*example.neutral} <= {*scorer.metrics} or example.right is None


@pytest.mark.parametrize(("name", "example"), EXAMPLES)
def test_its_settings_sign(name: str, example: ScorerExample) -> None:
    plugin = find_plugin("scorers", name)
    settings = plugin.settings(**example.settings)
    context = Context(open_model=open_judge_model)
    scorer = plugin.load(settings, context)
    try:
        check_scorer(plugin, settings, scorer, context)
    except BadSetup as error:
        assert isinstance(scorer, NeedsSetup | Opens)
        pytest.skip(str(error))


@pytest.mark.parametrize(("name", "example"), EXAMPLES)
def test_no_reply_is_beyond_its_bounds_and_the_right_one_is_better(name: str, example: ScorerExample) -> None:
    scorer = loaded(name, example)
    metric, (worst, best) = headline(scorer), scorer.bounds(example.item)
    assert not quality(metric, worst) >= quality(metric, best)  # the worst may be no number: it has no reply
    if example.right is None:
        return
    replies = (example.wrong, example.right)
    wrong, right = (asyncio.run(scorer.score(example.item, Response(reply))).counts for reply in replies)
    assert quality(metric, wrong) < quality(metric, right) <= quality(metric, best)
    assert not quality(metric, wrong) < quality(metric, worst)


@pytest.mark.parametrize(("name", "example"), EXAMPLES)
def test_a_reply_that_was_withheld_is_no_answer(name: str, example: ScorerExample) -> None:
    """It is a refusal; a scorer of other harnesses' verdicts has none of it."""
    score = asyncio.run(loaded(name, example).score(example.item, Response("", "filtered")))
    assert score.state in ("refused", "judge-failed")
