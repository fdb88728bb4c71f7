"""The nouns and the seams.

    benchmark -> items -> prompts -> (condition) -> model -> responses -> scores -> report

Every noun is frozen: to change one, make another. Times are in seconds, rates in hertz, samples are float32 of shape
(channels, frames) within -1 and 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Annotated, Any, Literal, Protocol, TypeAlias, TypeVar, runtime_checkable

import msgspec
from msgspec import Meta, Struct

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    import numpy.typing as npt
from typing import Final

from earmark import __version__

NO_LOGPROBS_NOTE: Final = "log-probabilities were asked for, and the server sent none"


Samples: TypeAlias = "npt.NDArray[np.float32]"
Number: TypeAlias = "float | npt.NDArray[np.float64]"

StructType = TypeVar("StructType", bound=Struct)
Seconds: TypeAlias = float
Timeout: TypeAlias = Annotated[Seconds, Meta(gt=0, le=1e9)]  # of a wait: it may be long, and it ends
Hertz: TypeAlias = int
Role: TypeAlias = Literal["system", "user", "assistant"]

# What became of one question. The first three are answers or the model's own choice; the next two are failures, which
# are never scored as answers and are always counted in the open. The last is a failure of scoring: a judge gave no
# verdict, so the answer stands unscored, outside every sum.
State: TypeAlias = Literal["answered", "unparsed", "refused", "request-failed", "sound-failed", "judge-failed"]
STATES: tuple[State, ...] = ("answered", "unparsed", "refused", "request-failed", "sound-failed", "judge-failed")


# ---------------------------------------------------------------- sound, from a reference to bytes on the wire


class Clip(Struct, frozen=True, omit_defaults=True, tag="clip"):
    """Recorded sound by reference: nothing is read until it is needed, so a benchmark of a million items streams.

    The sound is the file itself, one cell of a parquet file (`row` counted from 0 over the whole file, `column` such as
    `audio.bytes`), or one member of a zip archive.
    """

    path: str
    row: int | None = None
    column: str = ""
    member: str = ""
    start: Seconds = 0.0
    end: Seconds | None = None  # None: to the end
    name: str = ""  # what the source calls it
    transcript: str = ""  # what is said in it, where the source tells
    codec: str = ""  # how the protocol has it coded before it is sent, such as "mp3@64k"; empty: as it is


class Limits(Struct, frozen=True, forbid_unknown_fields=True):
    """Limits on sound: how much is taken into memory at most, one clip at a time."""

    max_seconds: Seconds = 4 * 3600.0  # of what is decoded
    max_bytes: int = 1 << 30  # bytes of a file, and of its samples once decoded


class AudioHeader(Struct, frozen=True):
    """Properties of a sound file, as decoded rather than as its header claims."""

    format: str
    plain: bool  # False: not what every reader of the format takes, or its header lies
    rate: Hertz
    channels: int
    frames: int
    notes: tuple[str, ...] = ()

    @property
    def seconds(self) -> Seconds:
        return self.frames / self.rate


class LoadedClip(Struct, frozen=True, eq=False):
    """A clip whose file has been read, once: what is prepared, signed and written down comes from here."""

    clip: Clip
    data: bytes  # the whole file; none of a stretch of a large one, which is decoded from the disk
    digest: str  # of the recording
    limits: Limits  # under which it was read, and is decoded
    header: AudioHeader | None = None  # where it may be sent as it is

    @property
    def name(self) -> str:
        return self.clip.name

    @property
    def transcript(self) -> str:
        return self.clip.transcript


class SynthSpec(Struct, frozen=True, omit_defaults=True, tag="recipe"):
    """Sound that is computed when it is needed: a maker of `audio/synth.py` and its numbers."""

    generator: str
    settings: dict[str, float | int | str] = {}
    name: str = ""
    transcript: str = ""


class Waveform(Struct, frozen=True, eq=False):
    """Samples and their rate, never apart."""

    samples: Samples
    rate: Hertz
    name: str = ""
    transcript: str = ""
    source: str = ""  # a digest of the recording or recipe it comes from
    notes: tuple[str, ...] = ()  # what was done to it on the way here

    @property
    def seconds(self) -> Seconds:
        return float(self.samples.shape[1] / self.rate)


class EncodedAudio(Struct, frozen=True):
    """Sound as bytes, the way a model is sent it."""

    data: bytes
    format: str  # "wav", "mp3", "flac", "ogg", "opus", "m4a", "webm"
    rate: Hertz
    channels: int
    seconds: Seconds
    name: str = ""
    source: str = ""  # a digest of the recording or recipe it comes from
    notes: tuple[str, ...] = ()
    base64: bytes = b""  # the same as text, where the model wants it so: made while the bytes are at hand


class ImageRef(Struct, frozen=True, omit_defaults=True, tag="picture"):
    """An image by reference; `width` in pixels scales it, keeping its shape."""

    path: str
    name: str = ""
    width: int | None = None
    detail: str = ""  # what some servers call how closely to look: "low", "high", "auto"


class ImageBytes(Struct, frozen=True):
    """A picture as bytes, the way a model is sent it."""

    data: bytes
    mime: str  # "image/jpeg", "image/png", ...
    name: str = ""
    detail: str = ""
    source: str = ""  # a digest of the file it comes from
    base64: bytes = b""  # the same as text


Source: TypeAlias = Clip | SynthSpec
Audio: TypeAlias = Clip | LoadedClip | SynthSpec | Waveform | EncodedAudio
Part: TypeAlias = str | Clip | LoadedClip | SynthSpec | Waveform | EncodedAudio | ImageRef | ImageBytes


# ---------------------------------------------------------------- what is asked


class Item(Struct, frozen=True, omit_defaults=True):
    """One row of a benchmark: what will be asked, and what would be right."""

    id: str  # unique within its task
    task: str = ""
    question: str = ""
    clips: tuple[Source, ...] = ()
    choices: tuple[str, ...] = ()  # in the order shown
    labels: tuple[str, ...] = ()  # the letters they are shown under, as many as choices
    targets: tuple[str, ...] = ()  # the right answers: labels where there are choices, else texts; any one is right
    group: str = ""  # items that share a recording, speaker or user: resampled together
    tags: dict[str, str] = {}  # the slices of the report
    extra: dict[str, Any] = {}  # what a scorer needs beyond these texts, such as a rubric; never a slice
    state: Literal["ask", "skipped", "error"] = "ask"  # skipped: never counted; error: counted, but cannot be asked
    reason: str = ""  # why it is skipped or in error

    def text(self, label: str) -> str:
        """The choice shown under a label."""
        return self.choices[self.labels.index(label)]


class Turn(Struct, frozen=True):
    """One speaker's turn: words, sound and pictures in playing order."""

    role: Role
    parts: tuple[Part, ...]


class Prompt(Struct, frozen=True):
    """Exactly what a model is given. A single question is one turn, a history is many."""

    turns: tuple[Turn, ...]
    choices: tuple[str, ...] = ()  # the options named in the text, for models that answer by likelihood
    labels: tuple[str, ...] = ()
    sampling: dict[str, Any] = {}  # what the protocol prescribes, such as max_tokens; the model's own settings go first
    replies: Literal["one", "each", "joined"] = "one"  # in all; to each user turn after those so far; to each alone


# ---------------------------------------------------------------- what comes back


class Usage(Struct, frozen=True, omit_defaults=True):
    """Usage of a response: tokens as the server counted them, and cost if the price is known."""

    tokens_in: int = 0
    tokens_out: int = 0
    audio_tokens_in: int = 0  # of tokens_in
    audio_tokens_out: int = 0  # of tokens_out
    cost: float = 0.0  # in the currency of the model's price list

    def __add__(self, other: Usage) -> Usage:
        """Sum of both."""
        return Usage(
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
            self.audio_tokens_in + other.audio_tokens_in,
            self.audio_tokens_out + other.audio_tokens_out,
            self.cost + other.cost,
        )


class ImportedVerdict(Struct, frozen=True, omit_defaults=True):
    """One number that another harness gave to one reply."""

    measure: str  # as the harness calls it
    value: float | None = None  # on its scale; None: no value, as where its judge failed
    answer: str | None = None  # parsed from the reply, "" for nothing; None: unknown
    explanation: str = ""


class Response(Struct, frozen=True, omit_defaults=True):
    """Response of a model."""

    text: str
    stop: Literal["end", "length", "filtered"] = "end"
    reasoning: str = ""
    transcripts: tuple[str, ...] = ()  # a cascade's transcripts, one for each clip
    likelihoods: tuple[float, ...] = ()  # log-likelihood of each choice, where the model answers that way
    speech: Clip | None = None  # its path is relative to the run's folder, once it is recorded
    usage: Usage = Usage()
    seconds: Seconds = 0.0  # from sending to the whole answer
    first_token: Seconds | None = None  # to its first word, where it is streamed
    first_audio: Seconds | None = None  # and to its first sound
    notes: tuple[str, ...] = ()
    raw_text: str = ""  # while it is scored: the whole reply, where thoughts were split off
    verdicts: tuple[ImportedVerdict, ...] = ()  # while it is scored: those of another harness, from its record

    @property
    def whole_text(self) -> str:
        """The reply as it was said, for readers of published protocols that read all of it."""
        return self.raw_text or self.text


class Failure(Struct, frozen=True, omit_defaults=True):
    """No answer. Never scored; counted in a column of its own."""

    state: Literal["refused", "request-failed", "sound-failed"]
    message: str
    final: bool = True  # False: asking again may help, so a resumed run does
    attempts: int = 0


Counts: TypeAlias = Mapping[str, Number]


class Score(Struct, frozen=True, omit_defaults=True):
    """Score of one response, as counts that add up over items."""

    counts: dict[str, float]
    answer: str | None = None  # what was read from the reply
    state: State = "answered"
    rule: str = ""  # which rule read it
    explanation: str = ""
    usage: Usage = Usage()  # what a judge took for it


# ---------------------------------------------------------------- the seams


class Capabilities(Struct, frozen=True, forbid_unknown_fields=True):
    """Inputs that a model takes. Empty or None: anything."""

    formats: tuple[str, ...] = ("wav", "mp3")  # "samples": float32 in memory, no bytes
    rates: tuple[Hertz, ...] = ()
    channels: int | None = None  # at most this many
    seconds: Seconds | None = None  # at most this long a clip
    clips: int | None = None  # at most this many in a prompt
    join: Seconds | None = None  # where a prompt has more, those of a turn are joined, with so much silence between
    images: bool = False
    base64: bool = False  # sound is sent as text
    roles: tuple[Role, ...] = ("system", "user", "assistant")


class Model(Protocol):
    """Whatever answers a prompt. A wrapper holds a model and is one."""

    @property
    def name(self) -> str: ...
    @property
    def capabilities(self) -> Capabilities: ...
    async def generate(self, prompt: Prompt) -> Response:
        """Answer, or raise one of the `AskError`s of `errors.py`."""
        ...


OpenModel: TypeAlias = "Callable[[Mapping[str, Any]], AbstractAsyncContextManager[Model]]"  # from its settings


class Wrapper:
    """A model that holds another and is one: it has that one's name and ears. What it adds is its `generate`."""

    def __init__(self, model: Model) -> None:
        self.model = model

    @property
    def name(self) -> str:
        return self.model.name

    @property
    def capabilities(self) -> Capabilities:
        return self.model.capabilities


@runtime_checkable
class LooksUpAnswers(Protocol):
    """A model that answers from a record of the question, such as a replayed run."""

    def lookup(self, record: Any) -> Response | Failure:
        """Return the recorded outcome of a question (a journal.Record)."""
        ...


class Metric(Struct, frozen=True):
    """One number read from summed counts; `value` also takes arrays of counts, for resampling."""

    value: Callable[[Counts], Number]
    better: Literal["higher", "lower"] = "higher"
    share: tuple[str, str] | None = None  # the two counts of a plain share, which has a closed interval
    caveat: Callable[[Mapping[str, float]], str] | None = None  # of summed counts: a note on the number, or nothing
    limits: tuple[float, float] | None = None  # between which it lies; inf: it has no top
    smallest: Callable[[Counts], Number] | None = None  # of a mean over classes: items of the smallest one


class Signature(Struct, frozen=True, omit_defaults=True):
    """The settings behind a number: equal ones mean the same number. Its text is for people."""

    name: str  # of the rule
    settings: tuple[tuple[str, str], ...] = ()  # by name, such as ("norm", "whisper-en.1")
    version: str = ""  # of Earmark; empty: the rule is somebody else's
    details: tuple[tuple[str, str], ...] = ()  # beside the rules: how tasks were put together, who the judge was

    def __str__(self) -> str:
        """
        >>> str(Signature("wer", (("norm", "whisper-en.1"), ("agg", "corpus")), "0.1"))
        'wer|norm:whisper-en.1|agg:corpus|v:0.1'
        """
        return "|".join(
            [self.rules, *([f"v:{self.version}"] if self.version else []), *map(_format_pair, self.details)]
        )

    @property
    def rules(self) -> str:
        """The text without the version and what comes after it."""
        return "|".join([self.name, *map(_format_pair, self.settings)])


def rules_of(signature: Signature | str) -> str:
    """The rules of a signature as text, without its version. Files of older versions have signatures as texts.

    >>> rules_of("wer|agg:corpus|v:0.1") == rules_of(Signature("wer", (("agg", "corpus"),), "0.2"))
    True
    """
    return signature.rules if isinstance(signature, Signature) else signature.partition("|v:")[0]


def _format_pair(pair: tuple[str, str]) -> str:
    name, value = pair
    return f"{name}:{value}" if name and value else name or value


def sign(name: str, *settings: tuple[str, object]) -> Signature:
    """The signature of a rule of this version of Earmark."""
    return Signature(name, tuple((key, str(value)) for key, value in settings), __version__)


class Scorer(Protocol):
    """One way of scoring. It signs by its `settings`, or has a `signature`: see `HasSettings` and `Signs`."""

    @property
    def name(self) -> str: ...
    @property
    def metrics(self) -> Mapping[str, Metric]:
        """Its numbers by name, the headline first."""
        ...

    async def score(self, item: Item, response: Response) -> Score: ...

    def bounds(self, item: Item) -> tuple[dict[str, float], dict[str, float]]:
        """The counts of the worst and of the best answer this item could have had, for items that failed."""
        ...


@runtime_checkable
class HasSettings(Protocol):
    """Something that was made from settings. Those of a scorer sign its numbers unless it has a signature."""

    @property
    def settings(self) -> Any: ...


@runtime_checkable
class Signs(Protocol):
    """A scorer, or averages over one, that says itself what signs its numbers."""

    @property
    def signature(self) -> Signature: ...


@runtime_checkable
class Opens(Protocol):
    """A scorer that asks something, such as a judge, and so has to be opened before it scores."""

    def open(self) -> AbstractAsyncContextManager[Scorer]:
        """Return the scorer, open: a judge opens its model with the `open_model` of its context."""
        ...


@runtime_checkable
class CountsCalls(Protocol):
    """A scorer that asks a judge, and can tell how often."""

    @property
    def calls_per_answer(self) -> int: ...


@runtime_checkable
class HasVerdicts(Protocol):
    """A scorer of verdicts that another harness gave."""

    @property
    def verdict_name(self) -> str: ...


@runtime_checkable
class NeedsSetup(Protocol):
    """A scorer that needs more than this package."""

    def check(self) -> None:
        """Raise BadSetup where a package or a file that it needs is not there."""
        ...


class Condition(Protocol):
    """One way of hearing: what is done to the sound of a prompt before it is asked."""

    @property
    def removes_audio(self) -> bool:
        """True for a control: what is asked about cannot be heard."""
        ...

    @property
    def keeps_words(self) -> bool:
        """True for a control that leaves the words that are said."""
        ...

    def apply(self, prompt: Prompt, item: Item) -> Prompt: ...


@runtime_checkable
class LeavesAudioUnread(Protocol):
    """A condition that replaces sound without reading it: clips come to it as references."""

    @property
    def leaves_audio_unread(self) -> bool: ...


class NamedCondition(Struct, frozen=True):
    """A condition and the name under which its answers are kept."""

    name: str  # with its argument, such as noise:10
    condition: Condition

    def apply(self, prompt: Prompt, item: Item) -> Prompt:
        return self.condition.apply(prompt, item)

    @property
    def leaves_audio_unread(self) -> bool:
        return isinstance(self.condition, LeavesAudioUnread) and self.condition.leaves_audio_unread


class Table(Struct, frozen=True):
    """A table to be written as CSV: where in the run's folder, and its rows."""

    path: str
    head: tuple[str, ...]
    rows: Iterable[tuple[Any, ...]]


class Average(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A further row: the mean over tasks, or over other averages that stand before it."""

    over: tuple[str, ...]
    weigh: Literal["tasks", "items"] = "tasks"  # which count alike; items: pooled
    scale: dict[str, float] = {}  # factors of single parts, such as 20 for points from 1 to 5
    decimals: int | None = None  # to which each part is rounded before the mean, as some leaderboards do


class TaskFacts(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Facts about one task."""

    license: str = ""  # of its questions
    sound_license: str = ""
    source: str = ""
    revision: str = ""
    rows: int | None = None  # expected
    needs_ears: Literal["yes", "no", "partly"] = "yes"  # no: a transcript carries the answers
    reason: str = ""  # for that
    language: str = ""
    metric: str = ""  # official name of the number
    faults: tuple[str, ...] = ()  # known ones


class WritesRecords(Protocol):
    """Files of a benchmark's own that are written while a run goes on."""

    def load(self, run: Path) -> None:
        """Enter what a run has answered before."""
        ...

    def add(self, record: Any) -> None:
        """Enter a record (a journal.Record), which is on disk."""
        ...

    def close(self) -> None: ...


class Benchmark(Struct, frozen=True, kw_only=True):
    """A set of questions, how they are asked and how they are scored."""

    name: str = ""  # set when it is loaded: the name under which it was asked for
    version: int  # raised whenever items, prompts or preparation change
    tasks: tuple[str, ...]
    items: Callable[[], Iterable[Item]]
    prompt: Callable[[Item], Prompt]
    scorers: Callable[[str], tuple[Scorer, ...]]  # by task
    fetch: Callable[[Callable[[str], None]], None] | None = None  # brings data that is not there yet, saying so
    settings: Mapping[str, Any] = {}  # they sign the run; empty: those that it was loaded with
    files: Callable[[], tuple[str, ...]] = tuple  # the data behind it, checked; its digests sign the run
    data_root: str = ""  # the folder below which the paths of `files` name them; empty: their last parts do
    source: str = ""  # where the data is published, with its revision
    revisions: Callable[[], Mapping[str, str]] = dict  # by repository, the commit that is read, where it is known
    license: str = ""
    averages: Mapping[str, Average] = {}  # further rows: means over tasks or over averages that stand before
    task_facts: Mapping[str, TaskFacts] = {}
    slices: tuple[str, ...] = ()  # tags to break every row down by
    mean_over: str = ""  # what a group is ("user"): a further row is the mean over groups, each group counting alike
    sort_key: Callable[[Item], Any] | None = (
        None  # in which the items of one group are best asked, for a server's cache
    )
    retry_if: Callable[[Response], bool] | None = None  # whether the protocol asks once more after such a reply
    max_attempts: int | None = (
        None  # requests for one answer, where the protocol says; the run's own setting goes first
    )
    open_files: Callable[[], WritesRecords] | None = None  # files that are written while a run goes on
    extra_tables: Callable[[str, Callable[[], Iterable[tuple[Any, Any]]]], Iterable[Table]] | None = None
    # ^ the benchmark's own files, from the model's name and its scored records (journal.Record, journal.ScoreLine)
    warnings: tuple[str, ...] = ()  # what a reader of the table must know
    properties: Mapping[str, str] = {}  # by task, what is asked about: a condition that destroys it is refused
    needs_ears: bool = True  # False: a transcript carries the answer, which the report tells where one is a control
    seed: int = 0


class Unsigned:
    """Mark of a setting that changes no answer and no number."""


UNSIGNED: Final = Unsigned()  # Annotated[int, UNSIGNED]


def _open_no_model(settings: Mapping[str, Any]) -> AbstractAsyncContextManager[Model]:
    raise NotImplementedError(f"no model can be opened here, found {settings.get('backend')}: see engine/load.py")


class Context(Struct, frozen=True):
    """What a plug-in is loaded with, beside its settings."""

    name: str = ""  # under which it was asked for
    tasks: tuple[str, ...] = ()  # of a benchmark; empty: all
    seed: int = 0  # of a condition
    benchmark: Benchmark | None = None  # of a condition: whose items are asked
    open_model: OpenModel = _open_no_model  # opens another model from its settings: a judge, a part of a cascade


def replace(noun: StructType, **changes: Any) -> StructType:
    """Another of the same noun, with some fields changed."""
    return msgspec.structs.replace(noun, **changes)
