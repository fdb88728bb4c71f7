"""Replay of the recorded responses of a run, as a model. No model is asked.

`model=replay model.run=RUN` answers each question of a benchmark as the run did: the same task, item, condition and
repeat. Imported runs (`earmark import`) can be replayed too. A recorded failure fails again. A question that the run
does not contain, or contains with another prompt, is a failure. Outside of a benchmark, such as when a judge is
replayed, a prompt of text alone is looked up by its text; its responses come in their original order, the last one
again and again.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import accumulate
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct

from earmark.engine.digests import prompt_digest
from earmark.errors import BadData, Rejected
from earmark.journal import Record, question_key, read_at, read_keys
from earmark.plugins.examples import ModelExample
from earmark.types import Capabilities, Context, Failure, Prompt, Response, replace

JOURNAL = "responses.jsonl"


class Settings(Struct, frozen=True, forbid_unknown_fields=True):
    """Settings of the model, in YAML or as `model.name=value`."""

    run: str  # the folder of a run
    name: str = ""  # empty: replay of the run's model
    capabilities: Capabilities = Capabilities(formats=(), images=True)


class Replay(Struct, frozen=True, eq=False):
    """Recorded responses of a run, by the offsets of their lines: a journal of a million lines stays on disk."""

    name: str
    capabilities: Capabilities
    run: Path
    file: BinaryIO
    offsets: dict[int, int]  # by question
    offsets_by_prompt: dict[str, list[int]]  # by the digest of a prompt's words, the next reply last

    async def generate(self, prompt: Prompt) -> Response:
        replies = self.offsets_by_prompt.get(prompt_digest(prompt))
        if not replies:
            raise Rejected(f"{self.run} has no response to this prompt")
        response = read_at(self.file, replies[0] if len(replies) == 1 else replies.pop()).response
        if response is None:
            raise Rejected(f"{self.run} failed at this prompt")
        return response

    def lookup(self, record: Record) -> Response | Failure:
        """Look up the recorded response to a question, or its failure."""
        title = f"{record.item.task}, item {record.item.id}, {record.condition}, repeat {record.repeat}"
        offset = self.offsets.get(question_key(record.item.task, record.item.id, record.condition, record.repeat))
        if offset is None:
            return Failure("request-failed", f"{self.run} was not asked {title}")
        original = read_at(self.file, offset)
        if original.prompt_digest and record.prompt_digest and original.prompt_digest != record.prompt_digest:
            return Failure("request-failed", f"{self.run} was asked {title} with another prompt")
        if original.response:
            return original.response
        failure = original.failure or Failure("request-failed", "no answer")
        return replace(failure, final=True)  # asking again changes nothing


@asynccontextmanager
async def load(settings: Settings, context: Context) -> AsyncIterator[Replay]:  # noqa: ARG001 - it opens no other
    """Index the journal of the run."""
    run = Path(settings.run)
    try:
        file = (run / JOURNAL).open("rb")
    except OSError as error:
        raise BadData(
            f"{run} is no run: no {JOURNAL} ({error.strerror}); give model.run=results/MODEL/BENCHMARK/DATE"
        ) from error
    with file:
        offsets, offsets_by_prompt = await asyncio.to_thread(index_journal, run / JOURNAL)
        yield Replay(
            settings.name or f"replay-{run.parent.parent.name}",
            settings.capabilities,
            run,
            file,
            offsets,
            offsets_by_prompt,
        )


def index_journal(path: Path) -> tuple[dict[int, int], dict[str, list[int]]]:
    """Byte offsets of the lines of a journal, by question and by prompt; the last line of a question counts."""
    with path.open("rb") as file:
        ends = accumulate(map(len, file), initial=0)
        lines = {line.question_id(): (offset, line) for offset, line in zip(ends, read_keys(path), strict=False)}
    in_words: dict[str, list[int]] = {}
    for offset, line in sorted(lines.values(), key=lambda pair: pair[1].repeat, reverse=True):
        if line.prompt_digest and line.failure is None:
            in_words.setdefault(line.prompt_digest, []).append(offset)
    return {question: offset for question, (offset, _) in lines.items()}, in_words


def examples() -> tuple[ModelExample, ...]:
    return (ModelExample(settings={"run": "results/run"}, needs="a run"),)
