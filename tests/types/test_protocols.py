"""Capabilities and wrappers of models."""

from __future__ import annotations

import msgspec
import pytest

from earmark.types import (
    Capabilities,
    Model,
    Prompt,
    Response,
    Wrapper,
)


@pytest.mark.parametrize("wrong", [{"states": "asked"}, {"format": "wav"}, {"formats": "wav"}])
def test_a_setting_of_capabilities_that_is_none_is_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(wrong, Capabilities)


def test_a_wrapper_has_the_name_and_the_capabilities_of_its_model() -> None:
    class Whisper:
        name = "whisper"
        capabilities = Capabilities(clips=1)

        async def generate(self, prompt: Prompt) -> Response:
            return Response(str(len(prompt.turns)))

    inner: Model = Whisper()
    wrapped = Wrapper(inner)
    assert (wrapped.name, wrapped.capabilities, wrapped.model) == ("whisper", Capabilities(clips=1), inner)
