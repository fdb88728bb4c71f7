"""Simulated worlds in which the truth is known: each draws data of one kind and gives the truth and an estimate."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from earmark.report.aggregates import TASK_SEPARATOR, mean_of_metrics
from earmark.scorers.classes import ClassesScorer
from earmark.scorers.wer import Settings as Wer
from earmark.scorers.wer import WerScorer
from earmark.stats import agreement
from earmark.stats.compare import difference
from earmark.stats.difference import Difference, Pairs
from earmark.stats.estimate import Estimate, estimate
from earmark.stats.ratio import ratio
from earmark.types import Metric

Floats = npt.NDArray[np.float64]
Draw = Callable[[np.random.Generator], Estimate | Difference]
ACCURACY = ratio("right", "n")
WER = WerScorer(Wer(language="en")).metrics["wer"]
RATERS = ("a", "b")  # the two categories
LOOP, UTTERANCE = 200, 12  # words that a looping reply has too many, words of an utterance on average


class World(NamedTuple):
    """One row of a table."""

    name: str
    truth: float
    draw: Draw


def numbered(n: int) -> npt.NDArray[np.uint64]:
    return np.arange(n, dtype=np.uint64)


def shares(rng: np.random.Generator, share: float, alike: float, many: int) -> Floats:
    """The share of each group; `alike` is the correlation of two items of one group."""
    spread = (1 - alike) / alike
    return np.asarray(rng.beta(share * spread, (1 - share) * spread, many))


# ---------------------------------------------------------------- shares


def means_over_tasks() -> Iterator[World]:
    worlds = [
        ([n] * tasks, [share] * tasks)
        for share in (0.5, 0.9, 0.98)
        for tasks, n in ((2, 5), (2, 10), (2, 24), (12, 24))
    ]
    for sizes, truths in [*worlds, ([10, 100], [0.98, 0.9]), ([20] * 4, [0.99, 0.9, 0.6, 0.3])]:
        names = [f"t{index}" for index in range(len(sizes))]

        def draw(
            rng: np.random.Generator,
            names: Sequence[str] = names,
            about: tuple[list[int], list[float]] = (sizes, truths),
        ) -> Estimate:
            columns: dict[str, Floats] = {}
            task = np.repeat(np.arange(len(names)), about[0])
            for index, name in enumerate(names):
                here = (task == index).astype(float)
                columns |= {
                    f"{name}{TASK_SEPARATOR}n": here,
                    f"{name}{TASK_SEPARATOR}right": here * (rng.random(here.size) < about[1][index]),
                }
            return estimate(
                mean_of_metrics([(name, ACCURACY) for name in names], ACCURACY.limits), columns, numbered(task.size)
            )

        texts = [str(sorted(set(each)))[1:-1] for each in (sizes, truths)]
        yield World(
            f"mean over {len(sizes)} tasks of {texts[0]} items, shares {texts[1]}", float(np.mean(truths)), draw
        )


GROUPS: Mapping[str, Sequence[int]] = {
    "3 groups of 20": [20] * 3, "5 of 10": [10] * 5, "20 of 50": [50] * 20, "60 of 5": [5] * 60,
    "2 of 100 and 18 of 10": [100] * 2 + [10] * 18, "10 of 2 to 100": [100, 40, 20, 10, 10, 5, 5, 5, 3, 2],
}  # fmt: skip


def grouped_shares() -> Iterator[World]:
    for name, sizes in GROUPS.items():
        for share, alike in ((0.5, 0.3), (0.2, 0.3), (0.05, 0.1), (0.05, 0.3)):

            def draw(
                rng: np.random.Generator, sizes: Sequence[int] = sizes, share: float = share, alike: float = alike
            ) -> Estimate:
                skill = np.repeat(shares(rng, share, alike, len(sizes)), sizes)
                right = (rng.random(skill.size) < skill).astype(float)
                groups = np.repeat(numbered(len(sizes)), sizes)
                return estimate(ACCURACY, {"right": right, "n": np.ones(right.size)}, groups)

            yield World(f"{name}, share {share}, correlation {alike}", share, draw)


# ---------------------------------------------------------------- classes and raters


def confused(rng: np.random.Generator, classes: int, accuracy: float, n: int, prior: Sequence[float] = ()) -> Floats:
    """Truths and replies, shape (2, n): a wrong reply is any other class."""
    truth = rng.choice(classes, n, p=prior or None)
    second = (truth + rng.integers(1, classes, n)) % classes
    return np.stack([truth, np.where(rng.random(n) < accuracy, truth, second)])


def class_columns(truth: Floats, replies: Floats, classes: int) -> dict[str, Floats]:
    columns: dict[str, npt.NDArray[np.bool_]] = {}
    for k in range(classes):
        columns |= {f"t:{k}": truth == k, f"p:{k}": replies == k, f"h:{k}": (truth == k) & (replies == k)}
    return {name: column.astype(float) for name, column in columns.items()}


def class_means() -> Iterator[World]:
    worlds = [(classes, each, accuracy, ()) for classes in (10, 30) for each in (2, 5, 20) for accuracy in (0.5, 0.9)]
    skewed = (0.8, 0.1, 0.06, 0.04)
    for classes, each, accuracy, prior in [*worlds, (4, 8, 0.8, skewed), (4, 50, 0.8, skewed)]:
        for metric in ("uar", "macro_f1"):
            rule = ClassesScorer().metrics[metric]

            def read(
                rng: np.random.Generator,
                n: int = each * classes,
                rule: Metric = rule,
                about: tuple[int, float, Sequence[float]] = (classes, accuracy, prior),
            ) -> Estimate:
                truth, replies = confused(rng, about[0], about[1], n, about[2])
                return estimate(rule, class_columns(truth, replies, about[0]), numbered(n))

            many = confused(np.random.default_rng(0), classes, accuracy, 200_000, prior)
            sums = {name: column.sum() for name, column in class_columns(many[0], many[1], classes).items()}
            name = f"{metric}, {classes} {'skewed ' if prior else ''}classes of {each}, {accuracy} right"
            yield World(name, float(rule.value(sums)), read)


def kappas() -> Iterator[World]:
    for kappa in (0.2, 0.6, 0.95):
        for n in (20, 50, 100):

            def draw(rng: np.random.Generator, n: int = n, kappa: float = kappa) -> Estimate:
                first, second = confused(rng, 2, (1 + kappa) / 2, n)
                columns = {f"o{agreement.OF}{i}{agreement.OF}{j}": ((first == a) & (second == b)).astype(float)
                           for a, i in enumerate(RATERS) for b, j in enumerate(RATERS)}  # fmt: skip
                return estimate(
                    agreement.agreement_metrics(RATERS)["kappa"], columns | {"same": first, "cases": first}, numbered(n)
                )

            yield World(f"kappa {kappa}, {n} cases", kappa, draw)


# ---------------------------------------------------------------- error rates


def transcripts(rng: np.random.Generator, n: int, loops: float, speakers: Floats) -> dict[str, Floats]:
    length = rng.integers(4, 21, n).astype(float)
    wrong = rng.binomial(length.astype(int), speakers).astype(float)
    return {"sub": wrong, "del": 0 * length, "ins": LOOP * (rng.random(n) < loops), "length": length}


def error_rates() -> Iterator[World]:
    worlds = [(n, 0.0) for n in (10, 20, 50, 200)] + [(n, 0.01) for n in (100, 200, 300, 500, 2000)]
    for n, loops in worlds:

        def draw(rng: np.random.Generator, n: int = n, loops: float = loops) -> Estimate:
            return estimate(WER, transcripts(rng, n, loops, rng.beta(3.2, 36.8, n)), numbered(n))

        texts = f", of 100 replies {100 * loops:g} loop" if loops else ""
        yield World(f"word error rate 0.08, {n} utterances{texts}", 0.08 + loops * LOOP / UTTERANCE, draw)


def differences() -> Iterator[World]:
    for groups in (3, 5, 10, 20):

        def rates(rng: np.random.Generator, groups: int = groups) -> Difference:
            speakers = np.repeat(rng.beta(3.2, 36.8, groups), 10)
            length = rng.integers(4, 21, speakers.size)
            first, second = (
                {"sub": rng.binomial(length, part * speakers).astype(float), "length": length.astype(float)}
                for part in (1.0, 0.7)
            )
            return difference((WER, WER), Pairs(first, second, np.repeat(numbered(groups), 10)))

        def marks(rng: np.random.Generator, groups: int = groups) -> Difference:
            first, second = (np.repeat(shares(rng, share, 0.2, groups), 10) for share in (0.6, 0.75))
            n = np.ones(first.size)
            right = [(rng.random(first.size) < share).astype(float) for share in (first, second)]
            both = [{"right": mark, "n": n} for mark in right]
            return difference((ACCURACY, ACCURACY), Pairs(both[0], both[1], np.repeat(numbered(groups), 10)))

        yield World(f"difference of word error rates, {groups} speakers", -0.3 * 0.08, rates)
        yield World(f"difference of shares, {groups} groups of 10", 0.15, marks)


TABLES: Mapping[str, Callable[[], Iterator[World]]] = {
    "Means over tasks": means_over_tasks,
    "Shares in groups": grouped_shares,
    "Means over classes": class_means,
    "Agreement": kappas,
    "Error rates": error_rates,
    "Differences by group": differences,
}
