"""Probes of the preflight: what is sent, cut down to what matters."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
import soundfile
from hearing_servers import SERVERS, TONE, look
from servers import serving, sounds

from earmark.preflight.probes import OPEN_QUESTION, plain_pattern, shorten
from earmark.types import Clip, ImageRef, Prompt, Turn


@pytest.mark.parametrize(("rate", "channels", "form"), [(8000, 2, "wav"), (44100, 1, "mp3"), (16000, 1, "flac")])
def test_what_is_sent_has_the_form_that_the_benchmark_sends(
    rate: int, channels: int, form: str, tmp_path: Path
) -> None:
    path = tmp_path / f"clip.{form}"
    soundfile.write(path, np.random.default_rng(0).normal(0, 0.1, (rate, channels)), rate)
    with serving(lambda body, _: SERVERS["hears"][0](body), preflight=True) as server:
        report = look(server, Prompt((Turn("user", (Clip(str(path)), "Which?")),)))
    sent = "wav" if form == "flac" else form  # which the server does not take
    assert [(s.format, s.rate, s.channels, round(s.seconds)) for s in report.sent] == [(sent, rate, channels, 1)]
    (_, data) = sounds(server.asked[0])[0]
    info = soundfile.info(io.BytesIO(data))
    assert (info.samplerate, info.channels) == (rate, channels)


def test_a_prompt_is_cut_down_to_what_matters() -> None:
    prompt = Prompt(
        (
            Turn("system", ("Be brief.",)),
            Turn("user", ("Long ago", TONE, ImageRef("p.jpg"))),
            Turn("assistant", ("Yes.",)),
            Turn("user", ("first", TONE, "second", TONE, "third", TONE, ImageRef("p.jpg"), "Which?")),
            Turn("user", ("Answer.",)),
        ),
        sampling={"max_tokens": 8},
    )
    cut = shorten(prompt)
    assert cut.turns == (
        Turn("system", ("Be brief.",)),
        Turn("user", ("first", TONE, "second", TONE, "third", "Which?")),
    )
    assert cut.sampling == {"max_tokens": 8}


def test_the_plain_question_is_open() -> None:
    assert plain_pattern().turns[0].parts[-1] == OPEN_QUESTION
