"""Cases that a packaged plug-in gives in its `examples()`: the tests of its kind are run with them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from msgspec import Struct

from earmark.types import Item

CHOICE_ITEM: Final = Item("1", "t", "Does it rain?", choices=("yes", "no"), labels=("A", "B"), targets=("A",))
TEXT_ITEM: Final = Item("1", "t", "What is said?", targets=("the cat sat on the mat",))


class PluginExample(Struct, frozen=True, kw_only=True):
    settings: Mapping[str, Any] = {}
    plain: tuple[str, ...] = ()  # settings whose text names no code, program, address, key or folder


class ScorerExample(PluginExample, frozen=True, kw_only=True):
    item: Item
    right: str | None = None  # reply to it; None: none is scored, as the scorer has to be opened
    wrong: str = ""  # a worse one
    any_words: bool = False  # any words may stand for the target and the reply
    neutral: tuple[str, ...] = ()  # metrics of which more is neither better nor worse
    refusal_is_right: bool = False


class ConditionExample(PluginExample, frozen=True, kw_only=True):
    argument: str = ""
    own_sound: bool = True  # each sound that is sent is the item's own, changed
    same_length: bool = True
    random: bool = False  # it depends on the seed


class ModelExample(PluginExample, frozen=True, kw_only=True):
    served: Any = None  # JSON with which a server at {url} answers each request; {url} may stand in the settings
    text: str | None = None  # of its response to a sound, two choices and the labels A and B; None: any
    needs: str = ""  # weights or a run, without which it is not opened


class BenchmarkExample(PluginExample, frozen=True, kw_only=True):
    recorded: bool = False  # its settings are paths below the recordings that tests have, and is skipped without them
    reply: str = "{}"  # form of a reply, around a target


class ImporterExample(PluginExample, frozen=True, kw_only=True):
    files: Mapping[str, str] = {}  # texts by path
    recorded: str = ""  # instead: a folder of logs that tests have
    cut: str = ""  # a file of these that is no longer whole if its end is missing
    model: str = ""  # to be given, where nothing in the results tells it
