"""The embedded text model: it knows things, writes, and refuses what is too long."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from embedded_models import ask

from earmark.errors import BadSetup, Rejected
from earmark.models import smollm2, whisper_tiny
from earmark.types import Waveform


def test_the_mind_knows_things_and_writes() -> None:
    assert ask({"backend": "smollm2"}, "What do bees make?\nA. milk\nB. honey", choices=("milk", "honey")).text == "B"
    written = ask({"backend": "smollm2", "max_tokens": 16}, "What is the capital of France?")
    assert "Paris" in written.text
    assert (written.stop, written.usage.tokens_out > 0) == ("end", True)
    assert ask({"backend": "smollm2", "max_tokens": 2}, "Tell me a story.").stop == "length"


def test_a_prompt_beyond_the_context_is_refused() -> None:
    with pytest.raises(Rejected, match="tokens, smollm2-135m reads"):
        ask({"backend": "smollm2"}, "word " * 9000)


def test_weights_that_are_not_the_published_ones_are_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(whisper_tiny, "WEIGHTS_SHA256", "0" * 64)
    with pytest.raises(BadSetup, match="differs from the published file"):
        ask({"backend": "whisper_tiny"}, Waveform(np.zeros((1, 1600), np.float32), 16000))
    monkeypatch.setattr(smollm2, "WEIGHTS", str(tmp_path / "nothing.gguf"))
    with pytest.raises(BadSetup, match="--no-deps"):
        ask({"backend": "smollm2"}, "Hello.")
