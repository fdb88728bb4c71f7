"""A setting that is given is used or refused: no command drops one without a word."""

from __future__ import annotations

import itertools

import click
import pytest
from click.testing import CliRunner
from commands import earmark

from earmark import plugins
from earmark.cli import earmark as program
from earmark.config.settings import RunSettings
from earmark.errors import EarmarkError

USED = {  # the settings of a run that each command with words uses; the others it refuses
    "audiogram": {
        "condition",
        "seed",
        "results",
        "output_dir",
        "resume",
        "max_attempts",
        "retry_timeout",
        "max_consecutive_failures",
        "preflight",
    }
    | {"budget"},
    "doctor": {"max_attempts", "retry_timeout"},
    "import": {"results"},
    "judge_check": {"limit", "seed"},
    "list": {"results"},
    "check": {"limit", "strict", "seed"},
    "probe": {"max_audio_seconds", "max_audio_bytes"},
    "prompts": {"condition", "limit", "seed", "max_audio_seconds", "max_audio_bytes"},
    "retry": {"max_attempts", "retry_timeout", "max_audio_seconds", "max_audio_bytes"}
    | {"max_consecutive_failures", "budget"},
} | {name: set[str]() for name in ("fetch", "init", "rescore", "score", "serve", "verify")}
ALL_USED = {"run", "demo", "listen_eval"}  # these ask a benchmark, and use all settings of a run
VALUES = {
    "condition": "silence",
    "results": "elsewhere",
    "output_dir": "{model}",
    "resume": "false",
    "preflight": "false",
} | {"batch": "true"}


def with_words() -> list[str]:
    """The commands that take words, by looking at all."""
    commands = {name: plugins.find_plugin("cli", name).module.command for name in plugins.plugin_names("cli")}
    return [name for name, command in commands.items() if any(p.name in ("words", "names") for p in command.params)]


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """What each command is given beside its words."""
    home = tmp_path_factory.mktemp("home")
    (home / "r.jsonl").write_text('{"id": 1, "reply": "A", "target": "A", "labels": "AB"}\n')
    assert earmark("run", "mine.bench", "items=2", "model=fake", f"results={home / 'results'}").returncode == 0
    (signed,) = home.rglob("run.json")
    return {
        "check": ["acoustics"],
        "fetch": ["acoustics"],
        "init": [str(home / "r.jsonl")],
        "serve": ["fake", "--dry-run"],
        "verify": ["acousticbench"],
        "import": [str(home / "r.jsonl")],
        "list": ["runs"],
        "probe": [str(home / "r.jsonl")],
        "prompts": ["acoustics:pitch", "items=1"],
        "rescore": [str(signed.parent)],
        "retry": [str(signed.parent)],
        "score": [str(home / "r.jsonl"), "--scorer", "choice"],
        "judge_check": ["judge=fake"],
    }


def refusal(command: str, places: dict[str, list[str]], word: str) -> str:
    """What a command says of a word that it does not take; empty where it takes it."""
    words = [plugins.display_name("cli", command), *places.get(command, []), word]
    error = CliRunner().invoke(program, words).exception
    return str(error) if isinstance(error, EarmarkError | click.UsageError) else ""


def test_every_command_with_words_is_looked_at() -> None:
    assert set(with_words()) == set(USED) | ALL_USED


@pytest.mark.parametrize(
    ("command", "setting"),
    [
        (command, setting)
        for command, setting in itertools.product(USED, RunSettings.__struct_fields__)
        if setting not in USED[command]
    ],
)
def test_a_setting_of_a_run_that_a_command_does_not_use_is_refused(
    command: str, setting: str, places: dict[str, list[str]]
) -> None:
    assert setting in refusal(command, places, f"{setting}={VALUES.get(setting, '9')}")


@pytest.mark.parametrize("command", [*USED, *sorted(ALL_USED)])
def test_a_setting_that_nobody_knows_is_refused(command: str, places: dict[str, list[str]]) -> None:
    if command in ALL_USED:
        places = places | {"run": ["acoustics", "model=fake"], "demo": ["model=fake"], "listen_eval": ["model=fake"]}
    assert "nonsense" in refusal(command, places, "nonsense=1")
    assert "nonsense" in refusal(command, places, "model.nonsense=1")


def test_settings_of_another_machine_are_refused_where_the_model_is_of_another_backend() -> None:
    done = earmark("run", "mine.bench", "model=fake", "runtime=vllm_local")
    assert (done.returncode, "runtime=vllm_local: is for models of vllm" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("repeats=9",), "repeats=9: sets nothing of earmark rescore"),
        (("model.foo=1",), "model.foo=1: sets nothing"),
        (("items=3",), "items=3 decides what is asked"),
        (("question=Why?",), "question=Why? decides what is asked"),
        (("--parsers", "all", "policy=official"), "policy=official: sets nothing"),
        (("--parsers", "all", "--scorer", "choice"), "give one of them"),
    ],
)
def test_a_rescore_refuses_by_name_what_it_does_not_use(
    words: tuple[str, ...], told: str, places: dict[str, list[str]]
) -> None:
    done = earmark("rescore", *places["rescore"], *words)
    assert (done.returncode, told in done.stderr) == (2, True), done.stderr
