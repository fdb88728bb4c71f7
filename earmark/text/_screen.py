"""Cleans a reply before it is parsed: removes thinking, an echoed question or chat, and text after the turn.

Every step keeps lengths, so that an offset in the clean text is an offset in the reply.
"""

from __future__ import annotations

import re
import unicodedata

from msgspec import Struct

from earmark.text import _cues as cues
from earmark.text._lazy import LazyPattern

_THINK = r"(?:think|thinking|thoughts?|reasoning|reflection|analysis|scratchpad)"
_ANSWER = r"(?:answer|final_answer|response|conclusion)"
THOUGHT = LazyPattern(
    rf"[<\[◁](?=[|/\sa-z])(?:(?P<close>\|?(?:/(?:seed:)?|end_(?:of_)?){_THINK}\|?[>\]▷]"
    rf"|\|?channel\|?>\s*final(?:<\|message\|>)?|channel\|>)|(?P<open>\|?(?:start_|begin_of_|seed:)?{_THINK}\|?[>\]▷]"
    rf"|\|?channel\|?>\s*(?:analysis|thought|commentary)\b)|(?P<answer>\s*{_ANSWER}\s*>))",
    re.IGNORECASE,
)
ANSWER_PART = LazyPattern(rf"<\s*{_ANSWER}\s*>(.*?)(?=</\s*{_ANSWER}|\Z)", re.IGNORECASE | re.DOTALL)
ECHOED_CHAT = LazyPattern(r"\s*(?:system|user)\n.*\nassistant\n", re.DOTALL)
ECHOED_QUESTION = LazyPattern(  # The answer to "..." is
    r"\banswer (?:to|for)\s+(?:the (?:\w+ ){0,2}question\W{0,3})?[\"'“‘«](?=.{12}).{1,2000}?[\"'”’»]\s*(?=(?:is"
    r"|would be|should be)\b|:)",
    re.IGNORECASE | re.DOTALL,
)
TURN_END = LazyPattern(
    r"<\|(?:im_end|im_start|endoftext|eot_id|end|eom_id|user|start_header_id)\|>|</s>|<eos>|<end_of_turn>"
    r"|\n[ \t]*(?:user|human|model|assistant)[ \t]*(?::|\n|\Z)",
    re.IGNORECASE,
)
TABLE_ROW = LazyPattern(r"^[ \t]*\|[^\n]*\|[ \t]*$", re.MULTILINE)
BOX = LazyPattern(r"\\f?box(?:ed)?\s*\{|<\|begin_of_box\|>|\[\[")
NOISE = LazyPattern(  # markdown, LaTeX, tags and quotation marks
    r"<\|[^<>|\n]{1,40}\|>|</?(?:[a-z][a-z0-9_]{0,20}|[A-Z_]{2,20})\s?/?>|\\(?:text|math|bf|it|rm)[a-z]{0,4}\s*\{"
    r"|\\[()\[\]]|[*`$\"“”„«»「」『』{}]|(?<![^\W_])_+|_+(?![^\W_])|(?<![A-Za-z])['‘’]|['‘’](?![A-Za-z])"
)
HEAD, TAIL = 4_000, 8_000  # characters: an answer is at the start or at the end
MIN_QUESTION = 20  # characters of a question that is searched in the reply


class CleanReply(Struct, frozen=True):
    """The part of a reply that is parsed."""

    text: str
    begin: int  # its offset in the reply
    skipped: int  # number of characters left out after `HEAD` characters

    def span_in_reply(self, start: int, end: int) -> tuple[int, int]:
        """Span in the reply of a span of the text."""
        first, last = (offset + self.begin + (self.skipped if offset >= HEAD else 0) for offset in (start, end))
        return first, last


def blank(match: re.Match[str]) -> str:
    return " " * len(match[0])


def plain(text: str) -> str:
    """Replace full-width, circled, boxed and styled letters by plain ones, each in its place.

    >>> plain("答案：Ｂ Ⓒ 🅳")
    '答案:B C D'
    """
    if text.isascii():
        return text
    table = {ord("’"): "'"}
    for sign in set(text):
        code = ord(sign)
        if code < 0x80 or 0x3040 <= code < 0xD800:  # plain already
            continue
        same = unicodedata.normalize("NFKC", sign)
        if 0x1F130 <= code < 0x1F190 and (code - 0x1F130) % 32 < 26:
            same = chr(ord("A") + (code - 0x1F130) % 32)
        if same != sign and len(same) == 1:
            table[code] = same
    return text.translate(table)


def lower(text: str) -> str:
    low = text.lower()
    return low if len(low) == len(text) else "".join(sign.lower() if len(sign.lower()) == 1 else sign for sign in text)


def fold(text: str) -> str:
    return " ".join(plain(text).casefold().split())


def without_thought(text: str, *, opened: bool) -> str | None:
    """Replace the thinking parts of a reply by blanks; None if it ends inside one."""
    if not opened and not any(sign in text for sign in "<[◁"):
        return text
    start: int | None = 0 if opened else None
    kept: list[str] = []
    done = 0
    for tag in THOUGHT.finditer(text):
        if tag["open"]:
            start = tag.start() if start is None else start
        elif start is not None or (tag["close"] and not kept):
            begin, end = max(start or 0, done), tag.end() if tag["close"] else tag.start()
            kept += [text[done:begin], " " * (end - begin)]
            start, done = None, end
    return "".join(kept) + text[done:] if start is None else None


def without_question(text: str, question: str) -> str:
    """Replace the question by blanks if the reply repeats it, also in "the answer to '...' is"."""
    question = question.strip()
    if len(question) >= MIN_QUESTION and question in text:
        text = text.replace(question, " " * len(question))
    return ECHOED_QUESTION.sub(lambda echo: "answer ".rjust(len(echo[0])), text)


def _cells(row: re.Match[str]) -> str:
    """Turn a row of a table into a line "C : yes"."""
    return row[0].replace("|", " ", 1)[::-1].replace("|", " ", 1)[::-1].replace("|", ":")


def clean_reply(text: str, question: str = "") -> CleanReply:
    """Extract the model's own answer: its two ends if it is very long, with a mark where a box opens."""
    begin = echoed.end() if (echoed := ECHOED_CHAT.match(text)) else 0
    parts = [part.span(1) for part in ANSWER_PART.finditer(text, begin) if part[1].strip()]
    begin, end = parts[-1] if parts else (begin, len(text))
    turn = next((turn for turn in TURN_END.finditer(text, begin, end) if text[begin : turn.start()].strip()), None)
    answer = text[begin : turn.start() if turn else end]
    begin += len(answer) - len(answer.lstrip())
    answer = answer.strip()
    skipped = max(0, len(answer) - HEAD - TAIL)
    if skipped:
        answer = answer[: HEAD - 1] + "\n" + answer[HEAD + skipped :]
    answer = TABLE_ROW.sub(_cells, without_question(answer, question))
    return CleanReply(BOX.sub(lambda box: cues.BOXED + " " * (len(box[0]) - 1), answer), begin, skipped)
