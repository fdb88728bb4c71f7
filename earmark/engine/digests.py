"""Digests of what is asked: the words of a prompt, and its recordings."""

from __future__ import annotations

import orjson

from earmark.data.cache import hash64
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
    parts = (turns, prompt.choices, prompt.labels, prompt.sampling)
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


def _source(part: Part) -> str:
    if isinstance(part, LoadedClip):
        return part.digest
    if isinstance(part, ImageBytes):
        return part.source
    return source_digest(part) if isinstance(part, Clip | SynthSpec | ImageRef) else ""
