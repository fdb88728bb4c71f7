"""The nouns: frozen, written and read back as they were, and summed where they are counts."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from earmark.types import (
    STATES,
    Capabilities,
    Clip,
    Failure,
    Item,
    Model,
    Prompt,
    Response,
    Score,
    SynthSpec,
    Usage,
    Waveform,
    Wrapper,
    replace,
)

USAGES = st.builds(Usage, *(st.integers(0, 10**9) for _ in range(4)), st.integers(0, 10**6).map(float))


@given(USAGES, USAGES, USAGES)
def test_usages_add_up_in_any_order_and_none_adds_nothing(first: Usage, second: Usage, third: Usage) -> None:
    assert first + second == second + first
    assert (first + second) + third == first + (second + third)
    assert first + Usage() == first
    assert (first + second).tokens_out == first.tokens_out + second.tokens_out


@pytest.mark.parametrize("noun", [Item("1"), Clip("a.wav"), Prompt(()), Response("A"), Failure("refused", "no")])
def test_a_noun_does_not_change_but_another_can_be_made(noun: msgspec.Struct) -> None:
    name = noun.__struct_fields__[0]
    with pytest.raises(AttributeError, match="immutable"):
        setattr(noun, name, "x")
    before = getattr(noun, name)
    assert getattr(replace(noun, **{name: "x"}), name) == "x"
    assert getattr(noun, name) == before


@given(
    st.builds(
        Item,
        st.text(min_size=1),
        st.text(),
        clips=st.lists(st.builds(Clip, st.text()) | st.builds(SynthSpec, st.text()), max_size=3).map(tuple),
        targets=st.lists(st.text(), max_size=3).map(tuple),
        tags=st.dictionaries(st.text(), st.text(), max_size=2),
    )
)
def test_an_item_is_read_back_as_it_was_written(item: Item) -> None:
    assert msgspec.json.decode(msgspec.json.encode(item), type=Item) == item


def test_a_choice_is_found_by_its_label() -> None:
    item = Item("1", choices=("yes", "no"), labels=("A", "B"))
    assert (item.text("A"), item.text("B")) == ("yes", "no")
    with pytest.raises(ValueError, match="not in tuple"):
        item.text("C")


@pytest.mark.parametrize("channels", [1, 2])
def test_a_waveform_lasts_its_frames_by_its_rate(channels: int) -> None:
    assert Waveform(np.zeros((channels, 12000), np.float32), 48000).seconds == 0.25


def test_a_reader_of_whole_replies_gets_the_thoughts_too() -> None:
    assert Response("A").whole_text == "A"
    assert Response("A", raw_text="<think>B?</think>A").whole_text == "<think>B?</think>A"


@pytest.mark.parametrize("wrong", [{"states": "asked"}, {"format": "wav"}, {"formats": "wav"}])
def test_a_setting_of_capabilities_that_is_none_is_refused(wrong: dict[str, str]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(wrong, Capabilities)


def test_states_of_failures_and_scores_are_those_of_a_report() -> None:
    for state in STATES:
        assert msgspec.convert({"counts": {}, "state": state}, Score).state == state
    for state in ("refused", "request-failed", "sound-failed"):
        assert state in STATES
        assert msgspec.convert({"state": state, "message": ""}, Failure).state == state
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"state": "answered", "message": ""}, Failure)


def test_a_wrapper_has_the_name_and_the_capabilities_of_its_model() -> None:
    class Whisper:
        name = "whisper"
        capabilities = Capabilities(clips=1)

        async def generate(self, prompt: Prompt) -> Response:
            return Response(str(len(prompt.turns)))

    inner: Model = Whisper()
    wrapped = Wrapper(inner)
    assert (wrapped.name, wrapped.capabilities, wrapped.model) == ("whisper", Capabilities(clips=1), inner)
