"""Responses of a model, and failures, which are no responses."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

from msgspec import Struct

from earmark.types.media import Clip, Seconds

NO_LOGPROBS_NOTE: Final = "log-probabilities were asked for, and the server sent none"
# What became of one question. The first three are answers or the model's own choice; the next two are failures, which
# are never scored as answers and are always counted in the open. The last is a failure of scoring: a judge gave no
# verdict, so the answer stands unscored, outside every sum.
State: TypeAlias = Literal["answered", "unparsed", "refused", "request-failed", "sound-failed", "judge-failed"]
STATES: tuple[State, ...] = ("answered", "unparsed", "refused", "request-failed", "sound-failed", "judge-failed")


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
