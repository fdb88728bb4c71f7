"""Sound from recipes: what it is, and the same bytes on every machine."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest
from sounds import decibels

from earmark.audio.encode import encode_wav, pcm
from earmark.audio.prepare import fit_audio
from earmark.audio.synth import GENERATORS, STEPS, synthesize
from earmark.errors import AudioError
from earmark.types import Capabilities, EncodedAudio, SynthSpec

# SHA-256 of the wav file of each recipe, as made by Python 3.11, 3.12 and 3.13 with numpy 1.26, 2.4 and 2.5.
PINNED = {
    "silence seconds=0.5": "358c6dcef4442790decb0a5c03fb3201",
    "tone frequency=440 seconds=0.5 level=-20": "7dadf798183af63c643ac29b73f04275",
    "tone frequency=1000 seconds=0.25 level=0": "ccd740d4377a24ab5b684cfb6452e151",
    "tone frequency=313.37 seconds=0.4 level=-12.5": "8456887d150a3b2d2f06f0b5c6e5c2b8",
    "noise seconds=0.6 level=-20 seed=0:gap:0:m": "117b3532bafb1aca5cf2bd15f9bbd1ca",
    "noise seconds=0.6 level=-18.5 seed=7 gap=0.003 position=0.41": "700270ab55ed6fb1b57d0eed6decd74d",
    "noise seconds=0.6 level=-18.5 seed=7 gap=0.1 position=0.5": "ea6723974d5a4502479b56087042a1b7",
    "tone_in_noise frequency=700.5 seconds=0.6 level=-20 ratio=-12 "
    "seed=0:noise:3:m": "4f6d57582314268f93f32830138c1b01",
    "tone_in_noise frequency=1500 seconds=0.6 level=-20 ratio=0 seed=1": "cb181fb40a4e5d840e80b1d9525cf2a4",
    "harmonic_tone frequency=150 seconds=0.5 level=-20 slope=0": "c6088314b7fecac728eb46e26ad1362b",
    "harmonic_tone frequency=271.83 seconds=0.5 level=-20 slope=6.7": "a1561ff42296352cec3540bab95b811f",
    "chirp frequency=500 seconds=0.6 level=-20 semitones=12": "92b6dbdff6cd61d3cd5a2532341f9355",
    "chirp frequency=612.5 seconds=0.6 level=-20 semitones=-0.3": "6dbbcc22d55825e0ba99137e26f9d995",
    "level_difference frequency=200 seconds=0.5 level=-20 difference=20": "5b292aca1e45002e8501524515bcd7ea",
    "level_difference frequency=151.2 seconds=0.5 level=-20 difference=-0.1": "b8bd442f083f1d6e040abee5fbd82b8c",
    "beep_train frequency=1000 level=-20 every=0.512345 count=5": "6d316de663a0786e88286375ed8334ab",
    "beep_train frequency=1333.3 level=-20 every=0.07 count=41 pip=0.0257": "728896d76a7122915a51ec18fda21961",
    "beep_train frequency=1000 level=-20 every=0.4 count=3 pip=0.08 before=0.17 after=0.311 floor=-65 "
    "floor_seed=7:m": "035995bee445a592373ffa4a322d2394",
    "tone frequency=913.7 seconds=0.75 level=-21.337 accent=9.5 before=0.1 after=0.9 floor=-58.5 "
    "floor_seed=x": "de820f278e8a57b2470d5e6fcee049dd",
    "tone_in_noise frequency=1633 seconds=0.6 level=-20 ratio=-8 seed=2 below=3111": "e17de2cc617debdf736602dee21020a2",
    "onset_asynchrony low=400 high=1500 lead=0.02 low_seconds=0.5 high_seconds=0.613 "
    "level=-20": "d54ceaee55d1fae7d414b8e9420f5304",
    "onset_asynchrony low=333.3 high=1234.5 lead=-0.4 low_seconds=0.45 high_seconds=0.7 "
    "level=-17.5": "87d6b2a41b4748e7f6e470499256dcc7",
    "brightness frequency=217.3 seconds=0.5 level=-20 slope=5.3 seed=1:m": "5a2c04650fea0a52785296ffb881dd63",
    "brightness frequency=180 seconds=0.45 level=-20 slope=-6 seed=x": "4250f9710493b4a07b995d3da40ce361",
    "beeps_in_room bursts=2 burst=0.4 level=-20 ratio=-12 seed=0:distance:1:m": "30fc76eca73f788c0eeeab5b7f609282",
    "beeps_in_room bursts=3 burst=0.25 level=-20 ratio=11.5 seed=x tilt=0.1 floor=-50 "
    "floor_seed=y": "1e3d88e61e547acbf273d8b3fc7adb3d",
}


def recipe(written: str) -> SynthSpec:
    maker, *settings = written.split()
    pairs = (setting.split("=") for setting in settings)
    return SynthSpec(
        maker,
        {
            name: value
            if name.endswith("seed")
            else int(value)
            if name in ("count", "bursts", "below")
            else float(value)
            for name, value in pairs
        },
    )


@pytest.mark.parametrize("written", PINNED)
def test_the_same_recipe_makes_the_same_bytes_anywhere(written: str) -> None:
    assert hashlib.sha256(encode_wav(synthesize(recipe(written)))).hexdigest()[:32] == PINNED[written]


def test_every_maker_is_pinned() -> None:
    assert {written.split()[0] for written in PINNED} == set(GENERATORS)


@pytest.mark.parametrize("written", PINNED)
def test_no_sample_lies_near_where_rounding_could_go_either_way(written: str) -> None:
    """What is made lies on the grid, and is what is sent, whatever the way."""
    made = synthesize(recipe(written))
    steps = made.samples * np.float32(STEPS)
    assert np.array_equal(steps, np.rint(steps))
    assert np.array_equal(pcm(made).T, steps.astype(np.int64))
    sent = fit_audio(recipe(written), Capabilities())
    assert isinstance(sent, EncodedAudio)
    assert sent.notes == ()
    assert sent.data == encode_wav(made)


def test_levels_are_those_of_a_sine() -> None:
    full = 10 ** (-20 / 10) / 2
    for written in (
        "tone frequency=440 seconds=2 level=-20",
        "noise seconds=2 level=-20 seed=x",
        "harmonic_tone frequency=200 seconds=2 level=-20 slope=3",
        "brightness frequency=200 seconds=2 level=-20 slope=3 seed=x",
        "tone_in_noise frequency=1600 seconds=2 level=-20 ratio=-6 seed=x below=3000",
        "tone_in_noise frequency=900 seconds=2 level=-20 ratio=-6 seed=x",
        "beeps_in_room bursts=2 burst=0.4 level=-20 ratio=3 seed=x",
        "chirp frequency=500 seconds=2 level=-20 semitones=3",
    ):
        made = synthesize(recipe(written)).samples
        assert decibels(float(np.mean(made**2)) / full) == pytest.approx(0, abs=0.2), written


def test_hidden_keeps_its_ratio() -> None:
    seconds, frequency, ratio = 4.0, 1000.0, -10.0
    made = synthesize(
        recipe(f"tone_in_noise frequency={frequency} seconds={seconds} level=-20 ratio={ratio} seed=x")
    ).samples[0]
    power = np.abs(np.fft.rfft(made * np.hanning(made.size))) ** 2
    at = round(frequency * seconds)
    tone = power[at - 2 : at + 3].sum()
    assert decibels(tone / (power.sum() - tone)) == pytest.approx(ratio, abs=0.5)


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("beep seconds=1", "no maker is called 'beep'; there are: silence, tone"),
        ("tone frequency=440", "tone cannot be made of these settings"),
        ("tone frequency=440 seconds=1 level=0 colour=3", "colour"),
        ("silence seconds=0", "lasts no time at all"),
        ("tone frequency=440 seconds=1 level=6", "reaches 2, full scale is 1"),
        ("tone frequency=440 seconds=1 level=nan", "reaches nan"),
    ],
)
def test_a_recipe_that_makes_no_sound_is_a_failure(written: str, told: str) -> None:
    with pytest.raises(AudioError) as failure:
        synthesize(recipe(written))
    assert told in str(failure.value)


def test_a_recipe_has_a_source_of_its_own() -> None:
    one, other = (synthesize(recipe(f"tone frequency={hertz} seconds=0.1 level=-20")) for hertz in (440, 441))
    assert one.source != other.source
    named = synthesize(SynthSpec("tone", {"frequency": 440.0, "seconds": 0.1, "level": -20.0}, "a name", "words"))
    assert (named.name, named.transcript, named.source) == ("a name", "words", one.source)
