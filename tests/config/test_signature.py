"""Settings of a model that sign its numbers."""

from __future__ import annotations

from earmark.config.compose import compose_config
from earmark.config.parse import parse_model
from earmark.config.signature import model_signature
from earmark.types import Capabilities


def test_what_signs_a_model_is_what_changes_its_answers() -> None:
    before = compose_config(["model=http://127.0.0.1:1/v1"]).model
    moved = compose_config(["model=http://127.0.0.1:2/v1", "model.concurrency=2", "model.timeout=9"]).model
    warmer = compose_config(["model=http://127.0.0.1:1/v1", "model.temperature=0.7"]).model
    assert model_signature(parse_model(before), "m") == model_signature(parse_model(moved), "m")
    assert model_signature(parse_model(before), "m") != model_signature(parse_model(warmer), "m")
    assert model_signature(parse_model(before), "m") != model_signature(parse_model(before), "n")


def test_fit_is_short_for_mono_wav_at_a_rate_and_signs() -> None:
    fitted = parse_model(compose_config(["model=openai/m", "model.fit=16000"]).model)
    plain = parse_model(compose_config(["model=openai/m"]).model)
    assert fitted.settings.capabilities == Capabilities(("wav",), (16000,), 1, images=True, base64=True)
    assert model_signature(fitted, "m") != model_signature(plain, "m")
    assert model_signature(fitted, "m")["capabilities"]["rates"] == [16000]
    hosted = parse_model({"backend": "gemini", "name": "m", "fit": "16000"})  # without capabilities in a YAML
    assert hosted.settings.capabilities == Capabilities(("wav",), (16000,), 1, images=True, base64=True)
    spread = {"backend": "spread", "urls": ["http://x/v1"], "endpoint": {"backend": "openai", "fit": 16000}}
    assert model_signature(parse_model(spread), "m")["endpoint"]["fit"] == 16000
