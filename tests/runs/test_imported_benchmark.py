"""What stands behind an imported run: its scorers are made again from its settings, and nothing can be asked."""

from __future__ import annotations

from typing import Any

import pytest

from earmark.errors import UsageError
from earmark.runs.imported_benchmark import Settings, load, scorers
from earmark.types import Average, Item

SPECS: dict[str, tuple[dict[str, Any], ...]] = {
    "choices": ({"name": "choice"},),
    "speech": ({"name": "wer", "language": "de"}, {"name": "bleu"}),
    "talk": (),
}


def test_every_task_has_the_scorers_that_were_worked_out_for_it() -> None:
    benchmark = load(Settings("foreign", SPECS, slices=("level",), warnings=("a note",)))
    assert benchmark.tasks == ("choices", "speech", "talk")
    assert [[scorer.name for scorer in benchmark.scorers(task)] for task in benchmark.tasks] == [
        ["choice"],
        ["wer", "bleu"],
        [],
    ]
    assert (benchmark.name, benchmark.slices, benchmark.warnings) == ("foreign", ("level",), ("a note",))
    assert SPECS["speech"][0]["name"] == "wer", "what the run wrote is left as it is"


def test_some_of_the_tasks_may_be_taken_and_a_mean_goes_over_several() -> None:
    assert load(Settings("foreign", SPECS, average=True)).averages == {"mean": Average(("choices", "speech", "talk"))}
    one = load(Settings("foreign", SPECS, average=True), ("speech",))
    assert (one.tasks, one.averages) == (("speech",), {})
    assert load(Settings("foreign", SPECS)).averages == {}


def test_nothing_can_be_asked() -> None:
    benchmark = load(Settings("foreign", SPECS))
    with pytest.raises(UsageError, match=r"^foreign was imported: there are answers to score, and nothing to ask"):
        list(benchmark.items())
    with pytest.raises(UsageError, match="nothing to ask"):
        benchmark.prompt(Item("1"))


@pytest.mark.parametrize(
    ("spec", "told"), [({"name": "nobody"}, "no scorer is called"), ({"name": "wer", "x": 1}, "x")]
)
def test_a_scorer_that_cannot_be_made_is_told(spec: dict[str, Any], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        scorers(Settings("foreign", {"t": (spec,)}), "t")
