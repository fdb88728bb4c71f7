"""Prompts that are asked in several requests: conversations, and recordings in parts."""

from __future__ import annotations

from collections.abc import Sequence

from earmark.engine.runner import ask
from earmark.types import Failure, Model, Prompt, Response, Seconds, Turn, Usage, replace


async def ask_turns(model: Model, prompt: Prompt, attempts: int, patience: Seconds) -> tuple[Response | Failure, int]:
    """One answer to a prompt of several requests, as `Prompt.replies` says, and how many requests it took."""
    history: tuple[Turn, ...] = ()
    replies: list[Response] = []
    requests = 0
    for turn in prompt.turns:
        history = (*history, turn)
        if turn.role != "user":
            continue
        asked = replace(prompt, turns=history, replies="one")
        outcome, more = await ask(model, asked, attempts, patience)
        requests += more
        if isinstance(outcome, Failure):
            return outcome, requests
        replies.append(outcome)
        if prompt.replies == "each":
            history = (*history, Turn("assistant", (outcome.text,)))
        else:
            history = tuple(turn for turn in history if turn.role == "system")
    return join_replies(replies, rounds=prompt.replies == "each"), requests


def join_replies(replies: Sequence[Response], *, rounds: bool) -> Response:
    """The replies to several requests as one response: each under the number of its round, or joined by blanks.

    >>> join_replies([Response("Yes."), Response(" No.")], rounds=False).text
    'Yes. No.'
    >>> join_replies([Response("Yes."), Response("No.")], rounds=True).text
    '[Round 1] Yes.\\n\\n[Round 2] No.'
    """
    texts = [reply.text.strip() for reply in replies]
    text = " ".join(filter(None, texts))
    if rounds and text:
        text = "\n\n".join(f"[Round {number}] {part}".strip() for number, part in enumerate(texts, start=1))
    return Response(
        text,
        stop=next((reply.stop for reply in replies if reply.stop != "end"), "end"),
        reasoning="\n\n".join(reply.reasoning for reply in replies if reply.reasoning),
        transcripts=tuple(transcript for reply in replies for transcript in reply.transcripts),
        usage=sum((reply.usage for reply in replies), Usage()),
        seconds=sum(reply.seconds for reply in replies),
        notes=tuple(dict.fromkeys(note for reply in replies for note in reply.notes)),
    )
