"""Splits thoughts that a model writes into its reply from the answer, before the reply is scored.

    <think>The file says 70, no, 72.</think> It is 72        the answer is "It is 72", the rest is reasoning

Servers with a reasoning parser send thoughts separately; others leave them in the reply, where a word error rate would
count them and a judge would grade them. A journal keeps the reply as it came; scorers see it without thoughts.
Published parsers that read the whole reply take `Response.whole_text`.
"""

from __future__ import annotations

from earmark.text._screen import THOUGHT, without_thought
from earmark.types import Response, replace


def split_thoughts(text: str, *, cut: bool = False) -> tuple[str, str]:
    """Split a reply into its answer and its thoughts; a reply without thoughts is returned unchanged.

    Text before a closing tag without an opening one is a thought (the chat template opened it). A part that is opened
    and never closed is a thought if the reply was `cut`, or if nothing precedes it.

    >>> split_thoughts("<think>70?</think> It is 72"), split_thoughts("70?</think>It is 72")
    (('It is 72', '70?'), ('It is 72', '70?'))
    >>> split_thoughts("<think>70")
    ('', '70')
    """
    if "<" not in text and "[" not in text and "◁" not in text:  # no tag begins otherwise
        return text, ""
    answer: list[str] = []
    thoughts: list[str] = []
    done = inside = 0
    start: int | None = None
    for tag in THOUGHT.finditer(text):
        if tag["open"]:
            start, inside = (tag.start(), tag.end()) if start is None else (start, inside)
        elif start is not None or (tag["close"] and not thoughts):
            answer.append(text[done : done if start is None else start])
            thoughts.append(text[done if start is None else inside : tag.start()])
            start, done = None, tag.end() if tag["close"] else tag.start()
    if start is not None and (cut or (text[start] != "[" and not "".join([*answer, text[done:start]]).strip())):
        answer.append(text[done:start])
        thoughts.append(text[inside:])
        done = len(text)
    if not thoughts:
        return text, ""
    return ("".join(answer) + text[done:]).strip(), "\n".join(filter(None, (thought.strip() for thought in thoughts)))


def without_thoughts(response: Response) -> Response:
    """Move the thoughts in a reply to its reasoning, and keep the whole reply as `raw_text` where there were any.

    A reply that ends within its thoughts was cut, whatever stop reason the server gives.
    """
    text, thoughts = split_thoughts(response.text, cut=response.stop == "length")
    if text == response.text:
        return response
    reasoning = "\n".join(filter(None, (response.reasoning, thoughts)))
    within = not text and response.stop == "end" and without_thought(response.text, opened=False) is None
    stop = "length" if within else response.stop
    return replace(response, text=text, stop=stop, reasoning=reasoning, raw_text=response.text)
