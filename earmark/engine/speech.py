"""Speech of answers: a file in the folder of the run, RUN/speech/NAME, named by a digest of its bytes.

A model leaves the speech of an answer as a file in the cache, or names one of its own. The first is moved into the run,
unless answers are cached and it will be given again; the second is copied.
"""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path
from typing import Final

from earmark.data.cache import cache_dir, hash64_file
from earmark.engine.cache import without_cache
from earmark.errors import RunStopped
from earmark.types import Clip, Model, Response, replace

SPEECH_FOLDER: Final = "speech"


async def keep_speech(response: Response, run: Path, model: Model) -> Response:
    """Return a response whose speech is a file of the run, by its path below the run's folder."""
    if response.speech is None:
        return response
    move = without_cache(model) is model
    speech = await asyncio.to_thread(_keep, response.speech, run, move=move)
    if speech:
        return replace(response, speech=speech)
    return replace(response, speech=None, notes=(*response.notes, f"speech left out: no file {response.speech.path}"))


def _keep(clip: Clip, run: Path, *, move: bool) -> Clip | None:
    source = Path(clip.path)
    if not source.is_file():
        return None
    try:
        name = f"{hash64_file(clip.path)}{source.suffix}"
        target = run / SPEECH_FOLDER / name
        target.parent.mkdir(exist_ok=True)
        if move and source.is_relative_to(cache_dir("speech", "replies")):
            shutil.move(source, target)
        elif not target.exists():
            shutil.copyfile(source, target)
    except OSError as error:
        raise RunStopped(
            f"{run / SPEECH_FOLDER}: the speech of an answer cannot be kept there ({error}); make room, and the same "
            "command goes on"
        ) from error
    return replace(clip, path=f"{SPEECH_FOLDER}/{name}", name=name)
