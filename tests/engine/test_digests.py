"""Digests of prompts and recordings: what changes them, and what does not."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest
from sounds import file_of, sine

from earmark.audio.read import ClipLoader
from earmark.data.cache import hash64
from earmark.engine.digests import audio_digest, file_stamp, prompt_digest
from earmark.types import Clip, ImageBytes, ImageRef, Part, Prompt, SynthSpec, Turn, replace

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


def age(path: str, seconds: int = 100) -> None:
    """Make a file as old as most are."""
    os.utime(path, ns=(time.time_ns() - seconds * 10**9,) * 2)


def test_a_stamp_changes_with_the_file_and_the_place_in_it(clip: Clip) -> None:
    age(clip.path)
    stamp = file_stamp(prompt_of(clip, "Which?"))
    assert len(stamp) == 16
    assert file_stamp(prompt_of(clip, "Who?")) == file_stamp(prompt_of(ClipLoader().load(clip))) == stamp
    data = Path(clip.path).read_bytes()
    Path(clip.path).write_bytes(data[:-2] + b"\1\1")  # of the same size
    age(clip.path, 50)
    assert file_stamp(prompt_of(clip)) not in ("", stamp)
    other = Path(clip.path).with_name("other.wav")
    other.write_bytes(data)
    changed = Path(clip.path).stat().st_mtime_ns
    os.utime(other, ns=(changed, changed))
    before = file_stamp(prompt_of(clip))
    other.replace(clip.path)  # of the same size and time, put in its place
    assert file_stamp(prompt_of(clip)) not in ("", before)
    places: list[Part] = [
        clip,
        replace(clip, row=1),
        replace(clip, row=2),
        replace(clip, member="a"),
        ImageRef(clip.path),
    ]
    assert len({file_stamp(prompt_of(part)) for part in places}) == 5


def test_there_is_no_stamp_of_what_may_still_change_or_is_no_file(clip: Clip) -> None:
    os.utime(clip.path)
    assert file_stamp(prompt_of(clip)) == ""
    assert file_stamp(prompt_of(Clip("nowhere.wav"))) == file_stamp(prompt_of(TONE)) == file_stamp(prompt_of("a")) == ""
    age(clip.path)
    with_tones = {file_stamp(prompt_of(clip, tone)) for tone in (TONE, SynthSpec("noise", TONE.settings))}
    assert len(with_tones | {""}) == 3
