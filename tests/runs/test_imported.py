"""Imported runs: what scores a task is told by its items."""

from __future__ import annotations

from typing import Any

import pytest

from earmark.importers._runs import matching_scorers, measure_scorers
from earmark.runs.imported import TaskStats, ValueRange


def facts(measures: dict[str, ValueRange], **more: Any) -> TaskStats:
    return TaskStats("heard_asr_de", 2, measures=measures, **more)


@pytest.mark.parametrize(
    ("measure", "spread", "expected"),
    [
        ("accuracy", ValueRange(0, 1), {"lowest": 0.0, "highest": 1.0, "better": "higher"}),
        ("rating", ValueRange(0, 5), {"lowest": 0.0, "highest": None, "better": "higher"}),
        ("sample_wer", ValueRange(0, 0.5), {"lowest": 0.0, "highest": None, "better": "lower"}),
        ("gain", ValueRange(-2, 0.5), {"lowest": -2.0, "highest": None, "better": "higher"}),
    ],
)
def test_a_scale_shows_in_the_values(measure: str, spread: ValueRange, expected: dict[str, Any]) -> None:
    ((scorer),) = measure_scorers(facts({measure: spread}))
    assert scorer == {"name": "imported_score", "measures": [{"name": measure} | expected]}


def test_a_task_is_scored_by_what_its_items_tell() -> None:
    spread = ValueRange(0, 1)
    assert matching_scorers(facts({}, n_with_choices=2)) == [{"name": "choice"}]
    assert matching_scorers(facts({}, n_with_choices=1)) == [{"name": "exact"}]
    assert matching_scorers(facts({}, targets=False)) == []
    assert matching_scorers(facts({"wer": spread})) == [{"name": "wer", "language": "de", "unit": ""}]
    assert matching_scorers(facts({"anything": spread}), ["cer"])[0]["name"] == "wer"
    assert matching_scorers(facts({"answer": spread})) == [{"name": "exact"}]  # no word error in it
    assert matching_scorers(facts({"sacreBLEU": spread}))[0] == {"name": "bleu", "language": "de", "references": 0}
    assert measure_scorers(facts({})) == []
