"""Every setting of a packaged plug-in that may reach out of a run is known as one, or as plain."""

from __future__ import annotations

from typing import Any, get_type_hints

import pytest
from contract import examples_of

from earmark import plugins
from earmark.runs.untrusted import FIELDS, find_named

PLAIN = set(  # settings with texts that name nothing: what is asked and how it is read
    """revision device dtype system_prompt template placeholder instruction voice profile language prompt response_format
    parser multi_select thinking denominator tokenizer tokens lowercase classes normalizer boundary measures policy unit
    empty words generation extra capabilities limit_mm_per_prompt prompt data media split experiments gold shuffle letters
    users blanks headline case rules reads task reference sources clips_from families image_detail layout tasks slices benchmark scorers warnings stream""".split()
)
NESTED = {"asr", "llm", "endpoint", "endpoints", "backend"}  # settings of models, of which each is looked at


def _has_text(hint: Any) -> bool:
    return any(word in str(hint) for word in ("str", "Any", "dict", "Literal"))


@pytest.mark.parametrize("kind", ["models", "scorers", "benchmarks"])
def test_every_setting_with_a_text_is_known(kind: plugins.Kind) -> None:
    for name in plugins.plugin_names(kind):
        hints = get_type_hints(plugins.find_plugin(kind, name).settings)
        texts = {field for field, hint in hints.items() if _has_text(hint) and not field.startswith("_")}
        declared = {field for example in examples_of(plugins.find_plugin(kind, name)) for field in example.plain}
        unknown = texts - declared - PLAIN - NESTED - set(FIELDS)
        assert not unknown, f"{name}: {unknown} may name code, a program, an address, a key or a folder; decide"


def test_a_setting_is_found_at_any_depth() -> None:
    settings = {"backend": "spread", "endpoints": [{"backend": "openai", "base_url": "http://x/v1"}]}
    assert [thing.field for thing in find_named(settings, "model")] == ["model.endpoints[0].base_url"]


def test_what_names_nothing_is_not_found() -> None:
    settings = {"backend": "openai", "name": "gpt-4.1", "extra": {"reasoning": {"effort": "low"}}, "voice": "alloy"}
    assert not [*find_named(settings, "model")]
