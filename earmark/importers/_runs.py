"""Shared parts of the importers."""

from __future__ import annotations

import json
import re
import string
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Annotated, Any, Final, TypeAlias

import msgspec
from msgspec import Struct

from earmark.data import regular
from earmark.data.plain import ENCODER, repair
from earmark.data.prompt_words import WordsPart, WordsTurn
from earmark.errors import BadData
from earmark.runs.imported import ScorerSpec, TaskStats, ValueRange
from earmark.text.stops import stop_of
from earmark.types import Response, Role, Usage, replace

RepeatIndex: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=1_000_000)]  # number of the repeat, from 0

LETTERS: Final = string.ascii_uppercase
HEAD_BYTES: Final = 65536  # bytes read to detect the format of a file
MAX_LINE_BYTES: Final = 1 << 26  # bytes of a line read for the same
ERROR_RATE_NAME: Final = re.compile(r"(?<![a-z])(wer|cer|mer)(?![a-z])")
TRANSLATION_NAME: Final = re.compile(r"(?<![a-z])(?:(?:sacre)?bleu|chrf)(?![a-z])")
LANGUAGE_CODES: Final = (  # words of names of data sets
    {code: code for code in "ar de en es fr hi id it ja ko ms nl pt ru ta th tr vi yue zh".split()}
    | dict.fromkeys(("cmn", "mandarin", "chinese", "aishell", "wenetspeech", "wenet"), "zh")
    | dict.fromkeys(
        ("english", "librispeech", "tedlium", "gigaspeech", "voxpopuli", "earnings", "ami", "spgispeech"), "en"
    )
    | {
        "cantonese": "yue",
        "japanese": "ja",
        "jp": "ja",
        "korean": "ko",
        "german": "de",
        "french": "fr",
        "spanish": "es",
    }
)
LOWER_IS_BETTER: Final = re.compile(
    r"(?:^|[^a-z])(?:[wcmpt]er|mae|mse|rmse|loss|perplexity|latency|error|errors|edit|ed)(?:[^a-z]|$)"
)


# ---------------------------------------------------------------- scorers


def measure_scorers(task_stats: TaskStats, scales: Mapping[str, ScorerSpec] | None = None) -> list[ScorerSpec]:
    """Return the scorer of imported measures, if there are any: each in its known scale, or in that of its values."""
    measures = [
        {"name": name} | _scale(name, spread) | (scales or {}).get(name, {})
        for name, spread in task_stats.measures.items()
    ]
    return [{"name": "imported_score", "measures": measures}] if measures else []


def _scale(name: str, spread: ValueRange) -> ScorerSpec:
    share = spread.lowest >= 0 and spread.highest <= 1
    error = bool(LOWER_IS_BETTER.search(name.lower()))
    return {
        "lowest": min(0.0, spread.lowest),
        "highest": 1.0 if share and not error else None,
        "better": "lower" if error else "higher",
    }


def format_published(harness: str, task: str, numbers: Mapping[str, float]) -> list[str]:
    """Format the published numbers of a task in one line, kept with the run.

    >>> format_published("lmms-eval", "gender", {"accuracy": 2 / 3, "length": 20.0})
    ['published by lmms-eval: gender: accuracy 0.6667, length 20']
    """
    text = ", ".join(f"{name} {value:.4g}" for name, value in numbers.items())
    return [f"published by {harness}: {task}: {text}"] if text else []


def matching_scorers(task_stats: TaskStats, published: Iterable[str] = ()) -> list[ScorerSpec]:
    """Choose scorers for the items of a task: by choices, by the imported measures, or exact match.

    The language is that in the name of the task.
    """
    if task_stats.labels:
        return [{"name": "choice"}]
    if not task_stats.targets:
        return []
    names = " ".join([*task_stats.measures, *published]).lower()
    language = language_of_name(task_stats.task)
    if match := ERROR_RATE_NAME.search(names):
        unit = "" if language else "characters" if match[1] == "cer" else "words"
        return [{"name": "wer", "language": language, "unit": unit}]
    if "rouge" in names:
        return [{"name": "rouge", "language": language or "en"}]
    if TRANSLATION_NAME.search(names):
        return [{"name": "bleu", "language": language, "references": 0}]
    return [{"name": "exact"}]


def language_of_name(name: str) -> str:
    """Return the last language in a name, in a pair that of the translation; empty if there is none.

    >>> [language_of_name(name) for name in ("fleurs_cmn_hans_cn", "covost2_en_zh", "librispeech", "myaudio")]
    ['zh', 'zh', 'en', '']
    """
    codes = [LANGUAGE_CODES[word] for word in re.split(r"[^a-z]+", name.lower()) if word in LANGUAGE_CODES]
    return codes[-1] if codes else ""


# ---------------------------------------------------------------- files


def matching_files(path: Path, pattern: str) -> list[Path]:
    """Return a file itself if its name matches, or the matching files below a folder."""
    if path.is_file():
        return [path] if path.match(pattern) else []
    return sorted(file for file in path.rglob(pattern) if file.is_file())


def read_head(path: Path) -> bytes:
    """Read the beginning of a file."""
    with path.open("rb") as file:
        return file.read(HEAD_BYTES)


def first_line(path: Path) -> Any:
    """Read the first line of a file as JSON; None if it is not JSON."""
    with path.open("rb") as file:
        line = file.readline(MAX_LINE_BYTES)
    try:
        return json.loads(line)
    except (json.JSONDecodeError, UnicodeDecodeError):
        return None


def object_keys(value: Any) -> frozenset[str]:
    """Return the keys of an object; none for any other value."""
    return frozenset(value) if isinstance(value, dict) else frozenset()


def decode_json(raw: bytes | msgspec.Raw, kind: Any, where: object, expected: str) -> Any:
    """Decode JSON as typed values. Raises BadData for others. NaN and Infinity of Python become null.

    Lone surrogates stay in texts, for the import to replace and note; in raw parts they are replaced here.
    """
    try:
        return msgspec.json.decode(raw, type=kind)
    except msgspec.MsgspecError as error:
        message = str(error)
        try:
            plain = json.loads(bytes(raw), parse_constant=lambda _: None)
            try:
                return msgspec.convert(plain, kind)
            except msgspec.ValidationError:  # raw parts come from bytes alone
                return msgspec.json.decode(ENCODER.encode(repair(plain)), type=kind)
        except (json.JSONDecodeError, UnicodeDecodeError, RecursionError):
            pass
        except msgspec.MsgspecError as failure:
            message = str(failure)
        raise BadData(
            f"{where}: found something else ({message}), expected {expected}; import the file as it was written"
        ) from error


def read_lines(path: Path, kind: Any, expected: str) -> Iterator[tuple[int, Any]]:
    """Yield the lines of a file with their numbers, from 1."""
    for number, line in enumerate(regular.read_lines(path), start=1):
        if line.strip():
            yield number, decode_json(line, kind, f"{path}, line {number}", expected)


# ---------------------------------------------------------------- messages


class LoggedMessage(Struct, frozen=True):
    """One turn in the logs of Inspect and evalscope: a text, or parts of several kinds.

    >>> parts = [{"type": "audio", "audio": "a.wav"}, {"type": "text", "text": "Which?"}]
    >>> msgspec.convert({"content": parts}, LoggedMessage).text
    'Which?'
    """

    class LoggedPart(Struct, frozen=True):
        type: str = ""
        text: str | None = None
        reasoning: str | None = None
        audio: str | None = None

    role: str = ""
    content: str | list[LoggedPart] | None = None

    @property
    def parts(self) -> list[LoggedPart]:
        return self.content if isinstance(self.content, list) else []

    @property
    def text(self) -> str:
        """Text of the message."""
        if isinstance(self.content, str):
            return self.content
        return "".join(part.text or "" for part in self.parts if part.type == "text")

    @property
    def reasoning(self) -> str:
        """Reasoning, if it has parts of its own."""
        return "".join(part.reasoning or "" for part in self.parts if part.type == "reasoning")


def prompt_turns(messages: str | Sequence[LoggedMessage]) -> list[WordsTurn]:
    """The turns of a prompt as a log has them, up to the reply; a text is one turn of the user.

    >>> prompt_turns("Which?")
    [WordsTurn(role='user', parts=('Which?',))]
    """
    if isinstance(messages, str):
        return [WordsTurn("user", (messages,))] if messages else []
    asked = list(messages)
    while asked and asked[-1].role == "assistant":
        asked.pop()
    numbers = {"sound": count(), "picture": count()}

    def convert(part: LoggedMessage.LoggedPart) -> WordsPart:
        kind = {"audio": "sound", "image": "picture"}.get(part.type)
        return {kind: next(numbers[kind])} if kind else part.text or ""

    roles: dict[str, Role] = {"system": "system", "assistant": "assistant"}
    return [
        WordsTurn(
            roles.get(message.role, "user"),
            (message.content,)
            if isinstance(message.content, str)
            else tuple(filter(None, map(convert, message.parts))),
        )
        for message in asked
    ]


def user_text(messages: Iterable[LoggedMessage]) -> str:
    """Join the texts of all turns of the user."""
    return "\n".join(message.text for message in messages if message.role == "user")


class LoggedOutput(Struct, frozen=True):
    """Output of a model in the logs of Inspect and evalscope; only the fields used."""

    class _Choice(Struct, frozen=True):
        message: LoggedMessage = LoggedMessage()
        stop_reason: str = ""

    class _Usage(Struct, frozen=True):
        input_tokens: int | None = None
        output_tokens: int | None = None

    choices: list[_Choice] = []
    usage: _Usage | None = None
    time: float | None = None  # seconds
    error: str | None = None

    def complete(self, response: Response) -> Response:
        """Add stop reason, usage and time to a response."""
        stop = stop_of(self.choices[0].stop_reason if self.choices else "") or "end"
        usage = Usage(self.usage.input_tokens or 0, self.usage.output_tokens or 0) if self.usage else Usage()
        return replace(response, stop=stop, usage=usage, seconds=self.time or 0.0)


def plain_name(name: str) -> str:
    """Convert a name to one of a task, which becomes a file name.

    >>> plain_name("inspect_evals/mmlu 0 shot")
    'inspect_evals-mmlu-0-shot'
    """
    return re.sub(r"[^\w.+-]+", "-", name).strip("-") or "unnamed"
