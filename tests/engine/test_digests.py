"""Digests of prompts and recordings: what changes them, and what does not."""

from __future__ import annotations

from pathlib import Path

import pytest
from sounds import file_of, sine

from earmark.audio.read import ClipLoader
from earmark.data.cache import hash64
from earmark.engine.digests import audio_digest, prompt_digest
from earmark.types import Clip, ImageBytes, ImageRef, Part, Prompt, SynthSpec, Turn

TONE = SynthSpec("tone", {"frequency": 440, "seconds": 0.5, "level": -20}, "tone")


def prompt_of(*parts: Part) -> Prompt:
    return Prompt((Turn("user", parts),))


@pytest.fixture
def clip(tmp_path: Path) -> Clip:
    (tmp_path / "clip.wav").write_bytes(file_of(sine()))
    return Clip(str(tmp_path / "clip.wav"), name="clip.wav")


def test_a_reference_and_what_was_read_have_the_same_digests(clip: Clip) -> None:
    loaded = prompt_of(ClipLoader().load(clip), "Which?")
    assert prompt_digest(loaded) == prompt_digest(prompt_of(clip, "Which?"))
    assert audio_digest(loaded) == audio_digest(prompt_of(clip, "Which?"))
    assert audio_digest(loaded) == hash64(hash64(Path(clip.path).read_bytes()).encode())


def test_a_picture_and_its_bytes_have_the_same_digest(tmp_path: Path) -> None:
    path = tmp_path / "picture.png"
    path.write_bytes(b"\x89PNG and more")
    source = hash64(path.read_bytes())
    by_reference = audio_digest(prompt_of(ImageRef(str(path))))
    assert by_reference == audio_digest(prompt_of(ImageBytes(b"scaled", "image/png", source=source)))
    assert by_reference == hash64(source.encode())


def test_only_what_was_sent_whole_has_a_digest(clip: Clip) -> None:
    loaded = ClipLoader().load(clip)
    both = prompt_of(loaded, TONE, "Which?")
    sources = {loaded.digest, hash64(repr((TONE.generator, sorted(TONE.settings.items()))).encode())}
    assert audio_digest(both, sources) == audio_digest(both) != ""
    assert audio_digest(both, {loaded.digest}) == audio_digest(both, set()) == ""
    assert audio_digest(prompt_of(clip), sources) == "", "a clip that was not read was not sent"
    assert audio_digest(prompt_of("Which?")) == ""


def test_the_order_of_recordings_and_their_settings_count(clip: Clip) -> None:
    loaded = ClipLoader().load(clip)
    assert audio_digest(prompt_of(loaded, TONE)) != audio_digest(prompt_of(TONE, loaded))
    louder = SynthSpec("tone", {**TONE.settings, "level": -10}, "tone")
    assert audio_digest(prompt_of(TONE)) != audio_digest(prompt_of(louder))
    assert prompt_digest(prompt_of(TONE)) != prompt_digest(prompt_of(louder))


def test_what_is_asked_signs_words_order_roles_and_choices() -> None:
    clip = Clip("a.wav", name="a")
    prompts = [
        Prompt((Turn("user", ("x", clip)),)),
        Prompt((Turn("user", (clip, "x")),)),
        Prompt((Turn("system", ("x", clip)),)),
        Prompt((Turn("user", ("x", clip)),), ("a",), ("A",)),
        Prompt((Turn("user", ("x", clip)),), sampling={"max_tokens": 1}),
        Prompt((Turn("user", ("x", Clip("a.wav", name="a", end=1.0))),)),
    ]
    assert len({prompt_digest(prompt) for prompt in prompts}) == len(prompts)
