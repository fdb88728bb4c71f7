"""`model.fit`: what a server gets, and what is written down of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import soundfile
from mine import bench
from recorded_runs import records, run
from servers import said, serving, sounds

from earmark.audio.read import inspect_audio


def test_a_server_gets_mono_wav_at_the_rate_and_the_journal_notes_it() -> None:
    stereo = np.random.default_rng(3).normal(0, 0.1, (44100, 2))
    soundfile.write("clip-0.wav", stereo, 44100, subtype="PCM_16")
    soundfile.write("clip-1.wav", stereo[:16000, :1], 16000, subtype="PCM_16")
    fitting = Path("clip-1.wav").read_bytes()
    benchmark = bench.make(items=2, data=".")
    with serving(lambda _, __: said("A")) as server:
        outcome = run(f"model={server.url}", "model.fit=16000", "model.concurrency=1", benchmark=benchmark)
        ((form, first),), ((_, second),) = (sounds(body) for body in server.asked)
    header = inspect_audio(first, "first")
    assert (form, header.rate, header.channels, header.seconds) == ("wav", 16000, 1, 1.0)
    assert second == fitting
    by_item = records(outcome)
    (sent,) = by_item["item-0"].audio_sent
    assert (sent.rate, sent.channels, sent.notes[0]) == (16000, 1, "mixed 2 channels to 1")
    assert sent.notes[1].startswith("resampled 44100 to 16000 Hz")
    assert by_item["item-1"].audio_sent[0].notes == ()
