"""Replies that repeat the text of their prompt: a server that echoes, or a model that was given no chat template."""

from __future__ import annotations

from typing import Final

from earmark.types import Prompt, Response, replace

NOTE: Final = "repeats the text of the prompt"
SHORT: Final = 20  # characters: an answer may contain a shorter prompt by chance, so only an equal reply repeats it


def flag_echo(response: Response, prompt: Prompt) -> Response:
    """Return the response, with a note if it repeats the whole prompt."""
    if prompt.turns and repeats(response.text, "".join(p for p in prompt.turns[-1].parts if isinstance(p, str))):
        return replace(response, notes=(*response.notes, NOTE))
    return response


def repeats(reply: str, prompt: str) -> bool:
    """True if a reply is a prompt or contains all of it, case and spaces aside.

    >>> repeats("which bird sings?", "Which bird sings? "), repeats("A", "Is it A or B?"), repeats("", "")
    (True, False, False)
    >>> repeats("User: Which bird sings here? Assistant: a wren", "Which bird sings here?")
    True
    """
    if len(reply) * 2 < len(prompt):  # spaces that do not count may be half of a prompt, no more
        return False
    reply_words, prompt_words = (" ".join(text.split()).casefold() for text in (reply, prompt))
    return bool(prompt_words) and (
        reply_words == prompt_words or (len(prompt_words) >= SHORT and prompt_words in reply_words)
    )
