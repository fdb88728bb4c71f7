"""LISTEN's scores: by hand, by the authors' own numbers, and by scikit-learn."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn import metrics as sklearn

from earmark.runs.score_file import score_file
from earmark.scorers.listen import ListenScorer, Settings, emotion_class
from earmark.stats.estimate import estimate
from earmark.types import Item


def bag(truth: str, said: str | None, settings: ListenScorer = ListenScorer()) -> dict[str, float]:  # noqa: B008 - frozen
    choices = tuple(dict.fromkeys([truth, *([said] if said else [])]))
    labels = tuple("AB"[: len(choices)])
    return settings.counts(
        Item("1", choices=choices, labels=labels, targets=("A",)), labels[choices.index(said)] if said else None
    )


def total(bags: list[dict[str, float]]) -> dict[str, float]:
    return {name: sum(bag.get(name, 0.0) for bag in bags) for name in {name for bag in bags for name in bag}}


def test_the_example_of_the_protocol_document() -> None:
    """Six items, two of each of the two commonest truths; every number can be checked by hand."""
    truth = "anger anger sadness neutral neutral happiness".split()
    said = "anger neutral neutral neutral fear happiness".split()
    counts = total([bag(t, s) for t, s in zip(truth, said, strict=True)])
    values = {name: float(metric.value(counts)) for name, metric in ListenScorer().metrics.items()}
    assert values == pytest.approx(
        {
            "accuracy": 0.5,
            "weighted_accuracy": 0.5,
            "uar": 0.5,
            "macro_f1": 0.41333333333333333,
            "micro_f1": 0.5,
            "chance_accuracy": 0.25,
            "chance_macro_f1": 0.15777777777777777,
            "chance_micro_f1": 0.25,
        },
        abs=1e-12,
    )


@pytest.mark.shared
def test_all_golden_numbers_of_the_official_code(shared: Path, tmp_path: Path) -> None:
    cases = json.loads((shared / "golden/listen_metrics.json").read_text())
    assert len(cases) == 24
    for case in cases:
        for lines in (case["rows"], [ours(line) for line in case["rows"]]):
            file = tmp_path / "rows.jsonl"
            file.write_text("\n".join(map(json.dumps, lines)))
            row, _ = asyncio.run(score_file(file, ListenScorer(Settings(policy="official"))))
            found = {name: row.metrics[name].value for name in EXPECTED}
            assert found == pytest.approx(
                {name: at(case["expected"], path) for name, path in EXPECTED.items()}, abs=1e-9
            )


EXPECTED = {
    "weighted_accuracy": ("weighted_accuracy",),
    "uar": ("uar",),
    "macro_f1": ("macro_f1",),
    "micro_f1": ("micro_f1",),
    "chance_accuracy": ("chance_baseline", "expected_accuracy"),
    "chance_macro_f1": ("chance_baseline", "expected_macro_f1"),
    "chance_micro_f1": ("chance_baseline", "expected_micro_f1"),
}


def at(tree: dict[str, Any], path: tuple[str, ...]) -> Any:
    for name in path:
        tree = tree[name]
    return tree


def ours(line: dict[str, Any]) -> dict[str, Any]:
    """A record of the official results under our own names, its reply read by our copy of the official reader."""
    renamed = {
        "id": line["sample_id"],
        "reply": line["raw_response"],
        "target": line["expected_letter"],
        "choices": line["randomized_choices"],
    }
    return renamed | ({"answer": line["predicted_letter"]} if "predicted_letter" in line else {})


def test_random_sets_agree_with_scikit_learn() -> None:
    dice = np.random.default_rng(0)
    for _ in range(50):
        names = np.array(["angry", "anger", "sad", "neutral", "ridicule", "pleasant_surprise", "surprise"])
        truth, said = dice.choice(names, 40), dice.choice(names, 40)
        counts = total([bag(str(t), str(s)) for t, s in zip(truth, said, strict=True)])
        merged = [emotion_class(str(t)) for t in truth], [emotion_class(str(s)) for s in said]
        values = {name: float(metric.value(counts)) for name, metric in ListenScorer().metrics.items()}
        assert values["weighted_accuracy"] == pytest.approx(sklearn.accuracy_score(*merged))
        assert values["macro_f1"] == pytest.approx(sklearn.f1_score(*merged, average="macro", zero_division=0))
        assert values["micro_f1"] == pytest.approx(sklearn.f1_score(*merged, average="micro", zero_division=0))
        present = sorted(set(merged[0]))
        recall = sklearn.recall_score(*merged, labels=present, average="macro", zero_division=0)
        assert values["uar"] == pytest.approx(recall)


def test_unread_replies_are_left_out_officially_and_kept_in_by_us() -> None:
    for settings, expected in ((ListenScorer(Settings("official")), 1.0), (ListenScorer(Settings("earmark")), 0.5)):
        counts = total([bag("sad", "sad", settings), bag("sad", None, settings)])
        assert float(settings.metrics["weighted_accuracy"].value(counts)) == expected
        assert float(settings.metrics["accuracy"].value(counts)) == 0.5


def test_merged_labels_may_make_a_wrong_letter_right_as_officially() -> None:
    counts = bag("sad", "sadness")
    assert counts["letter"] == 0.0
    assert counts["h:sadness"] == 1.0


def test_numbers_over_arrays_of_counts_equal_numbers_one_by_one() -> None:
    dice = np.random.default_rng(1)
    names = ["t:a", "t:b", "p:a", "p:b", "p:c", "h:a", "h:b", "letter", "recorded"]
    arrays = {name: dice.integers(0, 3, 20).astype(float) for name in names}
    for metric in ListenScorer().metrics.values():
        together = metric.value(arrays)
        alone = [metric.value({name: float(array[n]) for name, array in arrays.items()}) for n in range(20)]
        np.testing.assert_allclose(np.asarray(together), np.asarray(alone, float))


@pytest.mark.parametrize("policy", ["earmark", "official"])
def test_none_right_of_ten_tells_something_of_the_share(policy: str) -> None:
    """A bootstrap of ten wrong answers says 0.000 to 0.000, which ten answers cannot tell."""
    bags = [bag("sad", "neutral", ListenScorer(Settings(policy))) for _ in range(10)]  # type: ignore[arg-type]
    columns = {name: np.array([counts.get(name, 0.0) for counts in bags]) for name in bags[0]}
    for name in ("weighted_accuracy", "micro_f1"):
        found = estimate(ListenScorer(Settings(policy)).metrics[name], columns, np.arange(10, dtype=np.uint64))  # type: ignore[arg-type]
        assert (found.value, found.low, found.method) == (0.0, 0.0, "wilson")
        assert found.high == pytest.approx(0.2775, abs=1e-4)


def test_intervals_are_made_for_every_number() -> None:
    columns = {
        "t:a": np.ones(30),
        "p:a": np.tile([1.0, 0.0], 15),
        "p:b": np.tile([0.0, 1.0], 15),
        "h:a": np.tile([1.0, 0.0], 15),
    }
    for name in ("weighted_accuracy", "uar", "macro_f1", "chance_accuracy"):
        found = estimate(ListenScorer().metrics[name], columns, np.arange(30, dtype=np.uint64))
        assert found.low is not None
        assert found.value is not None
        assert found.high is not None
        assert found.low < found.value < found.high
