"""`earmark probe`: what sound files hold, and what a model would be sent of them."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from commands import ENV, earmark
from sounds import file_of, sine

from earmark.data.cache import hash64


@pytest.fixture
def files() -> dict[str, bytes]:
    """Three files in the working folder, one of them broken."""
    made = {
        "a clip.wav": file_of(sine()),
        "stereo.flac": file_of([[0.1, 0.2]] * 44100, 44100, form="FLAC"),
        "broken=3.wav": b"<!DOCTYPE html>",
    }
    for name, data in made.items():
        Path(name).write_bytes(data)
    return made


def probed(*words: str, status: int = 0) -> list[dict[str, Any]]:
    done = earmark("probe", *words, "--json")
    assert done.returncode == status, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_all_is_told_of_every_file(files: dict[str, bytes]) -> None:
    wav, flac, broken = probed(*files, status=3)
    assert wav == {
        "file": "a clip.wav",
        "state": "ok",
        "reason": None,
        "format": "wav",
        "rate": 16000,
        "channels": 1,
        "frames": 16000,
        "seconds": 1.0,
        "sent": {
            "format": "wav",
            "rate": 16000,
            "channels": 1,
            "seconds": 1.0,
            "bytes": 32044,
            "digest": hash64(files["a clip.wav"]),
        },
        "notes": [],
    }
    assert (flac["format"], flac["rate"], flac["channels"], flac["frames"]) == ("flac", 44100, 2, 44100)
    assert (flac["sent"]["format"], flac["notes"]) == ("wav", ["re-encoded as wav"])
    assert (broken["state"], broken["sent"], broken["frames"]) == ("sound-failed", None, None)
    assert "broken=3.wav: is no sound file that can be read" in broken["reason"]


def test_a_model_says_what_it_takes_without_being_opened(files: dict[str, bytes]) -> None:
    for model in ("whisper_tiny", "local"):
        (told,) = probed("stereo.flac", f"model={model}")
        assert told["sent"]["format"] == "samples"
        assert (told["sent"]["rate"], told["sent"]["channels"], told["sent"]["seconds"]) == (16000, 1, 1.0)
        assert told["notes"][0] == "mixed 2 channels to 1"
        assert told["notes"][1].startswith("resampled 44100 to 16000 Hz (soxr HQ")
    (told,) = probed(
        "stereo.flac", "model=openai", "model.capabilities.formats=[flac]", "model.capabilities.seconds=10"
    )
    assert (told["sent"]["digest"], told["notes"]) == (hash64(files["stereo.flac"]), [])
    (told,) = probed("stereo.flac", "model=openai", "model.capabilities.seconds=0.5", status=3)
    assert "the model hears 0.5 s; nothing was cut or sent" in told["reason"]
    assert told["seconds"] == 1.0, "it can be read all the same"
    (told,) = probed("stereo.flac", "model=smollm2", status=3)
    assert "the model takes none" in told["reason"]


OWN = """'''A model.'''
from contextlib import asynccontextmanager
from msgspec import Struct
from earmark.types import Capabilities, Response

class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    rate: int = 8000

class Own:
    name = "own"
    def __init__(self, rate):
        self.capabilities = Capabilities(formats=("samples",), rates=(rate,), channels=1)
    async def generate(self, prompt):
        return Response("A")

@asynccontextmanager
async def load(settings, context):
    yield Own(settings.rate)
"""


@pytest.mark.usefixtures("files")
def test_a_model_that_says_so_only_when_it_is_open_is_opened(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("own").mkdir()
    Path("own/model.py").write_text(OWN)
    monkeypatch.setitem(ENV, "PYTHONPATH", str(Path.cwd()))
    each = "model=spread", "model.endpoints=[{backend: own.model, rate: 22050}]"
    for words, rate in ((("model=own.model",), 8000), (("model=own.model", "model.rate=11025"), 11025), (each, 22050)):
        (told,) = probed("stereo.flac", *words)
        assert (told["sent"]["format"], told["sent"]["rate"], told["sent"]["channels"]) == ("samples", rate, 1)


@pytest.mark.usefixtures("files")
@pytest.mark.skipif(find_spec("torch") is not None, reason="needs to be without torch")
@pytest.mark.parametrize("model", ["transformers", "vllm"])
def test_a_model_in_process_that_cannot_be_asked_is_told(model: str) -> None:
    """It is not taken for one that hears any wav."""
    done = earmark("probe", "stereo.flac", f"model={model}/somebody/something")
    assert done.returncode == 4
    assert "is not installed here" in done.stderr


@pytest.mark.usefixtures("files")
def test_limits_can_be_set() -> None:
    for told in probed("a clip.wav", "stereo.flac", "max_audio_seconds=0.5", status=3):
        assert "the limit is max_audio_seconds=0.5" in told["reason"]
    (told,) = probed("a clip.wav", "max_audio_bytes=1000", status=3)
    assert "has 32,044 bytes, the limit is max_audio_bytes=1000" in told["reason"]


@pytest.mark.usefixtures("files")
def test_it_reads_well() -> None:
    done = earmark("probe", "a clip.wav", "stereo.flac")
    assert done.returncode == 0
    assert done.stdout.splitlines()[:4] == [
        "a clip.wav",
        "  state  ok",
        "  holds  wav, 16000 Hz, 1 channel, 1.000 s, 16,000 frames",
        f"  sent   wav, 16000 Hz, 1 channel, 1.000 s, 32,044 bytes, digest {hash64(Path('a clip.wav').read_bytes())}",
    ]
    assert "  note   re-encoded as wav" in done.stdout


@pytest.mark.parametrize(
    ("words", "status", "told"),
    [
        (["model=whisper_tiny"], 2, "no file is named"),
        (["x.wav", "colour=red"], 2, "no setting is called 'colour'; there are: max_audio_seconds, max_audio_bytes"),
        (["x.wav", "model=nobody"], 2, "no model is called 'nobody'"),
        (["x.wav"], 3, "1 of 1 files failed"),
    ],
)
def test_what_is_wrong_is_told_in_one_line(words: list[str], status: int, told: str) -> None:
    done = earmark("probe", *words)
    assert done.returncode == status
    (line,) = done.stderr.strip().splitlines()
    assert told in line
