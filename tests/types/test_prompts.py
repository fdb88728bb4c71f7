"""Items: frozen, written and read back as they were."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from earmark.types import (
    Clip,
    Failure,
    Item,
    Prompt,
    Response,
    SynthSpec,
    replace,
)


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
