"""A look at a benchmark: counts, missing sound, right answers that are no choice, ids that come twice."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
import table_data as data
from recorded_runs import QUICK

from earmark.engine.load import load_benchmark, load_scorer
from earmark.errors import BadData
from earmark.journal import CompletedIndex
from earmark.runs.dataset_check import check_dataset
from earmark.runs.opening import audio_seconds, judge_calls
from earmark.runs.plan import look_at
from earmark.scorers.choice import ChoiceScorer
from earmark.types import Benchmark, Clip, Item, Prompt, TaskFacts, Turn, replace


def bench(items: Iterable[Item], **facts: TaskFacts) -> Benchmark:
    held = tuple(items)
    return Benchmark(
        name="own.bench", version=1, tasks=("t",), items=lambda: held, prompt=lambda item: Prompt((Turn("user", (item.question,)),)),
        scorers=lambda _: (ChoiceScorer(),), task_facts=facts,
    )  # fmt: skip


def choice(name: str, **changes: object) -> Item:
    item = Item(name, "t", "?", choices=("x", "y"), labels=("A", "B"), targets=("A",))
    return replace(item, **changes)


def test_what_is_missing_or_odd_is_a_line(tmp_path: Path) -> None:
    here = data.put(tmp_path / "a.wav", data.wav())
    items = [
        choice("1", clips=(Clip(str(here)), Clip(str(tmp_path / "gone.wav")))),
        choice("2", targets=(), extra={"answer": "z"}),
        choice("3", choices=("x", "x")),
        choice("3"),
        choice("4", state="error", reason="its path leads out"),
        choice("5", state="skipped", reason="excluded"),
        choice("6", targets=()),
    ]
    look = look_at(bench(items, t=TaskFacts(rows=9)))
    assert list(look.problems()) == [
        "t: found 7 rows, expected 9",
        f"t: 1 of 2 clips are not there: {tmp_path / 'gone.wav'}",
        "t: 1 items cannot be asked: '4' (its path leads out)",
        "t: the right answer of 1 items is none of their choices: '2'",
        "1 ids stand for two items of one task",
    ]
    assert list(look.remarks()) == ["t: 1 items have no right answer in the data", "t: 1 items list a choice twice"]
    assert (look.items, look.clips) == (5, 2)


def test_counts_of_a_part_are_not_compared_with_the_expected() -> None:
    assert list(look_at(bench([choice("1"), choice("2")], t=TaskFacts(rows=2)), limit=1).problems()) == []
    assert list(look_at(bench([choice("1")], t=TaskFacts(rows=2)), limit=None).problems()) != []


def test_the_length_of_all_sound_is_estimated_from_a_few_files(tmp_path: Path) -> None:
    paths = [data.put(tmp_path / f"{number}.wav", data.wav()) for number in range(200)]
    look = look_at(bench(choice(str(path), clips=(Clip(str(path)),)) for path in paths))
    assert audio_seconds(look) == pytest.approx(20.0, rel=0.01)


def test_members_of_archives_and_cells_of_tables_are_looked_for(tmp_path: Path) -> None:
    archive = data.put_zip(tmp_path / "a.zip", {"in.wav": data.wav()})
    clips = (
        Clip(str(archive), member="in.wav"),
        Clip(str(archive), member="out.wav"),
        Clip(str(tmp_path / "no.parquet"), 3),
    )
    look = look_at(bench([choice("1", clips=clips)]))
    assert look.tasks["t"].missing == ["out.wav", str(tmp_path / "no.parquet")]
    assert audio_seconds(look) is None


def test_a_run_says_first_what_is_missing_and_a_strict_one_ends(tmp_path: Path) -> None:
    benchmark = bench([choice("1", clips=(Clip(str(tmp_path / "gone.wav")),))])
    found = check_dataset(benchmark, (None,), QUICK, CompletedIndex())
    assert found.problems == (f"t: 1 of 1 clips are not there: {tmp_path / 'gone.wav'}",)
    with pytest.raises(BadData, match=r"own.bench: t: 1 of 1 clips .* leave out strict=true"):
        check_dataset(benchmark, (None,), replace(QUICK, strict=True), CompletedIndex())


def test_judges_are_counted_by_votes_and_orders() -> None:
    scorers = (
        load_scorer("judge", {"prompt": "voicebench", "votes": 3}),
        load_scorer("judge", {"prompt": "air-bench"}),
        ChoiceScorer(),
    )
    benchmark = replace(bench([choice("1"), choice("2")]), scorers=lambda _: scorers)
    assert judge_calls(benchmark, look_at(benchmark), 2) == 2 * 2 * (3 + 2)


def test_a_hundred_thousand_rows_take_seconds(tmp_path: Path) -> None:
    """Counted in steps, not in time: no row is read twice and no sound is opened."""
    opened = 0

    def items() -> Iterable[Item]:
        nonlocal opened
        opened += 1
        clip = Clip(str(data.put(tmp_path / "a.wav", data.wav())))
        return (choice(str(number), clips=(clip,)) for number in range(100_000))

    look = look_at(replace(bench([]), items=items))
    assert (look.items, look.clips, opened) == (100_000, 100_000, 1)


def test_tables_are_looked_at_as_they_lie(tmp_path: Path) -> None:
    data.mmau_github(tmp_path / "mmau")
    (tmp_path / "mmau/test-mini-audios/m-2.wav").unlink()
    look = look_at(load_benchmark("mmau", [], {"data": str(tmp_path)}))
    assert look.tasks["music"].n_missing == 1
    assert look.tasks["speech"].twice == 1
