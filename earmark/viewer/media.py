"""Sound and pictures of items, made again from their run: only what the journal names, with the digest that it tells.

A clip is named by run, item and place, never by a path. What is played are the bytes that were sent.
"""

from __future__ import annotations

import re
import threading
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import Any, Final, NamedTuple

import msgspec

from earmark.data.cache import hash64
from earmark.data.names import safe_name
from earmark.data.prompt_words import describe_turns
from earmark.engine.speech import SPEECH_FOLDER
from earmark.errors import BadData, EarmarkError
from earmark.journal import AudioSent, Record
from earmark.runs.replay_sound import ReplayedPrompt, RunReplay
from earmark.runs.signature import load_signature
from earmark.types import Clip, EncodedAudio, ImageBytes, replace
from earmark.viewer.drawing import MAX_CHANNELS, describe_sound, draw_spectrogram
from earmark.viewer.foreign_code import CodePolicy
from earmark.viewer.results import Audiograms, is_audiogram

MIMES: Final = {"wav": "audio/wav", "mp3": "audio/mpeg", "flac": "audio/flac", "ogg": "audio/ogg", "opus": "audio/ogg",
                "m4a": "audio/mp4", "webm": "audio/webm"}  # fmt: skip
PICTURES: Final = ("image/jpeg", "image/png", "image/gif", "image/webp")
QUOTED: Final = re.compile(r" that begins? .*", re.DOTALL)  # the content of a file that is no sound
KEPT: Final = 12  # replayed prompts in memory
KEPT_BYTES: Final = 64 << 20  # of their sounds; the newest stays, whatever its size


class Media(NamedTuple):
    """A sound or a picture to play or show."""

    data: bytes
    mime: str
    name: str


class MediaStore:
    """Media of the records of runs. Threads may share it."""

    def __init__(self, policy: CodePolicy, mappings: Sequence[str] = (), audiograms: Audiograms | None = None) -> None:
        """`mappings` are those of --media: OLD=NEW, or a folder."""
        self._policy, self._mappings, self._audiograms = policy, tuple(mappings), audiograms
        self._lock = threading.Lock()
        self._replays: dict[Path, RunReplay] = {}
        self._prompts: OrderedDict[tuple[Path, bytes], ReplayedPrompt] = OrderedDict()

    def replay(self, run: Path, record: Record) -> ReplayedPrompt:
        """Make the prompt of a record again. Raises BadData where that cannot be done."""
        key = (run, msgspec.json.encode([record.item.task, record.item.id, record.condition, record.repeat]))
        with self._lock:
            if key in self._prompts:
                self._prompts.move_to_end(key)
                return self._prompts[key]
            try:
                made = self._open_replay(run).replay(_with_relative_clips(record, is_imported=not record.audio_sent))
            except BadData as error:
                raise BadData(QUOTED.sub("", str(error))) from error
            if made.sound_problems or made.picture_problems:
                return made  # not kept: a file that is put back is found the next time
            self._prompts[key] = made
            while len(self._prompts) > KEPT or (len(self._prompts) > 1 and self._size() > KEPT_BYTES):
                self._prompts.popitem(last=False)
            return made

    def _size(self) -> int:
        return sum(len(sound.data) for made in self._prompts.values() for sound in made.sounds)

    def _open_replay(self, run: Path) -> RunReplay:
        if run not in self._replays:
            self._policy.check(run)
            if load_signature(run).benchmark.get("imported") and not self._mappings:
                raise BadData(
                    "an imported run has no sound; earmark view --media FOLDER finds clips by their id or name"
                )
            trials = self._audiograms.open(run) if self._audiograms and is_audiogram(run) else None
            self._replays[run] = RunReplay(run, self._mappings, benchmark=trials)
        return self._replays[run]

    def sound(self, run: Path, record: Record, index: int) -> EncodedAudio:
        """Return a sound of a record as it was sent. Raises BadData where it cannot be made, or is another today."""
        made = self.replay(run, record)
        sounds = made.sounds
        if index in made.sound_problems:
            raise BadData(QUOTED.sub("", made.sound_problems[index]))
        if index >= len(sounds):
            raise BadData(f"sound {index + 1}: {len(sounds)} sounds are made, and {len(record.audio_sent)} were sent")
        if index < len(record.audio_sent):
            check_same(sounds[index], record.audio_sent[index])
        return sounds[index]

    def picture(self, run: Path, record: Record, index: int) -> ImageBytes:
        """Return a picture of a record. Raises BadData where it is not there, or is another today."""
        made = self.replay(run, record)
        if index in made.picture_problems:
            raise BadData(made.picture_problems[index])
        if other := next(iter(made.picture_problems.values()), ""):
            raise BadData(f"picture {index + 1}: cannot be compared with what was sent without another: {other}")
        if changed := next((line for line in made.differences if line.startswith("the recordings have changed")), ""):
            raise BadData(changed)
        if index >= len(made.pictures):
            raise BadData(f"picture {index + 1}: the prompt has {len(made.pictures)}")
        picture = made.pictures[index]
        if picture.mime not in PICTURES:
            raise BadData(f"picture {index + 1}: is no picture that a browser shows")
        return picture

    def sound_media(self, run: Path, record: Record, index: int) -> Media:
        """Return a sound to be played."""
        sound = self.sound(run, record, index)
        describe = f"{record.item.id}-{record.condition}-{index + 1}"
        return Media(sound.data, MIMES.get(sound.format, "application/octet-stream"), file_name(describe, sound.format))

    def picture_media(self, run: Path, record: Record, index: int) -> Media:
        """Return a picture to be shown."""
        picture = self.picture(run, record, index)
        return Media(picture.data, picture.mime, file_name(f"{record.item.id}-{index + 1}", picture.mime[6:]))

    def spectrogram(self, run: Path, record: Record, index: int, channel: int) -> Media:
        """Return the spectrogram of a sound."""
        return Media(draw_spectrogram(self.sound(run, record, index), channel), "image/png", "spectrogram.png")

    def describe(self, run: Path, record: Record) -> dict[str, Any]:
        """Describe the sounds and pictures of a record; a clip that cannot be played says why."""
        try:
            made = self.replay(run, record)
        except EarmarkError as error:
            failed: list[dict[str, Any]] = [{"why": str(error)} for _ in record.audio_sent]
            return {"clips": failed, "pictures": [], "differences": [], "turns": None, "why": str(error)}
        n_sounds = max(len(made.sounds), len(record.audio_sent))
        return {
            "clips": [self._describe_sound(run, record, index) for index in range(n_sounds)],
            "pictures": [self._describe_picture(run, record, index) for index in range(len(made.pictures))],
            "differences": list(made.differences),
            "turns": msgspec.to_builtins(describe_turns(made.prompt)),
            "why": "",
        }

    def _describe_sound(self, run: Path, record: Record, index: int) -> dict[str, Any]:
        try:
            sound = self.sound(run, record, index)
            info = describe_sound(sound)
        except EarmarkError as error:
            return {"why": str(error)}
        sent = {"name": sound.name, "format": sound.format, "rate": sound.rate, "channels": sound.channels,
                "seconds": sound.seconds, "notes": sound.notes}  # fmt: skip
        return info._asdict() | {"sent": sent, "drawn": min(info.channels, MAX_CHANNELS), "why": ""}

    def _describe_picture(self, run: Path, record: Record, index: int) -> dict[str, Any]:
        try:
            picture = self.picture(run, record, index)
        except EarmarkError as error:
            return {"why": str(error)}
        return {"name": picture.name, "mime": picture.mime, "why": ""}


def check_same(sound: EncodedAudio, sent: AudioSent) -> None:
    """Raise BadData unless a sound comes from the recording that was sent."""
    if sound.source != sent.source:
        raise BadData(
            f"{sent.name or 'a clip'}: what is made today comes from another recording, digest {sound.source}; "
            f"what was sent has {sent.source}"
        )


def _with_relative_clips(record: Record, *, is_imported: bool) -> Record:
    """A record of a log, whose paths no digest vouches for: they are looked for below folders that were given."""
    if not is_imported:
        return record
    clips = tuple(_relative(clip) if isinstance(clip, Clip) else clip for clip in record.item.clips)
    return replace(record, item=replace(record.item, clips=clips))


def _relative(clip: Clip) -> Clip:
    parts = [part for part in PurePosixPath(clip.path).parts if part not in ("/", "..")]
    return replace(clip, path="/".join(parts) or "clip")


def file_name(text: str, suffix: str) -> str:
    """Return a name for a file that is saved: letters of ASCII, digits and hyphens.

    >>> file_name('item "1"\\n/é', "wav")
    'item-1-c937aa.wav'
    """
    letters = "".join(letter if letter.isascii() and letter.isalnum() else "-" for letter in safe_name(text))
    return f"{'-'.join(filter(None, letters.split('-')))[:80] or 'clip'}.{suffix}"


def speech_media(run: Path, record: Record) -> Media:
    """Return the speech of an answer, a file of the run that is called by the digest of its bytes."""
    speech = record.response.speech if record.response else None
    if speech is None:
        raise BadData("the answer has no speech")
    parts = PurePosixPath(speech.path).parts
    path = run / SPEECH_FOLDER / parts[-1] if parts else run
    if parts[:-1] != (SPEECH_FOLDER,) or path.is_symlink() or not path.is_file():
        raise BadData(f"{speech.path}: the speech of the answer is not in the folder of the run")
    data = path.read_bytes()
    if hash64(data) != path.stem:
        raise BadData(f"{speech.path}: is not the speech that was recorded")
    form = path.suffix[1:]
    describe_sound(EncodedAudio(data, form, 0, 1, 0.0, speech.name))  # it is no sound: BadData
    return Media(data, MIMES.get(form, "application/octet-stream"), file_name(f"{record.item.id}-answer", form))
