"""Plain settings read into typed ones."""

from __future__ import annotations

import pytest

from earmark.config.compose import compose_config
from earmark.config.parse import parse_model, parse_settings
from earmark.config.settings import RunSettings
from earmark.engine.load import load_benchmark
from earmark.errors import UsageError
from earmark.models import openai


def test_settings_are_typed_and_a_wrong_one_is_told() -> None:
    settings = parse_model(
        compose_config(["model=openai/x", "model.temperature=0.5", "model.max_tokens=null"]).model
    ).settings
    assert isinstance(settings, openai.Settings)
    assert (settings.temperature, settings.max_tokens) == (0.5, None)
    with pytest.raises(UsageError, match=r"model\.temperature='hot': expected a number"):
        parse_model(compose_config(["model=openai/x", "model.temperature=hot"]).model)
    with pytest.raises(UsageError, match=r"no setting is called 'model\.api_key'"):
        parse_model(compose_config(["model=openai/x", "model.api_key=sk-1"]).model)
    with pytest.raises(UsageError, match="expected key=value"):
        compose_config(["limit"])
    with pytest.raises(UsageError, match="no setting is called 'colour'; there are: condition, limit"):
        parse_settings(RunSettings, {"colour": "red"}, "")


def test_a_word_that_is_none_of_the_few_is_told_with_them() -> None:
    with pytest.raises(UsageError, match=r"there are: runner, template, paper-neutral$"):
        load_benchmark("listen", (), {"gold": "x"})


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["model=openai/m", "model.fit=16"], r"model.fit=16: expected a whole number >= 1000"),
        (["model=openai/m", "model.fit=yes"], "model.fit="),
        (["model=openai/m", "model.fit=16000", "model.capabilities.rates=[8000]"], "give one of the two"),
        (["model=transformers/m", "model.fit=16000"], "finds out by itself what its model takes"),
        (["model=spread", "model.urls=[http://x/v1]", "model.fit=16000"], "of model=spread as model.endpoint.fit"),
    ],
)
def test_a_fit_that_sets_nothing_is_refused(words: list[str], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_model(compose_config(words).model)
