"""The listening gain: what is paired with what, which control counts, and which items need no ears."""

from __future__ import annotations

import asyncio
import csv
from pathlib import Path

import numpy as np
import pytest
from commands import earmark

from earmark.journal import Record
from earmark.report.aggregates import Aggregates
from earmark.report.gain import find_solved_by_controls, gain_footnotes, listening_gains
from earmark.report.rows import ListeningGain
from earmark.scorers.choice import ChoiceScorer
from earmark.stats.compare import bonett_price, mcnemar
from earmark.stats.count_table import hash64
from earmark.stats.difference import holm
from earmark.types import Failure, Item, Metric, Response, Score

CONTROLS = ("silence", "swap")


def record(
    number: int, condition: str, answer: str | None, repeat: int = 0, task: str = "t", target: str = "A"
) -> Record:
    item = Item(
        f"i{number}", task, choices=("a", "b"), labels=("A", "B"), targets=(target,), tags={"half": str(number % 2)}
    )
    failed = None if answer is not None else Failure("sound-failed", "broken")
    response = Response(answer) if answer else None
    return Record(item, condition=condition, repeat=repeat, response=response, failure=failed)


def cells(*told: tuple[str, str, str], repeats: int = 1) -> Aggregates:
    """Cells from a task, a condition and a word of letters, one an item: A right, B wrong, - failed."""
    gathered = Aggregates(("half",))
    scorer = ChoiceScorer()
    for task, condition, letters in told:
        for repeat in range(repeats):
            for number, letter in enumerate(letters):
                failed = letter == "-"
                right = float(letter == "A")
                counts = {"right": right, "n": 1.0, "read": 1.0, "right_read": right, "chance": 0.5}
                entered = record(number, condition, None if failed else letter, repeat, task)
                state = "sound-failed" if failed else "answered"
                gathered.add(entered, scorer, Score(counts, None if failed else letter, state))  # type: ignore[arg-type]
    return gathered


def gained(*told: tuple[str, str, str], controls: tuple[str, ...] = CONTROLS) -> dict[str, ListeningGain]:
    return {gain.title: gain for gain in listening_gains(cells(*told).by_row, controls, {}, 0)}


def test_the_gain_is_plain_less_the_best_control_over_pairs() -> None:
    found = gained(("t", "plain", "AAAAAAAABB"), ("t", "silence", "ABBBBBBBBA"), ("t", "swap", "AAABBBBBBB"))["t"]
    assert (found.control, found.controls) == ("swap", {"silence": 0.2, "swap": 0.3})
    assert (found.difference.baseline, found.difference.candidate) == (0.3, 0.8)
    assert found.difference.value == pytest.approx(0.5)
    assert (found.difference.low, found.difference.high) == pytest.approx(bonett_price(5, 0, 10))
    assert found.difference.p == pytest.approx(mcnemar(5, 0))
    assert (found.solved_by_controls, found.solved_by_guessing) == (
        1,
        3.5,
    )  # 7 items have one answer under both controls


def test_items_that_failed_in_either_are_left_out() -> None:
    found = gained(("t", "plain", "AAAA-A"), ("t", "silence", "BB-BBB"), controls=("silence",))["t"]
    assert (found.difference.n, found.difference.baseline, found.difference.candidate) == (4, 0.0, 1.0)
    none = gained(("t", "plain", "AA"), ("t", "silence", "--"), controls=("silence",))
    assert none == {}


def test_each_slice_has_its_own_best_control() -> None:
    found = gained(("t", "plain", "AAAAAA"), ("t", "silence", "ABABAB"), ("t", "swap", "BABABA"))
    assert {title: gain.control for title, gain in found.items()} == {
        "t": "silence", "t (half=0)": "silence", "t (half=1)": "swap",
    }  # fmt: skip
    assert found["t (half=0)"].difference.value == 0.0
    assert found["t"].difference.value == pytest.approx(0.5)


def test_all_tasks_together_count_alike() -> None:
    found = gained(
        ("t", "plain", "AAAA"), ("t", "silence", "BBBB"),
        ("u", "plain", "AAAAAAAA"), ("u", "silence", "AAAABBBB"), controls=("silence",),
    )  # fmt: skip
    assert found["all tasks"].difference.value == pytest.approx((1.0 + 0.5) / 2)
    assert (found["all tasks"].solved_by_controls, found["all tasks"].solved_by_guessing) == (4, 6.0)
    low, high = found["all tasks"].difference.low, found["all tasks"].difference.high
    assert low is not None
    assert high is not None
    assert low < 0.75 < high


def test_an_item_is_answered_without_ears_if_right_every_time() -> None:
    gathered = cells(("t", "silence", "AAB"), ("t", "swap", "ABB"), repeats=2)
    assert find_solved_by_controls(gathered.by_row, CONTROLS) == {("t", "choice"): {hash64("i0")}}
    item = record(0, "silence", "B", 2)
    gathered.add(item, ChoiceScorer(), Score({"right": 0.0, "n": 1.0}, "B"))
    assert find_solved_by_controls(gathered.by_row, CONTROLS) == {("t", "choice"): set()}


def test_a_control_that_answered_nothing_makes_no_item_need_ears() -> None:
    told = (("t", "plain", "AAB"), ("t", "silence", "AAB"), ("t", "swap", "---"))
    assert find_solved_by_controls(cells(*told).by_row, CONTROLS) == {("t", "choice"): {hash64("i0"), hash64("i1")}}
    assert gained(*told)["t"].solved_by_controls == 2


def test_less_may_be_better() -> None:
    class Errors(ChoiceScorer, frozen=True):
        @property
        def metrics(self) -> dict[str, Metric]:
            return {"errors": Metric(lambda counts: np.divide(counts["e"], counts["n"]), better="lower")}

    gathered = Aggregates()
    for condition, errors in (("plain", 1.0), ("silence", 9.0), ("swap", 7.0)):
        for number in range(4):
            gathered.add(record(number, condition, "A"), Errors(), Score({"e": errors, "n": 10.0}))
    (found,) = listening_gains(gathered.by_row, CONTROLS, {}, 0)
    assert found.control == "swap"
    assert found.difference.value == found.value == pytest.approx(0.6)  # hearing helps
    assert found.solved_by_controls is None


def test_a_run_tells_its_gain_and_names_the_items() -> None:
    done = earmark("run", "mine.bench", "items=20", "model=fake", "condition=[plain,silence]")
    assert done.returncode == 0, done.stderr
    assert "listening gain: plain minus the best control, accuracy" in done.stdout
    (path,) = Path("results").rglob("solved_by_controls.csv")
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["id"] for row in rows] == [f"item-{number}" for number in range(0, 20, 2)]
    assert "listening gain" in earmark("show", str(path.parent)).stdout


@pytest.mark.parametrize("needs_ears", [True, False])
def test_a_transcript_that_carries_the_answer_is_told(needs_ears: bool) -> None:
    words = ["mine.bench", "items=4", f"needs_ears={needs_ears}", "model=fake", "condition=[plain,transcript]"]
    done = earmark("run", *words)
    assert done.returncode == 0, done.stderr
    assert "listening gain" in done.stdout
    assert ("transcript: words carry the answers of mine.bench" in done.stdout) is not needs_ears


# ---------------------------------------------------------------- replies as models give them


def replied(*told: tuple[str, str], items: int = 24, repeats: int = 1) -> ListeningGain:
    """The gain of a task whose targets are A and B in turn, from a reply to every item by condition."""
    gathered, scorer = Aggregates(), ChoiceScorer()
    for condition, text in told:
        for repeat in range(repeats):
            for number in range(items):
                entered = record(number, condition, text, repeat, target="AB"[number % 2])
                earned = asyncio.run(scorer.score(entered.item, entered.response or Response("")))
                gathered.add(entered, scorer, earned)
    (found,) = (gain for gain in listening_gains(gathered.by_row, CONTROLS, {}, 0) if not gain.slice)
    csv_rows = find_solved_by_controls(gathered.by_row, CONTROLS)
    assert found.solved_by_controls == len(csv_rows[("t", "choice")])  # the table and solved_by_controls.csv agree
    return found


def test_declining_silence_is_not_listening() -> None:
    """A to any sound, and no answer to silence: 0.500 plainly, and nothing above guessing."""
    found = replied(("plain", "A"), ("silence", "I cannot hear anything, please provide the audio."))
    assert (found.difference.candidate, found.difference.baseline, found.value) == (0.5, 0.5, 0.0)
    assert found.low is not None
    assert found.high is not None
    assert found.low < 0 < found.high
    assert found.p == 1.0
    assert found.by_chance == {"silence": 24}
    assert any("24 unparsed or refused under silence score the guess rate" in line for line in gain_footnotes([found]))


def test_a_listener_that_declines_silence_gains_what_is_above_guessing() -> None:
    gathered, scorer = Aggregates(), ChoiceScorer()
    for number in range(24):
        target = "AB"[number % 2]
        for condition, text in (("plain", target), ("silence", "I cannot hear anything.")):
            entered = record(number, condition, text, target=target)
            gathered.add(entered, scorer, asyncio.run(scorer.score(entered.item, entered.response or Response(""))))
    found = next(gain for gain in listening_gains(gathered.by_row, CONTROLS, {}, 0) if not gain.slice)
    assert found.value == pytest.approx(0.5)
    assert found.p is not None
    assert found.p < 0.001


@pytest.mark.parametrize("repeats", [1, 3])
def test_a_model_that_always_says_a_guesses_alike_under_all_controls(repeats: int) -> None:
    found = replied(("plain", "A"), ("silence", "A"), ("swap", "A"), repeats=repeats)
    assert (found.solved_by_controls, found.solved_by_guessing) == (12, 12.0)
    assert found.value == pytest.approx(0.0, abs=1e-3)


def test_guesses_that_differ_between_controls_are_never_right_together() -> None:
    assert replied(("plain", "A"), ("silence", "A"), ("swap", "B")).solved_by_guessing == 0.0


@pytest.mark.parametrize("repeats", [1, 2, 3])
def test_asking_again_tells_nothing_new(repeats: int) -> None:
    once = replied(("plain", "A"), ("silence", "B"), ("swap", "A"))
    again = replied(("plain", "A"), ("silence", "B"), ("swap", "A"), repeats=repeats)
    assert (again.value, again.low, again.high) == (once.value, once.low, once.high)
    assert again.low != again.high


def test_a_mean_of_rows_without_a_difference_has_a_width() -> None:
    """Two tasks of 24 items, nothing gained or lost: +-0.107 each, and 0.107 / sqrt(2) together."""
    letters = "AB" * 12
    for repeats in (1, 3):
        told = [(task, condition, letters) for task in "tu" for condition in ("plain", "silence")]
        found = {gain.title: gain for gain in listening_gains(cells(*told, repeats=repeats).by_row, CONTROLS, {}, 0)}
        assert (found["t"].low, found["t"].high) == pytest.approx((-0.107, 0.107), abs=5e-4)
        assert (found["all tasks"].low, found["all tasks"].high) == pytest.approx((-0.0754, 0.0754), abs=5e-4)


def test_p_values_of_many_tasks_are_adjusted() -> None:
    told = [(f"t{at}", "plain", "AAAAAAAB" if at else "AAAAAAAA") for at in range(12)]
    told += [(f"t{at}", "silence", "ABABABAB" if at else "BBBBBBAA") for at in range(12)]
    found = [gain for gain in gained(*told, controls=("silence",)).values() if not gain.slice]
    assert len(found) == 13  # and all tasks together
    values, adjusted = [gain.p for gain in found], [gain.p_holm for gain in found]
    assert adjusted == holm(values)
    first = found[0]
    assert first.p == pytest.approx(mcnemar(6, 0))
    assert first.p_holm is not None
    assert first.p_holm > 0.05 > mcnemar(6, 0)


def test_the_best_of_several_controls_is_allowed_for() -> None:
    """Four controls that are as good as each other: the raw gain over the best is too small, what is told is not."""
    dice, raw, told, held = np.random.default_rng(0), [], [], 0
    for _ in range(60):
        words = {name: "".join(dice.choice(["A", "B"], 24)) for name in ("plain", *"wxyz")}
        gain = gained(*(("t", name, word) for name, word in words.items()), controls=tuple("wxyz"))["t"]
        assert gain.value is not None
        assert gain.difference.value is not None
        assert gain.low is not None
        assert gain.high is not None
        raw.append(gain.difference.value)
        told.append(gain.value)
        held += gain.low <= 0 <= gain.high
    assert np.mean(raw) < -0.06
    assert np.mean(told) == pytest.approx(0.0, abs=0.03)
    assert held >= 55
