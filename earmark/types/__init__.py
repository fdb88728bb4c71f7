"""Data types and protocols, which plug-ins import from here.

    benchmark -> items -> prompts -> (condition) -> model -> responses -> scores -> report

Every noun is frozen: to change one, make another. Times are in seconds, rates in hertz, samples are float32 of shape
(channels, frames) within -1 and 1.
"""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

from earmark.types.media import (
    Audio,
    AudioHeader,
    Clip,
    EncodedAudio,
    Hertz,
    ImageBytes,
    ImageRef,
    Limits,
    LoadedClip,
    Part,
    Samples,
    Seconds,
    Source,
    SynthSpec,
    Timeout,
    Waveform,
)
from earmark.types.plugins import UNSIGNED, Average, Benchmark, Context, Table, TaskFacts, Unsigned, WritesRecords
from earmark.types.prompts import Item, Prompt, Role, Turn
from earmark.types.protocols import (
    Capabilities,
    Condition,
    CountsCalls,
    HasSettings,
    HasVerdicts,
    LeavesAudioUnread,
    LooksUpAnswers,
    Model,
    NamedCondition,
    NeedsSetup,
    OpenModel,
    Opens,
    Scorer,
    Signs,
    Wrapper,
)
from earmark.types.responses import NO_LOGPROBS_NOTE, STATES, Failure, ImportedVerdict, Response, State, Usage
from earmark.types.scores import Counts, Metric, Number, Score, Signature, rules_of, sign

__all__ = [
    "NO_LOGPROBS_NOTE",
    "STATES",
    "UNSIGNED",
    "Audio",
    "AudioHeader",
    "Average",
    "Benchmark",
    "Capabilities",
    "Clip",
    "Condition",
    "Context",
    "Counts",
    "CountsCalls",
    "EncodedAudio",
    "Failure",
    "HasSettings",
    "HasVerdicts",
    "Hertz",
    "ImageBytes",
    "ImageRef",
    "ImportedVerdict",
    "Item",
    "LeavesAudioUnread",
    "Limits",
    "LoadedClip",
    "LooksUpAnswers",
    "Metric",
    "Model",
    "NamedCondition",
    "NeedsSetup",
    "Number",
    "OpenModel",
    "Opens",
    "Part",
    "Prompt",
    "Response",
    "Role",
    "Samples",
    "Score",
    "Scorer",
    "Seconds",
    "Signature",
    "Signs",
    "Source",
    "State",
    "SynthSpec",
    "Table",
    "TaskFacts",
    "Timeout",
    "Turn",
    "Unsigned",
    "Usage",
    "Waveform",
    "Wrapper",
    "WritesRecords",
    "replace",
    "rules_of",
    "sign",
]

StructType = TypeVar("StructType", bound=msgspec.Struct)


def replace(noun: StructType, **changes: Any) -> StructType:
    """Another of the same noun, with some fields changed."""
    return msgspec.structs.replace(noun, **changes)
