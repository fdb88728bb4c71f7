"""A plug-in is a file: to add one is not to edit anything else. Models, scorers and conditions too."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import msgspec
import pytest
from contract import every_plugin, examples_problem
from mine import bench

from earmark import plugins
from earmark.cli import earmark
from earmark.config.compose import compose_config
from earmark.config.folders import yaml_names
from earmark.config.parse import parse_model
from earmark.errors import UsageError
from earmark.models import fake
from earmark.types import Context, Prompt, Response, Turn


@pytest.mark.parametrize("kind", ["benchmarks", "models", "scorers", "conditions", "cli"])
def test_a_file_that_is_there_is_listed_and_found(
    kind: plugins.Kind, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / kind).mkdir()
    (tmp_path / kind / "beeps.py").write_text('"""Beeps: how many are there?"""\n')
    (tmp_path / kind / "_private.py").write_text("")
    monkeypatch.setattr(plugins, "PACKAGE_DIR", tmp_path)
    assert plugins.plugin_names(kind) == ["beeps"]
    assert plugins.summary(kind, "beeps") == "Beeps: how many are there?"


@pytest.mark.parametrize(("kind", "name"), every_plugin())
def test_every_plug_in_has_examples(kind: plugins.Kind, name: str) -> None:
    problem = examples_problem(plugins.find_plugin(kind, name))
    assert not problem, problem


def test_a_plug_in_without_examples_is_told_in_one_line() -> None:
    assert examples_problem(plugins.find_plugin("benchmarks", "mine.bench")) == (
        "benchmark mine.bench has no examples; write: def examples() -> tuple[BenchmarkExample, ...], with at least one "
        "(earmark/plugins/examples.py)"
    )


@pytest.mark.parametrize("kind", ["benchmarks", "models", "scorers", "conditions"])
def test_every_plug_in_says_what_it_is_and_can_be_loaded(kind: plugins.Kind) -> None:
    for name in plugins.plugin_names(kind):
        assert plugins.summary(kind, name).endswith((".", "?")), f"{kind}/{name}.py: its first line is a sentence"
        assert callable(plugins.find_plugin(kind, name).load)


def test_somebody_elses_plug_in_is_found_by_its_dotted_name() -> None:
    assert plugins.find_plugin("benchmarks", "mine.bench").module is bench
    with pytest.raises(UsageError, match=r"no module 'mine\.nothing'"):
        plugins.find_plugin("benchmarks", "mine.nothing")


def test_a_function_of_a_module_on_its_own_answers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "lonely_listener.py").write_text("def say(prompt):\n    return 'B'\n")
    monkeypatch.syspath_prepend(tmp_path)

    async def said() -> str:
        async with fake.load(fake.Settings(reply="lonely_listener:say"), Context()) as model:
            return (await model.generate(Prompt(()))).text

    assert asyncio.run(said()) == "B"


def test_every_command_is_a_file() -> None:
    commands = {plugins.display_name("cli", name) for name in plugins.plugin_names("cli")}
    assert set(earmark.list_commands(None)) == commands  # type: ignore[arg-type]


GIVEN = {"gemini": "model.name=gemini-2.5-flash", "replay": "model.run=RUN"}  # what a model's file leaves to be given


@pytest.mark.parametrize("name", sorted(yaml_names("model")))
def test_every_model_file_is_composed_and_read_by_its_backend(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = yaml_names("model")[name]
    text = path.read_text(encoding="utf-8")
    assert text.startswith("# "), f"{path.name} says in its first line what it is"
    for variable in re.findall(r"oc\.env:(\w+)", text):
        with pytest.raises(UsageError, match=rf"'{variable}' not found; set it"):
            compose_config([f"model={name}"])
        monkeypatch.setenv(variable, "http://127.0.0.1:8009")
    words = [f"model={name}"]
    if name in GIVEN:
        with pytest.raises(UsageError, match=f"{GIVEN[name].partition('=')[0]} must be given"):
            parse_model(compose_config(words).model)
        words.append(GIVEN[name])
    settings = compose_config(words).model
    parsed = parse_model(settings)
    assert parsed.common.concurrency >= 1
    assert msgspec.to_builtins(parsed.settings) is not None
    for half in ("asr", "llm", "endpoint"):
        assert half not in settings or parse_model(settings[half]).common.backend


def test_every_model_file_is_of_a_backend_that_is_there() -> None:
    texts = [path.read_text(encoding="utf-8") for path in yaml_names("model").values()]
    backends = {name for text in texts for name in re.findall(r"^backend: *(\w+)", text, re.MULTILINE)}
    assert backends <= set(plugins.plugin_names("models"))


def test_a_function_is_a_model() -> None:
    async def ask(reply: str) -> Response:
        async with fake.load(fake.Settings(reply=reply), Context()) as model:
            answer: Response = await model.generate(Prompt((Turn("user", ("Hello.",)),)))
            return answer

    assert asyncio.run(ask("B")).text == "B"
    assert asyncio.run(ask("mine.replies:length")).text == "6"
    with pytest.raises(UsageError, match="has no function 'nothing'"):
        asyncio.run(ask("mine.replies:nothing"))
