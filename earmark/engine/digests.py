"""Digests of what is asked: the words of a prompt, and its recordings."""

from __future__ import annotations

import os
import time

import orjson

from earmark.data.cache import SETTLED, hash64
from earmark.data.clips import source_digest
from earmark.data.plain import repair
from earmark.types import Clip, ImageBytes, ImageRef, LoadedClip, Part, Prompt, SynthSpec


def prompt_digest(prompt: Prompt) -> str:
    """A digest of a prompt's words, roles, choices and order of parts. Sound and pictures enter by name alone.

    >>> from earmark.types import Turn
    >>> prompt_digest(Prompt((Turn("user", ("Hello.",)),))) == prompt_digest(Prompt((Turn("user", ("Hello!",)),)))
    False
    """
    turns = [(turn.role, [_part_key(part) for part in turn.parts]) for turn in prompt.turns]
    parts = (turns, prompt.choices, prompt.labels, prompt.sampling, *[prompt.replies] * (prompt.replies != "one"))
    try:
        return hash64(orjson.dumps(parts, option=orjson.OPT_SORT_KEYS))
    except orjson.JSONEncodeError:  # a lone surrogate, as in the name of a file that is no UTF-8
        return hash64(orjson.dumps(repair(parts), option=orjson.OPT_SORT_KEYS))


def _part_key(part: Part) -> str | tuple[str, ...]:
    if isinstance(part, str):
        return part
    part = part.clip if isinstance(part, LoadedClip) else part
    if isinstance(part, ImageRef):
        return ("picture", part.name or part.path, str(part.width), part.detail)
    if isinstance(part, Clip):
        return ("sound", part.name or part.member or part.path, str(part.start), str(part.end))
    return ("sound", part.name, str(sorted(part.settings.items())) if isinstance(part, SynthSpec) else "")


def audio_digest(prompt: Prompt, sent: set[str] | None = None) -> str:
    """Digest of the recordings and pictures of a prompt, before any condition. Empty where there are none, or where
    `sent`, the digests of those that were sent, lacks some.
    """
    parts = [part for turn in prompt.turns for part in turn.parts]
    if sent is not None and (not sent or any(isinstance(part, Clip) for part in parts)):  # not read, so not sent
        return ""
    sources = [digest for part in parts if (digest := _source(part))]
    if not sources or (sent is not None and not sent.issuperset(sources)):
        return ""
    return hash64("".join(sources).encode())


def file_stamp(prompt: Prompt) -> str:
    """Digest of the size, time of change and inode of the files behind a prompt's recordings and pictures, and of the
    places in them: while it is the same, their bytes are. Empty where there are none, where one is not there, or was
    changed so lately that another change might not show.
    """
    stamps = []
    reads_files = False
    for part in (part for turn in prompt.turns for part in turn.parts):
        source = part.clip if isinstance(part, LoadedClip) else part
        if isinstance(source, Clip | ImageRef):
            reads_files = True
            stamp = _stat_stamp(source.path)
            if not stamp:
                return ""
            stamps.append(stamp)
            if isinstance(source, Clip):
                stamps.append(f"{source.row},{source.column},{source.member},{source.codec}")
        elif isinstance(source, SynthSpec):
            stamps.append(source_digest(source))
    return hash64("\x1f".join(stamps).encode(errors="surrogatepass")) if reads_files else ""


def _stat_stamp(path: str) -> str:
    try:
        stat = os.stat(path)  # noqa: PTH116 - a third of the time of Path.stat
    except OSError:
        return ""
    if time.time_ns() - stat.st_mtime_ns < SETTLED:
        return ""
    return f"{stat.st_size},{stat.st_mtime_ns},{stat.st_ino}"


def recording_paths(prompt: Prompt) -> set[str]:
    """Paths of the files behind a prompt's recordings and pictures."""
    return {part.path for turn in prompt.turns for part in turn.parts if isinstance(part, Clip | ImageRef)}


def _source(part: Part) -> str:
    if isinstance(part, LoadedClip):
        return part.digest
    if isinstance(part, ImageBytes):
        return part.source
    return source_digest(part) if isinstance(part, Clip | SynthSpec | ImageRef) else ""
