"""Loading: benchmarks and conditions by their names and settings, and one line for what means nothing."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from mine import bench

from earmark.config.compose import compose_config
from earmark.engine.load import load_benchmark, load_condition, load_conditions, load_run_benchmark
from earmark.errors import UsageError

NONE = bench.make()


def test_a_benchmark_is_loaded_with_its_tasks_and_settings() -> None:
    benchmark = load_benchmark("acoustics", ("pitch",), {"items": 12})
    assert (benchmark.name, benchmark.tasks) == ("acoustics", ("pitch",))
    assert len(list(benchmark.items())) == 12


@pytest.mark.parametrize(
    ("name", "tasks", "settings", "told"),
    [
        ("beeps", (), {}, "no benchmark is called 'beeps'"),
        ("acoustics", ("colour",), {}, "acoustics has no task 'colour'"),
        ("acoustics", (), {"colour": "red"}, "no setting is called 'colour'"),
        ("acoustics", (), {"items": "many"}, "items='many'"),
    ],
)
def test_what_a_benchmark_does_not_have_is_told(
    name: str, tasks: tuple[str, ...], settings: dict[str, str], told: str
) -> None:
    with pytest.raises(UsageError, match=told):
        load_benchmark(name, tasks, settings)


def test_a_benchmark_that_has_a_seed_gets_that_of_the_run() -> None:
    benchmark, config = load_run_benchmark("acoustics", ("pitch",), compose_config(["seed=7", "limit=2", "items=12"]))
    assert benchmark.seed == 7
    assert (config.run.seed, config.run.limit) == (7, 2)
    with pytest.raises(UsageError, match=r"no setting is called 'colour'; there are: .*items.* \(of acoustics\)"):
        load_run_benchmark("acoustics", (), compose_config(["colour=red"]))


def test_conditions_are_loaded_by_name_and_argument_and_plain_is_none() -> None:
    names = ["plain", "noise:10", "silence", "noise:babble@-5"]
    loaded = load_conditions(names, 0, NONE)
    assert [condition.name if condition else "plain" for condition in loaded] == names
    assert load_condition("plain", 0, NONE) is None


@pytest.mark.parametrize(
    ("texts", "told"),
    [
        ((), "condition=\\[\\] names no condition"),
        (("silence", "plain", "silence"), "^silence is named twice"),
        (("plain", "plain"), "^plain is named twice"),
        (("noise:10", "noise:10.0"), "^noise:10 is named twice"),
        (("underwater",), "no condition is called 'underwater'"),
        (("silence:3",), "silence takes no argument"),
    ],
)
def test_conditions_that_mean_nothing_are_told(texts: tuple[str, ...], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        load_conditions(texts, 0, NONE)


def test_files_of_the_users_own_are_found_by_their_dotted_names(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("own").mkdir()
    Path("own/bench.py").write_text(Path(bench.__file__).read_text().replace('"mine.bench"', '"own.bench"'))
    monkeypatch.syspath_prepend(str(Path.cwd()))
    monkeypatch.delitem(sys.modules, "own", raising=False)
    assert load_benchmark("own.bench", (), {"items": 3}).name == "own.bench"
