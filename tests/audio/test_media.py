"""Media as a protocol has them coded."""

from __future__ import annotations

import io
import shutil
import subprocess
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest
import soundfile

from earmark.audio import media
from earmark.data.cache import cache_dir
from earmark.errors import AudioError, Rejected
from earmark.types import Clip, ImageRef


def picture(path: Path, width: int, height: int) -> Path:
    frame = av.VideoFrame.from_ndarray(np.full((height, width, 3), 90, np.uint8), "rgb24")
    path.write_bytes(media.jpeg(av, frame))
    return path


def size(data: bytes) -> tuple[int, int]:
    with av.open(io.BytesIO(data), "r") as source:
        frame = next(source.decode(video=0))
        return frame.width, frame.height


@pytest.mark.parametrize(
    ("width", "height", "scaled"),
    [(640, 360, (384, 216)), (64, 36, (384, 216)), (500, 333, (384, 256)), (384, 385, (384, 386))],
)
def test_pictures_are_scaled_to_a_width_and_an_even_height(
    tmp_path: Path, width: int, height: int, scaled: tuple[int, int]
) -> None:
    image = media.load_image(ImageRef(str(picture(tmp_path / "p.jpg", width, height)), "p", 384, "high"))
    assert size(image.data) == scaled
    assert (image.mime, image.name, image.detail) == ("image/jpeg", "p", "high")


def test_pictures_are_coarse_by_the_quality_asked_for(tmp_path: Path) -> None:
    """A plain area looks alike at any quality: what tells is the table by which the file says that it was rounded."""
    dice = np.random.default_rng(0).integers(0, 255, (360, 640, 3), np.uint8)
    path = tmp_path / "p.jpg"
    path.write_bytes(media.jpeg(av, av.VideoFrame.from_ndarray(dice, "rgb24")))
    small = media.load_image(ImageRef(str(path), "p", 384)).data
    table = small[small.index(b"\xff\xdb") + 5 :][:64]
    assert list(table[:6]) == [8, *(step * 6 // 8 for step in (16, 16, 19, 16, 19))]  # MPEG's steps for ffmpeg's -q:v 6
    program = shutil.which("ffmpeg")
    if program is None:
        pytest.skip("the program ffmpeg is not here to compare with")
    how = ("-vf", "scale=384:-2", "-q:v", "6", "-f", "image2pipe", "-c:v", "mjpeg", "-")
    said = subprocess.run([program, "-loglevel", "error", "-i", path, *how], capture_output=True, check=True).stdout
    assert np.array_equal(pixels(small), pixels(said))


def pixels(data: bytes) -> Any:
    with av.open(io.BytesIO(data), "r") as source:
        return next(source.decode(video=0)).to_ndarray(format="rgb24")


def test_a_picture_without_a_width_is_untouched(tmp_path: Path) -> None:
    path = picture(tmp_path / "p.jpg", 40, 40)
    assert media.load_image(ImageRef(str(path))).data == path.read_bytes()
    (tmp_path / "x.png").write_bytes(b"\x89PNG\r\n\x1a\nrest")
    assert media.load_image(ImageRef(str(tmp_path / "x.png"))).mime == "image/png"


def test_clips_become_mp3_at_the_rate_and_bitrate_asked_for(tmp_path: Path) -> None:
    soundfile.write(tmp_path / "a.wav", np.random.default_rng(0).normal(0, 0.1, (96000, 2)), 48000)
    data = media.encode_clip(Clip(str(tmp_path / "a.wav"), codec="mp3@64k/16000"))
    with av.open(io.BytesIO(data), "r") as source:
        stream = source.streams.audio[0]
        samples = sum(frame.samples for frame in source.decode(audio=0))
        assert (stream.rate, stream.channels, round(stream.bit_rate / 1000)) == (16000, 1, 64)
    assert samples == pytest.approx(32000, abs=1200)


def test_each_is_made_once_and_anew_when_its_file_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EARMARK_CACHE", str(tmp_path / "cache"))
    path = picture(tmp_path / "p.jpg", 100, 50)
    first = media.load_image(ImageRef(str(path), "p", 384))
    kept = list(cache_dir("media").rglob("*.jpg"))
    assert len(kept) == 1
    assert media.load_image(ImageRef(str(path), "p", 384)) is first
    picture(path, 100, 80)
    assert size(media.load_image(ImageRef(str(path), "p", 384)).data) == (384, 308)
    assert len(list(cache_dir("media").rglob("*.jpg"))) == 2


def test_what_cannot_be_read_fails_by_name(tmp_path: Path) -> None:
    (tmp_path / "p.jpg").write_bytes(b"\xff\xd8 not really")
    (tmp_path / "a.wav").write_bytes(b"RIFF")
    with pytest.raises(Rejected, match=r"clip/p\.jpg"):
        media.load_image(ImageRef(str(tmp_path / "p.jpg"), "clip/p.jpg", 384))
    with pytest.raises(Rejected, match="cannot be read"):
        media.load_image(ImageRef(str(tmp_path / "nothing.jpg"), width=384))
    with pytest.raises(AudioError, match="clip: cannot be decoded"):
        media.encode_clip(Clip(str(tmp_path / "a.wav"), name="clip", codec="mp3@64k/16000"))
    with pytest.raises(AudioError, match="coding 'flac' is not known"):
        media.encode_clip(Clip(str(tmp_path / "a.wav"), name="clip", codec="flac"))
