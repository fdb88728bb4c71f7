"""Prompts of several requests: replies that build on each other, and replies that are joined."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

from earmark.engine.conversation import ask_turns
from earmark.errors import Rejected
from earmark.models.fake import FakeModel
from earmark.types import Failure, Prompt, Response, Turn, Usage


def conversation(replies: str) -> Prompt:
    turns = (Turn("system", ("Be brief.",)), Turn("user", ("One?",)), Turn("user", ("Two?",)))
    return Prompt(turns, replies=replies)  # type: ignore[arg-type]


def counting_replies(seen: list[list[str]]) -> Callable[[Prompt], Response]:
    def reply(prompt: Prompt) -> Response:
        assert prompt.replies == "one"  # a model is never shown how often it is asked
        seen.append([f"{turn.role}: {part}" for turn in prompt.turns for part in turn.parts])
        return Response(f"reply {len(seen)}", usage=Usage(1, 2), seconds=0.5)

    return reply


def test_each_turn_of_a_conversation_is_asked_after_the_models_own_replies() -> None:
    seen: list[list[str]] = []
    outcome, requests = asyncio.run(ask_turns(FakeModel(counting_replies(seen)), conversation("each"), 1, 1.0))
    assert isinstance(outcome, Response)
    assert (outcome.text, requests) == ("[Round 1] reply 1\n\n[Round 2] reply 2", 2)
    assert (outcome.usage, outcome.seconds) == (Usage(2, 4), 1.0)
    assert seen[1] == ["system: Be brief.", "user: One?", "assistant: reply 1", "user: Two?"]


def test_parts_of_a_recording_are_asked_by_themselves_and_joined() -> None:
    seen: list[list[str]] = []
    outcome, requests = asyncio.run(ask_turns(FakeModel(counting_replies(seen)), conversation("joined"), 1, 1.0))
    assert isinstance(outcome, Response)
    assert (outcome.text, requests) == ("reply 1 reply 2", 2)
    assert seen[1] == ["system: Be brief.", "user: Two?"]


def test_a_conversation_of_which_one_request_fails_has_failed() -> None:
    def reply(prompt: Prompt) -> str:
        if prompt.turns[-1].parts == ("Two?",):
            raise Rejected("too long")
        return "fine"

    outcome, requests = asyncio.run(ask_turns(FakeModel(reply), conversation("each"), 1, 1.0))
    assert isinstance(outcome, Failure)
    assert (outcome.message, requests) == ("too long", 2)
