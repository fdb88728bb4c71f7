"""F1 and recall by class: the team's case f11, and scikit-learn over whatever classes are named."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import numpy as np
import pytest
from sklearn import metrics as sklearn

from earmark.config.compose import scorer_overrides
from earmark.engine.load import load_scorer
from earmark.errors import BadData, UsageError
from earmark.runs.score_file import score_file
from earmark.scorers.classes import ClassesScorer, Settings
from earmark.types import Item


def values(truth: list[str], said: list[str | None], classes: tuple[str, ...], labels: str) -> dict[str, float]:
    settings = ClassesScorer(Settings(classes))
    bags = [settings.counts(Item("1", labels=tuple(labels), targets=(t,)), s) for t, s in zip(truth, said, strict=True)]
    sums = {name: sum(bag.get(name, 0.0) for bag in bags) for name in {name for bag in bags for name in bag}}
    return {name: float(metric.value(sums)) for name, metric in settings.metrics.items()}


@pytest.mark.shared
def test_the_classes_are_named_and_kept_with_the_value(shared: Path, tmp_path: Path) -> None:
    lines = map(json.loads, (shared / "cases/cases.jsonl").read_text(encoding="utf-8").splitlines())
    f11 = next(case for case in lines if case["id"] == "f11")
    truth, said = f11["input"]["y_true"], f11["input"]["y_pred"]
    file = tmp_path / "replies.jsonl"
    rows = [
        {"id": str(at), "reply": p, "target": t, "labels": [*"abcd"]}
        for at, (t, p) in enumerate(zip(truth, said, strict=True))
    ]
    file.write_text("\n".join(map(json.dumps, rows)))
    for words, expected, told in (
        ("classes=[a,b]", "macro_f1_labels_ab", "classes:a,b"),
        ("classes=[c,b,a]", "macro_f1_labels_abc", "classes:a,b,c"),
        ("classes=[a,b,c,d]", "macro_f1_labels_abcd_zero", "classes:a,b,c,d"),
        ("parser=earmark", "macro_f1_labels_abc", "classes:seen"),
    ):
        row, _ = asyncio.run(score_file(file, load_scorer("classes", scorer_overrides([words]))))
        assert row.metrics["macro_f1"].value == pytest.approx(f11["expected"][expected])
        assert told in str(row.signature)


@pytest.mark.parametrize("classes", [(), ("a", "b"), ("a", "b", "c", "d", "e"), ("b", "a", "d", "c")])
def test_scikit_learn_has_the_same_numbers(classes: tuple[str, ...]) -> None:
    dice = np.random.default_rng(3)
    for _ in range(30):
        truth = dice.choice([*(classes or "abc")][:3], 40).tolist()
        said = dice.choice([*"abcd"], 40).tolist()
        found = values(truth, said, classes, "abcde")
        over = {"labels": classes or None, "average": "macro", "zero_division": 0}
        assert found["macro_f1"] == pytest.approx(sklearn.f1_score(truth, said, **over))
        if classes:
            assert found["uar"] == pytest.approx(sklearn.recall_score(truth, said, **over))
        assert found["accuracy"] == pytest.approx(sklearn.accuracy_score(truth, said))


def test_what_cannot_be_read_is_no_class_and_case_is_none() -> None:
    item = Item("1", choices=("Yes", "no"), labels=("A", "B"), targets=("A",))
    assert ClassesScorer(Settings(("YES", "No"))).counts(item, None) == {
        "right": 0,
        "read": 0,
        "n": 1,
        "chance": 0.5,
        "t:yes": 1,
    }
    assert ClassesScorer().counts(item, "B") == {
        "right": 0,
        "read": 1,
        "n": 1,
        "chance": 0.5,
        "t:yes": 1,
        "p:no": 1,
        "h:no": 0,
    }


def test_a_truth_outside_the_classes_is_told() -> None:
    with pytest.raises(BadData, match=r"is of class 'yes'; expected one of classes=\[no,maybe\]"):
        ClassesScorer(Settings(("no", "maybe"))).counts(Item("1", labels=("yes", "no"), targets=("yes",)), "no")
    with pytest.raises(UsageError, match="expected names that differ"):
        ClassesScorer(Settings(("no", "No")))
