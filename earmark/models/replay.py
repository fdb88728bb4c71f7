"""Replay: the replies of a run that is there, as a model. Nothing is asked.

`model=replay model.run=RUN` answers each question of a benchmark as the run did: the same task, item, condition and repeat.
A run made by `earmark import` is one, so another harness's log can be replayed. What the run failed at fails again. A
question that the run was not asked, or was asked in other words, is a failure that says so, never another question's
reply. Where there is no question of a benchmark, as when a judge is replayed, a prompt of words alone is found by its
words, and its replies come in the order in which they were made, the last one again and again.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import accumulate
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct

from earmark.errors import BadData, Rejected
from earmark.journal import Record, key, keys, read_at
from earmark.signature import asked
from earmark.types import Failure, Hears, Prompt, Response, replace

JOURNAL = "responses.jsonl"


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """What a user may set in YAML or as `model.name=value`."""

    run: str  # the folder of a run
    name: str = ""  # empty: replay of the run's model
    hears: Hears = Hears(formats=(), pictures=True)


class Replay(Struct, frozen=True, eq=False):
    """The replies of a run, by where their lines begin: a journal of a million lines stays on the disk."""

    name: str
    hears: Hears
    run: Path
    file: BinaryIO
    said: dict[int, int]  # by question
    in_words: dict[str, list[int]]  # by the digest of a prompt's words, the next reply last

    async def generate(self, prompt: Prompt) -> Response:
        replies = self.in_words.get(asked(prompt))
        if not replies:
            raise Rejected(f"{self.run} holds no reply to this prompt")
        found = read_at(self.file, replies[0] if len(replies) == 1 else replies.pop()).response
        if found is None:
            raise Rejected(f"{self.run} failed at this prompt")
        return found

    def recall(self, record: Record) -> Response | Failure:
        """What the run answered to a question, or why there is no answer."""
        title = f"{record.item.task}, item {record.item.id}, {record.condition}, repeat {record.repeat}"
        at = self.said.get(key(record.item.task, record.item.id, record.condition, record.repeat))
        if at is None:
            return Failure("request-failed", f"{self.run} was not asked {title}")
        found = read_at(self.file, at)
        if found.asked and record.asked and found.asked != record.asked:
            return Failure("request-failed", f"{self.run} was asked {title} in other words")
        if found.response:
            return found.response
        failure = found.failure or Failure("request-failed", "no answer")
        return replace(failure, final=True)  # asking again changes nothing


@asynccontextmanager
async def load(settings: Settings) -> AsyncIterator[Replay]:
    """Look through the run."""
    run = Path(settings.run)
    try:
        file = (run / JOURNAL).open("rb")
    except OSError as error:
        raise BadData(
            f"{run}: is no run, it has no {JOURNAL} ({error.strerror}); give model.run=results/MODEL/BENCHMARK/DATE"
        ) from error
    with file:
        said, in_words = await asyncio.to_thread(places, run / JOURNAL)
        yield Replay(settings.name or f"replay-{run.parent.parent.name}", settings.hears, run, file, said, in_words)


def places(path: Path) -> tuple[dict[int, int], dict[str, list[int]]]:
    """Where the lines of a journal begin, by question and by words; the last line about a question counts."""
    with path.open("rb") as file:
        ends = accumulate(map(len, file), initial=0)
        lines = {line.of(): (at, line) for at, line in zip(ends, keys(path), strict=False)}
    in_words: dict[str, list[int]] = {}
    for at, line in sorted(lines.values(), key=lambda found: found[1].repeat, reverse=True):
        if line.asked and line.failure is None:
            in_words.setdefault(line.asked, []).append(at)
    return {question: at for question, (at, _) in lines.items()}, in_words
