"""The sound and the pictures that were sent about some items, as files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from earmark.data.cache import atomic_write
from earmark.data.names import safe_name
from earmark.errors import BadData
from earmark.journal import Record
from earmark.runs.replay_sound import ReplayedPrompt, RunReplay
from earmark.viewer.item_list import ItemList

SUFFIXES: Final = {"image/jpeg": "jpg", "image/png": "png", "image/gif": "gif", "image/webp": "webp"}


def write_sound_files(
    items: ItemList, folder: Path, open_replay: Callable[[Path], RunReplay]
) -> tuple[list[Path], list[str]]:
    """Write a file for each sound and picture; return their paths, and a sentence for each item that has a problem."""
    written: list[Path] = []
    problems: list[str] = []
    replays: dict[Path, RunReplay | str] = {}
    for item in items.records():
        if item.run not in replays:
            replays[item.run] = _try_open(item.run, open_replay)
        replay = replays[item.run]
        prefix = f"{items.runs.index(item.run) + 1}-" if len(items.runs) > 1 else ""
        if isinstance(replay, str):
            problems += [replay] * (replay not in problems)
            continue
        try:
            prompt = replay.replay(item.record)
        except BadData as error:
            problems.append(f"{item.record.title}: {error}")
            continue
        missing = [*prompt.sound_problems.values(), *prompt.picture_problems.values()]
        problems += [f"{item.record.title}: {line}" for line in (*dict.fromkeys(missing), *prompt.differences)]
        written += _write(prompt, folder, prefix + file_stem(item.record))
        if not prompt.sounds and not prompt.pictures:
            problems.append(f"{item.record.title}: no sound was sent")
    return written, problems


def _try_open(run: Path, open_replay: Callable[[Path], RunReplay]) -> RunReplay | str:
    """What makes the sound of a run again, or a sentence on why it cannot be."""
    try:
        return open_replay(run)
    except BadData as error:
        return str(error)


def file_stem(record: Record) -> str:
    """Name of the files of a record, without number and suffix."""
    repeat = f"-{record.repeat}" if record.repeat else ""
    parts = (record.item.task, record.item.id, record.condition)
    return "_".join(safe_name(part) for part in parts if part) + repeat


def _write(prompt: ReplayedPrompt, folder: Path, stem: str) -> list[Path]:
    files = [
        (f"{stem}_{number + 1}.{sound.format}", sound.data)
        for number, sound in enumerate(prompt.sounds)
        if number not in prompt.sound_problems
    ]
    files += [
        (f"{stem}_picture_{number + 1}.{SUFFIXES.get(picture.mime, 'bin')}", picture.data)
        for number, picture in enumerate(prompt.pictures)
        if number not in prompt.picture_problems
    ]
    return [atomic_write(folder / name, data) for name, data in files]
