"""A setting that is given is used or refused: no command drops one without a word."""

from __future__ import annotations

import itertools
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from commands import earmark
from servers import said, serving

from earmark import plugins
from earmark.cli import earmark as program
from earmark.config import RunSettings
from earmark.errors import EarmarkError
from earmark.journal import read_journal

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
    "probe": {"max_audio_seconds", "max_audio_bytes"},
    "prompts": {"condition", "limit", "seed", "max_audio_seconds", "max_audio_bytes"},
    "retry": {"max_attempts", "retry_timeout", "max_audio_seconds", "max_audio_bytes"}
    | {"max_consecutive_failures", "budget"},
} | {name: set[str]() for name in ("fetch", "rescore", "score", "verify")}
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
    commands = {name: plugins.find_plugin("cli", name).command for name in plugins.plugin_names("cli")}
    return [name for name, command in commands.items() if any(p.name == "words" for p in command.params)]


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """What each command is given beside its words."""
    home = tmp_path_factory.mktemp("home")
    (home / "r.jsonl").write_text('{"id": 1, "reply": "A", "target": "A", "labels": "AB"}\n')
    assert earmark("run", "mine.bench", "items=2", "model=fake", f"results={home / 'results'}").returncode == 0
    (signed,) = home.rglob("run.json")
    return {
        "fetch": ["acoustics"],
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


# ---------------------------------------------------------------- retry and rescore


def failed_run(url: str, *words: str) -> Path:
    """A run whose every item failed, for its server is not there."""
    done = earmark(
        "run", "mine.bench", "items=3", f"model={url}", "model.name=m", "max_attempts=1", "preflight=false", *words
    )
    assert done.returncode == 7, done.stderr
    (signed,) = Path("results").rglob("run.json")
    return signed.parent


def broken(*_: object) -> object:
    from aiohttp import web

    return web.Response(status=400, text='{"error": {"message": "no"}}')


def test_a_retry_asks_where_it_is_told_to() -> None:
    """Finding S1."""
    with serving(broken) as old, serving(lambda *_: said("A")) as new:  # type: ignore[arg-type]
        run = failed_run(old.url)
        asked = len(old.asked)
        done = earmark("retry", str(run), f"model.base_url={new.url}", "max_attempts=2", "model.concurrency=1")
        assert done.returncode == 0, done.stderr
        assert (len(old.asked), len(new.asked), new.most_at_once) == (asked, 3, 1)
    assert [record.response.text for record in read_journal(run / "responses.jsonl") if record.response] == ["A"] * 3


@pytest.mark.parametrize(
    ("word", "status", "told"),
    [
        ("model.temperature=0.7", 5, "model.temperature was not there and is 0.7"),
        ("model.name=other", 5, "model.name was 'm' and is 'other'"),
        ("repeats=9", 5, "repeats was 1 and is 9"),
        ("condition=silence", 5, "condition was"),
        ("noise=[10]", 5, "condition was"),
        ("limit=1", 5, "limit was None and is 1"),
        ("batch=true", 2, "batch=true: sets nothing of earmark retry"),
        ("results=elsewhere", 2, "results=elsewhere: sets nothing"),
        ("runtime=none", 2, "runtime="),
        ("model.cache=true", 2, "model.cache=true: a retry asks anew"),
        ("eval=listen", 2, "eval=listen: sets nothing"),
        ("items=5", 2, "items=5 decides what is asked"),
        ("nonsense=5", 2, "nonsense"),
        ("model.nonsense=5", 2, "nonsense"),
    ],
)
def test_a_retry_refuses_by_name_what_it_does_not_use(word: str, status: int, told: str) -> None:
    with serving(broken) as server:  # type: ignore[arg-type]
        run = failed_run(server.url)
        before, asked = (run / "responses.jsonl").read_bytes(), len(server.asked)
        done = earmark("retry", str(run), word)
        assert (done.returncode, len(done.stderr.splitlines())) == (status, 1), done.stderr
        assert told in done.stderr
        assert len(server.asked) == asked
        assert (run / "responses.jsonl").read_bytes() == before


def test_a_retry_of_questions_that_are_gone_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(broken) as server:  # type: ignore[arg-type]
        run = failed_run(server.url)
        config = run / "config.yaml"
        config.write_text(config.read_text().replace("items: 3", "items: 2"))
        done = earmark("retry", str(run))
        assert (done.returncode, "1 questions are not in the benchmark any more: item item-2" in done.stderr) == (
            5,
            True,
        )


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
