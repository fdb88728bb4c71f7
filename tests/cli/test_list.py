"""`earmark list`: every plug-in by its name and first line, and the runs of a folder with what became of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from earmark.cli import earmark as program
from earmark.config.folders import yaml_names
from earmark.errors import UsageError
from earmark.plugins import find_plugin, plugin_names, summary, table_names
from earmark.report.files import read_metrics
from earmark.runs.signature import load_signature


def listed(*words: str) -> str:
    done = CliRunner().invoke(program, ["list", *words], catch_exceptions=False)
    assert done.exit_code == 0
    return done.output


@pytest.mark.parametrize("kind", ["benchmarks", "conditions", "scorers"])
def test_every_plug_in_is_listed_with_its_first_line(kind: str) -> None:
    lines = [line.split(maxsplit=1) for line in listed(kind).splitlines()]
    told = {name.replace("-", "_"): text for name, text in lines}
    names = plugin_names(kind)  # type: ignore[arg-type] # one of plugins.Kind
    tables = table_names(kind)  # type: ignore[arg-type]
    assert set(told) - {"plain"} == {*names, *tables}
    assert all(told[name] == find_plugin("benchmarks", name).doc.splitlines()[0] for name in tables)
    assert all(told[name] == summary(kind, name) for name in names)  # type: ignore[arg-type]
    assert ("plain" in told) == (kind == "conditions")


@pytest.mark.parametrize("kind", ["models", "suites"])
def test_every_yaml_file_is_listed_also_the_users_own(kind: str) -> None:
    folder = Path("conf") / kind.removesuffix("s")
    folder.mkdir(parents=True)
    (folder / "mine.yaml").write_text("# One of my own\nbackend: fake\n")
    lines = listed(kind).splitlines()
    assert "  mine                  One of my own" in lines
    backends = plugin_names("models") if kind == "models" else []  # also one without a YAML file
    assert {line.split()[0] for line in lines} == {*yaml_names(kind.removesuffix("s")), *backends}


def test_without_a_kind_all_are_listed_under_their_titles() -> None:
    text = listed()
    titles = [line for line in text.splitlines() if not line.startswith(" ")]
    assert titles == ["benchmarks:", "models:", "conditions:", "scorers:", "suites:"]
    assert listed("scorers") in text


def test_runs_are_listed_with_their_number_or_their_answers(run: Path) -> None:
    signature, name = load_signature(run), run.name
    title, _, _, line = listed("runs").splitlines()
    estimate = read_metrics(run).rows[0].headline[1]
    assert title == "results: 1 runs, accuracy"
    assert line.split()[:6] == ["@", signature.model["name"], "mine.bench", name, "plain", str(estimate.n)]
    assert line.endswith(f"{estimate.value:.3f} ({estimate.low:.3f}-{estimate.high:.3f})")
    (run / "metrics.json").unlink()
    assert listed("runs").splitlines()[-1].split()[-2:] == ["4", "unfinished"]
    assert listed("runs", "results=elsewhere") == listed("runs", "elsewhere") == "elsewhere: no runs\n"
    (run / "run.json").write_text("{")
    assert "run.json: cannot be read" in listed("runs")


def test_lists_as_json(run: Path) -> None:
    (described,) = json.loads(listed("runs", "--json"))
    assert (described["run"], described["state"], described["score"]["n"]) == (str(run), "finished", described["n"])
    assert [entry["name"] for entry in json.loads(listed("suites", "--json"))["suites"]] == sorted(yaml_names("suite"))


@pytest.mark.parametrize("words", [("runs", "limit=3"), ("models", "results=x"), ("runs", "nonsense=1")])
def test_a_setting_that_lists_nothing_is_refused(words: tuple[str, ...]) -> None:
    with pytest.raises(UsageError, match=words[1].partition("=")[0]):
        listed(*words)
