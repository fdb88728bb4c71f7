"""`listen-eval`: it lists, goes on and starts anew."""

from __future__ import annotations

from pathlib import Path

import pytest
from listen_program import listen_eval
from servers import said, serving

pytestmark = pytest.mark.shared


def test_the_program_lists_and_goes_on_and_starts_anew(shared: Path) -> None:
    listed = listen_eval("--list").stdout
    assert all(f"\n{task} " in listed for task in ("1_text", "1_audio_and_text", "3C", "4"))
    assert "gemma4_e2b" in listed
    words = (f"data={shared}/fixtures/listen", "experiments=[1_audio,2B,4]", "limit=2")
    with serving(lambda _, number: said("A") if number < 4 else said(None, finish_reason="content_filter")) as server:
        assert listen_eval(f"model={server.url}", "max_attempts=1", *words).returncode == 0
    assert len(list(Path("results/test-model").iterdir())) == 1
    done = listen_eval(*words)
    assert done.returncode == 4
    assert "pip install 'vllm[audio]'" in done.stderr, "its model is Gemma 4 in vLLM unless told otherwise"
    assert listen_eval("--no-resume", "model=fake", *words).returncode == 0
    assert listen_eval("--no-resume", "model=fake", *words).returncode == 0
    assert len(list(Path("results/fake").iterdir())) == 2
