"""What every condition keeps to, whatever it does to the sound."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from condition_sounds import make_condition
from contract import every_example
from mine import bench
from sounds import file_of, sine

from earmark.audio.prepare import prepare_audio
from earmark.audio.read import ClipLoader, load_waveform
from earmark.data.clips import source_digest
from earmark.engine.barrier import Tracebacks
from earmark.engine.prepare import PreparedItem, PromptPreparer
from earmark.errors import UsageError
from earmark.journal import Record
from earmark.models.fake import FakeModel
from earmark.plugins import display_name
from earmark.types import (
    Audio,
    Benchmark,
    Capabilities,
    Clip,
    EncodedAudio,
    Item,
    Limits,
    NamedCondition,
    Prompt,
    SynthSpec,
    Turn,
    Waveform,
    replace,
)

CASES = {
    ":".join(filter(None, (display_name("conditions", name), example.argument))): example
    for name, example in every_example("conditions")
}
ALL = tuple(CASES)
OWN_SOUND = tuple(text for text, example in CASES.items() if example.own_sound)
AS_LONG = tuple(text for text in OWN_SOUND if CASES[text].same_length)
RANDOM = tuple(text for text, example in CASES.items() if example.random)


def loaded(text: str, benchmark: Benchmark, seed: int = 3) -> NamedCondition:
    name, _, argument = text.partition(":")
    return make_condition(name, argument, seed, benchmark)


@pytest.fixture
def benchmark(tmp_path: Path) -> Benchmark:
    """Ten items, each with a recording of its own."""
    for at in range(10):
        rng = np.random.default_rng(at)
        samples = 0.2 * sine(300.0 + 50 * at) * (1 + sine(3.0)) + rng.normal(0, 0.02, 16000)
        (tmp_path / f"clip-{at}.wav").write_bytes(file_of(samples))
    return bench.make(data=str(tmp_path))


def item_of(benchmark: Benchmark, at: int = 0) -> Item:
    item = list(benchmark.items())[at]
    (clip,) = item.clips
    return replace(item, clips=(replace(clip, transcript="the words"),))


def heard(text: str, benchmark: Benchmark, item: Item, seed: int = 3) -> Prompt:
    return loaded(text, benchmark, seed).apply(benchmark.prompt(item), item)


def sounds(prompt: Prompt) -> list[Audio]:
    return [part for turn in prompt.turns for part in turn.parts if isinstance(part, Audio)]


@pytest.mark.parametrize("text", ALL)
def test_its_name_is_what_is_typed(text: str, benchmark: Benchmark) -> None:
    assert loaded(text, benchmark).name == text


@pytest.mark.parametrize("text", ALL)
def test_words_stay_what_they_are(text: str, benchmark: Benchmark) -> None:
    item = item_of(benchmark)
    before = benchmark.prompt(item)
    after = heard(text, benchmark, item)
    assert after.turns[-1].parts[-1] == before.turns[-1].parts[-1]
    assert (after.choices, after.labels, after.sampling) == (before.choices, before.labels, before.sampling)


@pytest.mark.parametrize("text", ALL)
def test_a_condition_changes_the_sound_and_nothing_else(text: str, benchmark: Benchmark) -> None:
    tone = SynthSpec("tone", {"frequency": 440.0, "seconds": 1.0, "level": -20.0}, "tone", transcript="beep")
    prompt = Prompt((Turn("system", ("Be brief.",)), Turn("user", ("Before.", tone, "After."))), ("x",), ("A",))
    after = loaded(text, benchmark).apply(prompt, item_of(benchmark))
    assert [turn.role for turn in after.turns] == ["system", "user"]
    assert after.turns[0] == prompt.turns[0]
    before, *changed, last = after.turns[1].parts
    assert (before, last) == ("Before.", "After.")
    for part in changed:
        if isinstance(part, Audio):
            assert not np.array_equal(load_waveform(part).samples, load_waveform(tone).samples)
    assert len(changed) == 1 or not sounds(after)


@pytest.mark.parametrize("text", OWN_SOUND)
def test_the_source_of_a_sound_is_carried(text: str, benchmark: Benchmark) -> None:
    item = item_of(benchmark)
    (sound,) = sounds(heard(text, benchmark, item))
    assert isinstance(sound, Waveform)
    assert sound.source == source_digest(item.clips[0])
    assert sound.name == item.clips[0].name
    assert len(sound.notes) >= 1


@pytest.mark.parametrize("text", OWN_SOUND)
def test_the_limits_of_a_run_hold_whatever_is_heard(text: str, benchmark: Benchmark) -> None:
    capabilities = FakeModel(lambda _: "A").capabilities
    preparer = PromptPreparer(benchmark.prompt, capabilities, Tracebacks(), ClipLoader(Limits(max_seconds=0.5)))
    cooked = preparer.prepare_item(item_of(benchmark), loaded(text, benchmark), 0)
    assert isinstance(cooked, Record)
    assert cooked.failure
    assert cooked.failure.state == "sound-failed"
    assert "the limit is max_audio_seconds=0.5;" in cooked.failure.message


@pytest.mark.parametrize("text", ALL)
def test_a_run_knows_a_changed_clip_again_where_its_own_sound_was_sent(text: str, benchmark: Benchmark) -> None:
    preparer = PromptPreparer(benchmark.prompt, FakeModel(lambda _: "A").capabilities, Tracebacks())
    job = preparer.prepare_item(item_of(benchmark), loaded(text, benchmark), 0)
    assert isinstance(job, PreparedItem)
    own = {sent.source for sent in job.record.audio_sent} == {source_digest(item_of(benchmark).clips[0])}
    assert own == (text in OWN_SOUND)
    if own:
        assert job.record.audio_digest


@pytest.mark.parametrize("text", AS_LONG)
@pytest.mark.parametrize(("rate", "channels"), [(16000, 1), (44100, 2), (8000, 1)])
def test_the_length_stays(text: str, rate: int, channels: int, benchmark: Benchmark) -> None:
    rng = np.random.default_rng(5)
    wave_ = Waveform(rng.normal(0, 0.1, (channels, rate * 3 // 2)).astype(np.float32), rate, "w", source="s")
    prompt = Prompt((Turn("user", (wave_, "Which?")),))
    (sound,) = sounds(loaded(text, benchmark).apply(prompt, item_of(benchmark)))
    assert isinstance(sound, Waveform)
    assert sound.seconds == pytest.approx(1.5, abs=1 / 8000)
    assert sound.samples.dtype == np.float32
    assert sound.samples.flags.c_contiguous


@pytest.mark.parametrize("text", OWN_SOUND)
def test_nothing_goes_beyond_full_scale_in_silence(text: str, benchmark: Benchmark) -> None:
    """A recording at full scale stays within it, or what was done is noted."""
    square = np.sign(sine(frequency=333.0)).astype(np.float32)[None]
    prompt = Prompt((Turn("user", (Waveform(square, 16000, "loud", source="s"), "Which?")),))
    changed = loaded(text, benchmark).apply(prompt, item_of(benchmark))
    sent = sounds(prepare_audio(changed, Capabilities(formats=("samples",))))[0]
    assert np.max(np.abs(load_waveform(sent).samples)) <= 1.0
    if text.startswith(("noise", "telephone", "codec", "speed", "reverb")):
        (sound,) = sounds(changed)
        assert isinstance(sound, Waveform)
        assert any("turned down" in note for note in sound.notes), sound.notes


def fingerprint(prompt: Prompt) -> list[str]:
    return [
        part
        if isinstance(part, str)
        else f"{load_waveform(part).samples.tobytes().hex()[:4000]} {load_waveform(part).notes}"
        for turn in prompt.turns
        for part in turn.parts
        if isinstance(part, str | Audio)
    ]


@pytest.mark.parametrize("text", ALL)
def test_the_same_seed_and_item_hear_the_same(text: str, benchmark: Benchmark) -> None:
    item = item_of(benchmark)
    once, again = (fingerprint(heard(text, benchmark, item)) for _ in range(2))
    assert once == again
    other_seed = fingerprint(heard(text, benchmark, item, seed=4))
    assert (once != other_seed) == (text in RANDOM) or text == "swap"
    plain = fingerprint(benchmark.prompt(item))
    assert once != plain


@pytest.mark.parametrize("text", RANDOM)
def test_items_and_places_have_dice_of_their_own(text: str, benchmark: Benchmark) -> None:
    samples = np.tile(sine(seconds=0.5), (1, 1)).astype(np.float32)
    prompt = Prompt((Turn("user", (Waveform(samples, 16000, "a"), Waveform(samples, 16000, "b"), "Which?")),))
    condition = loaded(text, benchmark)
    first, second = sounds(condition.apply(prompt, item_of(benchmark)))
    elsewhere, _ = sounds(condition.apply(prompt, item_of(benchmark, 1)))
    assert not np.array_equal(load_waveform(first).samples, load_waveform(second).samples)
    assert not np.array_equal(load_waveform(first).samples, load_waveform(elsewhere).samples)


PROGRAM = """
import hashlib
from mine import bench
from earmark.audio.read import load_waveform
from earmark.types import Audio
from condition_sounds import make_condition, make_condition
benchmark = bench.make(data={data!r})
items = list(benchmark.items())
digest = hashlib.sha256()
for name, argument in (("noise", "10"), ("noise", "pink@3"), ("noise", "babble@0"), ("reverb", "0.5"), ("swap", "")):
    condition = make_condition(name, argument, 7, benchmark)
    for item in items[:4]:
        for part in condition.apply(benchmark.prompt(item), item).turns[0].parts:
            digest.update(load_waveform(part).samples.tobytes() if isinstance(part, Audio) else part.encode())
print(digest.hexdigest())
"""


def test_another_process_hears_the_same(benchmark: Benchmark, tmp_path: Path) -> None:
    found = set()
    for hash_seed in ("0", "1", "2"):
        env = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1]), "PYTHONHASHSEED": hash_seed}
        program = PROGRAM.format(data=str(tmp_path))
        done = subprocess.run([sys.executable, "-c", program], env=env, capture_output=True, text=True, check=True)
        found.add(done.stdout)
    assert len(found) == 1


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("silence:3", "silence takes no argument, found 'silence:3'; write condition=silence"),
        ("no-media:x", "no-media takes no argument"),
        ("swap:x", "swap takes no argument"),
        ("telephone:x", "telephone takes no argument"),
        ("noise", "noise takes a ratio in decibels, after a colour or alone, found 'noise'; write for instance"),
        ("noise:loud", "found 'noise:loud'"),
        ("noise:nan", "from -100 to 100"),
        (
            "noise:brown@3",
            "found 'noise:brown@3'; write for instance condition=noise:10; it comes in babble, pink, white",
        ),
        ("noise:pink@", "found 'noise:pink@'"),
        ("gain", "gain takes decibels, found 'gain'; write for instance condition=gain:-20"),
        ("cut:0", "cut takes seconds, found 'cut:0'"),
        ("speed:inf", "speed takes a factor"),
        ("reverb:-1", "reverb takes the seconds in which 60 dB are lost"),
        ("codec:aac@32k", "codec takes mp3@8k to mp3@320k or opus@6k to opus@512k, found 'codec:aac@32k'"),
        ("codec:mp3", "write for instance condition=codec:mp3@32k"),
        ("codec:mp3@6k", "found 'codec:mp3@6k'"),
        ("codec:mp3@900k", "found 'codec:mp3@900k'"),
        ("transcript:nobody", "no model is called 'nobody'"),
    ],
)
def test_what_means_nothing_is_told_with_an_example(text: str, told: str) -> None:
    with pytest.raises(UsageError) as failure:
        loaded(text, bench.make())
    assert told in str(failure.value)


def test_a_clip_is_only_read_where_its_sound_is_wanted(benchmark: Benchmark) -> None:
    item = replace(item_of(benchmark), clips=(Clip("/nowhere.wav", name="nowhere", transcript="the words"),))
    for text in ("transcript", "no-media", "swap"):
        assert heard(text, benchmark, item).turns
    (sound,) = sounds(heard("swap", benchmark, item))
    assert isinstance(sound, EncodedAudio)
