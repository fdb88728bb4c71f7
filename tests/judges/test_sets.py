"""Sets of judgements by people: EVA's, and one's own."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
from commands import earmark
from judge_checks import checked
from servers import said, serving, sounds, words

from earmark.audio.encode import encode_wav
from earmark.types import Waveform


def test_recordings_are_sent_where_they_are_there(eva: Path, tmp_path: Path) -> None:
    (tmp_path / "media").mkdir()
    silence = Waveform(np.zeros((1, 1600), np.float32), 16000)
    (tmp_path / "media" / "1.1.2_assistant_faithful.wav").write_bytes(encode_wav(silence))
    with serving(lambda *_: said("Explanation: as it should be.\nRating: 1")) as server:
        found = checked(f"judge={server.url}", f"data={eva}", f"media={tmp_path / 'media'}", "limit=3")
    fidelity = found["agent_speech_fidelity"]
    assert (fidelity["cases"], fidelity["without_sound"]) == (3, 141)  # one recording belongs to six cases
    heard = [body for body in server.asked if sounds(body)]
    assert [form for form, _ in sounds(heard[0])] == ["wav"]
    assert "Rodriguez" in words(heard[0])


def test_a_set_of_ones_own_and_a_table(tmp_path: Path) -> None:
    lines = [
        {"question": "Which bird?", "reference": "a robin", "candidate": reply, "label": label}
        for reply, label in (("A robin.", "correct"), ("A wren.", "incorrect"), ("Robin it is", "correct"))
    ]
    (tmp_path / "mine.jsonl").write_text("\n".join(map(json.dumps, lines)))
    with serving(
        lambda body, _: said(f"Judgement: {'correct' if 'A robin.' in words(body) else 'incorrect'}")
    ) as server:
        done = earmark("judge-check", f"judge={server.url}", f"data={tmp_path / 'mine.jsonl'}", "prompt=sakura")
    assert done.returncode == 0, done.stderr
    assert re.search(r"mine +agreement +0\.667", done.stdout)
    assert re.search(r"mine +kappa +0\.400", done.stdout)
