"""A working folder says what of it is in force, and hides nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hostile_runs import EVIL, command
from servers import said, serving

import earmark


def _write(path: str, text: str) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(text)


def test_yaml_that_replaces_a_packaged_file_is_told_before_anything_is_asked() -> None:
    with serving(lambda *_: said("A")) as server:
        _write("conf/model/openai.yaml", f"backend: openai\nbase_url: {server.url}\nname: m\n")
        done = command("run", "acoustics:pitch", "items=1", "model=openai/gpt-4o-audio-preview", "preflight=false")
    assert done.stderr.splitlines()[0].endswith(
        "conf/model/openai.yaml: used for model=openai instead of the packaged file"
    )


def test_yaml_that_replaces_nothing_is_not_told() -> None:
    _write("conf/model/mine.yaml", "backend: fake\n")
    done = command("run", "acoustics:pitch", "items=1", "model=mine")
    assert (done.returncode, "packaged" in done.stderr) == (0, False)


def test_a_suite_hides_no_benchmark() -> None:
    _write("conf/suite/acoustics.yaml", "title: Mine\nlines: [evil.bench]\n")
    _write("evil/bench.py", EVIL)
    done = command("run", "acoustics", "items=1", "model=fake", "limit=1")
    assert (done.returncode, Path("RAN").exists()) == (0, False)
    assert "conf/suite/acoustics.yaml: not used, since acoustics is a benchmark" in done.stderr


def test_a_suite_imports_nothing_of_the_working_folder_that_the_command_line_does_not_name() -> None:
    _write("conf/suite/nightly.yaml", "title: Mine\nlines: [evil.bench]\n")
    _write("evil/bench.py", EVIL)
    done = command("run", "nightly", "model=fake")
    assert (done.returncode, Path("RAN").exists()) == (2, False)
    assert "searched only for modules that the command line names" in done.stderr


@pytest.mark.parametrize("place", ["model", "suite", "condition"])
def test_a_file_of_code_is_used_only_where_the_command_line_names_it(place: str) -> None:
    _write("evil/bench.py", EVIL)
    _write("conf/model/nightly.yaml", "backend: ./evil/bench.py\n")
    texts = {
        "suite": "lines: [./evil/bench.py]",
        "condition": "lines: ['acoustics:pitch']\nsettings: {condition: [./evil/bench.py]}",
    }
    _write("conf/suite/nightly.yaml", f"title: Mine\n{texts.get(place, 'lines: []')}\n")
    words = ("acoustics:pitch", "model=nightly") if place == "model" else ("suite:nightly", "model=fake")
    done = command("run", *words)
    assert (done.returncode, Path("RAN").exists()) == (2, False), done.stderr
    assert "evil/bench.py: not used, since only a YAML file or a run names it" in done.stderr
    command("run", "acoustics:pitch", "model=./evil/bench.py")
    assert Path("RAN").exists()


def test_a_table_that_replaces_a_packaged_one_is_told() -> None:
    packaged = Path(earmark.__file__).parent / "benchmarks/tables/mmau.yaml"
    _write("conf/benchmark/mmau.yaml", packaged.read_text())
    done = command("prompts", "mmau", "data=.")
    assert done.stderr.splitlines()[0].endswith(
        "conf/benchmark/mmau.yaml: used for the benchmark mmau instead of the packaged table"
    )


def test_a_module_that_the_command_line_names_is_found_in_the_working_folder() -> None:
    _write("evil/bench.py", EVIL)
    done = command("run", "acoustics:pitch", "items=1", "model=fake", "model.reply=evil.bench:f")
    assert (done.returncode, Path("RAN").exists()) == (0, True)


def test_run_yaml_of_another_program_is_left_alone() -> None:
    _write("conf/run.yaml", "lr: 0.1\n")
    done = command("run", "acoustics:pitch", "items=1", "model=fake", "limit=1")
    assert done.returncode == 0
    assert "conf/run.yaml: not used, since it holds lr, which is no setting of a run" in done.stderr


def test_run_yaml_of_ours_is_used_and_told() -> None:
    _write("conf/run.yaml", "defaults:\n  - earmark_run\n  - _self_\nrepeats: 2\n")
    done = command("run", "acoustics:pitch", "items=1", "model=fake")
    assert "conf/run.yaml: used instead of the packaged settings of a run" in done.stderr
    (signed,) = Path("results").rglob("run.json")
    assert json.loads(signed.read_text())["repeats"] == 2


@pytest.mark.parametrize("name", ["EARMARK_CONF", "PATH", "LD_PRELOAD", "PYTHONPATH", "XDG_CONFIG_HOME", "HTTPS_PROXY"])
def test_dotenv_sets_keys_alone(name: str) -> None:
    _write(".env", f"{name}=evil\nMY_API_KEY=k\nEARMARK_CACHE=cache\n")
    done = command("list", "suites", **({} if name in ("PATH", "PYTHONPATH") else {name: ""}))
    assert done.returncode == 0
    assert f".env: {name} not set" in done.stderr


def test_programs_are_not_given_what_dotenv_set(monkeypatch: pytest.MonkeyPatch) -> None:
    from earmark.cli._dotenv import load_dotenv
    from earmark.data.programs import program_environment

    monkeypatch.setenv("HOSTILE_TEST_KEY", "")
    monkeypatch.delenv("HOSTILE_TEST_KEY")
    monkeypatch.setattr("earmark.data.programs._from_dotenv", set())
    _write(".env", "HOSTILE_TEST_KEY=k\n")
    load_dotenv()
    assert "HOSTILE_TEST_KEY" not in program_environment()
