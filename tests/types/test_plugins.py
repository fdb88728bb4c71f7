"""What plug-ins are loaded with."""

from __future__ import annotations

import msgspec
import pytest

from earmark.types import Average, Context, TaskFacts


def test_a_context_without_an_engine_opens_no_model_and_says_which() -> None:
    with pytest.raises(NotImplementedError, match="no model can be opened here, found openai"):
        Context().open_model({"backend": "openai"})


@pytest.mark.parametrize(
    ("kind", "settings"), [(Average, {"over": ["a"], "weight": "items"}), (TaskFacts, {"licence": "MIT"})]
)
def test_a_misspelled_fact_or_average_is_refused(kind: type[msgspec.Struct], settings: dict[str, object]) -> None:
    with pytest.raises(msgspec.ValidationError, match="unknown field"):
        msgspec.convert(settings, kind)
