"""Keys: none is left in what is written down, and nothing else is taken for one."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from earmark.text.secrets import first_hidden, hide_secrets, without_secrets

KEYS = (
    "sk-proj-0123456789abcdefghij",
    "gsk_0a1b2c3d4e5f6g7h8i9j",
    "hf_0123456789abcdefghijABCD",
    "AIza" + "x" * 35,
    "AKIAABCDEFGHIJ012345",
)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("text", ["{}", "Bearer {}", '{{"key": "{}"}}', "error: {}, and {} again"])
def test_what_looks_like_a_key_is_hidden_wherever_it_stands(key: str, text: str) -> None:
    hidden = hide_secrets(text.format(key, key))
    assert key not in hidden
    assert "***" in hidden


@pytest.mark.parametrize(
    "text",
    ["", "task-force-of-many-people-in-town", "sk-short1", "a risk-based-approach-to-2024-audio", "hf_hub", "AKIA"],
)
def test_other_words_stay(text: str) -> None:
    assert hide_secrets(text) == text


@pytest.mark.parametrize("name", ["MY_API_KEY", "TOKEN", "service_secret", "DB_PASSWORD", "AWS_CREDENTIALS"])
def test_the_value_of_a_variable_that_holds_a_key_becomes_its_name(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "correct horse")
    assert hide_secrets("said correct horse.") == f"said ${{oc.env:{name}}}."


def test_variables_that_hold_no_key_or_a_short_one_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEYBOARD", "correct horse")
    monkeypatch.setenv("MY_API_KEY", "horse")
    assert hide_secrets("correct horse") == "correct horse"


@given(st.recursive(st.none() | st.integers() | st.sampled_from(KEYS), lambda inner: st.lists(inner) | st.dictionaries(st.text(max_size=3), inner)))  # fmt: skip
def test_settings_of_any_depth_keep_their_shape_and_no_key(value: object) -> None:
    kept = without_secrets({"setting": value})
    text = json.dumps(kept)
    assert not any(key in text for key in KEYS)
    assert text == json.dumps({"setting": value}).translate({}) or first_hidden(kept)
    assert without_secrets(kept) == kept


def test_the_first_setting_that_was_a_key_is_named_by_its_path() -> None:
    settings = {"name": "m", "headers": [{"a": "b"}, {"Authorization": "Bearer sk-proj-0123456789abcdef"}]}
    assert first_hidden(settings) == ""
    assert first_hidden({"api_key": "***"}, "model") == "model.api_key"
    assert first_hidden({"api_key": "${oc.env:KEY}", "b": "***"}, "model") == "model.api_key"
    assert first_hidden(["x", ["***"]], "list") == "list.1.0"
