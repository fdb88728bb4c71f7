"""Words of the command line."""

from __future__ import annotations

from typing import Any

import pytest

from earmark.config.compose import compose_config


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


def test_a_model_is_named_by_file_backend_or_address() -> None:
    assert compose_config([]).model["asr"] == {"backend": "whisper_tiny"}
    assert compose_config(["model=openai/gpt-4o-audio-preview"]).model["name"] == "gpt-4o-audio-preview"
    assert compose_config(["model=openai/org/name:v1"]).model["name"] == "org/name:v1"
    model = compose_config(["model=http://127.0.0.1:8000/v1/", "model.concurrency=3", "model.extra.seed=1"]).model
    assert (model["base_url"], model["concurrency"], model["extra"]) == ("http://127.0.0.1:8000/v1", 3, {"seed": 1})
    assert compose_config(["model.concurrency=3", "model=fake"]).model["concurrency"] == 3
