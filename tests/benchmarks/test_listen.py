"""LISTEN: what is asked, to the letter."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import pytest

from earmark.benchmarks import listen
from earmark.errors import BadData, UsageError
from earmark.types import Benchmark, Clip, Context, replace

VECTORS = [  # of the protocol document: sizes, and the orders that come of one stream seeded 42
    ([8, 8, 8], [[3, 4, 6, 7, 2, 5, 0, 1], [3, 7, 2, 0, 4, 6, 5, 1], [3, 5, 2, 4, 1, 6, 7, 0]]),
    ([5, 5, 5], [[3, 1, 2, 4, 0], [3, 2, 0, 4, 1], [3, 1, 2, 0, 4]]),
    ([10, 10, 10], [[7, 3, 2, 8, 5, 6, 9, 4, 0, 1], [3, 5, 2, 4, 1, 8, 7, 0, 6, 9], [7, 5, 0, 2, 4, 9, 1, 6, 3, 8]]),
    ([9, 8, 10], [[3, 6, 7, 4, 8, 2, 5, 0, 1], [7, 2, 5, 6, 0, 3, 4, 1], [2, 5, 7, 9, 6, 1, 4, 0, 8, 3]]),
]


def row(choices: list[str], **columns: Any) -> listen.ListenRow:
    usual = listen.ListenRow(0, "X_1_2B", "What?", choices[0], tuple(choices), "Words.", "1", "X", choices[-1], "x.wav")
    return replace(usual, **columns)


def load(shared: Path, **settings: Any) -> Benchmark:
    return listen.load(listen.Settings(data=str(shared / "fixtures/listen"), **settings), Context("listen"))


@pytest.mark.parametrize(("sizes", "orders"), VECTORS)
def test_the_official_order_comes_of_one_stream(sizes: list[int], orders: list[list[int]]) -> None:
    settings = listen.Settings(gold="runner", shuffle="stream", letters="G2")
    stream = Random(42)
    for size, order in zip(sizes, orders, strict=True):
        choices = [f"c{at}" for at in range(size)]
        item = listen.item(settings, "1_audio", "f", row(choices), stream)
        assert item.choices == tuple(f"c{at}" for at in order)
        assert item.text(item.targets[0]) == "c0"


@pytest.mark.shared
def test_every_official_prompt_is_exact(shared: Path) -> None:
    benchmark = load(shared, policy="official", max_choices=0)  # the authors' code shows as many as there are
    expected = [json.loads(line) for line in (shared / "fixtures/listen/expected_items.jsonl").read_text().splitlines()]
    items = list(benchmark.items())
    assert len(items) == len(expected) == 140
    for item, wanted in zip(items, expected, strict=True):
        assert (item.task, item.id, item.state, item.reason or None) == (
            wanted["experiment"],
            wanted["id"],
            wanted["status"],
            wanted.get("reason"),
        )
        told = {name: item.tags[name] for name in ("dataset_source", "modality")}
        assert told == {"dataset_source": wanted["dataset_source"], "modality": wanted["modality"]}
        if "choices" in wanted:
            assert list(item.choices) == wanted["choices"]
            assert item.targets == (wanted["expected_letter"],)
        if item.state == "ask":
            (turn,) = benchmark.prompt(item).turns
            assert turn.parts[-1] == wanted["text"]
            assert [type(part) for part in turn.parts[:-1]] == ([Clip] if wanted["sends_audio"] else [])


@pytest.mark.shared
def test_our_order_depends_on_the_item_alone(shared: Path) -> None:
    whole = {(item.task, item.id): item.choices for item in load(shared).items()}
    part = {(item.task, item.id): item.choices for item in load(shared, experiments=("3B", "2B")).items()}
    assert part.items() <= whole.items()
    other = {(item.task, item.id): item.choices for item in load(shared, seed=1).items()}
    assert other != whole


@pytest.mark.shared
def test_tasks_run_in_the_official_order_whatever_order_they_are_named_in(shared: Path) -> None:
    assert load(shared, experiments=("4", "1_text")).tasks == ("1_text", "4")
    with pytest.raises(UsageError, match="listen has no task '5'"):
        load(shared, experiments=("5",))
    with pytest.raises(UsageError, match=r"listen:2B and experiments=\[3B\]: two lists"):
        listen.load(listen.Settings(experiments=("3B",)), Context("listen", tasks=("2B",)))


@pytest.mark.parametrize(
    ("settings", "task", "gold"),
    [
        ({"gold": "runner"}, "1_text", "sad"),
        ({"gold": "runner"}, "2A", "happy"),
        ({"gold": "runner"}, "2B", "sad"),
        ({"gold": "runner"}, "3A", "happy"),
        ({"gold": "template"}, "2A", "sad"),
        ({"gold": "template"}, "3A", "happy"),
        ({"gold": "paper-neutral"}, "1_text", "neutral"),
        ({"gold": "paper-neutral"}, "1_audio", "sad"),
    ],
)
def test_gold_follows_its_policy(settings: dict[str, Any], task: str, gold: str) -> None:
    given = listen.Settings(shuffle="item", letters="G2", **settings)
    item = listen.item(given, task, "f", row(["sad", "neutral", "happy"]), Random(0))
    assert item.text(item.targets[0]) == gold


@pytest.mark.parametrize(("task", "extend", "count"), [("3A", True, 9), ("3A", False, 3), ("3B", False, 9)])
def test_three_a_is_extended_unless_told_otherwise(task: str, extend: bool, count: int) -> None:
    settings = listen.Settings(gold="runner", shuffle="item", letters="G2", extend_3a=extend)
    assert len(listen.item(settings, task, "f", row(["sad", "neutral", "happiness"]), Random(0)).choices) == count


def test_any_reader_of_choices_may_read() -> None:
    (scorer,) = listen.load(listen.Settings(parser="mmau"), Context("listen")).scorers("2B")
    assert "reader:mmau" in scorer.signature.rules  # type: ignore[attr-defined]
    with pytest.raises(UsageError, match=r"no reader is called 'bogus'; there are: .*listen-g2"):
        listen.load(listen.Settings(parser="bogus"), Context("listen"))


def test_a_choice_that_the_data_name_twice_is_extended_as_once() -> None:
    settings = listen.Settings(gold="runner", shuffle="item", letters="G2")
    assert len(listen.item(settings, "3B", "f", row(["sad", "sad", "neutral"]), Random(0)).choices) == 9


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ("id = null", r"train\.parquet, row \d+: Expected `str`, got `null` - at `\$\.id`"),
        ("choices = ['a', null]", r"row \d+: Expected `str`, got `null` - at `\$\.choices\[1\]`"),
        ("choices = range(40)::varchar[], answer = '7'", "found 40 choices in item '[^']+', expected at most 26"),
    ],
)
@pytest.mark.shared
def test_a_row_that_cannot_be_asked_is_told_by_its_place(shared: Path, tmp_path: Path, change: str, told: str) -> None:
    file = tmp_path / "train.parquet"
    with duckdb.connect() as made:
        made.execute("create table t as from read_parquet(?)", [str(shared / "fixtures/listen/data/*.parquet")])
        made.execute(f"update t set {change} where experiment_type = '1'")  # noqa: S608 - ours
        made.execute(f"copy t to '{file}'")
    with pytest.raises(BadData, match=told):
        list(listen.load(listen.Settings(data=str(tmp_path)), Context("listen")).items())


@pytest.mark.shared
def test_a_part_of_the_data_that_is_not_there_is_told(shared: Path, tmp_path: Path) -> None:
    """A run over what happens to be there would look like a run over the whole."""
    part = shared / "fixtures/listen/data/train-00001-of-00002.parquet"
    (tmp_path / part.name).write_bytes(part.read_bytes())
    with pytest.raises(BadData, match=r"expected train-00000-of-00002\.parquet beside it"):
        listen.files(listen.Settings(data=str(tmp_path)))
    assert listen.files(listen.Settings(data=str(tmp_path / part.name))) == (str(tmp_path / part.name),)


def test_letters_of_the_first_generation_stop_at_h() -> None:
    for generation, shown in (("G1", "A, B, C, D, E, F, G, H"), ("G2", "A, B, C")):
        settings = listen.Settings(gold="runner", shuffle="item", letters=generation)  # type: ignore[arg-type]
        item = listen.item(settings, "1_audio", "f", row(["a", "b", "c"]), Random(0))
        assert str(listen.prompt(settings, item).turns[0].parts[-1]).endswith(
            f"Respond with only the letter ({shown}):"
        )


@pytest.mark.parametrize(
    ("answer", "reason"),
    [("", "empty gold"), ("  ", "empty gold"), (None, "empty gold"), ("joy", "gold is not a choice")],
)
def test_rows_without_a_usable_gold_are_skipped_and_throw_no_dice(answer: str | None, reason: str) -> None:
    settings = listen.Settings(gold="runner", shuffle="stream", letters="G2")
    stream = Random(42)
    item = listen.item(settings, "1_audio", "f", row(["a", "b"], answer=answer), stream)
    assert (item.state, item.reason) == ("skipped", reason)
    assert stream.random() == Random(42).random()


def test_a_text_item_without_words_is_an_error_after_its_dice() -> None:
    settings = listen.Settings(gold="runner", shuffle="stream", letters="G2")
    stream = Random(42)
    item = listen.item(settings, "1_text", "f", row(["a", "b"], transcription=" "), stream)
    assert (item.state, item.reason) == ("error", "No transcription available")
    assert item.choices
    assert stream.random() != Random(42).random()


@pytest.mark.shared
def test_the_official_policy_shows_ten_choices_at_most_and_moves_no_other_item(shared: Path) -> None:
    capped, whole = (list(load(shared, policy="official", max_choices=limit).items()) for limit in (None, 0))
    assert max(len(item.choices) for item in whole) == 11
    assert max(len(item.choices) for item in capped) == 10
    for item, full in zip(capped, whole, strict=True):
        assert item.choices == tuple(choice for choice in full.choices if choice in item.choices)
        if item.targets:
            assert item.text(item.targets[0]) == full.text(full.targets[0])
        if len(full.choices) <= 10:
            assert item == full
    assert any("at most 10 choices" in warning for warning in load(shared, policy="official").warnings)
    assert not any("at most" in warning for warning in load(shared).warnings)


@pytest.mark.shared
def test_some_corpora_are_asked_alone_as_in_the_whole(shared: Path) -> None:
    whole = {(item.task, item.id): item for item in load(shared, policy="official").items()}
    part = {(item.task, item.id): item for item in load(shared, policy="official", sources=("CREMA-D", "MELD")).items()}
    assert {item.tags["dataset_source"] for item in part.values()} == {"CREMA-D", "MELD"}
    assert part.items() <= whole.items()
    with pytest.raises(
        UsageError,
        match=r"sources=crema: the data has no such corpus; did you mean CREMA-D\? There are: .*CREMA-D.*MELD",
    ):
        load(shared, sources=("MELD", "crema")).files()


@pytest.mark.shared
def test_items_carry_the_columns_that_reports_are_broken_down_by(shared: Path, tmp_path: Path) -> None:
    item = next(iter(load(shared, experiments=("2B",)).items()))
    assert {name: item.tags[name] for name in ("age", "acted", "sarcasm", "conversation_format")} == {
        "age": "adult",
        "acted": "acted",
        "sarcasm": "no",
        "conversation_format": "scripted",
    }
    assert item.tags["gender"] in ("male", "female")
    with duckdb.connect() as made:
        made.execute("create table t as from read_parquet(?)", [str(shared / "fixtures/listen/data/*.parquet")])
        made.execute("alter table t drop column age")
        made.execute("update t set gender = null")
        made.execute(f"copy t to '{tmp_path / 'train.parquet'}'")
    item = next(iter(listen.load(listen.Settings(data=str(tmp_path), experiments=("2B",)), Context("listen")).items()))
    assert "age" not in item.tags
    assert item.tags["gender"] == "unknown"


def test_experiments_of_text_alone_need_no_ears() -> None:
    text = listen.load(listen.Settings(experiments=("1_text", "2A", "3A")), Context("listen"))
    mixed = listen.load(listen.Settings(experiments=("2A", "2B")), Context("listen"))
    assert (text.needs_ears, mixed.needs_ears) == (False, True)
    assert {task: facts.needs_ears for task, facts in mixed.task_facts.items()} == {"2A": "no"}
