"""Judges for tests: the cases of kind f, and judges that answer as they are told."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from earmark.judges.asking import Judge
from earmark.judges.prompts import JUDGE_PROMPTS
from earmark.models.fake import FakeModel
from earmark.scorers import judge
from earmark.types import Item, Prompt, Response, Score, replace

ITEM = Item("1", question="Which bird sings?", targets=("a robin",))
RATINGS = [ask for ask in JUDGE_PROMPTS if ask.kind == "rating"]


def by(reply: Callable[[Prompt], str | Response], *, prompt: str = "audiobench", votes: int = 1) -> judge.JudgeScorer:
    return replace(judge.JudgeScorer(judge.Settings("fake", prompt, votes)), opened=Judge(FakeModel(reply), votes))


def noted(seen: list[Prompt], replies: Callable[[Prompt], str]) -> Callable[[Prompt], str]:
    """Replies that keep what they were asked."""

    def reply(prompt: Prompt) -> str:
        seen.append(prompt)
        return replies(prompt)

    return reply


def words(prompt: Prompt) -> str:
    return str(prompt.turns[-1].parts[-1])


def scored(scorer: judge.JudgeScorer, reply: str | Response, item: Item = ITEM) -> Score:
    response = Response(reply) if isinstance(reply, str) else reply
    return asyncio.run(scorer.score(item, response))
