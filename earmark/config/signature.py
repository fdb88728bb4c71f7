"""The settings of a model that sign its numbers."""

from __future__ import annotations

from typing import Any

import msgspec

from earmark import plugins
from earmark.config.settings import CommonSettings, ModelConfig
from earmark.text.secrets import without_secrets


def model_signature(model: ModelConfig, name: str) -> dict[str, Any]:
    """Settings of a model that enter the signature: all but its address and its rate limits."""
    plain = {"backend": model.common.backend, **msgspec.to_builtins(model.settings), "name": name}
    signed: dict[str, Any] = signature_part(without_secrets(plain))
    return signed


def signature_part(value: Any) -> Any:
    """Drop unsigned settings, also from nested models.

    >>> signature_part({"backend": "cascade", "llm": {"backend": "openai", "base_url": "http://here", "name": "m"}})
    {'backend': 'cascade', 'llm': {'backend': 'openai', 'name': 'm'}}
    """
    if isinstance(value, list | tuple):
        return [signature_part(each) for each in value]
    if not isinstance(value, dict) or "backend" not in value:
        return value
    plugin = plugins.find_plugin("models", value["backend"])
    left_out = plugins.unsigned_fields(plugin.settings) | set(CommonSettings.__struct_fields__)
    kept = {key: signature_part(each) for key, each in value.items() if key not in left_out}
    return {"backend": plugin.name, **kept}
