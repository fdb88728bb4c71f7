"""Settings from words and files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from earmark.config import RunSettings, compose_config, model_signature, parse_model, parse_settings
from earmark.engine.load import load_benchmark
from earmark.errors import UsageError
from earmark.models import openai
from earmark.types import Capabilities


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("data=../shared/fixtures/listen", "../shared/fixtures/listen"),
        ("data=/a folder/with (signs), and more", "/a folder/with (signs), and more"),
        ("data=it's", "it's"),
        ("data=C:\\sounds", "C:\\sounds"),
        ("data=音频 ñ 🎧", "音频 ñ 🎧"),
        ("data=a=b", "a=b"),
        ("experiments=[1_audio,2B,3B,4]", ["1_audio", "2B", "3B", 4]),
        ("experiments=1_audio,2B", ["1_audio", "2B"]),
        ("seeds=[42,43]", [42, 43]),
        ("extend_3a=false", False),
        ("gold=null", None),
        ("note='a, b'", "a, b"),
    ],
)
def test_a_word_becomes_its_value(word: str, value: Any) -> None:
    assert compose_config([word]).benchmark == {word.partition("=")[0]: value}


def test_run_settings_and_conditions_are_read() -> None:
    run = compose_config(
        ["condition=[plain,noise:-10,silence]", "limit=5", "seed=3", "repeats=2", "results=my runs"]
    ).run
    assert run == RunSettings(
        condition=("plain", "noise:-10", "silence"), limit=5, seed=3, repeats=2, results="my runs"
    )
    assert compose_config(["condition=silence"]).run.condition == ("silence",)


def test_a_model_is_named_by_file_backend_or_address() -> None:
    assert compose_config([]).model["asr"] == {"backend": "whisper_tiny"}
    assert compose_config(["model=openai/gpt-4o-audio-preview"]).model["name"] == "gpt-4o-audio-preview"
    assert compose_config(["model=openai/org/name:v1"]).model["name"] == "org/name:v1"
    model = compose_config(["model=http://127.0.0.1:8000/v1/", "model.concurrency=3", "model.extra.seed=1"]).model
    assert (model["base_url"], model["concurrency"], model["extra"]) == ("http://127.0.0.1:8000/v1", 3, {"seed": 1})
    assert compose_config(["model.concurrency=3", "model=fake"]).model["concurrency"] == 3


def test_settings_are_typed_and_a_wrong_one_is_told() -> None:
    settings = parse_model(
        compose_config(["model=openai/x", "model.temperature=0.5", "model.max_tokens=null"]).model
    ).settings
    assert isinstance(settings, openai.Settings)
    assert (settings.temperature, settings.max_tokens) == (0.5, None)
    with pytest.raises(UsageError, match=r"model\.temperature='hot': Expected"):
        parse_model(compose_config(["model=openai/x", "model.temperature=hot"]).model)
    with pytest.raises(UsageError, match=r"no setting is called 'model\.api_key'"):
        parse_model(compose_config(["model=openai/x", "model.api_key=sk-1"]).model)
    with pytest.raises(UsageError, match="expected key=value"):
        compose_config(["limit"])
    with pytest.raises(UsageError, match="no setting is called 'colour'; there are: condition, limit"):
        parse_settings(RunSettings, {"colour": "red"}, "")


@pytest.mark.parametrize(
    "word",
    [
        "limit=-1",
        "seed=-1",
        "repeats=0",
        "max_attempts=0",
        "retry_timeout=-1",
        "budget=-1",
        "max_consecutive_failures=0",
        "max_audio_bytes=0",
    ],
)
def test_a_number_that_means_nothing_is_refused(word: str) -> None:
    with pytest.raises(UsageError, match=f"^{word}: Expected `.*` >= [01]"):
        compose_config([word])


def test_a_word_that_is_none_of_the_few_is_told_with_them() -> None:
    with pytest.raises(UsageError, match=r"there are: runner, template, paper-neutral$"):
        load_benchmark("listen", (), {"gold": "x"})


def test_what_signs_a_model_is_what_changes_its_answers() -> None:
    before = compose_config(["model=http://127.0.0.1:1/v1"]).model
    moved = compose_config(["model=http://127.0.0.1:2/v1", "model.concurrency=2", "model.timeout=9"]).model
    warmer = compose_config(["model=http://127.0.0.1:1/v1", "model.temperature=0.7"]).model
    assert model_signature(parse_model(before), "m") == model_signature(parse_model(moved), "m")
    assert model_signature(parse_model(before), "m") != model_signature(parse_model(warmer), "m")
    assert model_signature(parse_model(before), "m") != model_signature(parse_model(before), "n")


def test_noise_levels_are_conditions_beside_the_others() -> None:
    assert compose_config(["noise=[20,0,-10]"]).run.condition == ("plain", "noise:20", "noise:0", "noise:-10")
    assert compose_config(["noise=5", "condition=[plain,silence]"]).run.condition == ("plain", "silence", "noise:5")


@pytest.mark.parametrize("text", [b"backend: [openai", b"\xff\xfe", b"- openai"])
def test_a_yaml_of_the_users_own_that_is_none_is_told(
    text: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "mine.yaml").write_bytes(text)
    monkeypatch.setenv("EARMARK_CONF", str(tmp_path))
    with pytest.raises(UsageError, match=r"no YAML|expected settings by name|cannot read model=mine"):
        compose_config(["model=mine"])


def test_fit_is_short_for_mono_wav_at_a_rate_and_signs() -> None:
    fitted = parse_model(compose_config(["model=openai/m", "model.fit=16000"]).model)
    plain = parse_model(compose_config(["model=openai/m"]).model)
    assert fitted.settings.capabilities == Capabilities(("wav",), (16000,), 1, images=True, base64=True)
    assert model_signature(fitted, "m") != model_signature(plain, "m")
    assert model_signature(fitted, "m")["capabilities"]["rates"] == [16000]
    hosted = parse_model({"backend": "gemini", "name": "m", "fit": "16000"})  # without capabilities in a YAML
    assert hosted.settings.capabilities == Capabilities(("wav",), (16000,), 1, images=True, base64=True)
    spread = {"backend": "spread", "urls": ["http://x/v1"], "endpoint": {"backend": "openai", "fit": 16000}}
    assert model_signature(parse_model(spread), "m")["endpoint"]["fit"] == 16000


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["model=openai/m", "model.fit=16"], r"model.fit=16: Expected `int` >= 1000"),
        (["model=openai/m", "model.fit=yes"], "model.fit="),
        (["model=openai/m", "model.fit=16000", "model.capabilities.rates=[8000]"], "give one of the two"),
        (["model=transformers/m", "model.fit=16000"], "finds out by itself what its model takes"),
        (["model=spread", "model.urls=[http://x/v1]", "model.fit=16000"], "of model=spread as model.endpoint.fit"),
    ],
)
def test_a_fit_that_sets_nothing_is_refused(words: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_model(compose_config(words).model)
