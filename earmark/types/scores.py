"""Scores of responses, the metrics over them, and the signatures of both."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Literal, TypeAlias

from msgspec import Struct

from earmark import __version__
from earmark.types.responses import State, Usage

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


Number: TypeAlias = "float | npt.NDArray[np.float64]"
Counts: TypeAlias = Mapping[str, Number]


class Score(Struct, frozen=True, omit_defaults=True):
    """Score of one response, as counts that add up over items."""

    counts: dict[str, float]
    answer: str | None = None  # what was read from the reply
    state: State = "answered"
    rule: str = ""  # which rule read it
    explanation: str = ""
    usage: Usage = Usage()  # what a judge took for it


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
