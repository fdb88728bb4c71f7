"""What every reader of foreign results gives, a run to be, and what readers have in common."""

from __future__ import annotations

import json
import re
import string
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Final, TypeAlias

import msgspec
from msgspec import Struct

from earmark.data.plain import ENCODER, repair
from earmark.errors import BadData
from earmark.journal import Record
from earmark.text.stops import stop_of
from earmark.text.verdicts import verdicts
from earmark.types import Response, Usage, replace

Spec: TypeAlias = dict[str, Any]  # a scorer by name, with its settings
Times: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=1_000_000)]  # which time something was asked

LETTERS: Final = string.ascii_uppercase
OPEN: Final = ".open"  # after the name of a task: its items whose choices could not be read, where others have some
HEAD: Final = 65536  # bytes of a file that are looked at before its form is known
LONGEST: Final = 1 << 26  # bytes of a line that is looked at for the same
TRANSCRIBED: Final = re.compile(r"(?<![a-z])(wer|cer|mer)(?![a-z])")
TRANSLATED: Final = re.compile(r"(?<![a-z])(?:(?:sacre)?bleu|chrf)(?![a-z])")
LANGUAGES: Final = (  # words of names of data sets
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
LOWER: Final = re.compile(
    r"(?:^|[^a-z])(?:[wcmpt]er|mae|mse|rmse|loss|perplexity|latency|error|errors|edit|ed)(?:[^a-z]|$)"
)


class Spread(Struct):
    """Within what the values of one of their measures lie."""

    lowest: float
    highest: float


class Facts(Struct):
    """What there is of a task once its records are read: what it can be scored by."""

    task: str
    records: int = 0
    lettered: int = 0  # items with choices, and the label of the right one
    targets: bool = True  # every item tells what is right
    measures: dict[str, Spread] = {}  # of theirs, in the order they came

    @property
    def labels(self) -> bool:
        """Whether every item has choices."""
        return self.lettered == self.records

    def add(self, record: Record) -> None:
        """Enter one record."""
        self.records += 1
        self.lettered += bool(record.item.labels)
        self.targets = self.targets and bool(record.item.targets)
        for verdict in verdicts(record.response.notes).values() if record.response else ():
            if verdict.value is not None:
                found = self.measures.setdefault(verdict.of, Spread(verdict.value, verdict.value))
                found.lowest = min(found.lowest, verdict.value)
                found.highest = max(found.highest, verdict.value)


class Imported(Struct, frozen=True):
    """The results of one model on one benchmark, as records of ours."""

    benchmark: str
    tasks: tuple[str, ...]  # empty: those of the records, as they come
    model: str  # as the results name it, or the folder that they lie in; empty: nothing tells
    records: Iterable[Record]  # read once, one by one
    settings: dict[str, object] = {}  # of the benchmark, as far as the results tell
    scorers: Callable[[Facts], list[Spec]] | None = None  # of a task; None: a packaged benchmark of that name scores
    notices: list[str] = []  # what a reader of the table must know; a reader may add to them while the records are read
    slices: tuple[str, ...] = ()  # tags to break every row down by
    average: bool = False  # a further row is the mean over the tasks, as the source has it
    files: tuple[Path, ...] = ()  # what it was read from


# ---------------------------------------------------------------- how it may be scored


def theirs(facts: Facts, scales: Mapping[str, Spec] | None = None) -> list[Spec]:
    """The scorer of what they gave, if they gave anything: each measure in the scale that is known, or that its values show."""
    measures = [
        {"name": name} | _scale(name, spread) | (scales or {}).get(name, {}) for name, spread in facts.measures.items()
    ]
    return [{"name": "theirs", "measures": measures}] if measures else []


def _scale(name: str, spread: Spread) -> Spec:
    share = spread.lowest >= 0 and spread.highest <= 1
    error = bool(LOWER.search(name.lower()))
    return {
        "lowest": min(0.0, spread.lowest),
        "highest": 1.0 if share and not error else None,
        "better": "lower" if error else "higher",
    }


def published(harness: str, task: str, numbers: Mapping[str, float]) -> list[str]:
    """What a harness tells of a task as a whole, in one line that stays with the run.

    >>> published("lmms-eval", "heard", {"accuracy": 2 / 3, "length": 20.0})
    ['published by lmms-eval: heard: accuracy 0.6667, length 20']
    """
    told = ", ".join(f"{name} {value:.4g}" for name, value in numbers.items())
    return [f"published by {harness}: {task}: {told}"] if told else []


def ours(facts: Facts, published: Iterable[str] = ()) -> list[Spec]:
    """What fits the items of a task: a choice where there are choices, else what their own measures are of, in the language
    that the task's name tells, else an exact match of short answers.
    """
    if facts.labels:
        return [{"name": "choice"}]
    if not facts.targets:
        return []
    names = " ".join([*facts.measures, *published]).lower()
    language = language_in(facts.task)
    if found := TRANSCRIBED.search(names):
        unit = "" if language else "characters" if found[1] == "cer" else "words"
        return [{"name": "wer", "language": language, "unit": unit}]
    if "rouge" in names:
        return [{"name": "rouge", "language": language or "en"}]
    if TRANSLATED.search(names):
        return [{"name": "bleu", "language": language, "references": 0}]
    return [{"name": "exact"}]


def language_in(name: str) -> str:
    """The last language that a name tells, which in a pair is that of the translation; empty: it tells none.

    >>> language_in("fleurs_cmn_hans_cn"), language_in("covost2_en_zh"), language_in("librispeech"), language_in("myaudio")
    ('zh', 'zh', 'en', '')
    """
    found = [LANGUAGES[word] for word in re.split(r"[^a-z]+", name.lower()) if word in LANGUAGES]
    return found[-1] if found else ""


# ---------------------------------------------------------------- files


def files(path: Path, pattern: str) -> list[Path]:
    """A file itself, if its name fits; else the files of that name in a folder and below."""
    if path.is_file():
        return [path] if path.match(pattern) else []
    return sorted(found for found in path.rglob(pattern) if found.is_file())


def head(path: Path) -> bytes:
    """The beginning of a file."""
    with path.open("rb") as file:
        return file.read(HEAD)


def first_line(path: Path) -> Any:
    """The first line of a file as JSON; None where it is none. Sound in a line makes it long."""
    with path.open("rb") as file:
        line = file.readline(LONGEST)
    try:
        return json.loads(line)
    except (json.JSONDecodeError, UnicodeDecodeError):
        return None


def keys(told: Any) -> frozenset[str]:
    """The names in an object; none in anything else."""
    return frozenset(told) if isinstance(told, dict) else frozenset()


def decoded(raw: bytes | msgspec.Raw, kind: Any, where: object, expected: str) -> Any:
    """JSON as typed values; a wrong one is told in one line. Python's NaN and Infinity, which are no JSON, become null.

    Lone surrogates are left in texts for the import to replace and to note; in what is decoded later, part by part,
    they are replaced here.
    """
    try:
        return msgspec.json.decode(raw, type=kind)
    except msgspec.MsgspecError as error:
        told = str(error)
        try:
            plain = json.loads(bytes(raw), parse_constant=lambda _: None)
            try:
                return msgspec.convert(plain, kind)
            except msgspec.ValidationError:  # raw parts come from bytes alone
                return msgspec.json.decode(ENCODER.encode(repair(plain)), type=kind)
        except (json.JSONDecodeError, UnicodeDecodeError, RecursionError):
            pass
        except msgspec.MsgspecError as found:
            told = str(found)
        raise BadData(
            f"{where}: found something else ({told}), expected {expected}; import the file as it was written"
        ) from error


def lines(path: Path, kind: Any, expected: str) -> Iterator[tuple[int, Any]]:
    """The lines of a file with their numbers, from 1."""
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            if line.strip():
                yield number, decoded(line, kind, f"{path}, line {number}", expected)


# ---------------------------------------------------------------- what harnesses write


class Message(Struct, frozen=True):
    """One turn, as Inspect and evalscope write it down: its words, or parts of several kinds.

    >>> msgspec.convert({"content": [{"type": "audio", "audio": "a.wav"}, {"type": "text", "text": "Which?"}]}, Message).text
    'Which?'
    """

    class Part(Struct, frozen=True):
        type: str = ""
        text: str | None = None
        reasoning: str | None = None
        audio: str | None = None

    role: str = ""
    content: str | list[Part] | None = None

    @property
    def parts(self) -> list[Part]:
        return self.content if isinstance(self.content, list) else []

    @property
    def text(self) -> str:
        """The words."""
        if isinstance(self.content, str):
            return self.content
        return "".join(part.text or "" for part in self.parts if part.type == "text")

    @property
    def reasoning(self) -> str:
        """The thoughts, where they are parts of their own."""
        return "".join(part.reasoning or "" for part in self.parts if part.type == "reasoning")


def words_of_user(messages: Iterable[Message]) -> str:
    """The words of every turn of the user."""
    return "\n".join(message.text for message in messages if message.role == "user")


class Output(Struct, frozen=True):
    """What a model gave, as Inspect and evalscope write it down, as far as it is used."""

    class _Choice(Struct, frozen=True):
        message: Message = Message()
        stop_reason: str = ""

    class _Usage(Struct, frozen=True):
        input_tokens: int | None = None
        output_tokens: int | None = None

    choices: list[_Choice] = []
    usage: _Usage | None = None
    time: float | None = None  # seconds
    error: str | None = None

    def tell(self, response: Response) -> Response:
        """A response with how it ended and what it took."""
        stop = stop_of(self.choices[0].stop_reason if self.choices else "") or "end"
        usage = Usage(self.usage.input_tokens or 0, self.usage.output_tokens or 0) if self.usage else Usage()
        return replace(response, stop=stop, usage=usage, seconds=self.time or 0.0)


def plain_name(name: str) -> str:
    """A name for a task: it becomes that of a file.

    >>> plain_name("inspect_evals/mmlu 0 shot")
    'inspect_evals-mmlu-0-shot'
    """
    return re.sub(r"[^\w.+-]+", "-", name).strip("-") or "unnamed"
