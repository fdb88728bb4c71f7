"""Each condition does what its page says, measured on what comes out."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest
from condition_sounds import RATE, through
from sounds import decibels, sine

from earmark.audio import read
from earmark.types import Benchmark, Condition

LOUD = ("noise:-10", "noise:pink@-10", "noise:babble@-10", "telephone", "codec:mp3@32k", "speed:1.25", "reverb:0.5")


@pytest.mark.parametrize("text", LOUD)
def test_all_sounds_of_a_prompt_are_turned_down_by_one_factor(text: str, talkers: Benchmark) -> None:
    name, _, argument = text.partition(":")
    condition: Condition = import_module(f"earmark.conditions.{name}").load(argument, 3, talkers)
    square = np.sign(sine(frequency=333.0)) * np.linspace(0.5, 1.0, 16000)
    item = next(iter(talkers.items()))
    sounds = [read.from_array(square * level, RATE) for level in (1.0, 0.5, 0.25)]
    changed = through(condition, *sounds, item=item)
    notes = {note for sound in changed for note in sound.notes if note.startswith("turned down by ")}
    assert len(notes) == 1
    assert all(notes < set(sound.notes) for sound in changed)
    levels = [decibels(float(np.mean(sound.samples.astype(np.float64) ** 2))) for sound in changed]
    assert np.diff(levels) == pytest.approx(decibels(0.25), abs=0.5)
<<<<<<< HEAD


def test_white_is_white_and_pink_is_pink() -> None:
    for colour, slope in ((noise.white_noise, 0.0), (noise.pink_noise, -3.0)):
        power = np.abs(np.fft.rfft(colour(np.random.RandomState(1), (1, 1 << 17))[0])) ** 2
        octaves = [np.mean(power[1 << at : 2 << at]) for at in range(8, 16)]
        steps = np.diff([decibels(float(each)) for each in octaves])
        assert np.mean(steps) == pytest.approx(slope, abs=0.3)


def test_silence_has_no_ratio_and_stays_silent() -> None:
    (silent,) = through(noise.load("10", 3, NONE), read.from_array(np.zeros(100), RATE))
    assert not silent.samples.any()
    assert silent.notes == ("silent: no noise has a ratio to it",)


@pytest.fixture
def talkers(tmp_path: Path) -> Benchmark:
    """Ten items, each a tone of its own; two clips are the same recording."""
    for at in range(10):
        (tmp_path / f"clip-{at}.wav").write_bytes(file_of(sine(400.0 + 100 * min(at, 8), 0.5 + 0.1 * at)))
    return bench.load(bench.Settings(data=str(tmp_path)))


def test_babble_is_other_clips_and_never_the_own(talkers: Benchmark) -> None:
    condition = noise.load("babble@0", 3, talkers)
    heard_of: Counter[int] = Counter()
    for at, item in enumerate(talkers.items()):
        clean = read.load_waveform(item.clips[0])
        (noisy,) = through(condition, item.clips[0], item=item)
        scale = np.max(np.abs(clean.samples)) if not any("turned" in note for note in noisy.notes) else None
        assert noisy.seconds == clean.seconds
        tones = [f for f in range(9) if level(noisy.samples[0], 400.0 + 100 * f, RATE) > 30 and f != min(at, 8)]
        heard_of.update(tones)
        assert 4 <= len(tones) <= noise.TALKERS, (at, tones, scale)
    assert len(heard_of) == 9, "all are heard somewhere"


def test_babble_takes_its_ratio_and_skips_what_cannot_be_read(talkers: Benchmark) -> None:
    items = list(talkers.items())
    Path(items[5].clips[0].path).write_bytes(b"broken")  # type: ignore[union-attr] # a Clip
    for item in items[:5]:
        clean = read.load_waveform(item.clips[0])
        (noisy,) = through(noise.load("babble@20", 3, talkers), item.clips[0], item=item)
        added = noisy.samples.astype(np.float64) - clean.samples
        assert decibels(float(np.mean(clean.samples**2) / np.mean(added**2))) == pytest.approx(20, abs=0.1)


def test_babble_of_nobody_is_refused() -> None:
    alone = replace(NONE, items=lambda: list(NONE.items())[:1])
    with pytest.raises(Rejected, match="the benchmark has no other sound"):
        through(noise.load("babble@0", 3, alone), tone(440), item=next(iter(NONE.items())))


# ---------------------------------------------------------------- swap


def test_a_swapped_sound_is_anothers_with_its_bytes_and_its_source(talkers: Benchmark) -> None:
    condition = swap.load("", 3, talkers)
    files = {hash64(Path(item.clips[0].path).read_bytes()): item.id for item in talkers.items()}  # type: ignore[union-attr]
    donors: Counter[tuple[str, ...]] = Counter()
    for item in talkers.items():
        prompt = condition.apply(talkers.prompt(item), item)
        (sound,) = (part for part in prompt.turns[0].parts if isinstance(part, EncodedAudio))
        own = hash64(Path(item.clips[0].path).read_bytes())  # type: ignore[union-attr]
        assert sound.source == hash64(sound.data) != own or item.id in ("item-8", "item-9")
        assert sound.source in files
        assert sound.notes[0].startswith("swapped: the sound of item item-")
        assert sound.notes[0] != f"swapped: the sound of item {item.id}"
        donors[sound.notes] += 1
    assert len(donors) > 3


def pairs(groups: int) -> Benchmark:
    """Twenty items of two tones each, in so many groups."""

    def items() -> list[Item]:
        return [
            Item(
                f"i{at}",
                "pairs",
                clips=tuple(
                    SynthSpec("tone", {"frequency": 300.0 + 10 * at + side, "seconds": 0.1, "level": -20.0})
                    for side in (0, 1)
                ),
                group=f"g{at % groups}",
            )
            for at in range(20)
        ]

    return replace(NONE, items=items, tasks=("pairs",))


def test_both_sounds_come_from_one_other_item_of_another_group() -> None:
    benchmark = pairs(4)
    condition = swap.load("", 3, benchmark)
    for at, item in enumerate(benchmark.items()):
        parts = condition.apply(Prompt((Turn("user", (*item.clips, "Which?")),)), item).turns[0].parts
        first, second = (part for part in parts if isinstance(part, Waveform))
        donor = int(first.notes[-1].rpartition("i")[2])
        assert donor % 4 != at % 4
        assert first.notes == second.notes
        expected = list(benchmark.items())[donor].clips
        assert [first.source, second.source] == [read.load_waveform(clip).source for clip in expected]


def test_one_group_is_enough_and_one_item_is_not() -> None:
    assert through(swap.load("", 3, pairs(1)), tone(440), item=next(iter(pairs(1).items())))
    alone = replace(NONE, items=lambda: list(pairs(1).items())[:1])
    with pytest.raises(Rejected, match="no other item of pairs has a sound of its own"):
        through(swap.load("", 3, alone), tone(440), item=next(iter(alone.items())))


def test_a_sample_is_bounded_and_does_not_depend_on_the_order() -> None:
    benchmark = bench.load(bench.Settings(items=1000, data="x"))
    sample = sample_items(benchmark, 1)
    assert [len(lots) for lots in sample.values()] == [SAMPLE_SIZE]
    backwards = replace(benchmark, items=lambda: list(benchmark.items())[::-1])
    assert sample_items(backwards, 1) == sample != sample_items(benchmark, 2)
    item = next(iter(benchmark.items()))
    assert all(other.id != item.id for other in other_items(sample, item, same_task=True))


# ---------------------------------------------------------------- lines, rooms and tapes


def test_a_telephone_passes_its_band_and_nothing_else() -> None:
    levels = {}
    for frequency in (100, 200, 500, 1000, 2000, 3000, 3600, 5000):
        (called,) = through(telephone.load("", 0, NONE), tone(frequency, rate=44100))
        assert called.rate == 8000
        assert called.seconds == pytest.approx(1.0)
        heard = frequency if frequency < 4000 else 8000 - frequency
        levels[frequency] = level(called.samples[0, 800:-800], heard, 8000) - level(
            sine(frequency, 1.0, 44100, 0.3)[4410:-4410], frequency, 44100
        )
    gain_of_rates = levels[1000]
    for frequency in (500, 2000, 3000):
        assert levels[frequency] == pytest.approx(gain_of_rates, abs=0.5)
    for frequency in (100, 200, 3600, 5000):
        assert levels[frequency] < gain_of_rates - 40


def test_a_telephone_speaks_in_the_codes_of_mu_law() -> None:
    (called,) = through(telephone.load("", 0, NONE), speech_like())
    assert len(np.unique(called.samples)) <= 256


@pytest.mark.parametrize("argument", ["mp3@32k", "mp3@64k", "opus@16k", "opus@32k"])
@pytest.mark.parametrize(("rate", "channels"), [(16000, 1), (44100, 2), (8000, 1), (96000, 1)])
def test_a_codec_keeps_place_and_length_and_meets_its_rate(argument: str, rate: int, channels: int) -> None:
    clean = speech_like(3.0, rate, channels)
    (coded,) = through(codec.load(argument, 0, NONE), clean)
    assert coded.seconds == pytest.approx(3.0, abs=1 / 8000)
    assert coded.samples.shape[0] == channels
    aim = float(argument.partition("@")[2].removesuffix("k"))
    (note,) = (note for note in coded.notes if note.startswith("through "))
    real = float(note.partition("(")[2].split()[0])
    assert real == pytest.approx(aim, rel=0.25)
    before = read.from_array(clean.samples, rate).samples if coded.rate == rate else through_rate(clean, coded.rate)
    frames = min(before.shape[1], coded.samples.shape[1])
    alike = np.corrcoef(before[0, :frames], coded.samples[0, :frames])[0, 1]
    assert alike > (0.85 if argument == "opus@16k" and channels == 2 else 0.95)


def test_a_bit_rate_that_a_codec_lacks_is_met_at_a_lower_rate_or_told() -> None:
    (slow,) = through(codec.load("mp3@8k", 0, NONE), speech_like(3.0, 44100, 1))
    assert slow.rate == 24000
    assert any(note.startswith("through mp3 at 8 kbit/s (8.") for note in slow.notes)
    (most,) = through(codec.load("mp3@128k", 0, NONE), speech_like(3.0, 8000, 1))
    assert any(note.startswith("through mp3 at 64 kbit/s, the most that it has here (6") for note in most.notes)


def through_rate(clean: Waveform, rate: int) -> npt.NDArray[np.float32]:
    return resample(clean.samples, clean.rate, rate)


@pytest.mark.parametrize("factor", [0.5, 0.8, 1.25, 2.0])
def test_speed_changes_length_and_pitch(factor: float) -> None:
    (fast,) = through(speed.load(str(factor), 0, NONE), tone(1000.0, 2.0))
    assert fast.rate == RATE
    assert fast.seconds == pytest.approx(2.0 / factor, abs=2 / RATE)
    spectrum = np.abs(np.fft.rfft(fast.samples[0] * np.hanning(fast.samples.shape[1])))
    assert np.argmax(spectrum) / fast.seconds == pytest.approx(1000 * factor, abs=1)
    assert f"{12 * np.log2(factor):+.1f} semitones" in fast.notes[-1]


def test_reverb_rings_on_and_keeps_the_level() -> None:
    click = np.zeros(2 * RATE)
    click[1600:1760] = sine(1000.0, 0.01)
    dry = read.from_array(click, RATE)
    (wet,) = through(reverb.load("0.5", 3, NONE), dry)
    ringing = wet.samples[0, 1760:].astype(np.float64)
    early, late = np.mean(ringing[:1600] ** 2), np.mean(ringing[4000:5600] ** 2)
    assert decibels(float(late / early)) == pytest.approx(-30, abs=3)
    assert np.mean(wet.samples**2) == pytest.approx(np.mean(dry.samples**2), rel=0.01)
    direct = wet.samples[0, 1600:1760]
    assert np.corrcoef(direct, click[1600:1760])[0, 1] > 0.9
    silent = through(reverb.load("0.5", 3, NONE), read.from_array(np.zeros(100), RATE))[0]
    assert not silent.samples.any()


def test_cut_leaves_the_beginning_and_what_is_shorter_alone(tmp_path: Path) -> None:
    path = tmp_path / "clip.wav"
    path.write_bytes(file_of(sine(seconds=2.0)))
    condition = cut.load("0.5", 0, NONE)
    for whole in (Clip(str(path), name="clip"), tone(440, 2.0), SynthSpec("silence", {"seconds": 2.0})):
        (beginning,) = through(condition, whole)
        assert beginning.samples.shape == (1, 8000)
        assert np.array_equal(beginning.samples, read.load_waveform(whole).samples[:, :8000])
        assert beginning.notes[-1] == "cut to its first 0.5 s"
    stretch = Clip(str(path), start=1.0, end=1.8)
    assert np.array_equal(through(condition, stretch)[0].samples, read.load_waveform(stretch).samples[:, :8000])
    for short_one in (Clip(str(path), end=0.5), tone(440, 0.5), tone(440, 0.1)):
        prompt = condition.apply(Prompt((Turn("user", (short_one,)),)), ITEM)
        assert prompt.turns[0].parts[0] is short_one


@pytest.mark.parametrize("change", [-40.0, -6.0, 0.0, 6.0])
def test_gain_is_in_decibels(change: float) -> None:
    (turned,) = through(gain.load(str(change), 0, NONE), tone(440))
    ratio = np.mean(turned.samples**2) / np.mean(tone(440).samples ** 2)
    assert decibels(float(ratio)) == pytest.approx(change, abs=0.001)


# ---------------------------------------------------------------- words


def test_no_media_leaves_words_only() -> None:
    prompt = Prompt(
        (
            Turn("system", ("Be brief.",)),
            Turn("user", (tone(440),)),
            Turn("assistant", ("Go on.",)),
            Turn("user", (tone(440), ImageRef("x.png"), "Which?")),
        ),
        ("yes",),
        ("A",),
    )
    left = no_media.load("", 0, NONE).apply(prompt, ITEM)
    assert [(turn.role, turn.parts) for turn in left.turns] == [
        ("system", ("Be brief.",)),
        ("assistant", ("Go on.",)),
        ("user", ("Which?",)),
    ]
    spoken = Prompt((Turn("system", ("Be brief.",)), Turn("user", (tone(440),))))
    with pytest.raises(Rejected, match="1: without its sound nothing is left to ask"):
        no_media.load("", 0, NONE).apply(spoken, ITEM)


def test_a_transcript_comes_from_the_data() -> None:
    condition = transcript.load("", 0, NONE)
    said = replace(tone(440), transcript=" hello there ")
    prompt = condition.apply(Prompt((Turn("user", (said, "Which?")),)), ITEM)
    assert prompt.turns[0].parts == ('Transcript of the audio: "hello there"', "Which?")
    with pytest.raises(Rejected, match=r"tone: the data has no transcript of it.*condition=transcript:whisper_tiny"):
        condition.apply(Prompt((Turn("user", (tone(440),)),)), ITEM)


@pytest.fixture
def echo(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model in the user's own folder that says how long the sound is."""
    folder = Path("conf/model")
    folder.mkdir(parents=True)
    (folder / "echo.yaml").write_text("# says how long\nbackend: fake\nreply: echoing.words:length\n")
    Path("echoing").mkdir()
    Path("echoing/words.py").write_text(
        "calls = []\n"
        "def length(prompt):\n"
        "    calls.append(1)\n"
        "    return f'{prompt.turns[0].parts[0].seconds:g} s in {len(prompt.turns[0].parts)} part'\n"
    )
    monkeypatch.syspath_prepend(str(Path.cwd()))


@pytest.mark.usefixtures("echo")
def test_a_transcript_comes_from_a_model_and_each_sound_is_asked_about_once() -> None:
    from echoing import words  # type: ignore[import-not-found] # written by the fixture

    condition = transcript.load("echo", 0, NONE)
    assert condition.name == "transcript:echo"
    prompt = Prompt((Turn("user", (tone(440, 0.5), tone(440, 0.25), tone(440, 0.5), "Which?")),))
    expected = (
        'Transcript of the audio: "0.5 s in 1 part"',
        'Transcript of the audio: "0.25 s in 1 part"',
        'Transcript of the audio: "0.5 s in 1 part"',
        "Which?",
    )
    assert condition.apply(prompt, ITEM).turns[0].parts == expected
    assert len(words.calls) == 2
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(condition.apply(prompt, ITEM).turns[0].parts)) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4

    async def inside() -> Prompt:
        return condition.apply(prompt, ITEM)

    assert asyncio.run(inside()).turns[0].parts == expected, "on a thread that runs a loop of its own too"


def test_a_recogniser_that_does_not_open_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    from earmark.errors import BadSetup
    from earmark.models import whisper_tiny

    monkeypatch.setattr(whisper_tiny, "find_spec", lambda _: None)
    condition = transcript.load("whisper_tiny", 0, NONE)
    for _ in range(2):
        with pytest.raises(BadSetup, match="the embedded Whisper model is not installed"):
            through(condition, tone(440))
=======
>>>>>>> mirror
