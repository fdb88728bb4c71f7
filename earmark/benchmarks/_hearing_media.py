"""Clips of Personalized-Hearing, from wherever they can be had: audio.wav and frames/*.jpg in a folder for each clip.

    FOLDER              a folder with ASSET/audio.wav, or with ASSET.mp4 (webm, mkv, m4a, wav, flac)
    http(s)://…{asset}… an address for each clip, such as https://host/clips/{asset}.mp4; a download that breaks goes on
    youtube             by the program yt-dlp, where a clip is named VIDEO_SECONDS as AudioSet names its clips

A clip that is there is left alone, so a fetch that was interrupted goes on. Frames are taken once a second, which is
our choice: the authors' own program is not published.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from earmark.audio import media
from earmark.audio.encode import encode_wav
from earmark.audio.read import load_waveform
from earmark.data.cache import atomic_write
from earmark.errors import AskError, UsageError
from earmark.types import Clip

SUFFIXES: Final = ("mp4", "webm", "mkv", "m4a", "wav", "flac")
CLIP_SECONDS: Final = 10.0
AUDIOSET: Final = re.compile(r"(?P<video>[\w-]{11})_(?P<start>\d+(?:\.\d+)?)(?:_\d+(?:\.\d+)?)?")
MISSING: Final = "missing.txt"


def fetch_clips(
    assets: Iterable[str], folder: Path, sources: Sequence[str], log: Callable[[str], object]
) -> dict[str, str]:
    """Bring clips into a folder; return those that could not be had, with the reason, which is written there too."""
    wanted = [asset for asset in dict.fromkeys(assets) if not (folder / asset / "audio.wav").exists()]
    check_sources(sources)
    missing: dict[str, str] = {}
    for number, asset in enumerate(wanted, start=1):
        reasons = []
        for source in sources:
            reason = _try_source(asset, folder, source)
            if not reason:
                break
            reasons.append(reason)
        else:
            missing[asset] = "; ".join(reasons) or "no source is named"
        if number % 100 == 0 or number == len(wanted):
            log(f"clips: {number - len(missing)} of {len(wanted)} fetched, {len(missing)} could not be had")
    folder.mkdir(parents=True, exist_ok=True)
    if missing:
        atomic_write(folder / MISSING, "".join(f"{asset}\t{why}\n" for asset, why in missing.items()).encode())
    else:
        (folder / MISSING).unlink(missing_ok=True)
    return missing


def check_sources(sources: Sequence[str]) -> None:
    """Raise UsageError for a source that is neither a folder, an address nor a known name."""
    for source in sources:
        if source.startswith(("http://", "https://")):
            if "{asset}" not in source:
                raise UsageError(f"clips_from={source}: expected {{asset}} where the name of a clip stands")
        elif source != "youtube" and not Path(source).expanduser().is_dir():
            raise UsageError(
                f"clips_from={source}: no such folder; expected one, an address with {{asset}}, or youtube"
            )


def _try_source(asset: str, folder: Path, source: str) -> str:
    """Bring one clip from one source; the reason where that is not possible."""
    with tempfile.TemporaryDirectory(prefix=".fetch-", dir=_made(folder)) as aside:
        try:
            clip = _find(asset, source, Path(aside), folder / ".parts")
            if isinstance(clip, str):
                return clip
            made = Path(aside) / "made"
            if clip.is_dir():
                shutil.copytree(clip, made)
            else:
                convert(clip, made)
            if not (made / "audio.wav").exists():
                return f"{source}: has no audio.wav of it"
            made.replace(folder / asset)
        except (OSError, AskError, subprocess.SubprocessError) as error:
            return f"{source}: {' '.join(str(error).split())[:200]}"
    return ""


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _find(asset: str, source: str, aside: Path, parts: Path) -> Path | str:
    """The folder or the file of a clip, downloaded where it has to be; a reason where there is none."""
    if source == "youtube":
        return _from_youtube(asset, aside)
    if source.startswith(("http://", "https://")):
        url = source.replace("{asset}", asset)
        return _download(url, _made(parts) / f"{asset}.{url.rpartition('.')[2][:4]}")
    folder = Path(source).expanduser()
    candidates = [folder / asset, *(folder / f"{asset}.{suffix}" for suffix in SUFFIXES)]
    place = next((path for path in candidates if path.is_file() or (path / "audio.wav").exists()), None)
    return place or f"{source}: not there"


def _download(url: str, path: Path) -> Path | str:
    """Download a file, from where an earlier attempt ended."""
    begun = path.stat().st_size if path.exists() else 0
    request = urllib.request.Request(url, headers={"Range": f"bytes={begun}-"} if begun else {})  # noqa: S310 - checked
    try:
        reply = urllib.request.urlopen(request, timeout=60)  # noqa: S310 - the address begins with http
        with reply, path.open("ab" if reply.status == 206 else "wb") as out:
            shutil.copyfileobj(reply, out)
    except urllib.error.HTTPError as error:
        if error.code == 416:  # all of it is there
            return path
        path.unlink(missing_ok=True)
        return f"{url}: HTTP {error.code}"
    except urllib.error.URLError as error:
        return f"{url}: {error.reason}"
    return path


def _from_youtube(asset: str, aside: Path) -> Path | str:
    named = AUDIOSET.fullmatch(asset)
    if named is None:
        return "youtube: the name of the clip tells no video and second"
    if shutil.which("yt-dlp") is None:
        return "youtube: the program yt-dlp is not on PATH"
    start = float(named["start"])
    start = start / 1000 if start > 36_000 else start  # AudioSet's own tables have milliseconds in some copies
    words = ["yt-dlp", "--quiet", "--download-sections", f"*{start:g}-{start + CLIP_SECONDS:g}", "--output"]
    words += [str(aside / "clip.%(ext)s"), f"https://www.youtube.com/watch?v={named['video']}"]
    done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=600)
    clip = next(iter(sorted(aside.glob("clip.*"))), None)
    if done.returncode or clip is None:
        end = " ".join((done.stderr.strip().splitlines() or ["no file came"])[-1].split())
        return f"youtube: {end[:200]}"
    return clip


def convert(video: Path, target: Path) -> None:
    """Write the sound of a file as audio.wav, and a frame of each second of its picture, where it has one."""
    waveform = load_waveform(Clip(str(video), name=video.name))
    target.mkdir(parents=True)
    (target / "audio.wav").write_bytes(encode_wav(waveform))
    (target / "frames").mkdir()
    for number, frame in enumerate(_frames(video)):
        (target / "frames" / f"frame_{number:04d}.jpg").write_bytes(frame)


def _frames(video: Path) -> Iterator[bytes]:
    """The first frame of each second, as JPEG."""
    if video.suffix.lower() in (".wav", ".flac", ".m4a"):
        return
    library = media.import_av()
    with library.open(str(video)) as container:
        second = 0.0
        for frame in container.decode(container.streams.video[0]) if container.streams.video else ():
            if frame.time is not None and frame.time >= second:
                second += 1.0
                yield media.jpeg(library, frame)
