"""A plug-in is a file: to add one is not to edit anything else. Models, scorers and conditions too."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

import msgspec
import numpy as np
import pytest
from mine import bench

from earmark import plugins
from earmark.audio.read import load_waveform
from earmark.cli import earmark
from earmark.config.compose import compose_config
from earmark.config.folders import yaml_names
from earmark.config.parse import parse_model
from earmark.engine.load import load_condition, load_scorer
from earmark.errors import AskError, UsageError
from earmark.models import fake
from earmark.types import Context, EncodedAudio, Item, NamedCondition, Prompt, Response, SynthSpec, Turn, Waveform

ARGUMENTS = {  # of conditions that take one
    "codec": "codec:mp3@32k",
    "cut": "cut:0.1",
    "gain": "gain:-20",
    "noise": "noise:10",
    "reverb": "reverb:0.5",
    "speed": "speed:1.25",
}


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


def test_every_backend_has_a_model_file_to_begin_with() -> None:
    texts = [path.read_text(encoding="utf-8") for path in yaml_names("model").values()]
    backends = {name for text in texts for name in re.findall(r"^backend: *(\w+)", text, re.MULTILINE)}
    assert backends == set(plugins.plugin_names("models"))


@pytest.mark.parametrize("name", plugins.plugin_names("scorers"))
def test_a_scorer_is_its_settings_and_has_a_headline(name: str) -> None:
    scorer = load_scorer(name, {})
    assert scorer.name == name
    assert len(scorer.metrics) >= 1
    assert all(metric.better in ("higher", "lower") for metric in scorer.metrics.values())


def heard(condition: NamedCondition, prompt: Prompt) -> list[object]:
    item = Item("1", "t", labels=("A",), targets=("A",))
    return [part for turn in condition.apply(prompt, item).turns for part in turn.parts]


@pytest.mark.parametrize("name", plugins.plugin_names("conditions"))
def test_a_condition_changes_the_sound_and_nothing_else(name: str) -> None:
    condition = load_condition(ARGUMENTS.get(name, name), 3, bench.make())
    assert condition is not None
    tone = SynthSpec("tone", {"frequency": 440.0, "seconds": 0.2, "level": -20.0}, "tone", transcript="beep")
    prompt = Prompt((Turn("system", ("Be brief.",)), Turn("user", ("Before.", tone, "After."))), ("x",), ("A",))
    try:
        parts = heard(condition, prompt)
    except AskError as error:
        pytest.fail(f"{name} cannot hear a plain tone: {error}")
    assert [part for part in parts if isinstance(part, str) and part in ("Be brief.", "Before.", "After.")] == [
        "Be brief.",
        "Before.",
        "After.",
    ]
    changed = parts[2]
    if isinstance(changed, Waveform | EncodedAudio):
        assert not np.array_equal(load_waveform(changed).samples, load_waveform(tone).samples)
    again = heard(condition, prompt)
    assert all(
        np.array_equal(one.samples, other.samples)
        if isinstance(one, Waveform) and isinstance(other, Waveform)
        else one == other
        for one, other in zip(parts, again, strict=True)
    )


def test_a_function_is_a_model() -> None:
    async def ask(reply: str) -> Response:
        async with fake.load(fake.Settings(reply=reply), Context()) as model:
            answer: Response = await model.generate(Prompt((Turn("user", ("Hello.",)),)))
            return answer

    assert asyncio.run(ask("B")).text == "B"
    assert asyncio.run(ask("mine.replies:length")).text == "6"
    with pytest.raises(UsageError, match="has no function 'nothing'"):
        asyncio.run(ask("mine.replies:nothing"))
