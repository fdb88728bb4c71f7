"""Asking a judge: a model by any name that `model=` takes, its answers remembered, so many votes for one question.

At temperature 0 a judge says the same again, and votes are worth asking for where it is a little warmer, as VoiceBench
has it. Votes of one question differ in their seed and nothing else. A verdict of words needs more than half of all
votes; a number is the mean of those that could be read, if they are more than half.
"""

from __future__ import annotations

import asyncio
import functools
import os
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from copy import deepcopy
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from earmark.audio.prepare import prepare_audio
from earmark.config.compose import compose_config
from earmark.config.parse import parse_model
from earmark.errors import AskError, BadSetup, UsageError
from earmark.judges.parsing import ParsedVerdict, parse_pair, parse_rating, parse_word
from earmark.judges.prompts import JudgePrompt, fill_prompt
from earmark.types import Item, Model, OpenModel, Part, Prompt, Turn, Usage, replace

NO_REPLY: Final = "no reply"  # the rule of a vote whose request failed
MAX_LISTED_STEPS: Final = 12  # ratings of a scale that are offered to a judge that answers by likelihood, at most


class Vote(Struct, frozen=True):
    """One vote of a judge."""

    value: Any  # a number, a word, two numbers, or None: no verdict
    rule: str  # by which rule it was read, or why there is none
    reply: str  # all of it
    usage: Usage = Usage()


class JudgeVerdict(Struct, frozen=True):
    """Verdict of a judge: a number, a word or two numbers, or None."""

    value: Any
    rule: str
    reply: str
    pairs: int = 0  # of votes that could be read
    n_agreeing: int = 0  # of these, how many said the same
    usage: Usage = Usage()  # of all votes; what is remembered takes nothing
    values: tuple[Any, ...] = ()  # of the votes that could be read


class Judge(Struct, frozen=True):
    """An open judge."""

    model: Model
    votes: int = 1
    temperature: float = 0.0

    async def decide(
        self,
        template: JudgePrompt,
        fields: Mapping[str, str],
        *,
        words: Sequence[str] = (),
        sound: Sequence[Part] = (),
        candidates: tuple[str, ...] = ("candidate",),
    ) -> JudgeVerdict:
        """The verdict on one question; `words` instead of the prompt's own, where they depend on the question."""
        allowed = tuple(words or template.words)
        parts = (*sound, fill_prompt(template, fields, candidates))
        prompts = [self._prompt(template, parts, allowed, number) for number in range(self.votes)]
        votes = await asyncio.gather(*(self._vote(template, prompt, allowed) for prompt in prompts))
        values = tuple(vote.value for vote in votes if vote.value is not None)
        usage = sum((vote.usage for vote in votes), Usage())
        return replace(tally_votes(votes, template), usage=usage, values=values)

    def _prompt(self, template: JudgePrompt, parts: tuple[Part, ...], words: tuple[str, ...], number: int) -> Prompt:
        turns = (*((Turn("system", (template.system,)),) if template.system else ()), Turn("user", parts))
        offered = words if template.kind == "word" else scale_steps(template)  # for models that answer by likelihood
        sampling = {"temperature": self.temperature, "max_tokens": template.max_tokens}
        return Prompt(turns, offered, offered, sampling | ({"seed": number} if number else {}))

    async def _vote(self, template: JudgePrompt, prompt: Prompt, words: tuple[str, ...]) -> Vote:
        try:
            reply = await self.model.generate(prepare_audio(prompt, self.model.capabilities))
        except AskError as error:
            return Vote(None, NO_REPLY, str(error))
        except BadSetup as error:
            raise BadSetup(
                f"the judge {self.model.name} cannot be asked: {error}. Answers are kept; when it can, go on with: "
                "earmark rescore RUN --ask, or the same judge-check"
            ) from error
        if reply.stop != "end":
            return Vote(None, "cut" if reply.stop == "length" else "withheld", reply.text, reply.usage)
        read: ParsedVerdict[Any] = (
            parse_word(reply.text, words)
            if template.kind == "word"
            else (parse_pair if template.kind == "pair" else parse_rating)(reply.text, template.scale)
        )
        return Vote(read.value, read.rule, reply.text, reply.usage)


def scale_steps(template: JudgePrompt) -> tuple[str, ...]:
    """The whole numbers of a short scale."""
    low, high = (int(end) for end in template.scale)
    return tuple(map(str, range(low, high + 1))) if template.kind == "rating" and high - low < MAX_LISTED_STEPS else ()


def tally_votes(votes: Sequence[Vote], template: JudgePrompt) -> JudgeVerdict:
    """Votes as one verdict.

    >>> from earmark.judges.prompts import find_prompt
    >>> tally_votes([Vote("yes", "", ""), Vote("no", "", ""), Vote("yes", "", "")], find_prompt("voicebench-qa")).value
    'yes'
    """
    read = [vote.value for vote in votes if vote.value is not None]
    times = Counter(read)
    pairs = len(read) * (len(read) - 1) // 2
    agreed = sum(count * (count - 1) // 2 for count in times.values())
    replies = "\n\n".join(vote.reply for vote in votes)
    rule = ", ".join(
        dict.fromkeys(vote.rule for vote in votes if (vote.value is None) is (len(read) * 2 <= len(votes)))
    )
    if len(read) * 2 <= len(votes):
        return JudgeVerdict(None, rule, replies, pairs, agreed)
    if template.kind == "word":
        word, most = times.most_common(1)[0]
        decided = most * 2 > len(votes)
        return JudgeVerdict(word if decided else None, rule if decided else "no majority", replies, pairs, agreed)
    if template.kind == "pair":
        means = tuple(sum(column) / len(read) for column in zip(*read, strict=True))
        return JudgeVerdict(means, rule, replies, pairs, agreed)
    return JudgeVerdict(sum(read) / len(read), rule, replies, pairs, agreed)


def settings_of(judge: str) -> dict[str, Any]:
    """The settings of a judge, checked. Raises UsageError where no such model is known."""
    return deepcopy(_compose(judge, Path.cwd(), os.environ.get("EARMARK_CONF", "")))


@functools.cache  # composing takes most of a second, and a benchmark may name its judge for each of hundreds of tasks
def _compose(judge: str, here: Path, conf: str) -> dict[str, Any]:  # noqa: ARG001 - where settings are looked for
    settings = compose_config([f"model={judge}"]).model
    parse_model(settings)
    return settings


@asynccontextmanager
async def open_judge(
    judge: str, open_model: OpenModel, votes: int = 1, temperature: float = 0.0
) -> AsyncIterator[Judge]:
    """Open a judge; `open_model` opens its model."""
    if votes < 1:
        raise UsageError(f"votes={votes}: a judge has one vote at least")
    async with AsyncExitStack() as stack:
        try:
            model = await stack.enter_async_context(open_model(settings_of(judge)))
        except BadSetup as error:
            raise BadSetup(f"the judge {judge} cannot be opened: {error}") from error
        yield Judge(model, votes, temperature)


def question_of(item: Item) -> str:
    """The question of an item, with its options where it has any that the question does not name."""
    unnamed = any(choice not in item.question for choice in item.choices)
    options = zip(item.labels, item.choices, strict=True) if unnamed else ()
    return "\n".join([item.question, *(f"{label}. {choice}" for label, choice in options)])


def reference_of(item: Item) -> str:
    """Reference answers for a judge, one on each line; any of them is right."""
    if not item.choices:
        return "\n".join(item.targets)
    return "\n".join(
        item.text(target) if item.text(target) == target else f"{target}. {item.text(target)}"
        for target in item.targets
    )
